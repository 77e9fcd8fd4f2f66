import type { Attempt } from './answers.ts';
import { wordsOfName } from './cell-looks.ts';
import type { Pod } from './objects.ts';
import { msOf } from './time-words.ts';

/** One attempt of an index, whether it runs or has ended. */
export type Try = {
  readonly attempt: number;
  readonly pod: string;
  readonly state: string;
  /** The colour of its state. */
  readonly colour: string;
  readonly verdict: string;
  readonly exitCode: number | null;
  readonly startedMs: number | null;
  readonly stoppedMs: number | null;
  readonly isLive: boolean;
  /** A log may come of it. */
  readonly hasStarted: boolean;
  readonly item: string | null;
};

/** The attempts of an index, first to last: those on record, and the Pods that have none yet. */
export function triesOf(ended: readonly Attempt[], pods: readonly Pod[]): readonly Try[] {
  const recorded = ended.map(endedTry);
  const known = new Set(recorded.map(({ pod }) => pod));
  const last = Math.max(0, ...recorded.map(({ attempt }) => attempt));
  const live = pods
    .filter(({ metadata }) => !known.has(metadata.name))
    .toSorted((a, b) => (msOf(a.metadata.creationTimestamp) ?? 0) - (msOf(b.metadata.creationTimestamp) ?? 0))
    .map((pod, nth) => liveTry(pod, last + nth + 1));
  return [...recorded, ...live];
}

/** How outcomes are called, and in which colour. */
const OUTCOMES: Readonly<Record<string, { readonly state: string; readonly colour: string }>> = {
  succeeded: { state: 'succeeded', colour: 'succeeded' },
  failed: { state: 'failed', colour: 'failed' },
  failedForGood: { state: 'failed, not retried', colour: 'failed' },
  ignored: { state: 'ignored', colour: 'retrying' },
  released: { state: 'stopped', colour: 'stopping' },
};

function endedTry(attempt: Attempt): Try {
  const { state, colour } = OUTCOMES[attempt.outcome] ?? { state: wordsOfName(attempt.outcome), colour: 'retrying' };
  return {
    attempt: attempt.attempt,
    pod: attempt.pod,
    state: attempt.stoppedWithJob ? 'stopped with the Job' : state,
    colour: attempt.why.kind === 'policyRule' && colour === 'failed' ? 'failed-early' : colour,
    verdict: attempt.verdict,
    exitCode: attempt.exitCode,
    startedMs: msOf(attempt.startedAt),
    stoppedMs: msOf(attempt.stoppedAt),
    isLive: false,
    hasStarted: attempt.startedAt !== null,
    item: attempt.item ?? null,
  };
}

function liveTry({ metadata, status = {} }: Pod, attempt: number): Try {
  const states = (status.containerStatuses ?? []).map(({ state = {} }) => state);
  const running = states.find((state) => state.running !== undefined)?.running;
  const over = states.find((state) => state.terminated !== undefined)?.terminated;
  const waiting = states.find((state) => state.waiting !== undefined)?.waiting;
  const scheduled = status.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False');
  const state = running !== undefined ? 'running' : over !== undefined ? 'ended' : 'starting';
  return {
    attempt,
    pod: metadata.name,
    state,
    colour: state === 'ended' ? 'stopping' : state,
    verdict: scheduled?.message ?? waiting?.message ?? waiting?.reason ?? '',
    exitCode: over?.exitCode ?? null,
    startedMs: msOf(running?.startedAt ?? over?.startedAt),
    stoppedMs: msOf(over?.finishedAt),
    isLive: over === undefined,
    hasStarted: running !== undefined || over !== undefined,
    item: metadata.annotations?.['muster.run/item'] ?? null,
  };
}
