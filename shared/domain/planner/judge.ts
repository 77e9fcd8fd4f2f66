import { type EpochMs, plusMs } from '../base/time.ts';
import type { Ending } from '../base/fact.ts';
import type { IndexRecord } from '../scoreboard/index-record.ts';
import { startDueMs } from '../scoreboard/start-timeout.ts';
import { unreachable } from '../base/invariant.ts';
import type { JobSpec } from '../manifests/job.ts';
import type { Judgement } from './plan.ts';
import { type FailedPod, type PolicyMatch, matchPodFailurePolicy } from '../manifests/pod-failure-policy.ts';
import { type Phase, type Verdict, isEnding, shownReason } from '../scoreboard/status.ts';
import type { Why } from '../scoreboard/why.ts';

/** Everything that the end of an attempt is judged by. */
export type Case = {
  readonly spec: JobSpec;
  readonly phase: Phase;
  readonly record: IndexRecord;
  readonly ending: Ending;
  /** The Pod as a policy sees it; given if a cluster's Pod shows more than ECS reports. */
  readonly pod: FailedPod;
  readonly at: EpochMs;
  /** When its task ran, as ECS says; null: it does not say, or it never did. */
  readonly startedAt: EpochMs | null;
  /** A smaller Job no longer has this index. */
  readonly outOfRange: boolean;
  /** The Job has met its success policy and makes no new Pod: what fails is not started again. */
  readonly isLast: boolean;
};

export type Judged = Judgement & {
  /** The policy rule that matched, whatever its action. */
  readonly match: PolicyMatch | null;
};

/**
 * What the end of an attempt counts as: first by what ended it, then by what the board wanted, then by the user's policies, and
 * last by the exit code.
 */
export function judge(given: Case): Judged {
  const judged = judgeAttempt(given);
  // Its user has given it up, so it has not failed for good: it never runs again anyway.
  return judged.as === 'failedForGood' && given.record.wish === 'cancel' ? { ...judged, as: 'failed' } : judged;
}

function judgeAttempt(given: Case): Judged {
  const { phase, record, ending, outOfRange } = given;
  if (ending.cause === 'Completed' && !startedTooLate(given)) return { as: 'succeeded', why: EXITED_WELL, match: null };
  const byItself = ending.cause === 'Error' || ending.cause === 'OOMKilled';
  // Attempts that still ran when the Job failed count as failed (kubernetes-job.md 6.4); those that a resize, a suspend, a
  // scale-down, a delete, or a success ended count as nothing.
  if (outOfRange) return { as: 'released', why: { kind: 'completionsLowered' }, match: null };
  // A worker whose leader is stopped first fails by itself, and is no more at fault than the leader.
  if (phase.kind === 'regrouping') return { as: 'released', why: endedBy(phase), match: null };
  if (phase.kind === 'draining' && phase.verdict.kind === 'failed') {
    // It counts, unless a rule ignores it; but its index did not fail, so it is not in failedIndexes.
    const ignored = matchOf(given);
    if (ignored?.action === 'Ignore') return { as: 'ignored', why: matched(ignored), match: ignored };
    return { as: 'failed', why: decided('jobFailed', phase.verdict), match: null };
  }
  if (!byItself && isEnding(phase)) return { as: 'released', why: endedBy(phase), match: null };
  if (!byItself && record.stopping) return { as: 'released', why: stoppedBecause(record), match: null };

  const match = matchOf(given);
  return match === null ? { ...judgeCause(given), match } : { ...judgeMatch(given, match), match };
}

/** Its Pod was overdue and gone when its task began: whatever that task did, it was not to begin. */
const startedTooLate = ({ spec, record: { overdue, podCreatedSec }, startedAt }: Case): boolean =>
  overdue && startedAt !== null && podCreatedSec !== null && startedAt >= startDueMs(podCreatedSec, spec);

/** A rule of podFailurePolicy has matched: what that is for the index. Whether the Job fails is `failsJob`. */
function judgeMatch(given: Case, match: PolicyMatch): Judgement {
  const why = matched(match);
  switch (match.action) {
    case 'Ignore':
      return { as: 'ignored', why };
    case 'FailIndex':
      return { as: 'failedForGood', why };
    case 'FailJob':
    case 'Count':
      return counts(given, why);
    default:
      return unreachable(match.action);
  }
}

/** A policy checks Pods that have failed, not those that wait to start, unless they were evicted. */
function matchOf({ spec: { podFailurePolicy }, ending, pod, record }: Case): PolicyMatch | null {
  const waits = (ending.cause === 'StartFailed' || ending.cause === 'Unplaced') && !record.evicted;
  const isNoFailure = waits || ending.cause === 'Completed';
  return podFailurePolicy === null || isNoFailure ? null : matchPodFailurePolicy(podFailurePolicy, pod);
}

const matched = ({ rule, action, what }: PolicyMatch): Why => ({ kind: 'policyRule', rule, action, what });

