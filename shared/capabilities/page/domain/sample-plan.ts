import { CHUNK_INDEXES, type ChunkSummary } from '../../../domain/scoreboard/board.ts';

/** Indexes whose records one read covers, and reads of one answer: of more indexes than both make, a sample is read. */
export const SPAN_INDEXES = 64;
export const READS_MAX = 64;

/** Indexes from `from` to `to`, inclusive, of one chunk. */
export type Span = { readonly from: number; readonly to: number };

type Tried = Pick<ChunkSummary, 'pending' | 'held' | 'excluded'>;

/**
 * Which records are read of a Job with so many indexes: all of a small one. Of a large one, as much of each part where something was
 * tried: indexes start in their order, so those that were are the first of their chunk, but for a few.
 */
export function sampleSpans(chunks: readonly Tried[], cells: number): readonly Span[] {
  const isSmall = cells <= SPAN_INDEXES * READS_MAX;
  const parts = chunks.flatMap(({ pending, held, excluded }, no) => {
    const length = Math.min(CHUNK_INDEXES, cells - no * CHUNK_INDEXES);
    const tried = isSmall ? length : Math.min(length, length - pending - held - excluded);
    return tried > 0 ? [{ first: no * CHUNK_INDEXES, tried }] : [];
  });
  const read = evenly(parts, READS_MAX);
  const perPart = Math.floor(READS_MAX / Math.max(read.length, 1));
  return read.flatMap(({ first, tried }) => {
    const pieces = Math.min(perPart, Math.ceil(tried / SPAN_INDEXES));
    return Array.from({ length: pieces }, (_, nth) => {
      const [start, next] = [nth, nth + 1].map((each) => Math.floor((each * tried) / pieces)) as [number, number];
      return { from: first + start, to: first + Math.min(start + SPAN_INDEXES, next) - 1 };
    });
  });
}

/** At most so many of a list, as far apart as possible. */
function evenly<T>(all: readonly T[], max: number): readonly T[] {
  if (all.length <= max) return all;
  return Array.from({ length: max }, (_, nth) => all[Math.floor((nth * all.length) / max)]).flatMap(
    (each) => each ?? [],
  );
}

/** Records that one read may bring. */
export const ATTEMPTS_MAX = 500;

/** What is read, and of how many indexes all attempts are then known: those without any need no read. */
export type BoundedReads = { readonly reads: readonly Span[]; readonly indexes: number };

/** The same within the bound for records: of an index that was tried more often, none is read. */
export function boundedReads(spans: readonly Span[], attemptsOf: (index: number) => number): BoundedReads {
  const reads: Span[] = [];
  let indexes = 0;
  for (const { from, to } of spans) {
    let [first, last, sum] = [-1, -1, 0];
    for (let index = from; index <= to; index++) {
      const attempts = attemptsOf(index);
      if (attempts > ATTEMPTS_MAX && first === -1) continue;
      sum += attempts;
      if (sum > ATTEMPTS_MAX) break;
      indexes++;
      if (attempts === 0) continue;
      if (first === -1) first = index;
      last = index;
    }
    if (first !== -1) reads.push({ from: first, to: last });
  }
  return { reads, indexes };
}
