import { type EpochMs, asEpochMs, asTime } from '../../../domain/base/time.ts';
import { type JobUid, uidOfDigest } from '../../../domain/base/ids.ts';
import { cronRulesOf } from '../domain/cron-rules.ts';
import { slotJitterMs } from '../domain/job-of-slot.ts';
import type { CronState } from '../domain/cron-state.ts';
import { type ObservedJob, activeJobs } from '../domain/owned-jobs.ts';
import { type CronPlan, type CronView, planCron } from '../domain/plan-cron.ts';
import type { CronJobStatusDocument } from '../domain/cron-manifest.ts';
import { endOf, isHidden } from '../../../domain/scoreboard/status.ts';
import type { CronJobRow } from '../../../ports/cron-store.ts';
import { isSame } from '../../../schema/object/object-update.ts';
import { tryOnConflict } from '../../../store/retry-on-conflict.ts';
import { deleteJob } from '../../../control/lifecycle/job-changes.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { type SeenCron, readCron } from './seen-cron.ts';
import { createSlotJob } from './slot-job.ts';

/** Requests a look at an object that makes Jobs; `jobs`: those of its that have begun or ended. */
export type CronRequest = { readonly uid: string; readonly jobs: readonly JobUid[] };

/** Looks at an object of its kind; `other`: the object is of another one. */
export type Reconciler = (request: CronRequest, deps: Deps) => Promise<'done' | 'other'>;

/** Other schedulers, or users who change the CronJob, may be faster so often. */
const TRIES_MAX = 10;
/** Slots that are caught up with in one message; another takes the rest. */
const LOOKS_MAX = 20;
/** A wake-up of this look's own: what is due later is found by the minute's sweep. */
const OWN_WAKE_MS = 90_000;
/** Clocks may differ by so much: a message that came early comes again. */
const EARLY_MS = 5_000;
const WAIT_MAX_MS = 1_000;

/**
 * Looks at a CronJob: creates the Job that is due, deletes those that are history, and publishes its status. Each step can be
 * derived from the row, so that a repeated message, or one that comes after a crash, goes on where the last one was.
 *
 * @returns `other`: it is no CronJob
 */
export async function reconcileCron(request: CronRequest, deps: Deps): Promise<'done' | 'other'> {
  return lookOften(request, deps, () => lookAt(request, deps));
}

/** Looks until nothing is left to be done; if others are faster each time, another message goes on. */
export async function lookOften<Done extends string>(
  { uid, jobs }: CronRequest,
  { queues }: Deps,
  look: () => Promise<Done | 'done' | 'again' | 'conflict'>,
): Promise<Done | 'done'> {
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    const outcome = await tryOnConflict(TRIES_MAX, look);
    if (outcome === 'conflict') break;
    if (outcome !== 'again') return outcome;
  }
  await queues.wakeCrons([{ cron: uid, delaySec: 1, jobs }]);
  return 'done';
}

/** Queues delay messages by whole seconds. They come before the moment, and wait for it here. */
export async function awaitAlarm({ alarmAt }: Pick<CronJobRow, 'alarmAt'>, { clock }: Deps): Promise<void> {
  const earlyMs = alarmAt === null ? 0 : alarmAt - clock.now();
  if (earlyMs > 0 && earlyMs <= WAIT_MAX_MS) await clock.sleep(earlyMs);
}

async function lookAt({ uid, jobs }: CronRequest, deps: Deps): Promise<'done' | 'again' | 'conflict' | 'other'> {
  const row = await deps.crons.read(uid);
  if (row === null) return 'done';
  if (row.kind !== 'CronJob') return 'other';
  await awaitAlarm(row, deps);
  const seen = await readCron(row, deps);
  if (seen === null) return 'done';
  const { manifest } = seen;
  const { claim } = row.state;
  const outcome = claim === null ? null : await createSlotJob(claim, seen, deps);
  if (outcome === 'gone') return 'done';
  const observed = await observeJobs(row, jobs, deps);
  const now = deps.clock.now();
  const plan = planCron({
    cron: viewOf(seen),
    state: row.state,
    jobs: observed,
    outcome,
    now,
    jitterMs: (slot) => slotJitterMs(cronRulesOf(manifest.metadata.annotations).jitterSec, uid, slot, deps.hash),
    uidOf: (slot) => uidOfDigest(deps.hash(`${uid}/${Math.floor(slot / 60_000)}`)), // the same for every scheduler
  });
  const isNew = isNews(row, plan, now);
  // Before the row forgets them: if this process dies in between, the next look finds that they are gone.
  for (const old of plan.prune) await deleteJob(old, deps);
  if (isNew && (await deps.crons.write({ ...row, ...plannedRow(plan) })).kind === 'lost') return 'conflict';
  if (plan.state.claim !== null) return 'again';
  // Else a message for that moment was sent before, and each look would add one. A claim's alarm has none.
  const isNewAlarm = isNew && (plan.alarmAt !== row.alarmAt || row.state.claim !== null);
  // Before the status, which others may change meanwhile: to the look after that, the alarm is not new any more.
  await wakeAt(uid, plan.alarmAt, isNewAlarm, deps);
  return (await publishStatus(seen, plan.state, deps)) ? 'done' : 'conflict';
}

