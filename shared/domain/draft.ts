import { CHUNK_INDEXES, type Chunk, type ChunkSummary, applyToChunk, chunkOf, cloneChunk, recordAt } from './board.ts';
import type { EpochMs } from './brand.ts';
import { type IndexRecord, type IndexState, isActive } from './index-record.ts';
import { invariant } from './invariant.ts';
import { type JournalEntry, type Status, chunkLength } from './status.ts';
import type { Transition } from './transition.ts';

type Counts = { -readonly [K in keyof ChunkSummary]: ChunkSummary[K] };
export type Counted = 'pending' | 'starting' | 'running' | 'succeeded' | 'failed';

/** Chunks as they are stored, at the versions that STATUS lists. */
export type StoredChunks = ReadonlyMap<number, Chunk>;

/**
 * The part of a board that one pass has at hand, with the journal applied: it takes transitions, keeps each chunk's
 * summary in step, and remembers what was done. Copies what it changes; what it was given stays as it was.
 */
export class Draft {
  readonly size: number;
  readonly transitions: Transition[] = [];
  readonly #summaries: Counts[];
  readonly #chunks = new Map<number, Chunk>();

  constructor(status: Pick<Status, 'size' | 'chunks' | 'journal'>, stored: StoredChunks) {
    this.size = status.size;
    this.#summaries = status.chunks.map((summary) => ({ ...summary }));
    for (const [no, chunk] of stored) this.#chunks.set(no, cloneChunk(chunk));
    for (const entry of status.journal.entries) {
      const no = chunkOf(entry.transition.index);
      const chunk = this.#chunks.get(no);
      if (chunk !== undefined && !this.isFolded(entry)) applyToChunk(chunk, entry.transition);
    }
  }

  /** The entry is part of its chunk's stored item. */
  isFolded({ seq, transition }: JournalEntry): boolean {
    return seq < this.#summary(chunkOf(transition.index)).foldedSeq;
  }

  /** Summaries as they are now. */
  summaries(): readonly ChunkSummary[] {
    return this.#summaries;
  }

  /** Notes that chunk `no` is stored anew with all transitions below `seq`. */
  markFolded(no: number, seq: number): void {
    const summary = this.#summary(no);
    summary.version++;
    summary.foldedSeq = seq;
  }

  chunk(no: number): Chunk | undefined {
    return this.#chunks.get(no);
  }

  /** The record of `index`; null when its chunk is not at hand or there is no such slot. */
  record(index: number): IndexRecord | null {
    if (index < 0 || index >= this.size) return null;
    const chunk = this.#chunks.get(chunkOf(index));
    return chunk === undefined ? null : recordAt(chunk, index % CHUNK_INDEXES);
  }

  /** Takes one step; its chunk must be at hand. Trips an invariant where the step cannot follow. */
  apply(transition: Transition): void {
    const { index } = transition;
    const before = this.record(index);
    const chunk = this.#chunks.get(chunkOf(index));
    invariant(before !== null && chunk !== undefined, `the chunk of index ${index} is at hand`);
    applyToChunk(chunk, transition);
    this.transitions.push(transition);
    const after = recordAt(chunk, index % CHUNK_INDEXES);
    const summary = this.#summary(chunkOf(index));
    summary[counted(before.state)]--;
    summary[counted(after.state)]++;
    summary.stopping += Number(after.stopping) - Number(before.stopping);
    if (after.state === 'pending') {
      summary.firstPending = Math.min(summary.firstPending, index % CHUNK_INDEXES);
      if (after.notBefore !== null) summary.soonestDue = min(summary.soonestDue, after.notBefore);
    }
  }

  /**
   * Up to `limit` pending indexes whose back-off is over at `now`, lowest first, from the chunks at hand. Raises the
   * summaries' lower bounds (firstPending, soonestDue) to what the scan has seen.
   */
  pending(limit: number, now: EpochMs): readonly number[] {
    const found: number[] = [];
    for (const [no, summary] of this.#summaries.entries()) {
      if (found.length >= limit) break;
      const chunk = this.#chunks.get(no);
      if (chunk === undefined || summary.pending === 0) continue;
      const length = chunkLength(this.size, no);
      let first = length;
      let waiting = 0;
      let soonest: EpochMs | null = null;
      let offset = summary.firstPending;
      for (; offset < length && found.length < limit; offset++) {
        if (chunk.states[offset] !== 0) continue;
        if (first === length) first = offset;
        const due = chunk.extras.get(offset)?.notBefore ?? null;
        if (due === null || due <= now) found.push(no * CHUNK_INDEXES + offset);
        else {
          waiting++;
          soonest = min(soonest, due);
        }
      }
      summary.firstPending = Math.min(first, offset);
      if (offset === length) summary.soonestDue = soonest;
      invariant(waiting <= summary.pending, 'no more wait than are pending');
    }
    return found;
  }

  /** Up to `limit` indexes from `from` on in one of these states, from the chunks at hand. */
  scan(
    from: number,
    limit: number,
    wanted: (record: IndexRecord) => boolean,
    states: readonly Counted[],
  ): readonly number[] {
    const found: number[] = [];
    for (const [no, summary] of this.#summaries.entries()) {
      if (found.length >= limit) break;
      const chunk = this.#chunks.get(no);
      if (chunk === undefined || (no + 1) * CHUNK_INDEXES <= from) continue;
      if (!states.some((state) => summary[state] > 0)) continue;
      const length = chunkLength(this.size, no);
      for (let offset = Math.max(0, from - no * CHUNK_INDEXES); offset < length && found.length < limit; offset++) {
        const record = recordAt(chunk, offset);
        if (isActive(record.state) && wanted(record)) found.push(no * CHUNK_INDEXES + offset);
      }
    }
    return found;
  }

  #summary(no: number): Counts {
    const summary = this.#summaries[no];
    invariant(summary !== undefined, `chunk ${no} is on the board`);
    return summary;
  }
}

const COUNTED: Record<IndexState, Counted> = {
  pending: 'pending',
  claimed: 'starting',
  launched: 'starting',
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
};
const counted = (state: IndexState): Counted => COUNTED[state];

const min = (a: EpochMs | null, b: EpochMs): EpochMs => (a === null || b < a ? b : a);
