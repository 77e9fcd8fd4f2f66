import { CHUNK_INDEXES, isStopped } from './board.ts';
import { type EpochMs, type TaskArn, plusMs } from './brand.ts';
import type { Draft } from './draft.ts';
import type { AttemptId } from './fact.ts';
import { type Phase, type Status, isEnding, podCount, tally } from './status.ts';
import { STOPS_PER_PASS_MAX, type Timing } from './timing.ts';

export type Stops = {
  readonly stopRound: Status['stopRound'];
  readonly stop: readonly AttemptId[];
  /** Tasks of attempts that were replaced. */
  readonly stopTasks: readonly TaskArn[];
  /** Pods between two tasks that this pass has ended, and that count as failed. */
  readonly failed: number;
  readonly wakeAt: EpochMs | null;
  readonly again: boolean;
};

/** How many attempts ought to end, in this phase, whoever wishes it. */
export const unwanted = (
  phase: Phase,
  counts: Parameters<typeof podCount>[0] & { readonly stopping: number },
): number => (isEnding(phase) ? podCount(counts) : counts.stopping);

/**
 * Asks unwanted attempts to stop, in rounds over the board: a stop is only a request, so rounds repeat until STOPPED has
 * been seen of each. A pass takes {@link STOPS_PER_PASS_MAX} of them and the next goes on where it ended. Attempts that
 * were replaced are asked at the start of each round; Pods between two tasks have nothing to stop, they end at once:
 * those of a failing Job count as failed, if it has their index (below `completions`) still.
 */
export function planStops(
  draft: Draft,
  phase: Phase,
  { stopRound: round, lingering }: Pick<Status, 'stopRound' | 'lingering'>,
  now: EpochMs,
  timing: Timing,
  completions = Number.POSITIVE_INFINITY,
): Stops {
  if (unwanted(phase, tally(draft.summaries())) + lingering.length === 0) {
    return { stopRound: null, stop: [], stopTasks: [], failed: 0, wakeAt: null, again: false };
  }
  const due = round === null || (round.cursor >= draft.size && now >= plusMs(round.startedAt, timing.stopRepeatMs));
  const { cursor, startedAt } = due ? { cursor: 0, startedAt: now } : round;
  const repeatAt = plusMs(startedAt, timing.stopRepeatMs);
  if (cursor >= draft.size) {
    return { stopRound: { cursor, startedAt }, stop: [], stopTasks: [], failed: 0, wakeAt: repeatAt, again: false };
  }

  const ending = isEnding(phase);
  const end = nextUnseen(draft, cursor, phase); // the round leaves nothing out: it goes on there, in the next pass
  const indexes = draft
    .scan(cursor, STOPS_PER_PASS_MAX, (r) => ending || isStopped(r), ['starting', 'running', 'waiting'])
    .filter((index) => index < end);
  const failing = phase.kind === 'draining' && phase.verdict.kind === 'failed';
  const stop: AttemptId[] = [];
  let failed = 0;
  for (const index of indexes) {
    const record = draft.record(index);
    if (record === null) continue;
    const { attempt, nonce, state } = record;
    if (state !== 'waiting') stop.push({ index, attempt, nonce });
    else if (failing && index < completions) {
      draft.apply({ op: 'failed', index, attempt, notBefore: null, gone: true });
      failed++;
    } else draft.apply({ op: 'released', index, attempt });
  }
  const last = indexes.at(-1);
  const next = last === undefined || indexes.length < STOPS_PER_PASS_MAX ? end : last + 1;
  return {
    stopRound: { cursor: next, startedAt },
    stop,
    stopTasks: due ? lingering.map(({ taskArn }) => taskArn) : [],
    failed,
    wakeAt: repeatAt,
    again: next < draft.size,
  };
}

/** The first chunk from `from` on that has something to stop but is not at hand; the board's end if there is none. */
function nextUnseen(draft: Draft, from: number, phase: Phase): number {
  for (const [no, summary] of draft.summaries().entries()) {
    const last = (no + 1) * CHUNK_INDEXES;
    if (last <= from || draft.chunk(no) !== undefined) continue;
    if (unwanted(phase, summary) > 0) return Math.max(from, no * CHUNK_INDEXES);
  }
  return draft.size;
}
