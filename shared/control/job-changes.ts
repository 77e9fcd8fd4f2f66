import { freshStatus, requestDeletion } from '../domain/status.ts';
import { planningSpec } from '../domain/job.ts';
import { creationMetrics } from '../domain/job-metrics.ts';
import type { JobUid } from '../domain/brand.ts';
import type { AttemptId } from '../domain/fact.ts';
import { launchRowOf } from '../domain/launch-row.ts';
import type { StoredSpec } from '../ports/job-store.ts';
import type { Deps } from './deps.ts';

/** A user who changes a Job that many passes commit at the same time wins within a few tries. */
const TRIES_MAX = 20;

/** Stores a Job, tells the feed and wakes it. Should we die after the first step, the sweep does the others. */
export async function createJob(
  spec: StoredSpec,
  deps: Deps,
): Promise<{ readonly kind: 'created' } | { readonly kind: 'taken' } | { readonly kind: 'noNamespace' }> {
  const job = { ...spec.identity, revision: spec.revision, spec: planningSpec(spec.manifest) };
  const status = freshStatus(job, deps.clock.now());
  const created = await deps.jobs.createJob(spec, status);
  if (created.kind !== 'created') return created;
  deps.telemetry.record(creationMetrics(spec.manifest.spec.managedBy));
  await deps.publisher.publish(spec.identity, status);
  await deps.queues.wake([{ uid: spec.identity.uid, delaySec: 0 }]);
  return created;
}

/** Marks a Job deleted: its name is free at once, users see it no more, its tasks are stopped. */
export async function deleteJob(
  uid: JobUid,
  deps: Deps,
): Promise<{ readonly kind: 'deleted' } | { readonly kind: 'gone' }> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const spec = await deps.jobs.readSpec(uid);
    const status = await deps.jobs.readStatus(uid);
    const next = status === null ? null : requestDeletion(status, deps.clock.now());
    if (spec === null || next === null) return { kind: 'gone' };
    const committed = await deps.jobs.commitDeletion(spec.identity, next);
    if (committed.kind === 'lost') continue;
    await deps.publisher.publish(spec.identity, next);
    await deps.queues.wake([{ uid, delaySec: 0 }]);
    return { kind: 'deleted' };
  }
  throw new Error(`Job ${uid} changed during each of ${TRIES_MAX} tries to delete it`);
}

/**
 * Stops one attempt, as deleting its Pod does. The Job goes on: unless its program still ends by itself with 0, the attempt
 * counts as failed and its index is tried again: once it has stopped, or at once where podReplacementPolicy says so.
 */
export async function deletePod(uid: JobUid, id: AttemptId, { jobs, queues, clock }: Deps): Promise<void> {
  const { slots } = await jobs.readLaunches(uid, launchRowOf(id.index));
  const slot = slots.find((s) => s.index === id.index && s.attempt === id.attempt && s.nonce === id.nonce);
  const taskArn = slot?.state === 'launched' ? slot.taskArn : null;
  await queues.facts([{ uid, facts: [{ ...id, kind: 'deleted', taskArn, at: clock.now() }] }], 0);
  await queues.dispatch([{ kind: 'pack', uid, launch: [], stop: [id], podDeleted: true }], 0);
}

/** Stores a new revision of a Job's spec and wakes it; `change` returns null to leave it as it is. */
export async function changeSpec(
  uid: JobUid,
  change: (spec: StoredSpec) => StoredSpec | null,
  deps: Deps,
): Promise<{ readonly kind: 'changed' | 'unchanged' | 'gone' }> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const spec = await deps.jobs.readSpec(uid);
    const status = await deps.jobs.readStatus(uid);
    if (spec === null || status === null || status.phase.kind === 'deleting' || status.phase.kind === 'deleted')
      return { kind: 'gone' };
    const changed = change(spec);
    if (changed === null) return { kind: 'unchanged' };
    if (spec.revision !== status.revision) continue;
    const revision = spec.revision + 1;
    const next = { ...status, version: status.version + 1, revision, alarms: [deps.clock.now()] };
    const committed = await deps.jobs.commitSpec({ ...changed, revision }, next);
    if (committed.kind === 'lost') continue;
    await deps.publisher.publish(spec.identity, next);
    await deps.queues.wake([{ uid, delaySec: 0 }]);
    return { kind: 'changed' };
  }
  throw new Error(`Job ${uid} changed during each of ${TRIES_MAX} tries to change it`);
}
