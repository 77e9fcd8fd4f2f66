import { unreachable } from '../../../shared/domain/base/invariant.ts';
import type { EpochMs } from '../../../shared/domain/base/time.ts';
import type { Ending } from '../../../shared/domain/base/fact.ts';
import type { JobSpec } from '../../../shared/domain/manifests/job.ts';
import type { PodFailureRule } from '../../../shared/domain/manifests/manifest.ts';
import type { Phase } from '../../../shared/domain/scoreboard/status.ts';
import type { TaskView } from '../../../shared/domain/task/task.ts';
import type { TransitionOp } from '../../../shared/domain/scoreboard/transition.ts';
import type { Guarantee } from './law.ts';
import type { Shadow } from './shadow.ts';

/** What the board says became of one launch of an attempt, and what it knew when it said so. */
export type Outcome = {
  readonly op: TransitionOp;
  /** the index, just before */
  readonly shadow: Shadow;
  readonly phase: Phase;
  readonly spec: JobSpec;
  /** a smaller Job has the index no more */
  readonly outOfRange: boolean;
  /** its Pod was deleted and another took its place at once: counted then, whatever its end */
  readonly replaced: boolean;
  /** the board, or a user by what he did to the Job, had wished it to end */
  readonly wished: boolean;
  /** its Job has met its success policy, and tries nothing again */
  readonly isLast: boolean;
  readonly at: EpochMs;
};

/** ECS shows a stopped task for an hour; after that, the sweep has to guess. */
const ECS_REMEMBERS_MS = 60 * 60_000;

/** What is said of a task that is nowhere to be found. */
export const NOWHERE: Ending = { cause: 'Infrastructure', exitCode: null, container: null, reason: '' };

/** What a launch is taken for whose Pod was deleted, and of which ECS knows nothing (any more). */
const DELETED: Ending = { cause: 'Stopped', exitCode: null, container: null, reason: '' };

type Lie = { readonly index: number; readonly guarantee: Guarantee; readonly what: string };

/**
 * Compares what ECS's tasks came to with what the board says of their launches; `outcomes` by index/attempt/nonce;
 * `isUnheard`: what ECS told of its end went to the dead letters; `isRaced`: RunTask said no to a call, and yes to another of the
 * same token that was under way beside it, so that the no may be believed last.
 */
export function lies(
  tasks: readonly TaskView[],
  outcomes: ReadonlyMap<string, Outcome>,
  isUnheard: (task: TaskView) => boolean,
  isRaced: (task: TaskView) => boolean,
): readonly Lie[] {
  const found: Lie[] = [];
  const started = new Set(tasks.map(({ id: { index, attempt, nonce } }) => `${index}/${attempt}/${nonce}`));
  for (const task of tasks) {
    const { id, ending, times } = task;
    if (ending === null) continue;
    const { index, attempt, nonce } = id;
    const nameOf = (of: number): string => `${index}/${attempt}/${of}`;
    const named = outcomes.get(nameOf(nonce));
    const isForgottenAt = (moment: EpochMs): boolean =>
      times.stoppedAt !== null && moment >= times.stoppedAt + ECS_REMEMBERS_MS;
    const told = `a task of attempt ${nameOf(nonce)} ended (${ending.cause} ${ending.exitCode})`;
    const guarantee = ending.cause === 'Completed' ? 'G2' : 'G5';
    // Written off: the next nonce of which a task was started is the attempt again; without one, the last says what became of it.
    let outcome = named;
    for (let next = nonce + 1; outcome?.op === 'renonce' && !started.has(nameOf(next)); next++)
      outcome = outcomes.get(nameOf(next));
    if (named !== undefined && outcome?.op === 'renonce') {
      if (!isForgottenAt(named.at) && !isUnheard(task) && !isRaced(task))
        found.push({ index, guarantee, what: `${told}, and it was launched again` });
      continue; // the next task is the attempt's
    }
    if (outcome === undefined) {
      found.push({ index, guarantee: 'G2', what: `${told}, which the board does not know` });
      continue;
    }
    const { op } = outcome;
    const judgedBy = { ranAt: times.startedAt, endedAt: times.stoppedAt ?? outcome.at };
    if (expected(ending, outcome, judgedBy) === op) continue;
    const forgotten = isForgottenAt(outcome.at);
    const isEnding = outcome.shadow.podDeleted || outcome.shadow.late !== null;
    const guesses = isEnding ? [NOWHERE, DELETED] : [NOWHERE];
    // A Pod that its user has deleted counts when nothing is known of its task.
    if (forgotten && isEnding && (op === 'failed' || op === 'failedForGood')) continue;
    if (forgotten || isUnheard(task)) {
      if (guesses.some((guess) => expected(guess, outcome, judgedBy) === op)) continue;
      if (isCancelling(outcome.phase, op)) continue;
    }
    found.push({
      index,
      guarantee,
      what: `${told}, which is ${expected(ending, outcome, judgedBy)}, but the board says ${op}`,
    });
  }
  return found;
}

