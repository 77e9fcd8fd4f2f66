import { type EpochMs, type JobUid, later } from '../domain/brand.ts';
import type { AttemptId } from '../domain/fact.ts';
import { withNews } from '../domain/job-events.ts';
import { FOREGROUND_DELETION, type JobIdentity, planningSpec } from '../domain/job.ts';
import { creationMetrics } from '../domain/job-metrics.ts';
import { type Status, freshStatus, isHidden, podCount, requestDeletion, tally } from '../domain/status.ts';
import { launchRowOf } from '../domain/launch-row.ts';
import type { NoHosts } from '../ports/host-store.ts';
import type { JobCreation, StoredSpec } from '../ports/job-store.ts';
import type { Deps } from './deps.ts';
import { reserveNames } from './hosts-reserve.ts';
import { namespaceStanding } from './namespace-standing.ts';

/** A user who changes a Job that many passes commit at the same time wins within a few tries. */
const TRIES_MAX = 20;

type CreatedJob =
  | { readonly kind: 'created'; readonly status: Status }
  | { readonly kind: Exclude<JobCreation, 'created'> }
  | NoHosts;

/** Stores a Job, tells the feed and wakes it. Should we die after the first step, the sweep does the others. */
export async function createJob(spec: StoredSpec, deps: Deps): Promise<CreatedJob> {
  const job = { ...spec.identity, revision: spec.revision, spec: planningSpec(spec.manifest) };
  const status = withNews(null, freshStatus(job, deps.clock.now()), job);
  const reserving = reserveNames(spec, deps);
  const names = reserving === null ? null : await reserving;
  if (names?.kind === 'noHosts') return (await refusedAnyway(spec.identity, deps)) ?? names;
  const created = await deps.jobs.createJob(spec, status);
  if (created.kind !== 'created') {
    if (names !== null) await deps.hosts.release(spec.identity.uid);
    return { kind: created.kind };
  }
  const standing = await takeBackUnlessOpen(spec.identity, deps);
  if (standing !== 'open') return { kind: standing };
  deps.telemetry.record(creationMetrics(spec.manifest.spec.managedBy));
  await tell(spec.identity, status, deps);
  return { kind: 'created', status };
}

/** Whoever asks again, not having seen the answer, is to learn that the Job is there, not that its own names are in its way. */
async function refusedAnyway({ namespace, name }: JobIdentity, deps: Deps): Promise<CreatedJob | null> {
  const standing = await namespaceStanding(namespace, deps);
  if (standing !== 'open') return { kind: standing };
  return (await deps.jobs.findJob(namespace, name)) === null ? null : { kind: 'taken' };
}

/**
 * Whoever deletes the namespace may have looked for Jobs just before this one was stored, so it is looked after the
 * namespace once more before anybody hears of the Job. If that is too late, the Job is deleted, finalizers or not.
 */
export async function takeBackUnlessOpen(
  { uid, namespace }: JobIdentity,
  deps: Deps,
): Promise<'open' | 'noNamespace' | 'terminating'> {
  const standing = await namespaceStanding(namespace, deps);
  if (standing !== 'open') await takeBack(uid, deps);
  return standing;
}

async function takeBack(uid: JobUid, deps: Deps): Promise<void> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const spec = await deps.jobs.readSpec(uid);
    const status = await deps.jobs.readStatus(uid);
    if (spec === null || status === null || isHidden(status.phase)) return;
    if ((await commitGone(spec, status, deps)) !== null) return;
  }
  throw new Error(`Job ${uid} changed during each of ${TRIES_MAX} tries to take it back`);
}

/**
 * Deletes a Job. Its tasks are stopped in any case; what its users see of that is Kubernetes': without finalizers it is
 * gone at once and its name is free (Background), or it is shown until its tasks have stopped (Foreground). A Job with
 * finalizers of others is shown until those are removed.
 *
 * @returns `gone`: there is no such Job
 */
