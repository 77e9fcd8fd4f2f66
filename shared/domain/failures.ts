import { type EpochMs, later } from './brand.ts';
import { CAUSE_WORDS, START_ERROR } from './ending.ts';
import type { Sight } from './finding.ts';
import { unreachable } from './invariant.ts';
import { isFailureOfJob } from './judge.ts';
import type { EndedAttempt, Outcome } from './plan.ts';
import { type Phase, type Verdict, endOf } from './status.ts';

/** What tells how an attempt ended. */
export type Ended = Pick<EndedAttempt, 'ending' | 'times' | 'judgement'>;

/** How an attempt ended, as the kubelet would say it of the container; `message` is empty where the word says it all. */
export type EndWords = { readonly reason: string; readonly message: string };

/**
 * The kubelet's word for an attempt's end and what more is known. One that was stopped since its Job had failed has the Job's own reason where
 * that is a deadline: what killed it is what people ask for.
 */
export function endWords(ended: Ended, phase: Phase): EndWords {
  const { cause, reason } = ended.ending;
  if (cause === 'Completed') return { reason: 'Completed', message: '' };
  const verdict = isStoppedWithJob(ended) ? failureOf(phase) : null;
  if (verdict?.reason === 'DeadlineExceeded') return { reason: verdict.reason, message: verdict.message };
  if (isStoppedWithJob(ended)) return { reason: 'Error', message: ended.judgement.because };
  const message = withoutBoilerplate(reason);
  if (cause === 'OOMKilled') return { reason: cause, message };
  return { reason: isStartError(ended) ? 'StartError' : 'Error', message };
}

/** A program that could not be started has its exit code without ever having begun. */
export const isStartError = ({ ending: { cause, exitCode }, times }: Ended): boolean =>
  cause === 'Error' && exitCode === START_ERROR && times.startedAt === null;

/** It did not fail by itself: it ran when the Job failed. */
export const isStoppedWithJob = ({ ending, judgement }: Pick<Ended, 'ending' | 'judgement'>): boolean =>
  ending.cause === 'Stopped' && isFailureOfJob(judgement);

/** Why the Job has failed, or is about to; null: it has not. */
function failureOf(phase: Phase): Verdict | null {
  const verdict = phase.kind === 'draining' ? phase.verdict : (endOf(phase)?.verdict ?? null);
  return verdict?.kind === 'failed' ? verdict : null;
}

/** What ECS says of every container that has exited tells nothing. */
const withoutBoilerplate = (reason: string): string =>
  reason.replace(/^Essential container in task exited(: |$)/, '').trim();

/** Why an attempt failed, in one line: `exit code 1`, `StartError: python: command not found; ...`. */
export function causeLine(ended: Ended, phase: Phase): string {
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
        ? `stopped: ${words.message === '' ? ended.judgement.because : words.message}`
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

/** A shell's way to say which signal has ended a process; those that are worth a word. */
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

/** Ends that people want to hear the cause of: the program failed, or its task could not start. */
const FAILURES: readonly Outcome[] = ['failed', 'failedForGood', 'ignored', 'restarted', 'unstarted'];

export const isFailure = ({ ending, judgement }: Pick<Ended, 'ending' | 'judgement'>): boolean =>
  FAILURES.includes(judgement.as) && ending.cause !== 'Unplaced';

/** Attempts that failed alike. */
export type FailureGroup = {
  readonly words: EndWords;
  readonly exitCode: number | null;
  readonly judgement: EndedAttempt['judgement'];
  /** They were stopped since the Job had failed: a consequence, and no cause. */
  readonly stoppedWithJob: boolean;
  /** Ascending, each once. */
  readonly indexes: readonly number[];
  /** The first that failed so. */
  readonly example: EndedAttempt;
  readonly cause: string;
  /** When the last of them failed; null: nobody knows. */
  readonly lastAt: EpochMs | null;
};

/** A group with the end of the log of its example: no lines where that has printed nothing. */
export type ChartedFailure = FailureGroup & { readonly log: Sight<readonly string[]> };

/** What has failed of the indexes that have not succeeded since. `more`: there is more than was looked at. */
export type FailureChart = { readonly groups: readonly ChartedFailure[]; readonly more: boolean };

/** Failures by what they have in common (word, exit code, what they count as): the largest group first, those that were stopped with the Job last. */
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