/** Some cancel a claim whose task was never seen; in a Job that fails, that counts as failed. */
const isCancelling = (phase: Phase, op: TransitionOp): boolean =>
  op === 'released' || (op === 'failed' && isFailing(phase));

const isFailing = (phase: Phase): boolean => phase.kind === 'draining' && phase.verdict.kind === 'failed';

/**
 * The specification of what an end counts as (kubernetes-job.md 6.1 to 6.4): by what ended the task, what the board
 * wished, and what the Job's spec says of such an end.
 */
function expected(ending: Ending, outcome: Outcome, times: Times): TransitionOp {
  const op = expectedOfAttempt(ending, outcome, times);
  // Its user has given the index up: it has failed, but not for good.
  return op === 'failedForGood' && outcome.shadow.wish === 'cancel' && !outcome.replaced ? 'failed' : op;
}

/** `ranAt`: null: its task never ran. */
type Times = { readonly ranAt: EpochMs | null; readonly endedAt: EpochMs };

function expectedOfAttempt(ending: Ending, outcome: Outcome, { ranAt, endedAt }: Times): TransitionOp {
  const { spec, phase, shadow, outOfRange, replaced, wished, isLast } = outcome;
  const { cause } = ending;
  const spent = spec.backoffLimitPerIndex !== null && shadow.failures >= spec.backoffLimitPerIndex;
  const counts: TransitionOp = spent || shadow.late === 'index' ? 'failedForGood' : 'failed';
  if (replaced) return counts;
  const dueSec = (shadow.createdSec ?? 0) + (spec.startTimeoutSec ?? Number.POSITIVE_INFINITY);
  const cameTooLate = shadow.overdue && ranAt !== null && Math.floor(ranAt / 1000) > dueSec;
  if (cause === 'Completed' && !cameTooLate) return 'succeeded';
  if (outOfRange || phase.kind === 'regrouping') return 'released';
  if (isFailing(phase)) {
    return ruleFor(ending, spec, shadow.evicted)?.action === 'Ignore' ? 'ignored' : 'failed';
  }
  const byItself = cause === 'Error' || cause === 'OOMKilled';
  if (wished && !byItself) return 'released';
  const action = ruleFor(ending, spec, shadow.evicted)?.action;
  switch (action) {
    case 'Ignore':
      return 'ignored';
    case 'FailIndex':
      return 'failedForGood';
    case 'FailJob':
    case 'Count':
      return counts;
    case undefined:
      break;
    default:
      return unreachable(action);
  }
  if ((shadow.overdue || shadow.late !== null) && !byItself) return counts;
  switch (cause) {
    case 'Error':
    case 'OOMKilled':
      if (spec.restartPolicy === 'Never' || shadow.podDeleted || shadow.late !== null || isLast) return counts;
      return wished ? 'released' : 'restart';
    case 'Completed':
    case 'Stopped':
      return counts;
    case 'Unplaced':
      return shadow.podDeleted ? counts : 'unstarted';
    case 'StartFailed': {
      const since = shadow.unstartedSince;
      const timedOut = since !== null && endedAt - since >= spec.pendingTimeoutSec * 1000;
      return shadow.podDeleted || timedOut ? counts : 'unstarted';
    }
    case 'Spot':
    case 'Infrastructure':
      if (spec.disruptions.kind === 'count' || shadow.losses >= spec.disruptions.losses) return counts;
      return cause === 'Spot' ? 'lostToSpot' : 'lost';
    default:
      return cause satisfies never;
  }
}

/** The first rule of podFailurePolicy that says something of this end. */
export function ruleFor(
  { cause, exitCode }: Ending,
  { podFailurePolicy }: JobSpec,
  evicted = false,
): PodFailureRule | undefined {
  const ended = exitCode !== 0 && cause !== 'StartFailed' && cause !== 'Unplaced';
  const disrupted = evicted || cause === 'Spot' || cause === 'Infrastructure';
  return podFailurePolicy?.rules.find(({ onExitCodes, onPodConditions }) => {
    if (onExitCodes === undefined) return disrupted && onPodConditions?.some(({ type }) => type === 'DisruptionTarget');
    return ended && exitCode !== null && onExitCodes.values.includes(exitCode) === (onExitCodes.operator === 'In');
  });
}
