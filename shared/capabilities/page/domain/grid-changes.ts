import { CHUNK_INDEXES, chunkOf, chunksFor } from '../../../domain/scoreboard/board.ts';
import { type Status, isEnding, isOver } from '../../../domain/scoreboard/status.ts';
import { isBesideBoard } from '../../../domain/scoreboard/transition.ts';
import type { Part } from './cells.ts';

/** Up to where a client knows a Job's grid. */
export type GridCursor = {
  readonly uid: string;
  /** It knows what the journal had below this sequence number, */
  readonly seq: number;
  /** as it looks under these circumstances: with others, each cell may look different. */
  readonly look: string;
};

/** How many cells there are, and what they follow from beside the board, as text. */
export const lookOf = ({ phase }: Pick<Status, 'phase'>, cells: number, limit: number | null): string =>
  `${cells}-${limit ?? ''}-${isOver(phase) ? 'over' : isEnding(phase) ? 'ending' : 'open'}`;

export const cursorText = ({ uid, seq, look }: GridCursor): string => `${uid}.${seq}.${look}`;

/** null: it is none of ours, so its client knows nothing. */
export function readCursor(text: string): GridCursor | null {
  const [, uid, seq, look] = /^([0-9a-f-]{36})\.(\d{1,15})\.(\d+-\d*-[a-z]+)$/.exec(text) ?? [];
  return uid === undefined || seq === undefined || look === undefined ? null : { uid, seq: Number(seq), look };
}

/** The parts of each chunk, by its number. */
export type GridParts = ReadonlyMap<number, readonly Part[]>;

/** Every chunk as a whole. */
export function allParts(cells: number): GridParts {
  return new Map(Array.from({ length: chunksFor(cells) }, (_, no) => [no, [wholeOf(no, cells)]]));
}

const wholeOf = (no: number, cells: number): Part => ({
  offset: 0,
  count: Math.min(CHUNK_INDEXES, cells - no * CHUNK_INDEXES),
});

/** A part of its own costs as much as so many cells between two. */
const GAP_CELLS = 96;

/**
 * What may have changed since the journal had the sequence number `seq`: the indexes that it names, as long as it has all of that. What
 * was folded into chunks and published may be gone from it: then each chunk that was stored again since is sent as a whole.
 */
export function changedParts(
  { chunks, journal }: Pick<Status, 'chunks' | 'journal'>,
  seq: number,
  cells: number,
): GridParts {
  if (seq > journal.nextSeq) return allParts(cells);
  const parts = new Map<number, Part[]>();
  const since = journal.entries.filter((entry) => entry.seq >= seq);
  if (since.length < journal.nextSeq - seq)
    for (const [no, { foldedSeq }] of chunks.entries())
      if (foldedSeq > seq && no < chunksFor(cells)) parts.set(no, [wholeOf(no, cells)]);
  const changed = since
    .filter(({ transition: { index, op } }) => index < cells && !isBesideBoard(op))
    .map(({ transition }) => transition.index);
  for (const index of new Set(changed.toSorted((a, b) => a - b))) {
    const [no, offset] = [chunkOf(index), index % CHUNK_INDEXES];
    const known = parts.get(no) ?? [];
    const last = known.at(-1);
    if (last !== undefined && offset < last.offset + last.count) continue;
    if (last !== undefined && offset - last.offset - last.count <= GAP_CELLS)
      known[known.length - 1] = { offset: last.offset, count: offset + 1 - last.offset };
    else known.push({ offset, count: 1 });
    parts.set(no, known);
  }
  return parts;
}
