import { type EpochMs, plusMs } from '../base/time.ts';
import { indexWithin } from '../base/shown-index.ts';
import { EVICTED, isPodDeletion } from './ending.ts';
import type { Ending } from '../base/fact.ts';
import type { IndexRecord } from '../scoreboard/index-record.ts';
import { startDueMs } from '../scoreboard/start-timeout.ts';
import { unreachable } from '../base/invariant.ts';
import type { JobSpec } from '../spec/job.ts';
import type { Judgement } from './plan.ts';
import { type FailedPod, type PolicyMatch, matchPodFailurePolicy } from '../spec/pod-failure-policy.ts';
import { type Phase, type Verdict, isEnding, shownReason } from '../scoreboard/status.ts';

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
  if (ending.cause === 'Completed' && !startedTooLate(given))
    return { as: 'succeeded', because: 'exit code 0', match: null };
  const byItself = ending.cause === 'Error' || ending.cause === 'OOMKilled';
  // Attempts that still ran when the Job failed count as failed (kubernetes-job.md 6.4); those that a resize, a suspend, a
  // scale-down, a delete, or a success ended count as nothing.
  if (outOfRange) return { as: 'released', because: 'completions were lowered', match: null };
  // A worker whose leader is stopped first fails by itself, and is no more at fault than the leader.
  if (phase.kind === 'regrouping') return { as: 'released', because: endedBy(phase), match: null };
  if (phase.kind === 'draining' && phase.verdict.kind === 'failed') {
    // It counts, unless a rule ignores it; but its index did not fail, so it is not in failedIndexes.
    const ignored = matchOf(given);
    if (ignored?.action === 'Ignore') return { as: 'ignored', because: wordsOf(ignored), match: ignored };
    return { as: 'failed', because: `${JOB_FAILED}${decided(phase.verdict)}`, match: null };
  }
  if (!byItself && isEnding(phase)) return { as: 'released', because: endedBy(phase), match: null };
  if (!byItself && record.stopping) return { as: 'released', because: stoppedBecause(record), match: null };

  const match = matchOf(given);
  return match === null ? { ...judgeCause(given), match } : { ...judgeMatch(given, match), match };
}

/** Its Pod was overdue and gone when its task began: whatever that task did, it was not to begin. */
const startedTooLate = ({ spec, record: { overdue, podCreatedSec }, startedAt }: Case): boolean =>
  overdue && startedAt !== null && podCreatedSec !== null && startedAt >= startDueMs(podCreatedSec, spec);

