import {
  CreateSecretRequest$,
  CreateSecretResponse$,
  DeleteSecretRequest$,
  DeleteSecretResponse$,
  ListSecretsRequest$,
  ListSecretsResponse$,
  PutSecretValueRequest$,
  PutSecretValueResponse$,
} from '@aws-sdk/client-secrets-manager';
import { AwsError } from '../../local/wire/aws-error.ts';
import type { AwsService } from '../../local/wire/aws-json.ts';

type Put = {
  readonly SecretId?: string;
  readonly Name?: string;
  readonly ClientRequestToken: string;
  readonly SecretString: string;
};

const named = (name: string) => ({
  Name: name,
  ARN: `arn:aws:secretsmanager:us-east-1:000000000000:secret:${name}-0aB1cD`,
});

/** Secrets Manager as the functions use it: each secret has its versions, by the token that made them. */
export function secretsManager() {
  const held = new Map<string, Map<string, string>>();
  const versionsOf = (name: string): Map<string, string> => {
    const versions = held.get(name);
    if (versions === undefined)
      throw new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
    return versions;
  };
  const create = ({ Name = '', ClientRequestToken, SecretString }: Put) => {
    if (held.has(Name))
      throw new AwsError('ResourceExistsException', `The operation failed because the secret ${Name} already exists.`);
    held.set(Name, new Map([[ClientRequestToken, SecretString]]));
    return { ...named(Name), VersionId: ClientRequestToken };
  };
  const put = ({ SecretId = '', ClientRequestToken, SecretString }: Put) => {
    const versions = versionsOf(SecretId);
    const known = versions.get(ClientRequestToken);
    if (known !== undefined && known !== SecretString)
      throw new AwsError('ResourceExistsException', `A resource with the ID ${ClientRequestToken} already exists.`);
    versions.set(ClientRequestToken, SecretString);
    return { ...named(SecretId), VersionId: ClientRequestToken, VersionStages: ['AWSCURRENT'] };
  };
  const remove = ({ SecretId = '' }: Put) => {
    versionsOf(SecretId);
    held.delete(SecretId);
    return named(SecretId);
  };
  const list = ({ Filters = [] }: { readonly Filters?: readonly { readonly Values: readonly string[] }[] }) => {
    const isWanted = (name: string): boolean =>
      Filters.every(({ Values }) => Values.some((prefix) => name.startsWith(prefix)));
    return { SecretList: [...held.keys()].filter(isWanted).map(named) };
  };
  const service: AwsService = {
    targetPrefix: 'secretsmanager',
    jsonVersion: '1.1',
    operations: {
      CreateSecret: {
        request: CreateSecretRequest$,
        response: CreateSecretResponse$,
        handle: (input) => create(input as Put),
      },
      PutSecretValue: {
        request: PutSecretValueRequest$,
        response: PutSecretValueResponse$,
        handle: (input) => put(input as Put),
      },
      DeleteSecret: {
        request: DeleteSecretRequest$,
        response: DeleteSecretResponse$,
        handle: (input) => remove(input as Put),
      },
      ListSecrets: {
        request: ListSecretsRequest$,
        response: ListSecretsResponse$,
        handle: (input) => list(input as object),
      },
    },
  };
  return { service, held };
}
