import { parsePullCopyName, parseSecretName, pullVersion } from '../../shared/names/secrets.ts';
import type { ContainerDefinition } from '../ecs/definition.ts';
import { type SecretStores, readSecretKey } from '../ecs/driver/secret-files.ts';
import type { RegistryAuth } from './engine.ts';

export type PullAuth =
  | { readonly kind: 'found'; readonly auth: RegistryAuth | null }
  | { readonly kind: 'missing'; readonly reason: string };

/**
 * The credentials of a registry that a Pod names by `imagePullSecrets`: a copy of what a stored Secret has; else the keys `username`
 * and `password` of what somebody has made by hand, which are files here. null: it names none.
 */
export function pullAuth({ repositoryCredentials }: ContainerDefinition, stores: SecretStores): PullAuth {
  if (repositoryCredentials === undefined) return { kind: 'found', auth: null };
  const { credentialsParameter: named } = repositoryCredentials;
  const { username, password, place } =
    parsePullCopyName(named) === null ? byHand(named, stores) : copied(named, stores);
  if (username !== null && password !== null) return { kind: 'found', auth: { username, password, serveraddress: '' } };
  return {
    kind: 'missing',
    reason: `CannotPullContainerError: the image pull secret has no username and password (embedded: ${place} cannot be read)`,
  };
}

type Found = { readonly username: string | null; readonly password: string | null; readonly place: string };

function copied(named: string, { copies }: SecretStores): Found {
  const copy = parsePullCopyName(named);
  const values = copy === null ? null : copies.read(copy, pullVersion(copy));
  const read = (key: string): string | null => values?.get(key) ?? null;
  return { username: read('username'), password: read('password'), place: `the copy ${named}` };
}

function byHand(named: string, { dir }: SecretStores): Found {
  const secret = parseSecretName(named);
  const read = (key: string): string | null =>
    secret === null ? null : (readSecretKey({ kind: 'secret', ...secret, key }, dir)?.trimEnd() ?? null);
  const below = secret === null ? named : `secrets/${secret.namespace}/${secret.name}`;
  const what = secret === null ? '' : `there is no Secret ${secret.namespace}/${secret.name}, and `;
  return {
    username: read('username'),
    password: read('password'),
    place: `${what}${dir}/${below}/username and password`,
  };
}