function judgeCause(given: Case): Judgement {
  const { record, ending } = given;
  if (record.late !== null && ending.cause !== 'Error' && ending.cause !== 'OOMKilled')
    return counts(given, late(given));
  if (record.overdue && ending.cause !== 'Error' && ending.cause !== 'OOMKilled') return counts(given, overdue(given));
  switch (ending.cause) {
    case 'Completed':
      return { as: 'succeeded', why: EXITED_WELL };
    case 'Error':
    case 'OOMKilled':
      return judgeFailure(given);
    case 'Stopped':
      if (record.evicted) return counts(given, { kind: 'podEvicted' });
      return counts(given, record.podDeleted || ending.podDeleted === true ? POD_DELETED : { kind: 'taskStopped' });
    case 'Unplaced':
      return record.podDeleted ? counts(given, POD_DELETED) : { as: 'unstarted', why: unstarted(ending) };
    case 'StartFailed':
      return judgeStart(given);
    case 'Spot':
    case 'Infrastructure':
      return judgeLoss(given);
    default:
      return unreachable(ending.cause);
  }
}

/** It exited by itself, with a code other than 0: restartPolicy decides whether the Pod continues. */
function judgeFailure(given: Case): Judgement {
  const { spec, phase, record, ending, isLast } = given;
  const { cause, exitCode } = ending;
  const why: Why = cause === 'OOMKilled' ? { kind: 'outOfMemory' } : { kind: 'exited', exitCode };
  // A Pod that is deleted, or is past its deadline, is not started again whatever its restartPolicy says.
  const isOver = record.podDeleted || record.late !== null || isLast;
  if (spec.restartPolicy === 'Never' || isOver) return counts(given, why);
  if (isEnding(phase)) return { as: 'released', why: endedBy(phase) };
  return record.stopping ? { as: 'released', why: stoppedBecause(record) } : { as: 'restarted', why };
}

const EXITED_WELL: Why = { kind: 'exited', exitCode: 0 };
const unstarted = ({ reason }: Ending): Why => ({ kind: 'unstarted', reason });

/** It could not be started: its Pod waits for as long as the Job allows. */
function judgeStart(given: Case): Judgement {
  const { spec, record, ending, at } = given;
  if (record.podDeleted) return counts(given, POD_DELETED);
  const { unstartedSince } = record;
  const timedOut = unstartedSince !== null && at >= plusMs(unstartedSince, spec.pendingTimeoutSec * 1000);
  if (!timedOut) return { as: 'unstarted', why: unstarted(ending) };
  return counts(given, { kind: 'startTimedOut', sec: spec.pendingTimeoutSec, reason: ending.reason });
}

/** Infrastructure took it: the Job has a separate limit for that. */
function judgeLoss(given: Case): Judgement {
  const { spec, record, ending } = given;
  const { disruptions } = spec;
  const why: Why = { kind: 'lost', reason: ending.reason };
  if (disruptions.kind === 'count') return counts(given, why);
  const losses = record.infra + record.spot + 1;
  if (losses > disruptions.losses) return counts(given, { ...why, kind: 'lostTooOften', times: losses });
  return { as: ending.cause === 'Spot' ? 'lostToSpot' : 'lost', why };
}

const overdue = ({ spec }: Case): Why => ({ kind: 'notStartedInTime', sec: spec.startTimeoutSec ?? 0 });

const late = ({ spec, record }: Case): Why =>
  record.late === 'index'
    ? { kind: 'pastDeadline', of: 'index', sec: spec.indexDeadlineSec ?? 0 }
    : { kind: 'pastDeadline', of: 'attempt', sec: spec.podDeadlineSec ?? 0 };

const stoppedBecause = ({ wish }: IndexRecord): Why =>
  wish === 'cancel' ? INDEX_CANCELLED : wish === 'requeue' ? INDEX_REQUEUED : SCALED_DOWN;
const INDEX_CANCELLED: Why = { kind: 'indexCancelled' };
const INDEX_REQUEUED: Why = { kind: 'indexRequeued' };
const SCALED_DOWN: Why = { kind: 'scaledDown' };
const POD_DELETED: Why = { kind: 'podDeleted' };

/** It counts. With a limit per index, this may have been the last attempt of the index (KEP-3850). */
function counts({ spec, record }: Case, why: Why): Judgement {
  return { as: hasSpentLimit(spec, record) || record.late === 'index' ? 'failedForGood' : 'failed', why };
}

/** One more failure is one too many for this index. */
export const hasSpentLimit = ({ backoffLimitPerIndex: limit }: JobSpec, { failures, wish }: IndexRecord): boolean =>
  limit !== null && failures >= limit && wish !== 'cancel';

/** Why all attempts of a Job in this phase are being stopped. */
function endedBy(phase: Phase): Why {
  if (phase.kind === 'suspended') return { kind: 'jobSuspended' };
  if (phase.kind === 'regrouping') return { kind: 'regrouped', message: phase.message };
  return phase.kind === 'draining' ? decided('jobSucceeded', phase.verdict) : { kind: 'jobDeleted' };
}

const decided = (kind: 'jobFailed' | 'jobSucceeded', verdict: Verdict): Why => ({
  kind,
  reason: shownReason(verdict),
  message: verdict.message,
  decidedBy: verdict.decidedBy,
});

/**
 * An attempt's Pod as ECS shows it: ECS reports one container's exit code; infrastructure is a disruption, and so is an
 * eviction.
 */
export function podOf(
  { cause, container, exitCode }: Ending,
  { evicted = false }: Partial<Pick<IndexRecord, 'evicted'>> = {},
): FailedPod {
  const isDisrupted = evicted || cause === 'Spot' || cause === 'Infrastructure';
  return {
    exitCodes: exitCode === null || exitCode === 0 ? [] : [{ container: container ?? '', exitCode }],
    conditions: isDisrupted ? [{ type: 'DisruptionTarget', status: 'True' }] : [],
  };
}
