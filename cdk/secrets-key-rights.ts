import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { SECRETS_KEY_PARAMETER } from '../shared/names/secrets.ts';
import type { Roles } from './rights.ts';

/**
 * What it takes to seal Secrets and to open them: a key in Parameter Store, which the API makes at the first Secret. AWS's own key
 * for Parameter Store encrypts it, and lets in who may read the parameter: no right of KMS is needed (Systems Manager user guide,
 * AWS KMS encryption for SecureString parameters).
 */
export function grantSecretsKey({ api, dispatch }: Pick<Roles, 'api' | 'dispatch'>): void {
  const parameter = Stack.of(api).formatArn({ service: 'ssm', resource: `parameter${SECRETS_KEY_PARAMETER}` });
  const allow = (role: Roles['api'], ...actions: readonly string[]) =>
    role.addToPrincipalPolicy(new PolicyStatement({ actions: [...actions], resources: [parameter] }));
  allow(api, 'ssm:GetParameter', 'ssm:PutParameter');
  allow(dispatch, 'ssm:GetParameter');
}
