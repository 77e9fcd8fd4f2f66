import { CHANGE_STEPS, FIRST_OF_CHANGE } from '../../capabilities/lists/job-steps.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { AttemptId } from '../../domain/base/fact.ts';
import type { NamespaceStanding } from '../../domain/manifests/namespace.ts';
import { withDeletion, withResize } from '../../domain/events/user-events.ts';
import { FOREGROUND_DELETION, type JobIdentity } from '../../domain/manifests/job.ts';
import { type Status, isHidden, podCount, requestDeletion, tally } from '../../domain/scoreboard/status.ts';
import { launchRowOf } from '../../domain/scoreboard/launch-row.ts';
import type { NoHosts } from '../../ports/host-store.ts';
import type {
  Asker,
  ChangedJob,
  CreatedJob,
  DeletedJob,
  JobCommands,
  NotAllowed,
  WantedJob,
  SeenJob,
} from '../../ports/job-commands.ts';
import { type StoredSpec, partsOf } from '../../ports/job-store.ts';
import { noted } from '../process/announced-jobs.ts';
import type { Deps } from '../process/deps.ts';
import { placeOf, wakeOwner } from '../process/wake-owner.ts';
import { wakeWaiting } from '../upstreams/waiting-jobs.ts';
import { changeIndexes } from './change-indexes.ts';
import { beginAll, checkChange } from './change-steps.ts';
import { CREATION_STEPS } from './creation-steps.ts';
import { TRIES_MAX, liveJob, nextVersion, publishAndWake } from './live-job.ts';
import { removePods } from './remove-pods.ts';
import { checkAll, reserveAll } from './reserve-all.ts';
import { namespaceStanding } from '../../store/namespace-standing.ts';
import { isOneRevision } from '../../store/read-job.ts';
import { retryOnConflict } from '../../store/retry-on-conflict.ts';

/** The commands of users, as the API sees them. */
export const createJobCommands = (deps: Deps): JobCommands => ({
  createJob: (spec) => createOwned(spec, deps),
  tryCreation: (spec) => checkAll(CREATION_STEPS, spec, deps),
  changeJob: (seen, wanted, what, by) => changeJob(seen, wanted, what, deps, by),
  tryChange: (seen, { manifest }) => {
    const { revision } = seen.spec;
    return checkChange(CHANGE_STEPS, seen, { ...seen.spec, manifest, revision: revision + 1 }, deps);
  },
  publishJob: (spec, status) => deps.publisher.publish(spec.identity, status),
  deleteJob: (uid, propagation, by) => deleteJob(uid, deps, propagation, by),
  deletePod: (uid, id, how) => deletePod(uid, id, deps, how),
  removePods: (seen, pods) => removePods(seen, pods, deps),
  changeIndexes: (uid, wanted, by) => changeIndexes(uid, wanted, deps, by),
});

/** The owner of a Job learns of it when others create it. */
async function createOwned(spec: StoredSpec, deps: Deps): Promise<CreatedJob> {
  const created = await createJob(spec, deps);
  if (created.kind !== 'created') return created;
  await wakeOwner(created.spec, deps);
  if (await isOwnerGone(created.spec, deps)) await takeBack(spec.identity.uid, deps);
  return created;
}

/** Its deletion takes its Jobs along, and may have listed them before this one was there. */
async function isOwnerGone(spec: StoredSpec, { objects }: Deps): Promise<boolean> {
  const owner = placeOf(spec);
  if (owner === null) return false;
  const key = { namespace: spec.identity.namespace, name: owner.name };
  return (await objects.read(owner.kind, key))?.document.metadata.uid !== owner.uid;
}

/** Stores a Job, publishes it, and sends a wake-up. If the process dies after the first step, the sweep does the others. */
export async function createJob(admitted: StoredSpec, deps: Deps): Promise<CreatedJob> {
  const reserved = await reserveAll(CREATION_STEPS, admitted, deps);
  if (reserved.kind !== 'reserved') return reserved;
  const { spec, first } = reserved.draft;
  const { status, metrics } = first();
  const standing = await takeBackUnlessOpen(spec.identity, deps);
  if (standing !== 'open') return { kind: standing };
  deps.telemetry.record(metrics);
  await publishAndWake(spec.identity, status, deps);
  await wakeWaiting(spec.identity, 'all', deps);
  return { kind: 'created', spec, status };
}

/**
 * The namespace's deletion may have listed its Jobs just before this one was stored, so the namespace is read again before the
 * Job is published. If it is too late, the Job is deleted, with or without finalizers.
 */
export async function takeBackUnlessOpen({ uid, namespace }: JobIdentity, deps: Deps): Promise<NamespaceStanding> {
  const standing = await namespaceStanding(namespace, deps);
  if (standing !== 'open') await takeBack(uid, deps);
  return standing;
}

