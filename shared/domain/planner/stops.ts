import { CHUNK_INDEXES, isStopped } from '../scoreboard/board.ts';
import { type EpochMs, plusMs } from '../base/time.ts';
import type { TaskArn } from '../base/ids.ts';
import type { WorkingBoard } from '../scoreboard/working-board.ts';
import type { AttemptId } from '../base/fact.ts';
import { type Phase, type Status, isEnding, podCount, tally } from '../scoreboard/status.ts';
import { STOPS_PER_PASS_MAX, type Timing } from '../base/timing.ts';

export type Stops = {
  readonly stopRound: Status['stopRound'];
  readonly stop: readonly AttemptId[];
  /** Tasks of attempts that were replaced. */
  readonly stopTasks: readonly TaskArn[];
  /** Pods between two tasks that this pass has ended and that count as failed. */
  readonly failed: number;
  readonly wakeAt: EpochMs | null;
  readonly again: boolean;
};

/** How many attempts should end in this phase, for any reason. */
export const unwanted = (
  phase: Phase,
  counts: Parameters<typeof podCount>[0] & { readonly stopping: number },
): number => (isEnding(phase) ? podCount(counts) : counts.stopping);

/**
 * Asks unwanted attempts to stop, in rounds over the board: a stop is only a request, so rounds repeat until STOPPED has been
 * seen for each. One pass takes {@link STOPS_PER_PASS_MAX}, and the next continues where it ended. A round starts with replaced
 * attempts, and with claims without an answer: what waits for its launch can still be taken back. Pods between two tasks have nothing to stop, so they end at once; those of a failing Job count as
 * failed if it still has their index (below `completions`).
 */
export function planStops(
  board: WorkingBoard,
  phase: Phase,
  { stopRound: round, replacedTasks, inFlight }: Pick<Status, 'stopRound' | 'replacedTasks' | 'inFlight'>,
  now: EpochMs,
  timing: Timing,
  completions = Number.POSITIVE_INFINITY,
): Stops {
  if (unwanted(phase, tally(board.summaries())) + replacedTasks.length === 0) {
    return { stopRound: null, stop: [], stopTasks: [], failed: 0, wakeAt: null, again: false };
  }
  const due = round === null || (round.cursor >= board.size && now >= plusMs(round.startedAt, timing.stopRepeatMs));
  const { cursor, startedAt } = due ? { cursor: 0, startedAt: now } : round;
  const repeatAt = plusMs(startedAt, timing.stopRepeatMs);
  if (cursor >= board.size) {
    return { stopRound: { cursor, startedAt }, stop: [], stopTasks: [], failed: 0, wakeAt: repeatAt, again: false };
  }

  const ending = isEnding(phase);
  const end = nextUnseen(board, cursor, phase); // the round skips nothing: the next pass continues there
  const claims = due && ending ? inFlight.slice(0, STOPS_PER_PASS_MAX / 2) : [];
  const most = STOPS_PER_PASS_MAX - claims.length;
  const indexes = board
    .scan(cursor, most, (r) => ending || isStopped(r), ['starting', 'running', 'waiting'])
    .filter((index) => index < end);
  const claimed = new Set(claims.map(({ index }) => index));
  const failing = phase.kind === 'draining' && phase.verdict.kind === 'failed';
  const stop: AttemptId[] = claims.map(({ index, attempt, nonce }) => ({ index, attempt, nonce }));
  let failed = 0;
  for (const index of indexes) {
    const record = board.record(index);
    if (record === null) continue;
    const { attempt, nonce, state } = record;
    if (claimed.has(index)) continue;
    if (state !== 'waiting') stop.push({ index, attempt, nonce });
    else if (failing && index < completions) {
      board.apply({ op: 'failed', index, attempt, notBefore: null, gone: true });
      failed++;
    } else board.apply({ op: 'released', index, attempt });
  }
  const last = indexes.at(-1);
  const next = last === undefined || indexes.length < most ? end : last + 1;
  return {
    stopRound: { cursor: next, startedAt },
    stop,
    stopTasks: due ? replacedTasks.map(({ taskArn }) => taskArn) : [],
    failed,
    wakeAt: repeatAt,
    again: next < board.size,
  };
}

/** The first chunk from `from` on that has something to stop but is not loaded; the board's end if there is none. */
function nextUnseen(board: WorkingBoard, from: number, phase: Phase): number {
  for (const [no, summary] of board.summaries().entries()) {
    const last = (no + 1) * CHUNK_INDEXES;
    if (last <= from || board.chunk(no) !== undefined) continue;
    if (unwanted(phase, summary) > 0) return Math.max(from, no * CHUNK_INDEXES);
  }
  return board.size;
}
