import { type EpochMs, asTime } from '../../../../domain/base/time.ts';
import { endWords } from '../../../../domain/failures/failures.ts';
import { CAUSE_WORDS } from '../../../../domain/planner/ending.ts';
import type { EndedAttempt, Judgement } from '../../../../domain/planner/plan.ts';
import type { Phase } from '../../../../domain/scoreboard/status.ts';
import { isPastDeadline, whyText } from '../../../../domain/scoreboard/why.ts';
import type { Parallelism } from '../furiko-job.ts';
import { type ParallelIndex, parallelIndexAt } from '../parallel-index.ts';
import type { Course, Why } from './course.ts';

/** One attempt, which Furiko calls a task, as far as it is known. */
export type TaskFacts = {
  readonly index: number;
  readonly attempt: number;
  /** Its Pod's. */
  readonly name: string;
  readonly createdAt: EpochMs;
  readonly node: string | null;
} & (
  | {
      readonly kind: 'live';
      readonly runningAt: EpochMs | null;
      readonly stopping: boolean;
      /** It is being stopped because it did not start in time. */
      readonly overdue: boolean;
      readonly wait: Why | null;
    }
  | { readonly kind: 'ended'; readonly record: Pick<EndedAttempt, 'ending' | 'times' | 'judgement'> }
);

/** A task in a Job's status. */
export type TaskRef = {
  readonly name: string;
  readonly creationTimestamp: string;
  readonly runningTimestamp?: string;
  readonly finishTimestamp?: string;
  /** From 0 up. */
  readonly retryIndex: number;
  readonly parallelIndex?: ParallelIndex;
  readonly status: TaskStatus;
  /** How it ended, as Furiko keeps it for a task that is gone; or why it is being stopped, which is known before it has stopped. */
  readonly deletedStatus?: TaskStatus;
  readonly nodeName?: string;
  readonly containerStates: readonly {
    readonly exitCode: number;
    readonly reason?: string;
    readonly message?: string;
  }[];
};

export type TaskStatus = {
  readonly state: 'Starting' | 'Running' | 'Killing' | 'Terminated' | 'DeletedFinalStateUnknown';
  readonly result?: 'Succeeded' | 'Failed' | 'Killed';
  readonly reason?: string;
  readonly message?: string;
};

/** Furiko's word for an attempt that did not run in time. */
const PENDING_TIMEOUT = 'PendingTimeout';

/** A task as its Job's status shows it. */
export function taskRef(
  task: TaskFacts,
  { parallelism, course, phase }: { parallelism: Parallelism | undefined; course: Course; phase: Phase },
): TaskRef {
  const { index, attempt, name, createdAt, node } = task;
  return {
    name,
    creationTimestamp: asTime(createdAt),
    ...(task.kind === 'live' ? liveTimes(task.runningAt) : endedTimes(task.record, createdAt)),
    retryIndex: attempt - 1,
    ...(parallelism === undefined ? {} : { parallelIndex: parallelIndexAt(parallelism, index) }),
    ...(task.kind === 'live' ? liveStatus(task, course) : endedStatus(task.record, course, phase)),
    ...(node === null ? {} : { nodeName: node }),
    containerStates: task.kind === 'live' ? [] : containerStates(task.record, phase),
  };
}

type Live = Extract<TaskFacts, { readonly kind: 'live' }>;
type Ended = Extract<TaskFacts, { readonly kind: 'ended' }>['record'];

const liveTimes = (at: EpochMs | null) => (at === null ? {} : { runningTimestamp: asTime(at) });

/** An end is always shown with its time. */
const endedTimes = ({ times: { startedAt, stoppedAt } }: Ended, createdAt: EpochMs) => ({
  ...liveTimes(startedAt),
  finishTimestamp: asTime(stoppedAt ?? startedAt ?? createdAt),
});