async function takeBack(uid: JobUid, deps: Deps): Promise<void> {
  await retryOnConflict(`Job ${uid}`, TRIES_MAX, async () => {
    const seen = await liveJob(uid, deps);
    return seen === null ? 'done' : commitGone(seen.spec, seen.status, deps);
  });
}

/**
 * Deletes a Job. Its tasks are stopped in any case; users see what Kubernetes shows: without finalizers the Job disappears at
 * once and its name is free (Background), or it is shown until its tasks have stopped (Foreground). A Job with other finalizers
 * is shown until those are removed.
 *
 * @param by whom an Event names, as long as the Job is shown; default: nobody, because Muster does it by itself
 * @returns `gone`: the Job does not exist
 */
export async function deleteJob(
  uid: JobUid,
  deps: Deps,
  propagation: 'Background' | 'Foreground' = 'Background',
  by: Asker = null,
): Promise<DeletedJob> {
  return retryOnConflict(`Job ${uid}`, TRIES_MAX, async () => {
    const seen = await liveJob(uid, deps);
    if (seen === null) return { kind: 'gone' };
    const { spec, status } = seen;
    if (!isOneRevision(spec, status)) return 'conflict';
    const given = spec.manifest.metadata.finalizers ?? [];
    const others = given.filter((finalizer) => finalizer !== FOREGROUND_DELETION);
    const wanted = propagation === 'Foreground' && !isIdle(status) ? [...others, FOREGROUND_DELETION] : others;
    const isSame = status.phase.kind === 'terminating' && isEqualSet(wanted, given);
    if (isSame) return { kind: 'terminating' };
    const committed =
      wanted.length === 0
        ? await commitGone(spec, status, deps)
        : await commitTerminating(spec, wanted, status, by, deps);
    return committed === 'conflict' ? committed : { kind: wanted.length === 0 ? 'deleted' : 'terminating' };
  });
}

/** None of its tasks runs, and none may start. */
const isIdle = ({ replacedTasks, inFlight, chunks }: Status): boolean =>
  podCount(tally(chunks)) === 0 && replacedTasks.length === 0 && inFlight.length === 0;

const isEqualSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each) => b.includes(each));

function withFinalizers(spec: StoredSpec, finalizers: readonly string[]): StoredSpec {
  const metadata = { ...spec.manifest.metadata, finalizers };
  return { ...spec, manifest: { ...spec.manifest, metadata } };
}

/** Users no longer see the Job. */
async function commitGone(spec: StoredSpec, status: Status, deps: Deps): Promise<'done' | 'conflict'> {
  const { identity } = spec;
  const deleted = requestDeletion(status, deps.clock.now());
  if (deleted === null) return 'conflict';
  const next = noted(spec.manifest, status, deleted, deps);
  const committed = await deps.jobs.commitDeletion(identity, next);
  if (committed.kind === 'lost') return 'conflict';
  const done = await publishAndWake(identity, next, deps);
  await wakeOwner(spec, deps);
  await wakeWaiting(identity, 'all', deps);
  return done;
}

async function commitTerminating(
  before: StoredSpec,
  finalizers: readonly string[],
  status: Status,
  by: Asker,
  deps: Deps,
): Promise<'done' | 'conflict'> {
  const spec = withFinalizers(before, finalizers);
  const { clock, jobs } = deps;
  const isNew = status.phase.kind !== 'terminating';
  const asked = requestDeletion(status, clock.now(), 'terminating') ?? nextVersion(status, clock.now());
  const next = isNew ? withDeletion(asked, by) : asked;
  const revision = spec.revision + 1;
  const changed = { ...spec, revision, generation: spec.generation + (isNew ? 1 : 0) };
  const committed = await jobs.commitSpec(changed, { ...next, revision });
  if (committed.kind === 'lost') return 'conflict';
  const done = await publishAndWake(spec.identity, { ...next, revision }, deps, before);
  if (isNew) await wakeWaiting(spec.identity, 'all', deps);
  return done;
}

/**
 * Records that a user has deleted one of the Job's Pods; the pass that counts this stops the attempt. The Job continues: unless
 * its program still exits by itself with 0, the attempt counts as failed and its index is retried, once it has stopped, or at
 * once if podReplacementPolicy says so. podFailurePolicy may decide what an evicted one counts as.
 */
export async function deletePod(
  uid: JobUid,
  id: AttemptId,
  { jobs, queues, clock }: Deps,
  how: 'deleted' | 'evicted' = 'deleted',
): Promise<void> {
  const { slots } = await jobs.readLaunches(uid, launchRowOf(id.index));
  const slot = slots.find((s) => s.index === id.index && s.attempt === id.attempt && s.nonce === id.nonce);
  const launched = slot?.state === 'launched' ? { taskArn: slot.taskArn, launchedAt: slot.since } : { taskArn: null };
  const evicted = how === 'evicted' ? ({ evicted: true } as const) : {};
  await queues.facts([{ uid, facts: [{ ...id, kind: 'deleted', ...launched, at: clock.now(), ...evicted }] }], 0);
}

