import { type EpochMs, plusMs } from './brand.ts';
import { unreachable } from './invariant.ts';
import type { Job, JobSpec } from './job.ts';
import { type FailureReason, type Phase, type Tally, type Verdict, endOf, endedWith, podCount } from './status.ts';
import { metRule } from './success-policy.ts';

/** What a phase is decided from. */
export type Standing = {
  readonly job: Job;
  /** Of the whole board. */
  readonly tally: Tally;
  /** Of what counts: an Indexed Job that was made smaller has less than its board. */
  readonly within: Pick<Tally, 'succeeded' | 'failed'>;
  readonly failed: number;
  readonly restarts: number;
  /** Unanswered claims; each of them is active, too. */
  readonly inFlight: number;
  /** Attempts that were replaced and still stop. */
  readonly lingering: number;
  readonly startTime: EpochMs | null;
  readonly ruleHits: readonly number[];
  readonly rejected: string | null;
  readonly failJob: { readonly message: string; readonly index: number } | null;
  readonly lastSucceeded: number | null;
  readonly lastFailed: number | null;
};

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
    case 'deleting':
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
      // Attempts that were asked to stop must be told from those that somebody else stops: resume when they have gone.
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
const isIdle = ({ tally, inFlight, lingering }: Standing): boolean =>
  podCount(tally) === 0 && inFlight === 0 && lingering === 0;

/** Failure beats success in one pass, and completion is looked at before suspend (kubernetes-job.md section 3, 11-13). */
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
  if (within.failed > 0 && within.failed + within.succeeded >= (completions ?? Infinity)) {
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
  // With the completions reached, whatever is still active is too much; a work queue waits until it is empty.
  const isEmpty = podCount(tally) === tally.stopping;
  const reached = spec.completions === null ? within.succeeded > 0 && isEmpty : within.succeeded >= spec.completions;
  if (!reached) return null;
  return COMPLETED;
}

/** All that was to be done is done. */
export const COMPLETED: Verdict = {
  kind: 'complete',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
  decidedBy: null,
};

/** restartPolicy OnFailure: the restarts of all Pods that there are add up (kubernetes-job.md 6.3). */
const restartsExceed = ({ restartPolicy, backoffLimit }: JobSpec, restarts: number): boolean =>
  restartPolicy === 'OnFailure' && (backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit);

/** When a Job's time is up; null: it has all the time there is, or has not begun. */
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
