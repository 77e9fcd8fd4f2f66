import type { JobManifest } from '../domain/manifest.ts';
import { TASK_CONTAINERS_MAX, fargateSizeOf, taskDefinitionOf } from '../domain/pod-template.ts';
import type { TaskContainer, TaskDefinition } from '../domain/task.ts';
import { type Fault, invalid, tooMany } from './fault.ts';

/** ECS's limit for a task definition (aws.md 1.5). */
const DEFINITION_BYTES_MAX = 64 * 1024;

/**
 * What only the task as a whole shows (aws.md 1.5, 1.6). Its definition can be made of a template without faults only
 * (`isWhole`); its containers can be counted and added up in any case.
 */
export function taskFaults(manifest: JobManifest, { isWhole }: { readonly isWhole: boolean }): readonly Fault[] {
  const { containers, initContainers = [] } = manifest.spec.template.spec;
  const faults: Fault[] = [];
  const count = containers.length + initContainers.length;
  if (count > TASK_CONTAINERS_MAX) faults.push(tooMany('spec.template.spec.containers', count, TASK_CONTAINERS_MAX));
  const size = fargateSizeOf(manifest);
  if (size.kind === 'tooLarge') return [...faults, invalid(size.path, undefined, size.message)];
  if (!isWhole) return faults;
  const bytes = definitionBytes(taskDefinitionOf(manifest, { hash: () => '' }));
  if (bytes > DEFINITION_BYTES_MAX)
    faults.push(
      invalid(
        'spec.template.spec',
        undefined,
        `its task definition needs ${bytes} of ${DEFINITION_BYTES_MAX} bytes that ECS takes: put long scripts and values into the image, or where the program can read them`,
      ),
    );
  return faults;
}

/** Bytes that a request has and our definition has not, at most: for roles and the family, and for each of these. */
const MORE = { once: 1_024, container: 900, secret: 96, mount: 24, volume: 48, dependency: 48, port: 24 } as const;

/** What the definition takes as the adapter sends it, at most: roles, log groups and ARNs are known there only. */
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

/** The container is told in a variable where each of its volumes is first mounted. */
function variableBytes(mounts: TaskContainer['mounts']): number {
  const places = new Map(mounts.toReversed().map(({ volume, path }) => [volume, path]));
  return [...places].reduce((sum, [volume, path]) => sum + MORE.volume + bytesOf(volume) + bytesOf(path), 0);
}

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;
