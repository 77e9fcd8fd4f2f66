import { chunkOf } from './board.ts';
import { type EpochMs, later } from './brand.ts';
import type { Fact } from './fact.ts';
import { type Job, boardSize } from './job.ts';
import { unfolded } from './journal.ts';
import { wanted } from './launches.ts';
import { type Status, isEnding, isOver, summariesFor } from './status.ts';
import { CHUNKS_PER_PASS_MAX, CLAIMS_IN_FLIGHT_MAX, FOLD_AT_ENTRIES, STOPS_PER_PASS_MAX } from './timing.ts';

/**
 * The chunks that a pass must have at hand, by what STATUS says: those of the facts first, then those where something is
 * to be started, stopped, sent again or folded. At most {@link CHUNKS_PER_PASS_MAX}; what is left out is the next
 * pass's, and planJob asks for one.
 */
export function chunksNeeded(job: Job, status: Status, facts: readonly Fact[], clock: EpochMs): readonly number[] {
  const now = later(clock, status.now);
  const size = boardSize(job.spec, status.size);
  const chunks = summariesFor(size, status.chunks);
  const needed = new Set<number>();
  const need = (no: number): void => {
    if (needed.size < CHUNKS_PER_PASS_MAX && no < chunks.length) needed.add(no);
  };
  for (const fact of facts) if (fact.index < size) need(chunkOf(fact.index));
  if (isOver(status.phase)) return [...needed];

  for (const claim of status.inFlight) if (claim.dueAt <= now) need(chunkOf(claim.index));
  const ending = isEnding(status.phase);
  if (!ending) {
    const { start, surplus } = wanted(job.spec, chunks);
    // Facts of this very pass may free places: as many more as there are facts.
    let room = Math.min(start + facts.length, CLAIMS_IN_FLIGHT_MAX);
    for (const [no, { pending, soonestDue }] of chunks.entries()) {
      if (room <= 0) break;
      if (pending === 0) continue;
      need(no);
      if (soonestDue === null) room -= pending;
    }
    let victims = surplus;
    for (const [no, { starting, running }] of [...chunks.entries()].reverse()) {
      if (victims <= 0) break;
      if (starting + running === 0) continue;
      need(no);
      victims -= starting + running;
    }
  }
  let stops = 0;
  const cursor = status.stopRound?.cursor ?? 0;
  const from = cursor >= size ? 0 : chunkOf(cursor);
  for (const [no, { starting, running, stopping }] of chunks.entries()) {
    if (stops >= STOPS_PER_PASS_MAX) break;
    const count = ending ? starting + running : stopping;
    if (no < from || count === 0) continue;
    need(no);
    stops += count;
  }
  const open = unfolded(status);
  // Facts and claims of this pass add to the journal: fold with them at hand, rather than in a pass of its own.
  if (open.length + facts.length + CLAIMS_IN_FLIGHT_MAX / 2 >= FOLD_AT_ENTRIES) {
    for (const { transition } of open) need(chunkOf(transition.index));
  }
  return [...needed];
}
