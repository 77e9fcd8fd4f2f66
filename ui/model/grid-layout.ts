/** Where cells lie: `columns` of them in each row, each `cellPx` wide and high, its gap included. */
export type GridLayout = {
  readonly count: number;
  readonly cellPx: number;
  readonly columns: number;
  readonly rows: number;
};

/** Sizes of cells, smallest first. */
export const CELL_SIZES_PX = [1, 2, 3, 4, 6, 8, 11, 15, 20, 28] as const;

/** Rows begin at round numbers, so that an index is found by its row. */
const ROUND_COLUMNS = [1_000, 500, 250, 100, 50, 25, 10, 5, 1];

/** Lays cells out in a width. */
export function layoutGrid(count: number, widthPx: number, cellPx: number): GridLayout {
  const fitting = Math.max(Math.floor(widthPx / cellPx), 1);
  const step = ROUND_COLUMNS.find((round) => round <= fitting) ?? 1;
  // The largest multiple of a round number that wastes little of the width.
  const best = ROUND_COLUMNS.filter((round) => round <= fitting)
    .map((round) => Math.floor(fitting / round) * round)
    .find((columns) => columns >= fitting * 0.8);
  const columns = Math.min(best ?? step, Math.max(count, 1));
  return { count, cellPx, columns, rows: Math.ceil(count / columns) };
}

/** The largest size with which all cells are seen at once; the smallest if none is. */
export function fittingSizePx(count: number, widthPx: number, heightPx: number): number {
  const fits = (cellPx: number): boolean => layoutGrid(count, widthPx, cellPx).rows * cellPx <= heightPx;
  return CELL_SIZES_PX.findLast(fits) ?? CELL_SIZES_PX[0];
}

/** The size next to one: larger (1) or smaller (-1). */
export function nextSizePx(cellPx: number, by: 1 | -1): number {
  const at = CELL_SIZES_PX.findIndex((size) => size >= cellPx);
  return CELL_SIZES_PX[Math.min(Math.max(at + by, 0), CELL_SIZES_PX.length - 1)] ?? cellPx;
}

/** The index at a point; null: there is none. */
export function indexAt({ count, cellPx, columns }: GridLayout, x: number, y: number): number | null {
  const column = Math.floor(x / cellPx);
  if (x < 0 || y < 0 || column >= columns) return null;
  const index = Math.floor(y / cellPx) * columns + column;
  return index < count ? index : null;
}

/** Where a cell's left upper corner is. */
export const cornerOf = (
  { cellPx, columns }: GridLayout,
  index: number,
): { readonly x: number; readonly y: number } => ({
  x: (index % columns) * cellPx,
  y: Math.floor(index / columns) * cellPx,
});

/** The rows that a window of some height shows. */
export function rowsWithin({ rows, cellPx }: GridLayout, topPx: number, heightPx: number): readonly [number, number] {
  const first = Math.max(Math.floor(topPx / cellPx), 0);
  return [first, Math.min(Math.ceil((topPx + heightPx) / cellPx), rows)];
}

/** Where the cursor goes with a key; null: the key is none of those. */
export function moved({ count, columns }: GridLayout, index: number, key: string): number | null {
  const to = {
    ArrowLeft: index - 1,
    ArrowRight: index + 1,
    ArrowUp: index - columns,
    ArrowDown: index + columns,
    Home: 0,
    End: count - 1,
  }[key];
  if (to === undefined) return null;
  return to < 0 || to >= count ? index : to;
}

/** Every how many rows one has its number beside it: at least `apartPx` apart, and at round numbers where that costs little. */
export function labelledEvery({ cellPx, columns }: Pick<GridLayout, 'cellPx' | 'columns'>, apartPx: number): number {
  const least = Math.max(Math.ceil(apartPx / cellPx), 1);
  const some = Array.from({ length: least * 3 + 1 }, (_, more) => least + more);
  const isRound = (round: number) => (every: number) => (every * columns) % round === 0;
  for (const round of [10_000, 5_000, 1_000, 500, 100, 50, 10]) {
    const every = some.find(isRound(round));
    if (every !== undefined) return every;
  }
  return least;
}
