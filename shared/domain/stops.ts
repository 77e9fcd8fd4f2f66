import { type EpochMs, plusMs } from './brand.ts';
import { CHUNK_INDEXES } from './board.ts';
import type { Draft } from './draft.ts';
import type { AttemptId } from './fact.ts';
import { type Phase, type Status, isEnding, tally } from './status.ts';
import { STOPS_PER_PASS_MAX, type Timing } from './timing.ts';

export type Stops = {
  readonly stopRound: Status['stopRound'];
  readonly stop: readonly AttemptId[];
  readonly wakeAt: EpochMs | null;
  readonly again: boolean;
};

/** How many attempts the board wants to end, in this phase. */
function unwanted(phase: Phase, chunks: Status['chunks']): number {
  const { starting, running, stopping } = tally(chunks);
  return isEnding(phase) ? starting + running : stopping;
}

/**
 * Asks unwanted attempts to stop, in rounds over the board: a stop is only a request, so rounds repeat until STOPPED has
 * been seen of each. A pass takes {@link STOPS_PER_PASS_MAX} of them and the next goes on where it ended.
 */
export function planStops(draft: Draft, phase: Phase, round: Status['stopRound'], now: EpochMs, timing: Timing): Stops {
  if (unwanted(phase, draft.summaries()) === 0) return { stopRound: null, stop: [], wakeAt: null, again: false };
  const due = round === null || (round.cursor >= draft.size && now >= plusMs(round.startedAt, timing.stopRepeatMs));
  const { cursor, startedAt } = due ? { cursor: 0, startedAt: now } : round;
  const repeatAt = plusMs(startedAt, timing.stopRepeatMs);
  if (cursor >= draft.size) return { stopRound: { cursor, startedAt }, stop: [], wakeAt: repeatAt, again: false };

  const ending = isEnding(phase);
  const end = nextUnseen(draft, cursor, ending); // the round leaves nothing out: it goes on there, in the next pass
  const indexes = draft
    .scan(cursor, STOPS_PER_PASS_MAX, (r) => ending || r.stopping, ['starting', 'running'])
    .filter((index) => index < end);
  const stop = indexes.flatMap((index) => {
    const record = draft.record(index);
    return record === null ? [] : [{ index, attempt: record.attempt, nonce: record.nonce }];
  });
  const last = indexes.at(-1);
  const next = last === undefined || indexes.length < STOPS_PER_PASS_MAX ? end : last + 1;
  return { stopRound: { cursor: next, startedAt }, stop, wakeAt: repeatAt, again: next < draft.size };
}

/** The first chunk from `from` on that has something to stop but is not at hand; the board's end if there is none. */
function nextUnseen(draft: Draft, from: number, ending: boolean): number {
  for (const [no, { starting, running, stopping }] of draft.summaries().entries()) {
    const last = (no + 1) * CHUNK_INDEXES;
    if (last <= from || draft.chunk(no) !== undefined) continue;
    if ((ending ? starting + running : stopping) > 0) return Math.max(from, no * CHUNK_INDEXES);
  }
  return draft.size;
}
