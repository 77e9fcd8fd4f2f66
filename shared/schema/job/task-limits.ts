import type { JobManifest } from '../../domain/spec/manifest.ts';
import { TASK_CONTAINERS_MAX, fargateSizeOf, taskDefinitionOf } from '../../domain/task/pod-template.ts';
import type { TaskContainer, TaskDefinition } from '../../domain/task/task.ts';
import { type FieldError, invalid, tooMany } from '../object/field-error.ts';

/** ECS's limit for a task definition (aws.md 1.5). */
const DEFINITION_BYTES_MAX = 64 * 1024;

/**
 * What only the task as a whole shows (aws.md 1.5, 1.6). Its definition can be made of a template without faults only
 * (`isWhole`); its containers can be counted and added up in any case.
 */
export function taskErrors(manifest: JobManifest, { isWhole }: { readonly isWhole: boolean }): readonly FieldError[] {
  const { containers, initContainers = [] } = manifest.spec.template.spec;
  const errors: FieldError[] = [];
  const count = containers.length + initContainers.length;
  if (count > TASK_CONTAINERS_MAX) errors.push(tooMany('spec.template.spec.containers', count, TASK_CONTAINERS_MAX));
  const size = fargateSizeOf(manifest);
  if (size.kind === 'tooLarge') return [...errors, invalid(size.path, undefined, size.message)];
  if (!isWhole) return errors;
  const bytes = definitionBytes(taskDefinitionOf(manifest, { hash: () => '' }));
  if (bytes > DEFINITION_BYTES_MAX)
    errors.push(
      invalid(
        'spec.template.spec',
        undefined,
        `its task definition needs ${bytes} of ${DEFINITION_BYTES_MAX} bytes that ECS takes: put long scripts and values into the image, or where the program can read them`,
      ),
    );
  return errors;
}

/** Bytes that a request has and our definition has not, at most: for roles and the family, and for each of these. */
const MORE = { once: 1_024, container: 900, secret: 96, mount: 24, volume: 48, dependency: 48, port: 24 } as const;

/** An upper bound on the definition as the adapter sends it: only the adapter knows roles, log groups, and ARNs. */
function definitionBytes(definition: TaskDefinition): number {
  const { containers } = definition;
  const more = containers.map(
    ({ secrets, mounts, dependsOnSuccess, dependsOnStart, ports }) =>
      MORE.container +
      // a key of a Secret is named by an ARN, one of a ConfigMap by a path that is shorter than ours
      MORE.secret * secrets.filter(({ from }) => from.kind === 'secret').length +
      MORE.mount * mounts.length +
      variableBytes(mounts) +
      MORE.dependency * (dependsOnSuccess.length + dependsOnStart.length) +
      MORE.port * ports.length,
  );
  return more.reduce((sum, bytes) => sum + bytes, MORE.once + bytesOf(definition));
}

/** Each container has a variable that names the folder where each of its volumes is first mounted. */
function variableBytes(mounts: TaskContainer['mounts']): number {
  const places = new Map(mounts.toReversed().map(({ volume, path }) => [volume, path]));
  return [...places].reduce((sum, [volume, path]) => sum + MORE.volume + bytesOf(volume) + bytesOf(path), 0);
}

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;
