import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CHUNK_INDEXES,
  type Chunk,
  chunkOf,
  chunksFor,
  emptyChunk,
  recordAt,
} from '../../../domain/scoreboard/board.ts';
import { extendJournal, foldJournal } from '../../../domain/scoreboard/journal.ts';
import { EVERY_INDEX } from '../../../domain/manifests/selection.ts';
import { type Journal, type Status, summariesFor } from '../../../domain/scoreboard/status.ts';
import { WorkingBoard } from '../../../domain/scoreboard/working-board.ts';
import { NO_INDEXES } from '../../../domain/base/index-set.ts';
import { cellsOf } from '../domain/cells.ts';
import { changedParts } from '../domain/grid-changes.ts';

const CELLS = 9_000;
const RULES = { phase: { kind: 'running' }, backoffLimitPerIndex: null, excluded: NO_INDEXES } as const;

/** A board as it is stored: chunks, and a journal that loses what was folded and published. */
class StoredBoard {
  status: Pick<Status, 'size' | 'chunks' | 'journal' | 'restarts'> = {
    size: CELLS,
    chunks: summariesFor(CELLS, [], EVERY_INDEX),
    journal: { nextSeq: 0, entries: [] },
    restarts: 0,
  };
  readonly #chunks = new Map<number, Chunk>(
    Array.from({ length: chunksFor(CELLS) }, (_, no) => [no, emptyChunk()] as const),
  );

  read(): WorkingBoard {
    return new WorkingBoard(this.status, this.#chunks);
  }

  /** One step of each of these indexes. Unless `isPublished`, the journal keeps what it has, also where it is folded. */
  pass(indexes: readonly number[], isPublished = true): void {
    const board = this.read();
    for (const index of indexes) {
      const { state, attempt } = recordAt(board.chunk(chunkOf(index)) ?? emptyChunk(), index % CHUNK_INDEXES);
      if (state === 'pending') board.apply({ op: 'claim', index, attempt: attempt + 1 });
      else if (state === 'claimed') board.apply({ op: 'running', index, attempt });
      else if (state === 'running' && index % 3 === 0) board.apply({ op: 'failed', index, attempt, notBefore: null });
      else if (state === 'running') board.apply({ op: 'succeeded', index, attempt });
    }
    const extended: Journal = extendJournal(this.status.journal, board.transitions);
    const { journal, folds, chunks } = foldJournal(board, extended, isPublished ? extended.nextSeq : 0);
    for (const { no, chunk } of folds) this.#chunks.set(no, chunk);
    this.status = { ...this.status, journal, chunks };
  }
}

/** What a client has. */
class SeenCells {
  readonly cells = new Uint8Array(CELLS);
  seq = 0;

  look(board: StoredBoard): number {
    const { status } = board;
    const read = board.read();
    let sent = 0;
    for (const [no, parts] of changedParts(status, this.seq, CELLS))
      for (const part of parts) {
        this.cells.set(cellsOf(read.chunk(no) ?? emptyChunk(), no, part, RULES), no * CHUNK_INDEXES + part.offset);
        sent += part.count;
      }
    this.seq = status.journal.nextSeq;
    return sent;
  }
}

const wholeGrid = (board: StoredBoard): Uint8Array => {
  const cells = new Uint8Array(CELLS);
  const read = board.read();
  for (let no = 0; no < chunksFor(CELLS); no++) {
    const count = Math.min(CHUNK_INDEXES, CELLS - no * CHUNK_INDEXES);
    cells.set(cellsOf(read.chunk(no) ?? emptyChunk(), no, { offset: 0, count }, RULES), no * CHUNK_INDEXES);
  }
  return cells;
};

test('a client that applies what has changed has the whole grid, whenever it looks', () => {
  const passes = fc.array(
    fc.record({
      indexes: fc.array(fc.nat({ max: CELLS - 1 }), { maxLength: 400, size: 'max' }),
      looks: fc.boolean(),
      isPublished: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  );
  fc.assert(
    fc.property(passes, (each) => {
      const board = new StoredBoard();
      const [often, seldom] = [new SeenCells(), new SeenCells()];
      for (const { indexes, looks, isPublished } of each) {
        board.pass(indexes, isPublished);
        often.look(board);
        if (looks) seldom.look(board);
      }
      seldom.look(board);
      const whole = wholeGrid(board);
      expect(Buffer.compare(often.cells, whole)).toBe(0);
      expect(Buffer.compare(seldom.cells, whole)).toBe(0);
    }),
    { endOnFailure: true }, // smaller cases take minutes to find, and tell no more
  );
});

test('what is far apart is sent apart, and neighbors together', () => {
  const board = new StoredBoard();
  const client = new SeenCells();
  board.pass([5, 7, 60, 4_000, 8_999]);
  expect(client.look(board)).toBe(56 + 1 + 1);
  expect(client.look(board)).toBe(0);
});

test('a chunk that was stored again is sent as a whole only once the journal has forgotten why', () => {
  const board = new StoredBoard();
  const client = new SeenCells();
  const many = Array.from({ length: 600 }, (_, nth) => nth * 15);
  board.pass(many, false);
  const { status } = board;
  expect(status.chunks.every(({ foldedSeq }) => foldedSeq > 0)).toBe(true);
  expect([...changedParts(status, 599, CELLS)]).toEqual([[2, [{ offset: 599 * 15 - 2 * CHUNK_INDEXES, count: 1 }]]]);
  client.look(board);
  board.pass(many);
  expect(client.look(board)).toBe(CELLS);
});
