import type { JobManifest } from '../domain/manifest.ts';
import { TASK_CONTAINERS_MAX, fargateSizeOf, taskDefinitionOf } from '../domain/pod-template.ts';
import { type Fault, invalid, tooLong, tooMany } from './fault.ts';

/** ECS takes 64 KiB; the rest is for what the adapter adds (roles, logs, JSON's own names). */
const TASK_DEFINITION_BYTES_MAX = 48 * 1024;

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
  const definition = taskDefinitionOf(manifest, { hash: () => '' });
  const bytes = new TextEncoder().encode(JSON.stringify(definition)).length;
  return bytes > TASK_DEFINITION_BYTES_MAX
    ? [...faults, tooLong('spec.template.spec', TASK_DEFINITION_BYTES_MAX)]
    : faults;
}
