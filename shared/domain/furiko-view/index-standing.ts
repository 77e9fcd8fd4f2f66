import { type IndexRecord, hasPod } from '../scoreboard/index-record.ts';
import type { Course } from './course.ts';

/** Where one index stands, in Furiko's words. */
export type IndexStanding = {
  readonly state: 'NotCreated' | 'RetryBackoff' | 'Starting' | 'Running' | 'Terminated';
  /**
   * `Killed`: with its Job. `Stopped`: it might have gone on, but its Job was decided without it. Furiko calls that a failure, or
   * a back-off without end.
   */
  readonly result?: 'Succeeded' | 'Failed' | 'Killed' | 'Stopped';
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
  if (course.kind !== 'decided') return { state: 'RetryBackoff', createdTasks };
  const result = course.result === 'Killed' ? 'Killed' : 'Stopped';
  return { state: 'Terminated', result, reason: course.why.message, createdTasks };
}

/** Its task runs. A Pod whose containers are started again (restartPolicy OnFailure) runs all the time. */
export const isRunning = ({ state, restarts }: Pick<IndexRecord, 'state' | 'restarts'>): boolean =>
  state === 'running' || (hasPod(state) && restarts > 0);

/** How many indexes a Job has in each state. Those that have no task are `terminated`, too: nothing of them runs. */
export type Counters = {
  readonly indexes: number;
  readonly created: number;
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
  const n = { indexes: 0, created: 0, starting: 0, running: 0, retrying: 0, retryBackoff: 0, terminated: 0 };
  const ends = { succeeded: 0, failed: 0, tasks: 0 };
  for (const { state, result, createdTasks } of indexes) {
    n.indexes++;
    ends.tasks += createdTasks;
    if (state !== 'NotCreated') n.created++;
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
