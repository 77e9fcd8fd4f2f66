import type { JobUid } from '../domain/brand.ts';
import { hasNames } from '../domain/host-names.ts';
import { invariant } from '../domain/invariant.ts';
import { taskDefinitionOf } from '../domain/pod-template.ts';
import type { LaunchTemplate } from '../domain/task.ts';
import type { StoredSpec } from '../ports/job-store.ts';
import type { Fatal, Later, Refused } from '../ports/tasks.ts';
import type { Deps } from './deps.ts';

/**
 * What is being made on behalf of one `Deps`, which is one invocation's: packs of a batch ask once. Not one process's, where
 * an invocation that has been cut off would leave its promise to those after it.
 */
const underWay = new WeakMap<Deps, Map<JobUid, ReturnType<typeof makeFirst>>>();

/** Number of the Job's newest launch template, by what this process knows; 0 for the first, which may not be there yet. */
export async function newestTemplate({ identity: { uid } }: StoredSpec, deps: Deps): Promise<number> {
  const known = deps.cache.templates.get(uid) ?? (await read(uid, deps));
  return Math.max(0, known.length - 1);
}

/** The Job's frozen launch templates up to number `no` at least. The first is made, and stored for good, at its first launch. */
export async function templatesOf(
  spec: StoredSpec,
  no: number,
  deps: Deps,
): Promise<readonly LaunchTemplate[] | Later | Refused | Fatal> {
  const { uid } = spec.identity;
  const known = deps.cache.templates.get(uid);
  if (known !== undefined && known.length > no) return known;
  if (known === undefined || no > 0) {
    const stored = await read(uid, deps);
    if (stored.length > no) return stored;
    invariant(no === 0, 'a slot names a template that is stored');
  }
  const asked = underWay.get(deps) ?? new Map<JobUid, ReturnType<typeof makeFirst>>();
  underWay.set(deps, asked);
  const asking = asked.get(uid) ?? makeFirst(spec, deps).finally(() => asked.delete(uid));
  asked.set(uid, asking);
  return asking;
}

/**
 * Prepares the template anew after ECS has refused it: the stack may have another network, cluster or role by now. What differs is
 * stored as the next number, and later launches are made from it; those under way keep theirs, for a token's request never changes.
 */
export async function renewTemplate(spec: StoredSpec, deps: Deps): Promise<void> {
  const { uid } = spec.identity;
  const known = deps.cache.templates.get(uid) ?? (await read(uid, deps));
  const prepared = await prepare(spec, deps);
  if ('kind' in prepared || JSON.stringify(prepared) === JSON.stringify(known.at(-1))) return;
  deps.cache.templates.set(uid, await deps.jobs.addTemplate(uid, known.length, prepared));
}

async function read(uid: JobUid, { jobs, cache }: Deps): Promise<readonly LaunchTemplate[]> {
  const stored = await jobs.readTemplates(uid);
  cache.templates.set(uid, stored);
  return stored;
}

async function makeFirst(spec: StoredSpec, deps: Deps) {
  const prepared = await prepare(spec, deps);
  if ('kind' in prepared) return prepared;
  const { uid } = spec.identity;
  const templates = await deps.jobs.addTemplate(uid, 0, prepared);
  deps.cache.templates.set(uid, templates);
  return templates;
}

async function prepare(
  { manifest }: StoredSpec,
  { tasks, hostnames, hash }: Deps,
): Promise<LaunchTemplate | Later | Refused | Fatal> {
  const prepared = await tasks.prepare(taskDefinitionOf(manifest, { hash }));
  if (prepared.kind !== 'ready') return prepared;
  const { taskDefinition, containers, placement } = prepared.template;
  const zone = hostnames !== null && hasNames(manifest) ? { zone: hostnames.zone } : {};
  return { taskDefinition, containers, placement, ...zone };
}
