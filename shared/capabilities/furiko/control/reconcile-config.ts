import { asEpochMs } from '../../../domain/base/time.ts';
import { type JobUid, uidOfDigest } from '../../../domain/base/ids.ts';
import type { ClaimOutcome } from '../../../domain/schedulers/claim-outcome.ts';
import { configStatus } from '../domain/config-status.ts';
import type { ConfigState } from '../domain/config-state.ts';
import { type ConfigView, isToBeCreated, planConfig } from '../domain/plan-config.ts';
import { isSame } from '../../../schema/object/object-update.ts';
import { type CronRequest, awaitAlarm, isNews, lookOften, wakeAt } from '../../../control/schedulers/look-often.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { createConfigJob } from './config-slot-job.ts';
import { letIn, turnAway } from './let-in.ts';
import { observeJobs } from './observe-jobs.ts';
import { type SeenConfig, readConfig } from './seen-config.ts';

/**
 * Looks at a JobConfig: frees the places of Jobs that have ended, starts those that wait for one, creates the Jobs of slots that are
 * due, and publishes its status. The row is written before anything is done: a scheduler that dies in between leaves places that say what is
 * to be done, and each act may be repeated.
 *
 * @returns `other`: it is no JobConfig
 */
export async function reconcileConfig(request: CronRequest, deps: Deps): Promise<'done' | 'other'> {
  return lookOften(request, deps, () => lookAt(request, deps));
}

async function lookAt({ uid, jobs }: CronRequest, deps: Deps): Promise<'done' | 'again' | 'conflict' | 'other'> {
  const row = await deps.crons.read(uid);
  if (row === null) return 'done';
  if (row.kind !== 'JobConfig') return 'other';
  await awaitAlarm(row, deps);
  const seen = await readConfig(row, deps);
  if (seen === null) return 'done';
  const outcomes = await createDue(seen, deps);
  if (outcomes === 'gone') return 'done';
  const observed = await observeJobs(row.state, uid, jobs, deps);
  const now = deps.clock.now();
  const plan = planConfig({
    config: viewOf(seen),
    state: row.state,
    jobs: observed,
    outcomes,
    now,
    uidOf: (slot) => uidOfDigest(deps.hash(`${uid}/${Math.floor(slot / 1000)}`)), // the same for every scheduler
  });
  const isNew = isNews(row, plan, now);
  const { state, alarmAt } = plan;
  if (isNew && (await deps.crons.write({ ...row, state, alarmAt })).kind === 'lost') return 'conflict';
  // One after the other, so that they start in the order of their places.
  for (const place of plan.start) await letIn(place, deps);
  for (const place of plan.reject) await turnAway(place, seen.manifest.metadata.name, deps);
  if (plan.create.length > 0) return 'again';
  // Else a message for that moment was sent before. The alarm of a row whose Jobs were still to be created has none.
  const isNewAlarm = isNew && (alarmAt !== row.alarmAt || row.state.places.some(isToBeCreated));
  // Before the status, which others may change meanwhile: to the look after that, the alarm is not new any more.
  await wakeAt(uid, alarmAt, isNewAlarm, deps);
  return (await publishStatus(seen, state, deps)) ? 'done' : 'conflict';
}

/** Creates what the row says; `gone`: the JobConfig was deleted meanwhile. */
async function createDue(seen: SeenConfig, deps: Deps): Promise<ReadonlyMap<JobUid, ClaimOutcome> | 'gone'> {
  const outcomes = new Map<JobUid, ClaimOutcome>();
  if (seen.isDeleted) return outcomes;
  for (const place of seen.row.state.places.filter(isToBeCreated)) {
    const outcome = await createConfigJob(place, seen, deps);
    if (outcome === 'gone') return 'gone';
    outcomes.set(place.uid, outcome);
  }
  return outcomes;
}

function viewOf({ object, manifest, isDeleted }: SeenConfig): ConfigView {
  const { namespace, name } = manifest.metadata;
  const createdAt = asEpochMs(Date.parse(String(object.document.metadata['creationTimestamp'])));
  return { namespace, name, createdAt, isDeleted, spec: manifest.spec };
}

/** Users see what the row says; false: the object has changed meanwhile. */
async function publishStatus(
  { object, manifest }: SeenConfig,
  state: ConfigState,
  { objects }: Deps,
): Promise<boolean> {
  const status = configStatus(manifest.spec, state);
  if (isSame(object.document['status'], status)) return true;
  const document = { ...object.document, status };
  return (await objects.commit('JobConfig', { key: object.key, was: object.version, document })).kind === 'committed';
}
