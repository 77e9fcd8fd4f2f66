import type { LateGang } from '../scoreboard/gang.ts';
import { type EpochMs, asTime, plusMs } from '../base/time.ts';
import { unreachable } from '../base/invariant.ts';
import type { Job, JobSpec } from '../manifests/job.ts';
import {
  type Achievement,
  type FailureReason,
  type Phase,
  type Tally,
  type Verdict,
  endOf,
  endedWith,
  podCount,
} from '../scoreboard/status.ts';
import { baseOf, policyVerdict } from './success-policy.ts';
import { WHEN_ACHIEVED, most, shareText } from '../manifests/success-rules.ts';

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
  /** null: it has not started, or is yet to resume. */
  readonly startTime: EpochMs | null;
  /** Until when it must not start, although it is not suspended; null: it may. */
  readonly startsAt: EpochMs | null;
  /** It waits for other Jobs, and has not started. */
  readonly isHeld: boolean;
  /** Why what it waits for never comes; null: it may, or it waits for nothing. */
  readonly neverMet: string | null;
  /** The same for its last indexes, which nothing else is left to do beside. */
  readonly isStuck: string | null;
  /** Its indexes belong together, and not all of them ran in time; null: they did, or each is on its own. */
  readonly lateGang: LateGang | null;
  readonly ruleHits: readonly number[];
  readonly rejected: string | null;
  readonly failJob: PolicyVerdict | null;
  readonly lastSucceeded: number | null;
  readonly lastFailed: number | null;
  /** Its success policy is met, and its Pods go on; null: not so before this pass. */
  readonly achieved: Achievement | null;
};

/** A podFailurePolicy rule that fails the Job matched a Pod of `index`. */
export type PolicyVerdict = { readonly message: string; readonly index: number };

/** What a pass decides about a Job as a whole. */
export type PhaseCourse = { readonly phase: Phase; readonly achieved: Achievement | null };

/** The phase after this pass, and whether its success policy is met while its Pods go on. */
export function decideCourse(phase: Phase, standing: Standing, now: EpochMs): PhaseCourse {
  const achieved = achievedBy(phase, standing, now);
  const next = decidePhase(phase, { ...standing, achieved }, now);
  return { phase: next, achieved: 'verdict' in next ? null : achieved };
}

/** A Job whose Pods go on has met its success policy now, or before. */
function achievedBy(phase: Phase, standing: Standing, now: EpochMs): Achievement | null {
  const { achieved, job } = standing;
  const isOpen = phase.kind === 'running' || phase.kind === 'regrouping' || phase.kind === 'suspended';
  if (achieved !== null || !isOpen || !job.spec.managed) return achieved;
  if (job.spec.whenAchieved === WHEN_ACHIEVED.terminate) return null;
  const verdict = decideVerdict(standing, now);
  return verdict?.kind === 'complete' && verdict.reason === 'SuccessPolicy' ? { verdict, since: now } : null;
}

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
    case 'regrouping':
    case 'suspended': {
      if (!job.spec.managed) return phase;
      const decided = decideEnd(standing, idle, now);
      if (decided !== null) return idle ? { kind: 'finished', ...decided, at: now } : { kind: 'draining', ...decided };
      if (job.spec.suspend || standing.startsAt !== null || standing.isHeld) return rest(phase, standing, now);
      if (phase.kind === 'running' && standing.lateGang !== null && standing.achieved === null)
        return { kind: 'regrouping', since: now, message: standing.lateGang.message };
      // Resume only when the stopped attempts are gone, so that they cannot be confused with attempts that something else
      // stops.
      return phase.kind !== 'running' && idle ? { kind: 'running' } : phase;
    }
    default:
      return unreachable(phase);
  }
}