/**
 * Stores a user's change of a Job, decided on the state that was read, and sends a wake-up. Passes may have committed since
 * then; other users' changes may not.
 *
 * @param wish what to store
 * @param what the most that differs; only a change of the spec is a new generation
 * @param by whom Events name; default: nobody, because Muster does it by itself
 * @returns `lost`: the Job has changed since, so the change must be decided again; `noHosts`: it would need more names;
 * `forbidden`: its namespace does not allow it
 */
export async function changeJob(
  seen: SeenJob,
  wanted: WantedJob,
  what: 'metadata' | 'spec',
  deps: Deps,
  by: Asker = null,
): Promise<ChangedJob> {
  const { manifest, said } = wanted;
  const { identity, revision: seenRevision } = seen.spec;
  const revision = seenRevision + 1;
  const generation = seen.spec.generation + (what === 'spec' ? 1 : 0);
  const { inherited } = seen.spec;
  const spec: StoredSpec = {
    identity,
    revision,
    generation,
    manifest,
    ...(said === undefined ? {} : { said }),
    ...(inherited === undefined ? {} : { inherited }),
    ...suspendSetBy(seen.spec, manifest, by),
    ...partsOf(seen.spec),
    ...partsOf(wanted),
  };
  for (const step of FIRST_OF_CHANGE) {
    const refusal = await step(seen.spec, spec, deps);
    if (refusal !== null) return refusal;
  }
  const taking = beginAll(CHANGE_STEPS, deps);
  const changed = await retryOnConflict(
    `Job ${identity.uid}`,
    TRIES_MAX,
    async (): Promise<ChangedJob | 'conflict'> => {
      const status = await deps.jobs.readStatus(identity.uid);
      if (status === null || isHidden(status.phase)) return { kind: 'gone' };
      // Which fields of a template may change depends on whether the Job has started.
      const isAsSeen =
        status.revision === seenRevision && (status.startTime === null) === (seen.status.startTime === null);
      if (!isAsSeen) return { kind: 'lost' };
      if (status.phase.kind === 'terminating' && (manifest.metadata.finalizers ?? []).length === 0) {
        const gone = await commitGone(spec, status, deps);
        return gone === 'conflict' ? gone : { kind: 'changed' };
      }
      const refusal = await taking.take({ spec: seen.spec, status }, spec);
      return refusal ?? commitChange(seen.spec, spec, status, by, deps);
    },
  );
  if (changed.kind === 'changed') taking.keep();
  else await taking.undo();
  return changed;
}

/** Who has set `suspend` to what it is now. */
function suspendSetBy(
  { manifest: before, suspendSetBy: setBy }: StoredSpec,
  after: StoredSpec['manifest'],
  by: Asker,
): Pick<StoredSpec, 'suspendSetBy'> {
  const isSame = before.spec.suspend === after.spec.suspend;
  const who = isSame ? (setBy ?? null) : by;
  return who === null ? {} : { suspendSetBy: who };
}

async function commitChange(
  before: StoredSpec,
  spec: StoredSpec,
  status: Status,
  by: Asker,
  deps: Deps,
): Promise<{ readonly kind: 'changed' } | 'conflict'> {
  const { identity, revision } = spec;
  const next = { ...nextVersion(status, deps.clock.now()), revision };
  const resized = withResize(next, before.manifest.spec, spec.manifest.spec, by);
  const changed = await relabelled(before, spec.manifest, resized, deps);
  const committed = await deps.jobs.commitSpec(spec, changed);
  if (committed.kind === 'lost') return 'conflict';
  await publishAndWake(identity, changed, deps, before);
  return { kind: 'changed' };
}

/** A watch with a label selector must learn the earlier labels until the feed has published them. */
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
  const relabelled = status.relabelled;
  const mark = relabelled === null ? null : await feed.readMark(uid);
  const isUnpublished = relabelled !== null && relabelled.version > (mark?.version ?? 0);
  return { ...status, relabelled: { version: status.version, labels: isUnpublished ? relabelled.labels : was } };
}

/**
 * {@link changeJob} for a change that depends on the current state; `change` returns null to leave the Job alone. Throws if
 * others are faster each time.
 */
export async function changeSpec(
  uid: JobUid,
  change: (spec: StoredSpec) => StoredSpec | null,
  deps: Deps,
): Promise<{ readonly kind: 'changed' | 'unchanged' | 'gone' } | NoHosts | NotAllowed> {
  return retryOnConflict(`Job ${uid}`, TRIES_MAX, async () => {
    const seen = await liveJob(uid, deps);
    if (seen === null) return { kind: 'gone' };
    const changed = change(seen.spec);
    if (changed === null) return { kind: 'unchanged' };
    const stored = await changeJob(seen, changed, 'spec', deps);
    if (stored.kind === 'noHosts' || stored.kind === 'forbidden') return stored;
    return stored.kind === 'lost' ? 'conflict' : { kind: stored.kind };
  });
}
