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

/** How many indexes these are. */
export const indexesOf = (spans: readonly Span[]): number =>
  spans.reduce((sum, { from, to }) => sum + to - from + 1, 0);