export async function deleteJob(
  uid: JobUid,
  deps: Deps,
  propagation: 'Background' | 'Foreground' = 'Background',
): Promise<{ readonly kind: 'deleted' | 'terminating' | 'gone' }> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const spec = await deps.jobs.readSpec(uid);
    const status = await deps.jobs.readStatus(uid);
    if (spec === null || status === null || isHidden(status.phase)) return { kind: 'gone' };
    if (spec.revision !== status.revision) continue;
    const given = spec.manifest.metadata.finalizers ?? [];
    const others = given.filter((finalizer) => finalizer !== FOREGROUND_DELETION);
    const wanted = propagation === 'Foreground' && !isIdle(status) ? [...others, FOREGROUND_DELETION] : others;
    const isSame = status.phase.kind === 'terminating' && isEqualSet(wanted, given);
    if (isSame) return { kind: 'terminating' };
    const committed =
      wanted.length === 0 ? await commitGone(spec, status, deps) : await commitTerminating(spec, wanted, status, deps);
    if (committed !== null) return { kind: wanted.length === 0 ? 'deleted' : 'terminating' };
  }
  throw new Error(`Job ${uid} changed during each of ${TRIES_MAX} tries to delete it`);
}

/** No task of it runs, and none may start. */
const isIdle = ({ lingering, inFlight, chunks }: Status): boolean =>
  podCount(tally(chunks)) === 0 && lingering.length === 0 && inFlight.length === 0;

const isEqualSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each) => b.includes(each));

function withFinalizers(spec: StoredSpec, finalizers: readonly string[]): StoredSpec {
  const metadata = { ...spec.manifest.metadata, finalizers };
  return { ...spec, manifest: { ...spec.manifest, metadata } };
}

/** Users see the Job no more. null: others committed first. */
async function commitGone({ identity }: StoredSpec, status: Status, deps: Deps): Promise<'done' | null> {
  const next = requestDeletion(status, deps.clock.now());
  if (next === null) return null;
  const committed = await deps.jobs.commitDeletion(identity, next);
  return committed.kind === 'lost' ? null : tell(identity, next, deps);
}

async function commitTerminating(
  before: StoredSpec,
  finalizers: readonly string[],
  status: Status,
  deps: Deps,
): Promise<'done' | null> {
  const spec = withFinalizers(before, finalizers);
  const { clock, jobs } = deps;
  const isNew = status.phase.kind !== 'terminating';
  const next = requestDeletion(status, clock.now(), 'terminating') ?? nextVersion(status, clock.now());
  const revision = spec.revision + 1;
  const changed = { ...spec, revision, generation: spec.generation + (isNew ? 1 : 0) };
  const committed = await jobs.commitSpec(changed, { ...next, revision });
  return committed.kind === 'lost' ? null : tell(spec.identity, { ...next, revision }, deps, before);
}

const nextVersion = (status: Status, clock: EpochMs): Status => ({
  ...status,
  version: status.version + 1,
  alarms: [later(clock, status.now)],
});

/** What follows a commit of a user's: the feed and a pass. Should we die before it, the sweep does it. */
async function tell(
  identity: JobIdentity,
  status: Status,
  { publisher, queues }: Deps,
  before?: StoredSpec,
): Promise<'done'> {
  await publisher.publish(identity, status, undefined, before);
  await queues.wake([{ uid: identity.uid, delaySec: 0 }]);
  return 'done';
}

/**
 * Tells the Job that a user has deleted a Pod of it; the pass that counts this stops the attempt. The Job goes on: unless
 * its program still ends by itself with 0, the attempt counts as failed and its index is tried again: once it has stopped,
 * or at once where podReplacementPolicy says so. What an evicted one counts as, podFailurePolicy may say.
 */
export async function deletePod(
  uid: JobUid,
  id: AttemptId,
  { jobs, queues, clock }: Deps,
  how: 'deleted' | 'evicted' = 'deleted',
): Promise<void> {
  const { slots } = await jobs.readLaunches(uid, launchRowOf(id.index));
  const slot = slots.find((s) => s.index === id.index && s.attempt === id.attempt && s.nonce === id.nonce);
  const taskArn = slot?.state === 'launched' ? slot.taskArn : null;
  const evicted = how === 'evicted' ? ({ evicted: true } as const) : {};
  await queues.facts([{ uid, facts: [{ ...id, kind: 'deleted', taskArn, at: clock.now(), ...evicted }] }], 0);
}

