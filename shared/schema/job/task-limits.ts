import type { JobManifest } from '../../domain/manifests/manifest.ts';
import { TASK_CONTAINERS_MAX, fargateSizeOf, taskDefinitionOf } from '../../domain/task/pod-template.ts';
import type { TaskContainer, TaskDefinition } from '../../domain/task/task.ts';
import { needsFilesContainer } from '../../domain/task/volumes/volume-groups.ts';
import { type FieldError, invalid, tooMany } from '../object/field-error.ts';

/** ECS's limit for a task definition (aws.md 1.5). */
const DEFINITION_BYTES_MAX = 64 * 1024;

/**
 * Checks the limits of the task as a whole (aws.md 1.5, 1.6). The size of its definition can be checked only if the
 * template has no faults (`isWhole`); its containers can always be counted and added up.
 */
export function taskErrors(manifest: JobManifest, { isWhole }: { readonly isWhole: boolean }): readonly FieldError[] {
  const { spec } = manifest.spec.template;
  const { containers, initContainers = [] } = spec;
  const errors: FieldError[] = [];
  const count = containers.length + initContainers.length + (needsFilesContainer(spec) ? 1 : 0);
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
        `its task definition needs ${bytes} bytes, and ECS allows ${DEFINITION_BYTES_MAX}: put long scripts and values into the image, or into a file or store that the program reads`,
      ),
    );
  return errors;
}

/**
 * The most bytes that a request has in addition to our definition: once for roles and the family, and for each of
 * these.
 */
const MORE = {
  once: 1_024,
  container: 900,
  secret: 96,
  mount: 24,
  volume: 48,
  dependency: 48,
  port: 24,
  group: 192,
} as const;

/** An upper bound for the definition that the adapter sends. Only the adapter knows roles, log groups, and ARNs. */
function definitionBytes(definition: TaskDefinition): number {
  const { containers, volumeGroups = [] } = definition;
  // What gives volumes to their groups is a container, with a mount and a variable for each.
  const groups = volumeGroups.length === 0 ? 0 : 2 * MORE.container + MORE.group * volumeGroups.length;
  const more = containers.map(
    ({ secrets, mounts, dependsOnSuccess, dependsOnStart, ports }) =>
      MORE.container +
      // a key of a Secret becomes an ARN; a key of a ConfigMap becomes a path, which is shorter
      MORE.secret * secrets.filter(({ from }) => from.kind === 'secret').length +
      MORE.mount * mounts.length +
      variableBytes(mounts) +
      MORE.dependency * (dependsOnSuccess.length + dependsOnStart.length) +
      MORE.port * ports.length,
  );
  return more.reduce((sum, bytes) => sum + bytes, MORE.once + groups + bytesOf(definition));
}

/** For each of its volumes, a container has a variable with the first mount path. */
function variableBytes(mounts: TaskContainer['mounts']): number {
  const places = new Map(mounts.toReversed().map(({ volume, path }) => [volume, path]));
  return [...places].reduce((sum, [volume, path]) => sum + MORE.volume + bytesOf(volume) + bytesOf(path), 0);
}

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;
