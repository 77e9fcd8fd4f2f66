import { Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { HandlerName } from './constructs/handler-function.ts';
import type { TaskNames } from './constructs/task-names.ts';

/**
 * What keeping names takes, where there are names. Services get their ids from Cloud Map, so that of services no more can be
 * said than whose they are; a service is only made in our namespace, and a record only in its zone. Cloud Map changes the
 * zone, and would change health checks, with the rights of whoever asks it to (Cloud Map developer guide, API permissions
 * reference). ListServices has no resource (Service Authorization Reference, AWS Cloud Map).
 */
export function grantNameRights(names: TaskNames, roles: Readonly<Record<HandlerName, IRole>>): void {
  const stack = Stack.of(names);
  const services = stack.formatArn({ service: 'servicediscovery', resource: 'service', resourceName: '*' });
  const ofRoute53 = (kind: string, id: string) =>
    stack.formatArn({ service: 'route53', region: '', account: '', resource: kind, resourceName: id });
  const zone = ofRoute53('hostedzone', names.hostedZoneId);
  const allow = (role: IRole, actions: string[], resources: string[]) =>
    role.addToPrincipalPolicy(new PolicyStatement({ actions, resources }));
  const look = (role: IRole) => {
    allow(role, ['servicediscovery:ListServices'], ['*']);
    allow(role, ['servicediscovery:ListInstances'], [services]);
  };
  look(roles.api); // the doctor's
  for (const role of [roles.dispatch, roles.sweep]) {
    look(role);
    allow(role, ['servicediscovery:CreateService'], [names.namespaceArn]);
    allow(
      role,
      ['servicediscovery:DeleteService', 'servicediscovery:DeregisterInstance', 'servicediscovery:RegisterInstance'],
      [services],
    );
    allow(role, ['servicediscovery:GetOperation'], [names.namespaceArn, services]);
    allow(role, ['route53:ChangeResourceRecordSets', 'route53:GetHostedZone'], [zone]);
    allow(role, ['route53:ListHostedZonesByName'], ['*']);
    allow(
      role,
      ['route53:CreateHealthCheck', 'route53:DeleteHealthCheck', 'route53:GetHealthCheck', 'route53:UpdateHealthCheck'],
      [ofRoute53('healthcheck', '*')],
    );
  }
}