/** A rule of podFailurePolicy has matched: what that is for the index. Whether the Job fails is `failsJob`. */
function judgeMatch(given: Case, match: PolicyMatch): Judgement {
  const because = wordsOf(match);
  switch (match.action) {
    case 'Ignore':
      return { as: 'ignored', because };
    case 'FailIndex':
      return { as: 'failedForGood', because };
    case 'FailJob':
    case 'Count':
      return counts(given, because);
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

const wordsOf = ({ rule, action, what }: PolicyMatch): string => `podFailurePolicy rule ${rule} (${action}): ${what}`;

function judgeCause(given: Case): Judgement {
  const { record, ending } = given;
  if (record.late !== null && ending.cause !== 'Error' && ending.cause !== 'OOMKilled')
    return counts(given, late(given));
  if (record.overdue && ending.cause !== 'Error' && ending.cause !== 'OOMKilled') return counts(given, overdue(given));
  switch (ending.cause) {
    case 'Completed':
      return { as: 'succeeded', because: 'exit code 0' };
    case 'Error':
    case 'OOMKilled':
      return judgeFailure(given);
    case 'Stopped':
      if (record.evicted) return counts(given, EVICTED.reason);
      return counts(given, record.podDeleted || isPodDeletion(ending) ? POD_DELETED : 'its task was stopped');
    case 'Unplaced':
      return record.podDeleted ? counts(given, POD_DELETED) : { as: 'unstarted', because: ending.reason };
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
  const because = ending.cause === 'OOMKilled' ? 'out of memory' : `exit code ${ending.exitCode ?? 'unknown'}`;
  // A Pod that is deleted, or is past its deadline, is not started again whatever its restartPolicy says.
  const isOver = record.podDeleted || record.late !== null || isLast;
  if (spec.restartPolicy === 'Never' || isOver) return counts(given, because);
  if (isEnding(phase)) return { as: 'released', because: endedBy(phase) };
  return record.stopping ? { as: 'released', because: stoppedBecause(record) } : { as: 'restarted', because };
}

/** It could not be started: its Pod waits for as long as the Job allows. */
function judgeStart(given: Case): Judgement {
  const { spec, record, ending, at } = given;
  if (record.podDeleted) return counts(given, POD_DELETED);
  const { unstartedSince } = record;
  const timedOut = unstartedSince !== null && at >= plusMs(unstartedSince, spec.pendingTimeoutSec * 1000);
  if (!timedOut) return { as: 'unstarted', because: ending.reason };
  return counts(given, `it could not be started for ${spec.pendingTimeoutSec} s: ${ending.reason}`);
}

/** Infrastructure took it: the Job has a separate limit for that. */
function judgeLoss(given: Case): Judgement {
  const { spec, record, ending } = given;
  const { disruptions } = spec;
  if (disruptions.kind === 'count') return counts(given, ending.reason);
  const losses = record.infra + record.spot + 1;
  if (losses > disruptions.losses) return counts(given, `lost ${losses} times: ${ending.reason}`);
  return { as: ending.cause === 'Spot' ? 'lostToSpot' : 'lost', because: ending.reason };
}

const POD_DELETED = 'its Pod was deleted';
/** With Furiko's word for it. */
const overdue = ({ spec }: Case): string => `it did not start within ${spec.startTimeoutSec} s (PendingTimeout)`;

/** With Kubernetes' word for it. */
const late = ({ spec, record }: Case): string =>
  record.late === 'index'
    ? `its index took longer than ${spec.indexDeadlineSec} s ${PAST_DEADLINE}`
    : `it ran longer than ${spec.podDeadlineSec} s ${PAST_DEADLINE}`;
const PAST_DEADLINE = '(DeadlineExceeded)';
/** A deadline has ended it: its Pod's, or its index's. */
export const isPastDeadline = ({ because }: Judgement): boolean => because.endsWith(PAST_DEADLINE);

const JOB_FAILED = 'the Job failed: ';
/** It counts as failed because the Job had failed, not because of anything that it did. */
export const isFailureOfJob = ({ because }: Judgement): boolean => because.startsWith(JOB_FAILED);

const DECIDED_BY = /; decided by index (\d+)\)$/;
/** The index whose end decided a Job, if this attempt was stopped for that; null: it was not, or no index did. */
export function decidingIndex({ because }: Judgement): number | null {
  const index = DECIDED_BY.exec(because)?.[1];
  return index === undefined ? null : Number(index);
}

/** The judgement as people see it: the index that decided has its item beside it. What is stored has no items. */
export const withDecidingItem = (judgement: Judgement, item: string | null): Judgement => ({
  ...judgement,
  because: judgement.because.replace(
    DECIDED_BY,
    (_, index: string) => `; decided by ${indexWithin(Number(index), item)})`,
  ),
});

const SCALED_DOWN = 'parallelism was lowered';
const CANCELLED = 'its index was cancelled';
const REQUEUED = 'its index was requeued';
const stoppedBecause = ({ wish }: IndexRecord): string =>
  wish === 'cancel' ? CANCELLED : wish === 'requeue' ? REQUEUED : SCALED_DOWN;
const JOB_SUCCEEDED = 'the Job succeeded: ';
const JOB_SUSPENDED = 'the Job was suspended';
const JOB_DELETED = 'the Job was deleted';
const REGROUPED = 'all start again: ';

/** What of its Job has stopped an attempt. */
export type StoppedFor =
  | 'jobFailed'
  | 'jobSucceeded'
  | 'jobSuspended'
  | 'jobDeleted'
  | 'scaledDown'
  | 'regrouped'
  | 'cancelled'
  | 'requeued';

/** The same, of an attempt that did not end by itself; null: the Job has not stopped it. */
export function stoppedFor(judgement: Judgement): StoppedFor | null {
  const { because } = judgement;
  if (isFailureOfJob(judgement)) return 'jobFailed';
  if (because.startsWith(JOB_SUCCEEDED)) return 'jobSucceeded';
  if (because === JOB_SUSPENDED) return 'jobSuspended';
  if (because === JOB_DELETED) return 'jobDeleted';
  if (because.startsWith(REGROUPED)) return 'regrouped';
  if (because === CANCELLED) return 'cancelled';
  if (because === REQUEUED) return 'requeued';
  return because === SCALED_DOWN ? 'scaledDown' : null;
}

/** It counts. With a limit per index, this may have been the last attempt of the index (KEP-3850). */
function counts({ spec, record }: Case, because: string): Judgement {
  return { as: hasSpentLimit(spec, record) || record.late === 'index' ? 'failedForGood' : 'failed', because };
}

/** One more failure is one too many for this index. */
export const hasSpentLimit = ({ backoffLimitPerIndex: limit }: JobSpec, { failures, wish }: IndexRecord): boolean =>
  limit !== null && failures >= limit && wish !== 'cancel';

/** Why all attempts of a Job in this phase are being stopped. */
function endedBy(phase: Phase): string {
  if (phase.kind === 'suspended') return JOB_SUSPENDED;
  if (phase.kind === 'regrouping') return `${REGROUPED}${phase.message}`;
  if (phase.kind === 'draining') return `${JOB_SUCCEEDED}${decided(phase.verdict)}`;
  return JOB_DELETED;
}

function decided(verdict: Verdict): string {
  const { message, decidedBy } = verdict;
  return `${shownReason(verdict)} (${message}${decidedBy === null ? '' : `; decided by index ${decidedBy}`})`;
}

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
