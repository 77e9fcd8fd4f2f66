import { type EpochMs, asTime } from '../../../../domain/base/time.ts';
import type { FurikoPart } from '../furiko-job.ts';
import { type Course, type Decided, endWordsOf } from './course.ts';
import type { Counters } from './index-standing.ts';

/** The word for a Job's whole state. */
export type JobPhase =
  | 'Queued'
  | 'Starting'
  | 'AdmissionError'
  | 'Pending'
  | 'Running'
  | 'Terminating'
  | 'RetryBackoff'
  | 'Retrying'
  | 'Succeeded'
  | 'Failed'
  | 'Killing'
  | 'Killed';

export type JobStanding = {
  readonly phase: JobPhase;
  /** The coarse form of the condition. */
  readonly state: 'Queued' | 'Waiting' | 'Running' | 'Finished';
  /** Exactly one of its parts is set. */
  readonly condition: JobCondition;
};

type Told = { readonly reason?: string; readonly message?: string };

export type JobCondition =
  | { readonly queueing: Told }
  | { readonly waiting: Told }
  | {
      readonly running: {
        /** null: unknown, because the Job has more tasks than its status shows. */
        readonly latestTaskCreationTimestamp: string | null;
        readonly latestRunningTimestamp: string | null;
        readonly terminatingTasks?: number;
      };
    }
  | {
      readonly finished: Told & {
        readonly latestCreationTimestamp?: string;
        readonly latestRunningTimestamp?: string;
        readonly finishTime: string;
        readonly result: 'Success' | 'Failed' | 'AdmissionError' | 'Killed';
      };
    };

/** The latest of all tasks' times, as far as they are known. */
export type Latest = {
  readonly created: EpochMs | null;
  readonly running: EpochMs | null;
  readonly finished: EpochMs | null;
};

/** What decides where a Job stands. */
export type Grounds = {
  readonly part: FurikoPart;
  readonly createdAt: EpochMs;
  readonly course: Course;
  readonly counters: Counters;
  readonly latest: Latest;
};

/** Where a Job stands: furiko.md 4.5, the first row that holds. */
export function standingOfJob(grounds: Grounds): JobStanding {
  const { part, course } = grounds;
  if (part.admissionError !== undefined) return admissionError(part.admissionError, grounds);
  switch (course.kind) {
    case 'queued':
      return { phase: 'Queued', state: 'Queued', condition: { queueing: whyQueued(part.spec) } };
    case 'open':
      return openStanding(grounds);
    case 'decided':
      return decidedStanding(course, grounds);
  }
}

function admissionError(message: string, { course, createdAt, latest }: Grounds): JobStanding {
  const at = course.kind === 'decided' ? (course.at ?? course.since) : createdAt;
  const finished = {
    ...latestOf(latest),
    finishTime: asTime(at),
    result: 'AdmissionError',
    reason: 'AdmissionError',
    message,
  } as const;
  return { phase: 'AdmissionError', state: 'Finished', condition: { finished } };
}

function whyQueued({ startPolicy }: FurikoPart['spec']): Told {
  const { startAfter, concurrencyPolicy } = startPolicy ?? {};
  if (startAfter !== undefined) return { reason: 'NotYetDue', message: `the Job does not start before ${startAfter}` };
  if (concurrencyPolicy === 'Enqueue')
    return { reason: 'Queued', message: 'the Job waits for its turn among the Jobs of its JobConfig' };
  return {};
}

function openStanding({ counters, latest }: Grounds): JobStanding {
  const { indexes, created, released, starting, running, retrying, retryBackoff, tasks } = counters;
  const waiting = (reason: string, message: string): JobStanding => {
    const phase = tasks === 0 ? 'Starting' : retryBackoff > 0 ? 'RetryBackoff' : retrying > 0 ? 'Retrying' : 'Pending';
    return { phase, state: 'Waiting', condition: { waiting: { reason, message } } };
  };
  // What a smaller parallelism has taken away waits for a place; as long as others run, so does the Job.
  const toMake = starting + running > 0 ? indexes - created - released : indexes - created;
  if (toMake > 0) return waiting('PendingCreation', `${toMake} of ${indexes} tasks are to be made`);
  if (retryBackoff > 0) return waiting('RetryBackoff', `${retryBackoff} of ${indexes} tasks wait to be tried again`);
  if (starting > 0 || running === 0)
    return waiting('WaitingForTasks', `${starting} of ${indexes} tasks do not run yet`);
  return { phase: 'Running', state: 'Running', condition: { running: whileRunning(latest) } };
}

function decidedStanding(course: Decided, { part, counters, latest }: Grounds): JobStanding {
  const { indexes, starting, running } = counters;
  const remaining = starting + running;
  if (remaining > 0 && course.result === 'Killed') {
    const message = `${remaining} of ${indexes} tasks are to be stopped`;
    return { phase: 'Killing', state: 'Waiting', condition: { waiting: { reason: 'DeletingTasks', message } } };
  }
  if (remaining > 0) {
    const condition = { running: { ...whileRunning(latest), terminatingTasks: remaining } };
    return { phase: 'Terminating', state: 'Running', condition };
  }
  const { result, since, at } = course;
  const finished = {
    ...latestOf(latest),
    finishTime: asTime(latest.finished ?? at ?? since),
    result,
    ...endWordsOf(course, part.spec.template.maxAttempts, indexes),
  };
  return { phase: result === 'Success' ? 'Succeeded' : result, state: 'Finished', condition: { finished } };
}

const timeOrNull = (at: EpochMs | null): string | null => (at === null ? null : asTime(at));

const whileRunning = ({ created, running }: Latest) => ({
  latestTaskCreationTimestamp: timeOrNull(created),
  latestRunningTimestamp: timeOrNull(running),
});

const latestOf = ({ created, running }: Latest) => ({
  ...(created === null ? {} : { latestCreationTimestamp: asTime(created) }),
  ...(running === null ? {} : { latestRunningTimestamp: asTime(running) }),
});
