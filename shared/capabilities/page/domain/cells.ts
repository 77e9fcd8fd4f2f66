import { type IndexSet, intervalsWithin } from '../../../domain/base/index-set.ts';
import { CHUNK_INDEXES, type Chunk, STATES, recordAt } from '../../../domain/scoreboard/board.ts';
import { FRESH, type IndexRecord } from '../../../domain/scoreboard/index-record.ts';
import { SHOWN_STATES, type ShownState, shownState } from '../../../domain/scoreboard/shown-state.ts';
import type { Phase } from '../../../domain/scoreboard/status.ts';

/**
 * What a cell of the grid says: what a viewer sees of an index, and more of two of its states. `failedEarly`: for good, with attempts
 * left, so a rule of `podFailurePolicy` or a deadline has decided it. `recovered`: it has succeeded after attempts that failed or were
 * lost. A cell is a position in this list, in 4 bits.
 */
export const CELL_STATES = [...SHOWN_STATES, 'failedEarly', 'recovered'] as const;
type CellState = (typeof CELL_STATES)[number];

/** What the cells of a Job follow from, beside its board. */
export type CellRules = {
  readonly phase: Phase;
  readonly backoffLimitPerIndex: number | null;
  /** Indexes that never were to run: any other that never runs was given up by a user. */
  readonly excluded: IndexSet;
};

/** A part of a chunk, from an offset on. */
export type Part = { readonly offset: number; readonly count: number };

/** The states of a part of chunk `no`, a byte each. */
export function cellsOf(chunk: Chunk, no: number, { offset: from, count }: Part, rules: CellRules): Uint8Array {
  const cells = new Uint8Array(count);
  const plain = plainCells(rules);
  for (let nth = 0; nth < count; nth++) {
    const offset = from + nth;
    const isPlain = chunk.extras.size === 0 || !chunk.extras.has(offset);
    const known = (chunk.states[offset] ?? 0) * 2 + ((chunk.attempts[offset] ?? 0) === 0 ? 0 : 1);
    cells[nth] = isPlain ? (plain[known] ?? 0) : CODES[cellState(recordAt(chunk, offset), rules)];
  }
  const first = no * CHUNK_INDEXES + from;
  const isReserved = new Uint8Array(count);
  for (const [start, after] of intervalsWithin(rules.excluded, first, first + count))
    isReserved.fill(1, start - first, after - first);
  for (let nth = 0; nth < count; nth++)
    if (cells[nth] === CODES.excluded && isReserved[nth] === 0) cells[nth] = CODES.cancelled;
  return cells;
}

const CODES = Object.fromEntries(CELL_STATES.map((state, code) => [state, code])) as Record<CellState, number>;

/** Most records have nothing but a state, and whether there ever was an attempt: what these show is looked up. */
const plainCells = (rules: CellRules): readonly number[] =>
  STATES.flatMap((state) =>
    [0, 1].map((attempt) => CODES[cellState({ ...FRESH, state, attempt } satisfies IndexRecord, rules)]),
  );

function cellState(record: IndexRecord, rules: CellRules): CellState {
  const shown: ShownState = shownState(record, rules);
  const { failures, ignored, infra, spot } = record;
  if (shown === 'succeeded') return failures + ignored + infra + spot > 0 ? 'recovered' : shown;
  if (record.state !== 'failed') return shown;
  const { backoffLimitPerIndex: limit } = rules;
  return limit === null || failures <= limit ? 'failedEarly' : shown;
}

/** Two cells in a byte, the first in the low half. */
export function packed(cells: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(cells.length / 2));
  for (const [nth, cell] of cells.entries()) bytes[nth >> 1] = (bytes[nth >> 1] ?? 0) | (cell << ((nth & 1) * 4));
  return bytes;
}
