import type { Probe } from '../base/probed.ts';
import { type EpochMs, later } from '../base/time.ts';
import { CAUSE_WORDS, START_ERROR } from '../planner/ending.ts';
import { unreachable } from '../base/invariant.ts';
import type { EndedAttempt, Outcome } from '../planner/plan.ts';
import { type Phase, type Verdict, endOf } from '../scoreboard/status.ts';
import { isFailureOfJob, isPastDeadline, whyText } from '../scoreboard/why.ts';

/** What explains how an attempt ended. */
export type JudgedEnd = Pick<EndedAttempt, 'ending' | 'times' | 'judgement'>;

/** How an attempt ended, as the kubelet reports it for the container; `message` is empty if the reason says everything. */
export type EndWords = { readonly reason: string; readonly message: string };

/**
 * The kubelet's reason for an attempt's end, and any details. An attempt that was stopped because its Job failed has the
 * Job's own reason if that is a deadline or a kill time: users ask what killed it.
 */
export function endWords(ended: JudgedEnd, phase: Phase): EndWords {
  const { cause, reason } = ended.ending;
  const { why } = ended.judgement;
  if (cause === 'Completed') return { reason: 'Completed', message: '' };
  const verdict = isStoppedWithJob(ended) ? failureOf(phase) : null;
  if (verdict?.reason === 'DeadlineExceeded' || verdict?.reason === 'Killed')
    return { reason: verdict.reason, message: verdict.message };
  if (isStoppedWithJob(ended)) return { reason: 'Error', message: whyText(why) };
  if (isPastDeadline(why)) return { reason: 'DeadlineExceeded', message: whyText(why) };
  const message = withoutBoilerplate(reason);
  if (cause === 'OOMKilled') return { reason: cause, message };
  return { reason: isStartError(ended) ? 'StartError' : 'Error', message };
}

/** A program that could not start has an exit code although it never ran. */
export const isStartError = ({ ending: { cause, exitCode }, times }: JudgedEnd): boolean =>
  cause === 'Error' && exitCode === START_ERROR && times.startedAt === null;

/** It did not fail by itself: it ran when the Job failed. */
export const isStoppedWithJob = ({ ending, judgement }: Pick<JudgedEnd, 'ending' | 'judgement'>): boolean =>
  ending.cause === 'Stopped' && isFailureOfJob(judgement.why);

/** Why the Job has failed or is about to fail; null if neither. */
function failureOf(phase: Phase): Verdict | null {
  const verdict = phase.kind === 'draining' ? phase.verdict : (endOf(phase)?.verdict ?? null);
  return verdict?.kind === 'failed' ? verdict : null;
}

/** What ECS says about every exited container explains nothing. */
const withoutBoilerplate = (reason: string): string =>
  reason.replace(/^Essential container in task exited(: |$)/, '').trim();

/** Why an attempt failed, in one line: `exit code 1`, `StartError: python: command not found; ...`. */
export function causeLine(ended: JudgedEnd, phase: Phase): string {
  const { cause, exitCode, reason } = ended.ending;
  const words = endWords(ended, phase);
  switch (cause) {
    case 'Completed':
      return 'Completed';
    case 'Error': {
      if (isStartError(ended)) return `StartError: ${words.message.replace(/^CannotStartContainerError: /, '')}`;
      const word = exitCode === null ? 'failed' : `exit code ${exitCode}${signalOf(exitCode)}`;
      return withMore(word, words.message);
    }
    case 'OOMKilled':
      return withMore('OOMKilled', words.message === '' ? 'out of memory' : words.message);
    case 'Stopped':
      return words.reason === 'Error'
        ? `stopped: ${words.message === '' ? whyText(ended.judgement.why) : words.message}`
        : withMore(words.reason, words.message);
    case 'Spot':
    case 'Infrastructure':
    case 'Unplaced':
    case 'StartFailed':
      return withMore(CAUSE_WORDS[cause], reason);
    default:
      return unreachable(cause);
  }
}

