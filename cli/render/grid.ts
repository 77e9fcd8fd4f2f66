import { SHOWN_STATES, type ShownState } from '../../shared/domain/scoreboard/shown-state.ts';
import type { Theme, Paint, Segment } from './theme.ts';

/** What an index is doing. A board of indexes stores a state's position in this list. */
export const INDEX_STATES = SHOWN_STATES;
export type IndexState = ShownState;

/** The states of all indexes, by code: a million indexes take a megabyte. */
export type IndexBoard = Uint8Array;

export const codeOf = (state: IndexState): number => INDEX_STATES.indexOf(state);

const PAINTS: Readonly<Record<IndexState, Paint>> = {
  waiting: 'dim',
  starting: 'cyan',
  running: 'cyan',
  stopping: 'magenta',
  retrying: 'yellow',
  failed: 'red',
  succeeded: 'green',
  inherited: 'green',
  excluded: 'dim',
  held: 'yellow',
  cancelled: 'dim',
};

export const paintOf = (state: IndexState): Paint => PAINTS[state];

export type GridLayout = {
  /** Indexes that one cell stands for. */
  readonly perCell: number;
  readonly cells: number;
  readonly perRow: number;
  /** Columns per cell: 2 leave a gap, which looks square. */
  readonly cellWidth: 1 | 2;
  /** Columns for the number in front of each row. */
  readonly labelWidth: number;
};

/** Row lengths that make rows easy to count. */
const ROW_LENGTHS = [8, 10, 16, 20, 25, 30, 32, 40, 50, 60, 64, 70, 80, 90, 100, 120, 128, 150, 160, 180, 200, 250];
/** Indexes per cell, in each power of ten. */
const ROUND = [1, 2, 5];
/** Rows per column (in cells): wide, as terminals are. */
const RATIO = 4;
/** The penalty for a last row that is not full: as bad as being e^1.5 times too wide. */
const RAGGED = 1.5;
const LABEL_GAP = 2;

/**
 * Fits `size` indexes into `columns` × `rows`: one cell each if possible, with gaps if possible; otherwise a round number
 * of indexes per cell.
 */
export function layoutGrid(size: number, columns: number, rows: number): GridLayout {
  const labelWidth = String(Math.max(size - 1, 0)).length;
  const free = Math.max(columns - labelWidth - LABEL_GAP, 1);
  const height = Math.max(rows, 1);
  for (const cellWidth of [2, 1] as const) {
    const perRow = bestRow(size, Math.floor((free + cellWidth - 1) / cellWidth), height);
    if (perRow !== null) return { perCell: 1, cells: size, perRow, cellWidth, labelWidth };
  }
  for (let wanted = Math.ceil(size / (free * height)); ; wanted++) {
    const perCell = roundUp(wanted);
    const cells = Math.ceil(size / perCell);
    const perRow = bestRow(cells, free, height);
    if (perRow !== null) return { perCell, cells, perRow, cellWidth: 1, labelWidth };
    wanted = perCell;
  }
}

/** The round row length that looks best; null if none fits the columns and the rows. */
function bestRow(cells: number, perRowMax: number, rowsMax: number): number | null {
  const lengths = [...ROW_LENGTHS.filter((length) => length < cells), cells];
  let best: { readonly perRow: number; readonly cost: number } | null = null;
  for (const perRow of lengths) {
    const rows = Math.ceil(cells / perRow);
    if (perRow > perRowMax || rows > rowsMax) continue;
    const ragged = cells % perRow === 0 ? 0 : RAGGED;
    const cost = Math.abs(Math.log(perRow / rows / RATIO)) + ragged;
    if (best === null || cost <= best.cost) best = { perRow, cost };
  }
  return best?.perRow ?? null;
}

function roundUp(n: number): number {
  for (let power = 1; ; power *= 10) for (const digit of ROUND) if (digit * power >= n) return digit * power;
}

/** The grid's lines, each starting with the number of its first index. */
export function renderGrid(board: IndexBoard, layout: GridLayout, { glyphs }: Theme): readonly (readonly Segment[])[] {
  const { perCell, cells, perRow, cellWidth, labelWidth } = layout;
  const gap = ' '.repeat(cellWidth - 1);
  const lines: (readonly Segment[])[] = [];
  for (let first = 0; first < cells; first += perRow) {
    const label: Segment = { text: String(first * perCell).padStart(labelWidth) + ' '.repeat(LABEL_GAP), paint: 'dim' };
    const row: Cell[] = [];
    for (let cell = first; cell < Math.min(first + perRow, cells); cell++) {
      append(row, cellOf(board, cell * perCell, (cell + 1) * perCell, glyphs), gap);
    }
    lines.push([label, ...row]);
  }
  return lines;
}

type Cell = { text: string; readonly paint: Paint };

/** Adds a cell to a line; adjacent cells of one color share their escape codes. */
function append(line: Cell[], { text, paint }: Cell, gap = ''): void {
  const last = line.at(-1);
  if (last?.paint === paint) last.text += gap + text;
  else line.push({ text: (last === undefined ? '' : gap) + text, paint });
}

/** All indexes in one line of at most `cells` cells, each a share of them; fewer indexes take fewer cells. */
export function renderStrip(board: IndexBoard, cells: number, { glyphs }: Theme): readonly Segment[] {
  const count = Math.min(Math.max(cells, 0), board.length);
  const first = (cell: number): number => Math.floor((cell * board.length) / count);
  const line: Cell[] = [];
  for (let cell = 0; cell < count; cell++) append(line, cellOf(board, first(cell), first(cell + 1), glyphs));
  return line;
}

/** A cell that stands for several indexes shows trouble first. */
const TROUBLE = ['failed', 'retrying'] as const;
const AT_WORK = ['running', 'starting', 'stopping'] as const;

function cellOf(board: IndexBoard, from: number, to: number, glyphs: Theme['glyphs']): Cell {
  const counts = INDEX_STATES.map(() => 0);
  const end = Math.min(to, board.length);
  for (let index = from; index < end; index++) {
    const code = board[index] ?? 0;
    counts[code] = (counts[code] ?? 0) + 1;
  }
  const count = (state: IndexState): number => counts[codeOf(state)] ?? 0;
  const has = (state: IndexState): boolean => count(state) > 0;
  const meant = end - from - count('excluded') - count('cancelled');
  if (meant === 0 && end > from) {
    const left = has('cancelled') ? 'cancelled' : 'excluded';
    return { text: glyphs[left], paint: PAINTS[left] };
  }
  const share = (count('succeeded') + count('inherited')) / Math.max(meant, 1);
  const trouble = TROUBLE.find(has);
  if (trouble !== undefined) return { text: glyphs[trouble], paint: PAINTS[trouble] };
  const atWork = AT_WORK.find(has);
  const done = has('succeeded') ? 'succeeded' : 'inherited';
  if (share === 1) return { text: glyphs[done], paint: PAINTS[done] };
  const resting = atWork ?? (has('held') ? 'held' : 'waiting');
  if (share === 0) return { text: glyphs[resting], paint: PAINTS[resting] };
  const [little, half, most] = glyphs.shares;
  return {
    text: share < 1 / 3 ? little : share < 2 / 3 ? half : most,
    paint: PAINTS[atWork ?? 'succeeded'],
  };
}
