import { type IndexRecord, hasPod } from '../../../../domain/scoreboard/index-record.ts';
import type { Course } from './course.ts';

/** Where one index stands, in Furiko's words. */
export type IndexStanding = {
  readonly state: 'NotCreated' | 'RetryBackoff' | 'Starting' | 'Running' | 'Terminated';
  /** `Killed`: with its Job, or because that was decided without it. Furiko calls the latter a failure, or a back-off without end. */
  readonly result?: 'Succeeded' | 'Failed' | 'Killed';
  /** Why it was stopped. */
  readonly reason?: string;
  readonly createdTasks: number;
};

/** Where an index stands, by its record on the board and what its Job has come to. */
export function indexStanding(record: IndexRecord, course: Course): IndexStanding {
  const { state, attempt: createdTasks } = record;
  if (hasPod(state)) return { state: isRunning(record) ? 'Running' : 'Starting', createdTasks };
  if (state === 'succeeded') return { state: 'Terminated', result: 'Succeeded', createdTasks };
  if (state === 'failed') return { state: 'Terminated', result: 'Failed', createdTasks };
  if (createdTasks === 0) return { state: 'NotCreated', createdTasks };
  if (course.kind !== 'decided') return { state: hasFailed(record) ? 'RetryBackoff' : 'NotCreated', createdTasks };
  return { state: 'Terminated', result: 'Killed', reason: course.why.message, createdTasks };
}

/** Otherwise its Pod was taken away, by a smaller parallelism or a suspension: that is no failure. */
const hasFailed = ({ failures, ignored, infra, spot, notBefore }: IndexRecord): boolean =>
  failures + ignored + infra + spot > 0 || notBefore !== null;

/** Its task runs. A Pod whose containers are started again (restartPolicy OnFailure) runs all the time. */
export const isRunning = ({ state, restarts }: Pick<IndexRecord, 'state' | 'restarts'>): boolean =>
  state === 'running' || (hasPod(state) && restarts > 0);

/** How many indexes a Job has in each state. Those that have no task are `terminated`, too: nothing of them runs. */
export type Counters = {
  readonly indexes: number;
  readonly created: number;
  /** They had a task, which was taken away and did not fail. */
  readonly released: number;
  readonly starting: number;
  readonly running: number;
  /** Of those that start, the ones that have failed before. */
  readonly retrying: number;
  readonly retryBackoff: number;
  readonly terminated: number;
  readonly succeeded: number;
  readonly failed: number;
  /** All tasks that were ever made. */
  readonly tasks: number;
};

/** Counts them. */
export function countIndexes(indexes: Iterable<IndexStanding>): Counters {
  const n = {
    indexes: 0,
    created: 0,
    released: 0,
    starting: 0,
    running: 0,
    retrying: 0,
    retryBackoff: 0,
    terminated: 0,
  };
  const ends = { succeeded: 0, failed: 0, tasks: 0 };
  for (const { state, result, createdTasks } of indexes) {
    n.indexes++;
    ends.tasks += createdTasks;
    if (state !== 'NotCreated') n.created++;
    else if (createdTasks > 0) n.released++;
    if (state === 'Starting') n.starting++;
    else if (state === 'Running') n.running++;
    else n.terminated++;
    if (state === 'Starting' && createdTasks > 1) n.retrying++;
    if (state === 'RetryBackoff') n.retryBackoff++;
    if (result === 'Succeeded') ends.succeeded++;
    if (result === 'Failed') ends.failed++;
  }
  return { ...n, ...ends };
}
