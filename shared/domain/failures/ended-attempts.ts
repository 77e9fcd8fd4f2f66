import type { EndedAttempt } from '../planner/plan.ts';
import type { IndexRecord } from '../scoreboard/index-record.ts';
import { type Phase, endOf, isOver } from '../scoreboard/status.ts';

/** The number of the last attempt of an index whose Pod is over; 0: none is. */
export const lastEndedAttempt = ({ state, attempt }: Pick<IndexRecord, 'state' | 'attempt'>): number =>
  attempt === 0 || state === 'pending' || state === 'succeeded' || state === 'failed' ? attempt : attempt - 1;

/**
 * The number of the newest attempt that may have failed, of an index that has failed and has not succeeded since; null: it is
 * no such index. A Pod that continues in another task (restartPolicy OnFailure) counts as well.
 */
export function lastFailedAttempt(record: IndexRecord): number | null {
  const { state, attempt, failures, ignored, restarts, unstartedSince } = record;
  if (attempt === 0 || state === 'succeeded') return null;
  if (failures + ignored + restarts === 0 && unstartedSince === null) return null;
  const hasEnded = state === 'pending' || state === 'failed' || state === 'waiting' || restarts > 0;
  return hasEnded ? attempt : attempt - 1;
}

/**
 * What becomes of an index. `open`: another attempt runs, or will. In a Job that has its verdict, or is being deleted, none
 * will.
 */
export type Fate = 'succeeded' | 'failed' | 'open';

export function fateOf({ state }: Pick<IndexRecord, 'state'>, phase: Phase): Fate {
  if (state === 'succeeded' || state === 'failed') return state;
  const isDecided = isOver(phase) || endOf(phase) !== null || phase.kind === 'draining' || phase.kind === 'terminating';
  return isDecided ? 'failed' : 'open';
}

/**
 * How often the containers of an index were started: its attempts, and the restarts of their Pods. A restart that the Pod did not
 * live to see is none.
 *
 * @param last how the last task of its last attempt ended; null: not known
 */
export function triesOf(
  { state, attempt, restarts, earlierRestarts }: IndexRecord,
  last: Pick<EndedAttempt, 'attempt' | 'judgement'> | null,
): number {
  const isStarted = state === 'claimed' || state === 'launched' || state === 'running';
  const isDue = last !== null && last.attempt === attempt && last.judgement.as === 'restarted' && !isStarted;
  const isKept = restarts + earlierRestarts > 0; // an index that has failed for good forgets its restarts
  return attempt + restarts + earlierRestarts - (isDue && isKept ? 1 : 0);
}
