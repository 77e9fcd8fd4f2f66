import { JOB_PARTS } from '../../capabilities/lists/parts.ts';
import { OWNERS } from '../../domain/kinds/api-kinds.ts';
import { type PlaceOwner, partOf } from '../../domain/manifests/job-parts.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { Deps } from './deps.ts';

/**
 * Tells a Job's owner, if it has one that makes Jobs, that the Job has begun, has ended, or is gone. A Job may name a CronJob of
 * another namespace, which does not own it and is not woken.
 */
export async function wakeOwner(spec: StoredSpec, deps: Pick<Deps, 'queues' | 'crons'>): Promise<void> {
  const { ownerReferences = [] } = spec.manifest.metadata;
  const cron = ownerReferences.find(({ kind, controller }) => isSlotOwner(kind) && controller === true);
  const row = cron === undefined ? null : await deps.crons.read(cron.uid);
  if (row?.key.namespace !== spec.identity.namespace) return wakePlace(spec, deps);
  await deps.queues.wakeCrons([{ cron: row.uid, delaySec: 0, jobs: [spec.identity.uid] }]);
}

const isSlotOwner = (kind: string): boolean => OWNERS.some((each) => each.ownsJobs === 'slots' && each.kind === kind);

/** Tells the owner in which a Job has a place, if there is one: nothing of the Job runs any more. */
export async function wakePlace(spec: StoredSpec, { queues }: Pick<Deps, 'queues'>): Promise<void> {
  const owner = placeOf(spec);
  if (owner !== null) await queues.wakeCrons([{ cron: owner.uid, delaySec: 0, jobs: [spec.identity.uid] }]);
}

/** The object that owns a Job, and in which the Job has a place; null: there is none. */
export function placeOf(spec: StoredSpec): PlaceOwner | null {
  const found = partOf(spec, JOB_PARTS);
  return found === null ? null : found.row.placeOf(found.part, spec.manifest);
}
