import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SecretPlace, parseReference } from '../../../shared/names/secrets.ts';
import type { ContainerDefinition } from '../definition.ts';

/** The variables that a container gets from secrets, or why its task cannot be set up, in ECS's words. */
export type Secrets =
  | { readonly kind: 'found'; readonly variables: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: 'missing'; readonly reason: string };

/**
 * Reads a container's secrets, which Secrets Manager and Parameter Store provide on AWS, from the files
 * `<dir>/secrets/<namespace>/<name>/<key>` and `<dir>/configmaps/<namespace>/<name>/<key>`, byte for byte.
 */
export function readSecrets({ secrets = [] }: Pick<ContainerDefinition, 'secrets'>, dir: string): Secrets {
  const variables: (readonly [string, string])[] = [];
  for (const { name, valueFrom } of secrets) {
    const place = parseReference(valueFrom);
    const value = place === null ? null : read(fileOf(place, dir));
    if (value === null) return { kind: 'missing', reason: notFound(place, valueFrom, dir) };
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
function notFound(place: SecretPlace | null, valueFrom: string, dir: string): string {
  const from =
    place?.kind === 'configMap'
      ? `unable to retrieve secrets from ssm: service call has been retried 1 time(s): invalid parameters: ${valueFrom}`
      : `unable to retrieve secret from asm: service call has been retried 1 time(s): failed to fetch secret ${valueFrom} from secrets manager: ResourceNotFoundException: Secrets Manager can't find the specified secret.`;
  const file = place === null ? '' : ` (embedded: ${fileOf(place, dir)} cannot be read)`;
  return `ResourceInitializationError: unable to pull secrets or registry auth: execution resource retrieval failed: ${from}${file}`;
}
