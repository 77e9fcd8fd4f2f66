import { parseSecretName } from '../../shared/names/secrets.ts';
import type { ContainerDefinition } from '../ecs/definition.ts';
import { readSecretKey } from '../ecs/driver/secret-files.ts';
import type { RegistryAuth } from './engine.ts';

export type PullSecret =
  | { readonly kind: 'found'; readonly auth: RegistryAuth | null }
  | { readonly kind: 'missing'; readonly reason: string };

/**
 * The credentials of a registry that a Pod names by `imagePullSecrets`: the keys `username` and `password` of the Secret, which are
 * files here as all Secrets are; null: it names none.
 */
export function pullSecret({ repositoryCredentials }: ContainerDefinition, dir: string): PullSecret {
  if (repositoryCredentials === undefined) return { kind: 'found', auth: null };
  const named = parseSecretName(repositoryCredentials.credentialsParameter);
  const read = (key: string): string | null =>
    named === null ? null : (readSecretKey({ kind: 'secret', ...named, key }, dir)?.trimEnd() ?? null);
  const [username, password] = [read('username'), read('password')];
  if (username !== null && password !== null) return { kind: 'found', auth: { username, password, serveraddress: '' } };
  const place =
    named === null ? repositoryCredentials.credentialsParameter : `secrets/${named.namespace}/${named.name}`;
  return {
    kind: 'missing',
    reason: `CannotPullContainerError: the image pull secret has no username and password (embedded: ${dir}/${place}/username and password cannot be read)`,
  };
}
