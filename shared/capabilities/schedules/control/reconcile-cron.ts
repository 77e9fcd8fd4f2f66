import { type EpochMs, asEpochMs, asTime } from '../../../domain/base/time.ts';
import { type JobUid, uidOfDigest } from '../../../domain/base/ids.ts';
import { cronRulesOf } from '../domain/cron-rules.ts';
import { slotJitterMs } from '../domain/job-of-slot.ts';
import type { CronState } from '../domain/cron-state.ts';
import { type ObservedJob, activeJobs } from '../domain/owned-jobs.ts';
import { type CronPlan, type CronView, planCron } from '../domain/plan-cron.ts';
import type { CronJobStatusDocument } from '../domain/cron-manifest.ts';
import { endOf, isHidden } from '../../../domain/scoreboard/status.ts';
import type { CronJobRow } from './cron-job-row.ts';
import { isSame } from '../../../schema/object/object-update.ts';
import { deleteJob } from '../../../control/lifecycle/job-changes.ts';
import { type CronRequest, awaitAlarm, isNews, lookOften, wakeAt } from '../../../control/schedulers/look-often.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { type SeenCron, readCron } from './seen-cron.ts';
import { createSlotJob } from './slot-job.ts';

/**
 * Looks at a CronJob: creates the Job that is due, deletes those that are history, and publishes its status. Each step can be
 * derived from the row, so that a repeated message, or one that comes after a crash, goes on where the last one was.
 *
 * @returns `other`: it is no CronJob
 */
export async function reconcileCron(request: CronRequest, deps: Deps): Promise<'done' | 'other'> {
  return lookOften(request, deps, () => lookAt(request, deps));
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