/** What users say of a Job: its manifest, and what they have written into its status. */
export type JobWish = Pick<StoredSpec, 'manifest' | 'said'>;

/** A Job as it was when a change of it was decided. */
export type SeenJob = { readonly spec: StoredSpec; readonly status: Status };

/**
 * Stores a user's change of a Job that was decided on what was seen of it, and wakes it. Passes may have committed
 * since; other changes of users may not.
 *
 * @param wish what is to be stored of it
 * @param what the most that differs; only a change of the spec is a new generation
 * @returns `lost`: somebody has changed it since, so the change is to be decided again; `noHosts`: it would need more names
 */
export async function changeJob(
  seen: SeenJob,
  { manifest, said }: JobWish,
  what: 'metadata' | 'spec',
  deps: Deps,
): Promise<{ readonly kind: 'changed' | 'lost' | 'gone' } | NoHosts> {
  const { identity, revision: seenRevision } = seen.spec;
  const revision = seenRevision + 1;
  const generation = seen.spec.generation + (what === 'spec' ? 1 : 0);
  const spec: StoredSpec = { identity, revision, generation, manifest, ...(said === undefined ? {} : { said }) };
  const isLarger = (manifest.spec.completions ?? 0) > (seen.spec.manifest.spec.completions ?? 0);
  const names = isLarger ? await reserveNames(spec, deps) : null;
  if (names?.kind === 'noHosts') return names;
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const status = await deps.jobs.readStatus(identity.uid);
    if (status === null || isHidden(status.phase)) return { kind: 'gone' };
    // Whether it has started decides what of a template may change.
    const isAsSeen =
      status.revision === seenRevision && (status.startTime === null) === (seen.status.startTime === null);
    if (!isAsSeen) return { kind: 'lost' };
    if (status.phase.kind === 'terminating' && (manifest.metadata.finalizers ?? []).length === 0) {
      if ((await commitGone(spec, status, deps)) !== null) return { kind: 'changed' };
      continue;
    }
    const next = { ...nextVersion(status, deps.clock.now()), revision };
    const changed = await relabelled(seen.spec, manifest, next, deps);
    const committed = await deps.jobs.commitSpec(spec, changed);
    if (committed.kind === 'lost') continue;
    await tell(identity, changed, deps, seen.spec);
    return { kind: 'changed' };
  }
  throw new Error(`Job ${identity.uid} changed during each of ${TRIES_MAX} tries to change it`);
}

/** Who selects by labels must learn what the labels were, as long as the feed has not told it. */
async function relabelled(
  { identity: { uid }, manifest: before }: StoredSpec,
  after: StoredSpec['manifest'],
  status: Status,
  { feed }: Deps,
): Promise<Status> {
  const [was = {}, is = {}] = [before.metadata.labels, after.metadata.labels];
  const isSame =
    Object.keys(was).length === Object.keys(is).length &&
    Object.entries(was).every(([key, value]) => is[key] === value);
  if (isSame) return status;
  const untold = status.relabelled;
  const mark = untold === null ? null : await feed.readMark(uid);
  const isUntold = untold !== null && untold.version > (mark?.version ?? 0);
  return { ...status, relabelled: { version: status.version, labels: isUntold ? untold.labels : was } };
}

/**
 * {@link changeJob} for whoever decides on what there is; `change` returns null to leave it. Throws when others are faster
 * each time.
 */
export async function changeSpec(
  uid: JobUid,
  change: (spec: StoredSpec) => StoredSpec | null,
  deps: Deps,
): Promise<{ readonly kind: 'changed' | 'unchanged' | 'gone' } | NoHosts> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const spec = await deps.jobs.readSpec(uid);
    const status = await deps.jobs.readStatus(uid);
    if (spec === null || status === null || isHidden(status.phase)) return { kind: 'gone' };
    const changed = change(spec);
    if (changed === null) return { kind: 'unchanged' };
    const stored = await changeJob({ spec, status }, changed, 'spec', deps);
    if (stored.kind === 'noHosts') return stored;
    if (stored.kind !== 'lost') return { kind: stored.kind };
  }
  throw new Error(`Job ${uid} changed during each of ${TRIES_MAX} tries to change it`);
}
