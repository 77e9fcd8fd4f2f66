import { type EpochMs, plusMs } from './brand.ts';
import { EVICTED, isPodDeletion } from './ending.ts';
import type { Ending } from './fact.ts';
import type { IndexRecord } from './index-record.ts';
import { unreachable } from './invariant.ts';
import type { JobSpec } from './job.ts';
import type { Judgement } from './plan.ts';
import { type FailedPod, type PolicyMatch, matchPodFailurePolicy } from './pod-failure-policy.ts';
import { type Phase, isEnding } from './status.ts';

/** All that the end of an attempt is judged by. */
export type Case = {
  readonly spec: JobSpec;
  readonly phase: Phase;
  readonly record: IndexRecord;
  readonly ending: Ending;
  /** The Pod as a policy sees it; where a cluster's Pod shows more than ECS tells, it is given. */
  readonly pod: FailedPod;
  readonly at: EpochMs;
  /** A smaller Job has this index no more. */
  readonly outOfRange: boolean;
};

export type Judged = Judgement & {
  /** The policy's rule that was met, whatever it says. */
  readonly match: PolicyMatch | null;
};

/**
 * What the end of an attempt counts as: by what ended it first, by what the board wanted second, by the user's policies
 * third, by the exit code last.
 */
export function judge(given: Case): Judged {
  const { phase, record, ending, outOfRange } = given;
  if (ending.cause === 'Completed') return { as: 'succeeded', because: 'exit code 0', match: null };
  const byItself = ending.cause === 'Error' || ending.cause === 'OOMKilled';
  // What still ran when the Job failed counts as failed (kubernetes-job.md 6.4); what a resize, a suspend, a scale-down,
  // a delete or a success ended counts as nothing.
  if (outOfRange) return { as: 'released', because: 'completions were lowered', match: null };
  if (phase.kind === 'draining' && phase.verdict.kind === 'failed') {
    // It counts, unless a rule ignores it; but its index did not fail: it is none of failedIndexes.
    const ignored = matchOf(given);
    if (ignored?.action === 'Ignore') return { as: 'ignored', because: wordsOf(ignored), match: ignored };
    return { as: 'failed', because: `${JOB_FAILED}${decided(phase.verdict)}`, match: null };
  }
  if (!byItself && isEnding(phase)) return { as: 'released', because: endedBy(phase), match: null };
  if (!byItself && record.stopping) return { as: 'released', because: SCALED_DOWN, match: null };

  const match = matchOf(given);
  if (match !== null) {
    const because = wordsOf(match);
    if (match.action === 'Ignore') return { as: 'ignored', because, match };
    if (match.action === 'FailIndex') return { as: 'failedForGood', because, match };
    return { ...counts(given, because), match };
  }
  return { ...judgeCause(given), match: null };
}

/** A policy looks at Pods that have failed, not at those that wait to start, unless somebody has evicted them. */
function matchOf({ spec: { podFailurePolicy }, ending, pod, record }: Case): PolicyMatch | null {
  const waits = (ending.cause === 'StartFailed' || ending.cause === 'Unplaced') && !record.evicted;
  return podFailurePolicy === null || waits ? null : matchPodFailurePolicy(podFailurePolicy, pod);
}

const wordsOf = ({ rule, action, what }: PolicyMatch): string => `podFailurePolicy rule ${rule} (${action}): ${what}`;

function judgeCause(given: Case): Judgement {
  const { spec, phase, record, ending, at } = given;
  switch (ending.cause) {
    case 'Completed':
      return { as: 'succeeded', because: 'exit code 0' };
    case 'Error':
    case 'OOMKilled': {
      const because = ending.cause === 'OOMKilled' ? 'out of memory' : `exit code ${ending.exitCode ?? 'unknown'}`;
      if (spec.restartPolicy === 'Never' || record.podDeleted) return counts(given, because);
      if (isEnding(phase)) return { as: 'released', because: endedBy(phase) };
      return record.stopping ? { as: 'released', because: SCALED_DOWN } : { as: 'restarted', because };
    }
    case 'Stopped':
      if (record.evicted) return counts(given, EVICTED.reason);
      return counts(given, record.podDeleted || isPodDeletion(ending) ? 'its Pod was deleted' : 'its task was stopped');
    case 'Unplaced':
      return record.podDeleted ? counts(given, 'its Pod was deleted') : { as: 'unstarted', because: ending.reason };
    case 'StartFailed': {
      if (record.podDeleted) return counts(given, 'its Pod was deleted');
      const { unstartedSince } = record;
      const timedOut = unstartedSince !== null && at >= plusMs(unstartedSince, spec.pendingTimeoutSec * 1000);
      if (!timedOut) return { as: 'unstarted', because: ending.reason };
      return counts(given, `it could not be started for ${spec.pendingTimeoutSec} s: ${ending.reason}`);
    }
    case 'Spot':
    case 'Infrastructure': {
      const { disruptions } = spec;
      if (disruptions.kind === 'count') return counts(given, ending.reason);
      const losses = record.infra + record.spot + 1;
      if (losses > disruptions.losses) return counts(given, `lost ${losses} times: ${ending.reason}`);
      return { as: ending.cause === 'Spot' ? 'lostToSpot' : 'lost', because: ending.reason };
    }
    default:
      return unreachable(ending.cause);
  }
}

const JOB_FAILED = 'the Job failed: ';
/** It counts as failed since the Job had failed, and for nothing that it did. */
export const isFailureOfJob = ({ because }: Judgement): boolean => because.startsWith(JOB_FAILED);

const SCALED_DOWN = 'parallelism was lowered';

/** It counts; with a limit of its own, the index may have had its last attempt (KEP-3850). */
function counts({ spec, record }: Case, because: string): Judgement {
  return { as: hasSpentLimit(spec, record) ? 'failedForGood' : 'failed', because };
}

/** One more failure is one too many for this index. */
export const hasSpentLimit = ({ backoffLimitPerIndex: limit }: JobSpec, { failures }: IndexRecord): boolean =>
  limit !== null && failures >= limit;

/** Why everything of a Job in this phase is being stopped. */
function endedBy(phase: Phase): string {
  if (phase.kind === 'suspended') return 'the Job was suspended';
  if (phase.kind === 'draining') return `the Job succeeded: ${decided(phase.verdict)}`;
  return 'the Job was deleted';
}

const decided = ({ reason, message, decidedBy }: Extract<Phase, { kind: 'draining' }>['verdict']): string =>
  `${reason} (${message}${decidedBy === null ? '' : `; decided by index ${decidedBy}`})`;

/** An attempt's Pod as ECS lets us see it: it names one container's code; infrastructure is a disruption, so is an eviction. */
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