const plannedRow = ({ state, alarmAt }: CronPlan): Pick<CronJobRow, 'state' | 'alarmAt'> => ({ state, alarmAt });

type Looked = { readonly state: object; readonly alarmAt: EpochMs | null };

/** An alarm that comes soon enough stays as it is. */
export function isNews({ state, alarmAt }: Looked, plan: Looked, now: EpochMs): boolean {
  if (!isSame(state, plan.state)) return true;
  if (alarmAt === plan.alarmAt) return false;
  return alarmAt === null || alarmAt <= now || (plan.alarmAt !== null && plan.alarmAt < alarmAt);
}

function viewOf({ object, manifest }: SeenCron): CronView {
  const { metadata, status } = object.document;
  return {
    name: manifest.metadata.name,
    createdAt: asEpochMs(Date.parse(String(metadata['creationTimestamp']))),
    isDeleted: metadata['deletionTimestamp'] !== undefined,
    spec: manifest.spec,
    rules: cronRulesOf(manifest.metadata.annotations),
    lastScheduleAt: timeIn((status as CronJobStatusDocument | undefined)?.lastScheduleTime),
  };
}

const timeIn = (text: string | undefined): EpochMs | null => {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? null : asEpochMs(at);
};

/** Every Job that the row lists, and those that were reported and are its own. */
async function observeJobs(
  row: CronJobRow,
  reported: readonly JobUid[],
  deps: Deps,
): Promise<ReadonlyMap<JobUid, ObservedJob | null>> {
  const { jobs: known, claim } = row.state;
  const isKnown = (uid: JobUid): boolean => uid === claim?.uid || known.some((each) => each.uid === uid);
  const others = await Promise.all(reported.filter((uid) => !isKnown(uid)).map((uid) => readOwned(uid, row, deps)));
  const wanted = [...known, ...others.filter((each) => each !== null)];
  return new Map(
    await Promise.all(wanted.map(async ({ uid, name }) => [uid, await observeJob(uid, name, deps)] as const)),
  );
}

/** null: the Job does not exist, or the CronJob does not own it. A Job of another namespace only says that it does. */
async function readOwned(uid: JobUid, { uid: cron, key }: CronJobRow, { jobs }: Deps) {
  const spec = await jobs.readSpec(uid);
  if (spec === null || spec.identity.namespace !== key.namespace) return null;
  const owners = spec.manifest.metadata.ownerReferences ?? [];
  if (!owners.some((owner) => owner.controller === true && owner.uid === cron)) return null;
  return { uid, name: spec.identity.name };
}

async function observeJob(uid: JobUid, name: string, { jobs }: Deps): Promise<ObservedJob | null> {
  const status = await jobs.readStatus(uid);
  if (status === null || isHidden(status.phase)) return null;
  const ended = endOf(status.phase);
  if (ended === null) return { name, end: null };
  return { name, end: { kind: ended.verdict.kind, startAt: status.startTime, at: ended.at } };
}

/** Users see what the row says; false: the object has changed meanwhile. */
async function publishStatus({ object, row }: SeenCron, state: CronState, { objects }: Deps): Promise<boolean> {
  const { status: before = {} } = object.document as { readonly status?: CronJobStatusDocument };
  const { active: _active, ...times } = before;
  const active = activeJobs(state).map(({ uid, name }) => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    name,
    namespace: row.key.namespace,
    uid,
  }));
  const status = {
    ...(active.length === 0 ? {} : { active }),
    ...times,
    ...(state.lastScheduleAt === null ? {} : { lastScheduleTime: asTime(state.lastScheduleAt) }),
    ...(state.lastSuccessAt === null ? {} : { lastSuccessfulTime: asTime(state.lastSuccessAt) }),
  };
  if (isSame(before, status)) return true;
  const document = { ...object.document, status };
  return (await objects.commit('CronJob', { key: object.key, was: object.version, document })).kind === 'committed';
}

/** Sends a wake-up for a moment that is soon. `isNew`: there is none for it yet. */
export async function wakeAt(uid: string, at: EpochMs | null, isNew: boolean, { queues, clock }: Deps): Promise<void> {
  const withinMs = isNew ? OWN_WAKE_MS : EARLY_MS;
  const inMs = at === null ? Number.POSITIVE_INFINITY : at - clock.now();
  if (inMs <= withinMs) await queues.wakeCrons([{ cron: uid, delaySec: Math.max(0, Math.floor(inMs / 1000)) }]);
}
