import { taskDefinitionOf } from '../domain/pod-template.ts';
import type { LaunchTemplate } from '../domain/task.ts';
import type { StoredSpec } from '../ports/job-store.ts';
import type { Fatal, Later } from '../ports/tasks.ts';
import type { Deps } from './deps.ts';

/** The Job's frozen launch template; made, and stored for good, at its first launch. */
export async function templateOf(
  { identity, manifest }: StoredSpec,
  { jobs, tasks, cache, hash }: Deps,
): Promise<LaunchTemplate | Later | Fatal> {
  const { uid } = identity;
  const known = cache.templates.get(uid) ?? (await jobs.readTemplate(uid));
  if (known !== null) {
    cache.templates.set(uid, known);
    return known;
  }
  const prepared = await tasks.prepare(taskDefinitionOf(manifest, { hash }));
  if (prepared.kind !== 'ready') return prepared;
  const template = await jobs.storeTemplate(uid, prepared.template);
  cache.templates.set(uid, template);
  return template;
}
