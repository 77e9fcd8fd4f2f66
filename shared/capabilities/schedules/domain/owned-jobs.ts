import type { EpochMs } from '../../../domain/base/time.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import type { CronJobSpec } from './cron-manifest.ts';
import type { CronChild, CronJobEnd, CronState } from './cron-state.ts';
import { withCronEvent } from '../../../domain/schedulers/scheduler-event.ts';

/** A Job as it is now. */
export type ObservedJob = { readonly name: string; readonly end: CronJobEnd | null };

/** Jobs that a CronJob owns; null: gone. */
export type ObservedJobs = ReadonlyMap<JobUid, ObservedJob | null>;

/** Those that count for the concurrency policy, and that `status.active` lists. */
export const activeJobs = ({ jobs }: CronState): readonly CronChild[] =>
  jobs.filter(({ isListed, end }) => isListed && end === null);

/** The state after a look at its Jobs: which have ended, which are gone, which somebody else has created. */
export function observe(before: CronState, jobs: ObservedJobs, now: EpochMs): CronState {
  let state = before;
  for (const child of before.jobs) {
    const seen = jobs.get(child.uid);
    if (seen !== undefined) state = withSeen(state, child, seen, now);
  }
  for (const [uid, seen] of jobs) {
    const isKnown = uid === before.claim?.uid || before.jobs.some((each) => each.uid === uid);
    if (seen === null || isKnown) continue;
    state = { ...state, jobs: [...state.jobs, { uid, name: seen.name, isListed: false, end: seen.end }] };
    state = withSuccess(state, seen.end);
    if (seen.end === null)
      state = withCronEvent(
        state,
        {
          type: 'Warning',
          reason: 'UnexpectedJob',
          message: `Saw a job that the controller did not create or forgot: ${seen.name}`,
        },
        now,
      );
  }
  return state;
}

function withSeen(state: CronState, child: CronChild, seen: ObservedJob | null, now: EpochMs): CronState {
  const { uid, name, isListed, end } = child;
  if (seen === null) {
    const left = { ...state, jobs: state.jobs.filter((each) => each.uid !== uid) };
    if (!isListed || end !== null) return left;
    return withCronEvent(
      left,
      { type: 'Normal', reason: 'MissingJob', message: `Active job went missing: ${name}` },
      now,
    );
  }
  if (end !== null || seen.end === null) return state;
  const jobs = state.jobs.map((each) => (each.uid === uid ? { ...each, end: seen.end } : each));
  const ended = withSuccess({ ...state, jobs }, seen.end);
  if (!isListed) return ended;
  const condition = seen.end.kind === 'complete' ? 'Complete' : 'Failed';
  return withCronEvent(
    ended,
    { type: 'Normal', reason: 'SawCompletedJob', message: `Saw completed job: ${name}, condition: ${condition}` },
    now,
  );
}

function withSuccess(state: CronState, end: CronJobEnd | null): CronState {
  const isNewer = end?.kind === 'complete' && (state.lastSuccessAt === null || end.at > state.lastSuccessAt);
  return isNewer ? { ...state, lastSuccessAt: end.at } : state;
}

/** Ended Jobs beyond the history limits, which hold for each kind of end separately: the first to start go first. */
export function outdated(
  { jobs }: CronState,
  limits: Pick<CronJobSpec, 'successfulJobsHistoryLimit' | 'failedJobsHistoryLimit'>,
): readonly JobUid[] {
  const beyond = (kind: CronJobEnd['kind'], limit: number): readonly JobUid[] => {
    const ended = jobs.filter(({ end }) => end?.kind === kind).toSorted(byStart);
    return ended.slice(0, Math.max(0, ended.length - limit)).map(({ uid }) => uid);
  };
  return [...beyond('complete', limits.successfulJobsHistoryLimit), ...beyond('failed', limits.failedJobsHistoryLimit)];
}

/** A Job that has never started is the last; of two that started together, the name decides. */
const byStart = (a: CronChild, b: CronChild): number =>
  (a.end?.startAt ?? Number.POSITIVE_INFINITY) - (b.end?.startAt ?? Number.POSITIVE_INFINITY) ||
  (a.name < b.name ? -1 : 1);
