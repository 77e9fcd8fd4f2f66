import type { EpochMs } from '../../../../domain/base/time.ts';
import type { Parallelism } from '../furiko-job.ts';
import { type FailureReason, type Status, type Verdict, endOf } from '../../../../domain/scoreboard/status.ts';

/** How far a Job of Furiko's has come, apart from its tasks. */
export type Course =
  /** No task has been made, and none will be before it starts. */
  { readonly kind: 'queued' } | { readonly kind: 'open' } | Decided;

/** Its tasks end, or have all ended, then at `at`. `why`: what has stopped those that did not end by themselves. */
export type Decided = {
  readonly kind: 'decided';
  readonly result: 'Success' | 'Failed' | 'Killed';
  readonly why: Why;
  /** null: its user has deleted it. */
  readonly verdict: Verdict | null;
  readonly since: EpochMs;
  readonly at: EpochMs | null;
};

/** One word and a sentence. */
export type Why = { readonly reason: string; readonly message: string };

/** The verdict on a Job whose kill time has passed. */
const KILLED: FailureReason = 'Killed';

/** The verdicts on a Job of which too many indexes have failed. */
const OF_INDEXES: readonly string[] = ['MaxFailedIndexesExceeded', 'FailedIndexes', 'BackoffLimitExceeded'];

/** The course that a Job's phase stands for. */
export function courseOf(
  { phase, startTime }: Pick<Status, 'phase' | 'startTime'>,
  parallelism: Parallelism | undefined,
): Course {
  const ended = endOf(phase);
  if (ended !== null) return decided(ended.verdict, ended.since, ended.at, parallelism);
  if (phase.kind === 'draining') return decided(phase.verdict, phase.since, null, parallelism);
  if (phase.kind === 'terminating' || phase.kind === 'purging' || phase.kind === 'deleted') {
    const at = phase.kind === 'deleted' ? phase.at : null;
    return { kind: 'decided', result: 'Killed', why: JOB_DELETED, verdict: null, since: phase.since, at };
  }
  return { kind: startTime === null ? 'queued' : 'open' };
}

const JOB_DELETED: Why = { reason: 'JobDeleted', message: 'the Job was deleted' };

function decided(verdict: Verdict, since: EpochMs, at: EpochMs | null, parallelism: Parallelism | undefined): Decided {
  const isKilled = verdict.reason === KILLED;
  const result = verdict.kind === 'complete' ? 'Success' : isKilled ? 'Killed' : 'Failed';
  return { kind: 'decided', result, why: stoppedBy(verdict, parallelism), verdict, since, at };
}

function stoppedBy({ kind, reason, message }: Verdict, parallelism: Parallelism | undefined): Why {
  if (reason === KILLED) return { reason, message: 'the Job was killed' };
  const strategy = parallelism?.completionStrategy ?? 'AllSuccessful';
  if (kind === 'complete') return { reason: 'StoppedByStrategy', message: `ended by ${strategy}` };
  if (OF_INDEXES.includes(reason)) return { reason: 'StoppedByStrategy', message: `${strategy} failed` };
  return { reason, message };
}

/**
 * Why it ended, for people. Limits on indexes are said in the words of this kind; a success needs none.
 *
 * @param attempts how often each index may be tried
 */
export function endWordsOf({ verdict, why }: Decided, attempts: number, indexes: number): Partial<Why> {
  if (verdict === null) return why;
  const { kind, reason, message, decidedBy } = verdict;
  if (kind === 'complete') return {};
  if (!OF_INDEXES.includes(reason)) return { reason, message };
  const tries = attempts === 1 ? 'its only attempt' : `all of its ${attempts} attempts`;
  const who = indexes === 1 ? 'the task' : decidedBy === null ? 'an index' : `index ${decidedBy}`;
  const allFailed = reason === 'FailedIndexes' && indexes > 1;
  return {
    reason: 'RetryLimitExceeded',
    message: allFailed ? 'no index has succeeded' : `${who} has failed in ${tries}`,
  };
}
