import type { JobUid } from '../domain/brand.ts';
import { hasNames } from '../domain/host-names.ts';
import { taskDefinitionOf } from '../domain/pod-template.ts';
import type { LaunchTemplate } from '../domain/task.ts';
import type { StoredSpec } from '../ports/job-store.ts';
import type { Fatal, Later, Refused } from '../ports/tasks.ts';
import type { Deps } from './deps.ts';

/**
 * What is being made on behalf of one `Deps`, which is one invocation's: packs of a batch ask once. Not one process's, where
 * an invocation that has been cut off would leave its promise to those after it.
 */
const underWay = new WeakMap<Deps, Map<JobUid, ReturnType<typeof prepare>>>();

/** The Job's frozen launch template; made, and stored for good, at its first launch. */
export async function templateOf(spec: StoredSpec, deps: Deps): Promise<LaunchTemplate | Later | Refused | Fatal> {
  const { uid } = spec.identity;
  const known = deps.cache.templates.get(uid);
  if (known !== undefined) return known;
  const asked = underWay.get(deps) ?? new Map<JobUid, ReturnType<typeof prepare>>();
  underWay.set(deps, asked);
  const asking = asked.get(uid) ?? prepare(spec, deps).finally(() => asked.delete(uid));
  asked.set(uid, asking);
  return asking;
}

async function prepare(
  { identity, manifest }: StoredSpec,
  { jobs, tasks, hostnames, cache, hash }: Deps,
): Promise<LaunchTemplate | Later | Refused | Fatal> {
  const { uid } = identity;
  const known = await jobs.readTemplate(uid);
  if (known !== null) {
    cache.templates.set(uid, known);
    return known;
  }
  const prepared = await tasks.prepare(taskDefinitionOf(manifest, { hash }));
  if (prepared.kind !== 'ready') return prepared;
  const zone = hostnames !== null && hasNames(manifest) ? { zone: hostnames.zone } : {};
  const template = await jobs.storeTemplate(uid, { ...prepared.template, ...zone });
  cache.templates.set(uid, template);
  return template;
}