/** It is suspended, by a user or because it must not start yet. */
function rest(phase: Phase, { job, startsAt, isHeld }: Standing, now: EpochMs): Phase {
  const held = isHeld && startsAt === null && !job.spec.suspend;
  if (phase.kind === 'suspended' && (phase.held === true) === held) return phase;
  return { kind: 'suspended', since: now, ...(held ? { held } : {}) };
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

type Decided = { readonly verdict: Verdict; readonly since: EpochMs };

/** The Job ends now; null: it goes on. */
function decideEnd(standing: Standing, idle: boolean, now: EpochMs): Decided | null {
  const { achieved } = standing;
  if (achieved !== null) return isPlayedOut(standing, idle, now) ? achieved : null;
  const verdict = decideVerdict(standing, now);
  return verdict === null ? null : { verdict, since: now };
}

/**
 * A Job that has met its success policy has nothing left to do, or its time is up. What else would have failed it stops its
 * Pods if they are tried again, and is not looked at if they are not: each of them ends by itself (KEP-3998).
 */
function isPlayedOut(standing: Standing, idle: boolean, now: EpochMs): boolean {
  const { spec } = standing.job;
  if (decideKill(spec, now) !== null || isTimeUp(standing, now)) return true;
  return spec.whenAchieved === WHEN_ACHIEVED.continueWithRecreations
    ? decideFailure(standing, now) !== null || standing.isStuck !== null || areCompletionsReached(standing)
    : idle;
}

/**
 * In one pass, failure wins over success, unless the Job says otherwise, and completion is checked before suspend
 * (kubernetes-job.md section 3, 11-13). A Job that has ended by itself is not killed.
 */
function decideVerdict(standing: Standing, now: EpochMs): Verdict | null {
  const ended = standing.job.spec.successFirst
    ? (decideSuccess(standing) ?? decideFailure(standing, now))
    : (decideFailure(standing, now) ?? decideSuccess(standing));
  return ended ?? decideStuck(standing) ?? decideKill(standing.job.spec, now);
}

/** Indexes of other Jobs that its last indexes wait for never succeed. */
const decideStuck = ({ isStuck }: Standing): Verdict | null => (isStuck === null ? null : dependencyFailed(isStuck));

const dependencyFailed = (message: string): Verdict => ({
  kind: 'failed',
  reason: 'DependencyFailed',
  message,
  decidedBy: null,
});

/** Before that moment, it changes nothing. */
const decideKill = ({ killAt }: JobSpec, now: EpochMs): Verdict | null =>
  killAt === null || now < killAt
    ? null
    : {
        kind: 'failed',
        reason: 'Killed',
        message: `Job was killed at its kill time, ${asTime(killAt)}`,
        decidedBy: null,
      };

function decideFailure(standing: Standing, now: EpochMs): Verdict | null {
  const { job, within, failed, rejected, failJob, lateGang, lastFailed } = standing;
  const { backoffLimit, backoffLimitPerIndex, completions } = job.spec;
  if (rejected !== null) return { kind: 'failed', reason: 'LaunchRefused', message: rejected, decidedBy: null };
  if (standing.neverMet !== null) return dependencyFailed(`What it waits for cannot come: ${standing.neverMet}`);
  if (failJob !== null) {
    return { kind: 'failed', reason: 'PodFailurePolicy', message: failJob.message, decidedBy: failJob.index };
  }
  if (failed > backoffLimit || restartsExceed(job.spec, standing.restarts)) {
    return failure('BackoffLimitExceeded', lastFailed);
  }
  if (isTimeUp(standing, now)) return failure('DeadlineExceeded', null);
  if (lateGang?.mayRestart === false)
    return { kind: 'failed', reason: 'GangTimeout', message: lateGang.message, decidedBy: null };
  if (backoffLimitPerIndex === null) return null;
  const tooMany = tooManyFailed(job.spec, within);
  if (tooMany !== null) return { ...failure('MaxFailedIndexesExceeded', lastFailed), message: tooMany };
  if (within.failed > 0 && within.failed + within.succeeded + within.excluded >= (completions ?? Infinity)) {
    return failure('FailedIndexes', lastFailed);
  }
  return null;
}

/** Of the two limits, the stricter decides. Text: why too many have failed; null: not too many. */
function tooManyFailed(spec: JobSpec, { failed, excluded }: Standing['within']): string | null {
  const { maxFailedIndexes, maxFailedShare } = spec;
  if (maxFailedIndexes !== null && failed > maxFailedIndexes) return MESSAGES.MaxFailedIndexesExceeded;
  const base = baseOf(spec, excluded);
  return maxFailedShare !== null && base !== null && failed > most(maxFailedShare, base)
    ? `${MESSAGES.MaxFailedIndexesExceeded}: ${failed} of ${base}, and ${shareText(maxFailedShare)} may fail`
    : null;
}

function decideSuccess(standing: Standing): Verdict | null {
  const { job, within, ruleHits, lastSucceeded } = standing;
  if (standing.isHeld) return null; // even if it has nothing to do: others may wait for it in turn
  const met = policyVerdict(job.spec, within, ruleHits, lastSucceeded);
  return met ?? (areCompletionsReached(standing) ? COMPLETED : null);
}

function areCompletionsReached({ job: { spec }, tally, within }: Standing): boolean {
  // Once the completions are reached, all active attempts are surplus; a work queue waits until it is empty.
  const isEmpty = podCount(tally) === tally.stopping;
  const settled = within.succeeded + within.excluded;
  return spec.completions === null ? within.succeeded > 0 && isEmpty : settled >= spec.completions;
}

/** Everything that had to be done is done. */
export const COMPLETED: Verdict = {
  kind: 'complete',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
  decidedBy: null,
};

/** restartPolicy OnFailure: the restarts of all existing Pods add up (kubernetes-job.md 6.3). */
const restartsExceed = ({ restartPolicy, backoffLimit, barePod }: JobSpec, restarts: number): boolean =>
  !barePod && restartPolicy === 'OnFailure' && (backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit);

/** When a Job's deadline ends; null: it has no deadline, or has not started. */
export function deadlineOf({ activeDeadlineSec, suspend }: JobSpec, startTime: EpochMs | null): EpochMs | null {
  return activeDeadlineSec === null || suspend || startTime === null
    ? null
    : plusMs(startTime, activeDeadlineSec * 1000);
}

/** Its deadline is over. One that must not start yet has none. */
function isTimeUp({ job: { spec }, startTime, startsAt, isHeld }: Standing, now: EpochMs): boolean {
  const deadline = deadlineOf(spec, startTime ?? now);
  return startsAt === null && !isHeld && deadline !== null && now >= deadline;
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
