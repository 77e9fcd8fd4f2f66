import { Stack } from 'aws-cdk-lib';
import { type Conditions, type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { TaskNames } from './constructs/task-names.ts';
import type { Roles } from './rights.ts';

export type NameWorld = {
  readonly names: TaskNames;
  readonly roles: Roles;
};

/**
 * Permissions for tasks' names, if tasks have names. Cloud Map chooses the ids of services, so policies can only restrict
 * their owner: of the actions here AWS knows the namespace of CreateService alone (Service Authorization Reference, AWS Cloud
 * Map: servicediscovery:NamespaceArn). A service can only be created in our namespace, and a record only in its zone. Cloud
 * Map changes the zone with its caller's permissions (Cloud Map developer guide, API permissions reference). It would change
 * health checks, too, but names have none. ListServices has no resource.
 */
export function grantNameRights({ names, roles }: NameWorld): void {
  const stack = Stack.of(names);
  const services = stack.formatArn({ service: 'servicediscovery', resource: 'service', resourceName: '*' });
  const zone = stack.formatArn({
    service: 'route53',
    region: '',
    account: '',
    resource: 'hostedzone',
    resourceName: names.hostedZoneId,
  });
  const allow = (role: IRole, actions: string[], resources: string[], conditions: Conditions = {}) =>
    role.addToPrincipalPolicy(new PolicyStatement({ actions, resources, conditions }));
  const remove = (role: IRole) => {
    allow(role, ['servicediscovery:ListServices'], ['*']);
    allow(role, ['servicediscovery:DeleteService', 'servicediscovery:DeregisterInstance'], [services]);
    allow(role, ['servicediscovery:GetOperation'], [names.namespaceArn, services]);
    allow(role, ['route53:ChangeResourceRecordSets', 'route53:GetHostedZone'], [zone]);
  };

  remove(roles.dispatch);
  // AWS checks both: the namespace, and the new service, whose id is not known yet.
  allow(roles.dispatch, ['servicediscovery:CreateService'], [names.namespaceArn, services], {
    ArnEquals: { 'servicediscovery:NamespaceArn': names.namespaceArn },
  });
  allow(roles.dispatch, ['servicediscovery:ListInstances', 'servicediscovery:RegisterInstance'], [services]); // what an earlier Job has left
  allow(roles.dispatch, ['route53:ListHostedZonesByName'], ['*']);

  remove(roles.sweep);
  allow(roles.sweep, ['servicediscovery:ListInstances'], [services]); // for services that no Job needs
}
