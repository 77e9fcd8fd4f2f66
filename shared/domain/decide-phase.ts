import type { EpochMs } from './brand.ts';
import type { Job } from './job.ts';
import type { Phase, Tally, Verdict } from './status.ts';
import { unreachable } from './invariant.ts';

/** What a phase is decided from. */
export type Standing = {
  readonly job: Job;
  readonly tally: Tally;
  readonly failed: number;
  /** Unanswered claims; each of them is active, too. */
  readonly inFlight: number;
  readonly rejected: string | null;
};

/** The phase after this pass. A verdict, once there, stays; nothing is over while a task may still run or start. */
export function decidePhase(phase: Phase, standing: Standing, now: EpochMs): Phase {
  const { job, tally, inFlight } = standing;
  const idle = tally.starting + tally.running === 0 && inFlight === 0;
  switch (phase.kind) {
    case 'finished':
    case 'deleted':
      return phase;
    case 'deleting':
      return idle ? { kind: 'deleted', since: phase.since, at: now } : phase;
    case 'draining':
      return idle ? { kind: 'finished', verdict: phase.verdict, since: phase.since, at: now } : phase;
    case 'running':
    case 'suspended': {
      const verdict = decideVerdict(standing, idle);
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

/** Failure beats success in one pass, and completion is looked at before suspend (kubernetes-job.md section 3, 11-13). */
function decideVerdict({ job: { spec }, tally, failed, rejected }: Standing, idle: boolean): Verdict | null {
  if (rejected !== null) return { kind: 'failed', reason: 'LaunchRefused', message: rejected };
  if (failed > spec.backoffLimit) {
    return { kind: 'failed', reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  }
  const reached = spec.completions === null ? tally.succeeded > 0 : tally.succeeded >= spec.completions;
  if (reached && idle) {
    return { kind: 'complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
  }
  return null;
}
