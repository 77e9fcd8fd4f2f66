import { ArnFormat, Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { COPIES, PULL_COPIES } from '../shared/names/secrets.ts';
import type { Roles } from './rights.ts';

/**
 * Permissions for copies of Secrets, which tasks read in Secrets Manager when they start. Nobody but the execution role reads one
 * (task-cluster.ts): dispatch makes versions, and the sweep removes what belongs to no Secret any more. Credentials for pulls never
 * change: dispatch makes them, and the sweep notes on those of an earlier version since when. ListSecrets has no resource
 * (Service Authorization Reference, AWS Secrets Manager). A secret costs something only while a Secret is used by tasks.
 */
export function grantSecretRights(scope: Construct, roles: Pick<Roles, 'dispatch' | 'sweep'>): void {
  const named = (resourceName: string): string =>
    Stack.of(scope).formatArn({
      service: 'secretsmanager',
      resource: 'secret',
      resourceName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  const [copies, pulls] = [named(COPIES), named(PULL_COPIES)];
  const allow = (role: IRole, actions: string[], resources: string[]) =>
    role.addToPrincipalPolicy(new PolicyStatement({ actions, resources }));
  allow(
    roles.dispatch,
    ['secretsmanager:CreateSecret', 'secretsmanager:PutSecretValue', 'secretsmanager:TagResource'],
    [copies],
  );
  allow(roles.dispatch, ['secretsmanager:CreateSecret', 'secretsmanager:TagResource'], [pulls]);
  allow(roles.sweep, ['secretsmanager:ListSecrets'], ['*']);
  allow(roles.sweep, ['secretsmanager:DeleteSecret'], [copies, pulls]);
  allow(roles.sweep, ['secretsmanager:TagResource'], [pulls]);
}
