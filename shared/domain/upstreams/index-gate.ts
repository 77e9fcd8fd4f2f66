import { intervalsWithin } from '../base/index-set.ts';
import { CHUNK_INDEXES, type Chunk, type ChunkSummary, STATES } from '../scoreboard/board.ts';
import { type Status, chunkLength, isOver, podCount } from '../scoreboard/status.ts';
import type { WorkingBoard } from '../scoreboard/working-board.ts';
import type { AfterIndexes } from '../manifests/annotations/dependencies.ts';
import type { IndexSelection } from '../manifests/selection.ts';

/**
 * Which indexes of a Job may start, as far as `muster.run/after-indexes` is concerned. Once open, an index stays open: a success is
 * never taken back. Nothing of it is stored; each pass derives it from the boards of the Jobs that it waits for.
 */
export type IndexGate = {
  /** It may start. */
  readonly isOpen: (index: number) => boolean;
  /** How many indexes of chunk `no` are open. */
  readonly openIn: (no: number) => number;
  /** No index opens any more. */
  readonly isFinal: boolean;
};

/** Every index may start. */
export const OPEN_GATE: IndexGate = { isOpen: () => true, openIn: () => CHUNK_INDEXES, isFinal: true };

/** The board of a Job whose indexes others wait for. */
export type UpstreamBoard = {
  readonly dependency: AfterIndexes;
  /** null: there is no such Job yet, or it is gone. */
  readonly seen: { readonly status: Status; readonly board: Pick<WorkingBoard, 'chunk'> } | null;
  /** It was there, and its rows are gone. */
  readonly isGone: boolean;
};

/**
 * The gate of a Job with `size` slots: an index is open when all indexes that it waits for have succeeded, in every one of the
 * Jobs. The chunks that {@link chunksForSettled} names must be loaded.
 */
export function indexGate(upstreams: readonly UpstreamBoard[], size: number): IndexGate {
  if (upstreams.length === 0) return OPEN_GATE;
  const counted = new Map<number, number>();
  const isOpen = (index: number): boolean => upstreams.every((upstream) => hasSucceededFor(index, upstream));
  const countOpen = (no: number): number => {
    let open = 0;
    const first = no * CHUNK_INDEXES;
    for (let index = first; index < first + chunkLength(size, no); index++) if (isOpen(index)) open++;
    return open;
  };
  return {
    isOpen,
    openIn(no) {
      const known = counted.get(no) ?? countOpen(no);
      counted.set(no, known);
      return known;
    },
    isFinal: upstreams.every(({ seen, isGone }) => isGone || (seen !== null && isOver(seen.status.phase))),
  };
}

/** Index i waits for `perIndex` consecutive ones; the last may wait for fewer. */
function hasSucceededFor(index: number, { dependency: { perIndex }, seen }: UpstreamBoard): boolean {
  if (seen === null) return false;
  const first = index * perIndex;
  const after = Math.min(first + perIndex, seen.status.size);
  if (first >= after) return false;
  for (let each = first; each < after; each++) if (!hasSucceeded(each, seen)) return false;
  return true;
}

/** A chunk in which all records are alike is not loaded: its summary says which they are. */
function hasSucceeded(index: number, { status, board }: NonNullable<UpstreamBoard['seen']>): boolean {
  const no = Math.floor(index / CHUNK_INDEXES);
  const count = status.chunks[no]?.succeeded ?? 0;
  if (count === 0 || count === chunkLength(status.size, no)) return count > 0;
  return board.chunk(no)?.states[index % CHUNK_INDEXES] === SUCCEEDED;
}

const SUCCEEDED = STATES.indexOf('succeeded');
const PENDING = STATES.indexOf('pending');

/** How many of a chunk's pending indexes are open: at least, and at most. What has started is open, unless it was inherited. */
export function openPending(
  gate: IndexGate,
  no: number,
  summary: ChunkSummary,
  { inherited }: IndexSelection,
): { readonly least: number; readonly most: number } {
  const { pending, succeeded, failed } = summary;
  if (gate === OPEN_GATE || pending === 0) return { least: pending, most: pending };
  const open = gate.openIn(no);
  const begun = podCount(summary) + succeeded + failed;
  const first = no * CHUNK_INDEXES;
  let closedBegun = 0;
  for (const [from, to] of intervalsWithin(inherited, first, first + CHUNK_INDEXES))
    for (let index = from; index < to; index++) if (!gate.isOpen(index)) closedBegun++;
  const most = Math.min(pending, Math.max(0, open - begun + closedBegun));
  return { least: Math.max(0, most - beside(summary)), most };
}

/** Indexes that never run, or do not now: which of them are open is not known without their records. */
const beside = ({ excluded, held }: ChunkSummary): number => excluded + held;

/** What a pass sees of the pending indexes below `below` in a chunk that is loaded: how many wait for indexes of other Jobs. */
export function closedIn(gate: IndexGate, chunk: Chunk, no: number, below: number): Closed {
  let count = 0;
  let first: number | null = null;
  const length = Math.min(CHUNK_INDEXES, below - no * CHUNK_INDEXES);
  for (let offset = 0; offset < length; offset++) {
    if (chunk.states[offset] !== PENDING) continue;
    const index = no * CHUNK_INDEXES + offset;
    if (gate.isOpen(index)) return { count, first, isAnyOpen: true };
    count++;
    first ??= index;
  }
  return { count, first, isAnyOpen: false };
}

/** Pending indexes of a chunk that wait for indexes of other Jobs, counted up to the first that does not. */
export type Closed = { readonly count: number; readonly first: number | null; readonly isAnyOpen: boolean };