function liveStatus(
  { runningAt, stopping, overdue, wait }: Live,
  course: Course,
): Pick<TaskRef, 'status' | 'deletedStatus'> {
  if (!stopping) return { status: runningAt === null ? { state: 'Starting', ...wait } : { state: 'Running' } };
  const late = overdue ? { reason: PENDING_TIMEOUT, message: 'it did not start in time' } : null;
  const why = late ?? (course.kind === 'decided' ? course.why : null);
  return { status: { state: 'Killing' }, ...(why === null ? {} : { deletedStatus: killed(why) }) };
}

const killed = (why: Why): TaskStatus => ({ state: 'Terminated', result: 'Killed', ...why });

function endedStatus(record: Ended, course: Course, phase: Phase): Pick<TaskRef, 'status' | 'deletedStatus'> {
  const { ending, times } = record;
  const { why } = record.judgement;
  const { cause, reason } = ending;
  if (why.kind === 'notStartedInTime') return withTombstone(killed({ reason: PENDING_TIMEOUT, message: whyText(why) }));
  if (cause === 'Completed') return withTombstone({ state: 'Terminated', result: 'Succeeded' });
  if (cause === 'Error' || cause === 'OOMKilled') {
    const words = endWords(record, phase);
    const exited = ending.exitCode === null ? whyText(why) : `Container exited with status ${ending.exitCode}`;
    const message = words.message === '' ? exited : words.message;
    return withTombstone({ state: 'Terminated', result: 'Failed', reason: words.reason, message });
  }
  if (cause === 'Stopped') return withTombstone(killed(stoppedByJob(record, course) ?? stoppedByOthers(record)));
  // Nobody saw it stop.
  if (cause === 'Infrastructure' && times.stoppedAt === null)
    return withTombstone({ state: 'DeletedFinalStateUnknown', reason: CAUSE_WORDS[cause], message: reason });
  const isLost = cause === 'Spot' || cause === 'Infrastructure';
  const status: TaskStatus = {
    state: 'Terminated',
    result: isLost ? 'Killed' : 'Failed',
    reason: CAUSE_WORDS[cause],
    message: reason,
  };
  const stopped = stoppedByJob(record, course);
  return withTombstone(stopped === null ? status : killed(stopped));
}

const withTombstone = (status: TaskStatus) => ({ status, deletedStatus: status });

/** What of its Job stops an attempt, in words like Furiko's. */
const STOPS: Partial<Record<Judgement['why']['kind'], string>> = {
  jobFailed: 'StoppedByStrategy',
  jobSucceeded: 'StoppedByStrategy',
  jobDeleted: 'JobDeleted',
  jobSuspended: 'JobSuspended',
  regrouped: 'Regrouped',
  scaledDown: 'ScaledDown',
  indexCancelled: 'IndexCancelled',
  indexRequeued: 'IndexRequeued',
};

/** null: its Job has not stopped it. */
function stoppedByJob({ judgement: { why } }: Ended, course: Course): Why | null {
  const isDecided = why.kind === 'jobFailed' || why.kind === 'jobSucceeded';
  if (isDecided && course.kind === 'decided' && course.verdict !== null) return course.why;
  const reason = STOPS[why.kind];
  return reason === undefined ? null : { reason, message: whyText(why) };
}

function stoppedByOthers({ ending, judgement: { why } }: Ended): Why {
  const message = whyText(why);
  if (isPastDeadline(why)) return { reason: 'DeadlineExceeded', message };
  const isDeleted = why.kind === 'podDeleted' || ending.podDeleted === true;
  return { reason: isDeleted ? 'TaskDeleted' : 'TaskStopped', message };
}

function containerStates(record: Ended, phase: Phase): TaskRef['containerStates'] {
  const { exitCode } = record.ending;
  if (exitCode === null) return [];
  const { reason, message } = endWords(record, phase);
  return [{ exitCode, reason, ...(message === '' ? {} : { message }) }];
}