const withMore = (word: string, more: string): string => (more === '' ? word : `${word}: ${more}`);

/** A shell's exit code for a process that a signal ended; the signals worth naming. */
function signalOf(exitCode: number): string {
  const name = SIGNALS.get(exitCode - 128);
  return name === undefined ? '' : ` (${name})`;
}
const SIGNALS = new Map([
  [2, 'SIGINT'],
  [4, 'SIGILL'],
  [6, 'SIGABRT'],
  [7, 'SIGBUS'],
  [8, 'SIGFPE'],
  [9, 'SIGKILL'],
  [11, 'SIGSEGV'],
  [13, 'SIGPIPE'],
  [15, 'SIGTERM'],
]);

/** Ends whose cause users want to know: the program failed, or its task could not start. */
const FAILURES: readonly Outcome[] = ['failed', 'failedForGood', 'ignored', 'restarted', 'unstarted'];

export const isFailure = ({ ending, judgement }: Pick<JudgedEnd, 'ending' | 'judgement'>): boolean =>
  FAILURES.includes(judgement.as) && ending.cause !== 'Unplaced';

/** Attempts with the same failure. */
export type FailureGroup = {
  readonly words: EndWords;
  readonly exitCode: number | null;
  readonly judgement: EndedAttempt['judgement'];
  /** They were stopped because the Job failed: a consequence, not a cause. */
  readonly stoppedWithJob: boolean;
  /** In ascending order, without duplicates. */
  readonly indexes: readonly number[];
  /** The first with this failure. */
  readonly example: EndedAttempt;
  readonly cause: string;
  /** When the last of them failed; null if unknown. */
  readonly lastAt: EpochMs | null;
};

/** A group with the end of its example's log: no lines if that printed nothing. */
export type CollectedFailure = FailureGroup & { readonly log: Probe<readonly string[]> };

/** The failures of indexes that have not succeeded since. `more`: there are more than were checked. */
export type FailureSnapshot = { readonly groups: readonly CollectedFailure[]; readonly more: boolean };

/**
 * Failures by what they have in common (reason, exit code, what they count as): the largest group first, those stopped with
 * the Job last.
 */
export function groupFailures(attempts: readonly EndedAttempt[], phase: Phase): readonly FailureGroup[] {
  const groups = new Map<string, EndedAttempt[]>();
  for (const attempt of attempts.filter(isFailure)) {
    const { ending, judgement } = attempt;
    const key = JSON.stringify([
      endWords(attempt, phase).reason,
      ending.exitCode,
      judgement.as,
      isStoppedWithJob(attempt),
    ]);
    groups.set(key, [...(groups.get(key) ?? []), attempt]);
  }
  return [...groups.values()]
    .map((group) => groupOf(group, phase))
    .filter((group) => group !== null)
    .sort((a, b) => Number(a.stoppedWithJob) - Number(b.stoppedWithJob) || b.indexes.length - a.indexes.length);
}

function groupOf(group: readonly EndedAttempt[], phase: Phase): FailureGroup | null {
  const [example] = group.toSorted((a, b) => endedAt(a) - endedAt(b) || a.index - b.index || a.attempt - b.attempt);
  if (example === undefined) return null;
  const lastAt = group.reduce<EpochMs | null>(
    (last, { times: { stoppedAt } }) =>
      stoppedAt === null ? last : last === null ? stoppedAt : later(last, stoppedAt),
    null,
  );
  return {
    words: endWords(example, phase),
    exitCode: example.ending.exitCode,
    judgement: example.judgement,
    stoppedWithJob: isStoppedWithJob(example),
    indexes: [...new Set(group.map(({ index }) => index))].sort((a, b) => a - b),
    example,
    cause: causeLine(example, phase),
    lastAt,
  };
}

const endedAt = ({ times: { stoppedAt, createdAt } }: EndedAttempt): number =>
  stoppedAt ?? createdAt ?? Number.POSITIVE_INFINITY;
