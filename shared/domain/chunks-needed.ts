import { type ChunkSummary, CHUNK_INDEXES, chunkOf } from './board.ts';
import { type EpochMs, later } from './brand.ts';
import type { Fact } from './fact.ts';
import { type Job, boardSize } from './job.ts';
import { unfolded } from './journal.ts';
import { wanted } from './launches.ts';
import { type Status, isEnding, isOver, isShrunk, podCount, summariesFor, tally } from './status.ts';
import { unwanted } from './stops.ts';
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
  // What counts of a smaller Job cannot be told without the chunk that it is cut in: no pass does without.
  const { completions } = job.spec;
  if (completions !== null && isShrunk(job.spec, size)) need(chunkOf(completions));
  for (const fact of facts) if (fact.index < size) need(chunkOf(fact.index));
  if (isOver(status.phase)) return [...needed];

  for (const claim of status.inFlight) if (claim.dueAt <= now) need(chunkOf(claim.index));
  const ending = isEnding(status.phase);
  if (!ending) {
    const { start, surplus } = atMostWanted(job, chunks);
    for (const [no, { waiting, soonestDue }] of chunks.entries()) {
      if (waiting > 0 && soonestDue !== null && soonestDue <= now) need(no);
    }
    // Facts of this very pass may free places: as many more as there are facts.
    for (const no of withPlaces(chunks, start + facts.length, now)) need(no);
    let victims = surplus;
    for (const [no, summary] of [...chunks.entries()].reverse()) {
      if (victims <= 0) break;
      const staying = podCount(summary) - summary.stopping;
      if (staying === 0) continue;
      need(no);
      victims -= staying;
    }
  }
  let stops = 0;
  const cursor = status.stopRound?.cursor ?? 0;
  const from = cursor >= size ? 0 : chunkOf(cursor);
  for (const [no, summary] of chunks.entries()) {
    if (stops >= STOPS_PER_PASS_MAX) break;
    const count = unwanted(status.phase, summary);
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

/**
 * Chunks that hold the first `places` pending indexes, lowest first: what is in back-off holds its place, too. Where they
 * are more than one pass takes, those come last in which something is held back, so that the pass has something to start.
 */
function withPlaces(chunks: readonly ChunkSummary[], places: number, now: EpochMs): readonly number[] {
  const found: { readonly no: number; readonly late: boolean }[] = [];
  let left = places;
  let room = Math.min(places, CLAIMS_IN_FLIGHT_MAX);
  for (const [no, { pending, soonestDue }] of chunks.entries()) {
    if (left <= 0 || room <= 0) break;
    if (pending === 0) continue;
    found.push({ no, late: (soonestDue ?? now) > now });
    left -= pending;
    if (soonestDue === null) room -= pending; // how many of the others may start is not known
  }
  if (found.length > CHUNKS_PER_PASS_MAX) found.sort((a, b) => Number(a.late) - Number(b.late) || a.no - b.no);
  return found.map(({ no }) => no);
}

/**
 * As summaries tell no more of a chunk that a smaller Job cuts in two than what is in all of it: the more of what follows
 * from none of it being within the Job, and from all. The pass itself counts exactly.
 */
function atMostWanted(
  { spec }: Job,
  chunks: readonly ChunkSummary[],
): { readonly start: number; readonly surplus: number } {
  const all = tally(chunks);
  const { completions } = spec;
  if (completions === null || spec.completionMode === 'NonIndexed') return wanted(spec, { all, within: all });
  const upTo = (no: number) => wanted(spec, { all, within: tally(chunks.slice(0, no)) });
  const least = upTo(Math.floor(completions / CHUNK_INDEXES));
  const most = upTo(Math.ceil(completions / CHUNK_INDEXES));
  return { start: Math.max(least.start, most.start), surplus: Math.max(least.surplus, most.surplus) };
}
