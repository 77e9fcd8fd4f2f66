import { type EpochMs, plusMs } from '../base/time.ts';
import { unreachable } from '../base/invariant.ts';
import type { Job, JobSpec } from '../spec/job.ts';
import {
  type FailureReason,
  type Phase,
  type Tally,
  type Verdict,
  endOf,
  endedWith,
  podCount,
} from '../scoreboard/status.ts';
import { metRule } from './success-policy.ts';

/** What decides a phase. */
export type Standing = {
  readonly job: Job;
  /** For the whole board. */
  readonly tally: Tally;
  /** For what counts: an Indexed Job that was made smaller has less than its board. */
  readonly within: Pick<Tally, 'succeeded' | 'failed' | 'excluded'>;
  readonly failed: number;
  readonly restarts: number;
  /** Unanswered claims; each of them is active, too. */
  readonly inFlight: number;
  /** Attempts that were replaced and are still stopping. */
  readonly replacedTasks: number;
  readonly startTime: EpochMs | null;
  readonly ruleHits: readonly number[];
  readonly rejected: string | null;
  readonly failJob: PolicyVerdict | null;
  readonly lastSucceeded: number | null;
  readonly lastFailed: number | null;
};

/** A podFailurePolicy rule that fails the Job matched a Pod of `index`. */
export type PolicyVerdict = { readonly message: string; readonly index: number };

/** The phase after this pass. A verdict, once there, stays; nothing is over while a task may still run or start. */
export function decidePhase(phase: Phase, standing: Standing, now: EpochMs): Phase {
  const { job } = standing;
  const idle = isIdle(standing);
  switch (phase.kind) {
    case 'finished':
    case 'deleted':
      return phase;
    case 'terminating':
      return idle && !job.spec.held ? deleted(phase, now) : phase;
    case 'purging':
      return idle ? deleted(phase, now) : phase;
    case 'draining':
      return idle ? { kind: 'finished', verdict: phase.verdict, since: phase.since, at: now } : phase;
    case 'running':
    case 'suspended': {
      if (!job.spec.managed) return phase;
      const verdict = decideVerdict(standing, now);
      if (verdict !== null) {
        return idle ? { kind: 'finished', verdict, since: now, at: now } : { kind: 'draining', verdict, since: now };
      }
      if (job.spec.suspend) return phase.kind === 'suspended' ? phase : { kind: 'suspended', since: now };
      // Resume only when the stopped attempts are gone, so that they cannot be confused with attempts that something else
      // stops.
      return phase.kind === 'suspended' && idle ? { kind: 'running' } : phase;
    }
    default:
      return unreachable(phase);
  }
}

const deleted = (phase: Phase & { readonly since: EpochMs }, now: EpochMs): Phase => ({
  kind: 'deleted',
  since: phase.since,
  at: now,
  ...endedWith(endOf(phase)),
});

/** No task runs, and none may start. */
const isIdle = ({ tally, inFlight, replacedTasks }: Standing): boolean =>
  podCount(tally) === 0 && inFlight === 0 && replacedTasks === 0;

/** In one pass, failure wins over success, and completion is checked before suspend (kubernetes-job.md section 3, 11-13). */
const decideVerdict = (standing: Standing, now: EpochMs): Verdict | null =>
  decideFailure(standing, now) ?? decideSuccess(standing);

function decideFailure(standing: Standing, now: EpochMs): Verdict | null {
  const { job, within, failed, rejected, failJob, lastFailed } = standing;
  const { backoffLimit, backoffLimitPerIndex, maxFailedIndexes, completions } = job.spec;
  if (rejected !== null) return { kind: 'failed', reason: 'LaunchRefused', message: rejected, decidedBy: null };
  if (failJob !== null) {
    return { kind: 'failed', reason: 'PodFailurePolicy', message: failJob.message, decidedBy: failJob.index };
  }
  if (failed > backoffLimit || restartsExceed(job.spec, standing.restarts)) {
    return failure('BackoffLimitExceeded', lastFailed);
  }
  if (isPastDeadline(job.spec, standing.startTime, now)) return failure('DeadlineExceeded', null);
  if (backoffLimitPerIndex === null) return null;
  if (maxFailedIndexes !== null && within.failed > maxFailedIndexes) {
    return failure('MaxFailedIndexesExceeded', lastFailed);
  }
  if (within.failed > 0 && within.failed + within.succeeded + within.excluded >= (completions ?? Infinity)) {
    return failure('FailedIndexes', lastFailed);
  }
  return null;
}

function decideSuccess({ job: { spec }, tally, within, ruleHits, lastSucceeded }: Standing): Verdict | null {
  const rule = spec.successPolicy === null ? null : metRule(spec.successPolicy, ruleHits, within.succeeded);
  if (rule !== null) {
    const message = `Matched rules at index ${rule}`;
    return { kind: 'complete', reason: 'SuccessPolicy', message, decidedBy: lastSucceeded };
  }
  // Once the completions are reached, all active attempts are surplus; a work queue waits until it is empty.
  const isEmpty = podCount(tally) === tally.stopping;
  const settled = within.succeeded + within.excluded;
  const reached = spec.completions === null ? within.succeeded > 0 && isEmpty : settled >= spec.completions;
  if (!reached) return null;
  return COMPLETED;
}

/** Everything that had to be done is done. */
export const COMPLETED: Verdict = {
  kind: 'complete',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
  decidedBy: null,
};

/** restartPolicy OnFailure: the restarts of all existing Pods add up (kubernetes-job.md 6.3). */
const restartsExceed = ({ restartPolicy, backoffLimit }: JobSpec, restarts: number): boolean =>
  restartPolicy === 'OnFailure' && (backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit);

/** When a Job's deadline ends; null: it has no deadline, or has not started. */
export function deadlineOf({ activeDeadlineSec, suspend }: JobSpec, startTime: EpochMs | null): EpochMs | null {
  return activeDeadlineSec === null || suspend || startTime === null
    ? null
    : plusMs(startTime, activeDeadlineSec * 1000);
}

function isPastDeadline(spec: JobSpec, startTime: EpochMs | null, now: EpochMs): boolean {
  const deadline = deadlineOf(spec, startTime ?? now);
  return deadline !== null && now >= deadline;
}

/** Kubernetes' own words (kubernetes-job.md 3.1). */
const MESSAGES = {
  BackoffLimitExceeded: 'Job has reached the specified backoff limit',
  DeadlineExceeded: 'Job was active longer than specified deadline',
  MaxFailedIndexesExceeded: 'Job has exceeded the specified maximal number of failed indexes',
  FailedIndexes: 'Job has failed indexes',
} satisfies Partial<Record<FailureReason, string>>;

const failure = (reason: keyof typeof MESSAGES, decidedBy: number | null): Verdict => ({
  kind: 'failed',
  reason,
  message: MESSAGES[reason],
  decidedBy,
});
