import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SecretPlace, parseReference } from '../../../shared/names/secrets.ts';
import type { ContainerDefinition } from '../definition.ts';
import { SECRET_COPIES, type SecretCopies } from '../secret-copies.ts';

/** Where values are: files that somebody has made, and copies of stored Secrets. */
export type SecretStores = { readonly dir: string; readonly copies: SecretCopies };

/** The variables that a container gets from secrets, or why its task cannot be set up, in ECS's words. */
export type Secrets =
  | { readonly kind: 'found'; readonly variables: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: 'missing'; readonly reason: string };

/**
 * Reads a container's secrets, which Secrets Manager and Parameter Store provide on AWS: the copies of stored Secrets; otherwise the
 * files `<dir>/secrets/<namespace>/<name>/<key>` and `<dir>/configmaps/<namespace>/<name>/<key>`, byte for byte.
 */
export function readSecrets({ secrets = [] }: Pick<ContainerDefinition, 'secrets'>, stores: SecretStores): Secrets {
  const variables: (readonly [string, string])[] = [];
  for (const { name, valueFrom } of secrets) {
    const place = parseReference(valueFrom);
    const version = place?.version === undefined ? null : stores.copies.read(place, place.version);
    const value =
      place === null
        ? null
        : place.version === undefined
          ? read(fileOf(place, stores.dir))
          : (version?.get(place.key) ?? null);
    if (value === null) return { kind: 'missing', reason: notFound(place, valueFrom, version !== null, stores.dir) };
    if (value.includes('\0')) return { kind: 'missing', reason: noText(name, valueFrom) };
    variables.push([name, value]);
  }
  return { kind: 'found', variables };
}

/** One key, byte for byte; null if it cannot be read. */
export const readSecretKey = (place: SecretPlace, dir: string): string | null => read(fileOf(place, dir));

const fileOf = ({ kind, namespace, name, key }: SecretPlace, dir: string): string =>
  join(dir, kind === 'secret' ? 'secrets' : 'configmaps', namespace, name, key);

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** Text of the ECS developer guide, "ResourceInitializationError"; the file name is our addition. */
function notFound(place: SecretPlace | null, valueFrom: string, hasVersion: boolean, dir: string): string {
  if (place !== null && hasVersion)
    return `${IN_VAIN}: unable to retrieve secret from asm: service call has been retried 1 time(s): retrieved secret from Secrets Manager did not contain json key ${place.key}`;
  const from =
    place?.kind === 'configMap'
      ? `unable to retrieve secrets from ssm: service call has been retried 1 time(s): invalid parameters: ${valueFrom}`
      : `unable to retrieve secret from asm: service call has been retried 1 time(s): failed to fetch secret ${valueFrom} from secrets manager: ResourceNotFoundException: Secrets Manager can't find the specified secret.`;
  return `${IN_VAIN}: ${from}${place === null ? '' : ` (embedded: ${whatIs(place, dir)} cannot be read)`}`;
}

const whatIs = (place: SecretPlace, dir: string): string =>
  place.version === undefined
    ? fileOf(place, dir)
    : `version ${place.version} of secret ${place.namespace}/${place.name} in ${join(dir, SECRET_COPIES)}`;

/** What starts programs cites a variable that cannot be one, so nobody is given it. */
const noText = (name: string, valueFrom: string): string =>
  `CannotStartContainerError: the variable ${name} cannot be ${valueFrom}, which has a byte 0`;

const IN_VAIN =
  'ResourceInitializationError: unable to pull secrets or registry auth: execution resource retrieval failed';
