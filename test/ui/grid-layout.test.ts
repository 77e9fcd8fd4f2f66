import { expect, test } from 'vitest';
import {
  CELL_SIZES_PX,
  cornerOf,
  fittingSizePx,
  indexAt,
  labelledEvery,
  layoutGrid,
  moved,
  nextSizePx,
  rowsWithin,
} from '../../ui/model/grid-layout.ts';

test('rows begin at round numbers, and waste little of the width', () => {
  const columns = [1_180, 1_000, 640, 333, 90].map((width) => layoutGrid(100_000, width, 2).columns);
  expect(columns).toEqual([500, 500, 300, 150, 40]);
});

test('a Job of few indexes is one row', () => {
  expect(layoutGrid(7, 1_000, 20)).toEqual({ count: 7, cellPx: 20, columns: 7, rows: 1 });
});

test('every index has its place, and a place its index, for all sizes of cells', () => {
  for (const cellPx of CELL_SIZES_PX)
    for (const count of [1, 99, 4_097]) {
      const layout = layoutGrid(count, 431, cellPx);
      for (const index of [0, count >> 1, count - 1]) {
        const { x, y } = cornerOf(layout, index);
        expect(indexAt(layout, x, y)).toBe(index);
        expect(indexAt(layout, x + cellPx - 0.5, y + cellPx - 0.5)).toBe(index);
      }
    }
});

test('beside the cells there is no index', () => {
  const layout = layoutGrid(95, 200, 10);
  expect(layout.columns).toBe(20);
  expect([indexAt(layout, -1, 0), indexAt(layout, 205, 0), indexAt(layout, 155, 45), indexAt(layout, 0, 60)]).toEqual([
    null,
    null,
    null,
    null,
  ]);
  expect(indexAt(layout, 145, 45)).toBe(94);
});

test('cells are as large as lets all of them be seen; a million are a pixel each', () => {
  const sizes = [16, 600, 5_000, 100_000, 1_000_000].map((count) => fittingSizePx(count, 1_180, 420));
  expect(sizes).toEqual([28, 28, 8, 2, 1]);
});

test('zooming goes through the sizes, and stops at both ends', () => {
  expect([nextSizePx(1, -1), nextSizePx(1, 1), nextSizePx(8, 1), nextSizePx(28, 1), nextSizePx(5, 1)]).toEqual([
    1, 2, 11, 28, 8,
  ]);
});

test('only the rows of the window are drawn', () => {
  const layout = layoutGrid(1_000_000, 1_000, 1);
  expect(rowsWithin(layout, 0, 420)).toEqual([0, 420]);
  expect(rowsWithin(layout, 799.5, 420)).toEqual([799, 1_000]);
});

test('the cursor moves by cells and rows, and not beyond the ends', () => {
  const layout = layoutGrid(95, 200, 10);
  const from = (index: number) =>
    ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'x'].map((key) => moved(layout, index, key));
  expect(from(50)).toEqual([49, 51, 30, 70, 0, 94, null]);
  expect(from(0)).toEqual([0, 1, 0, 20, 0, 94, null]);
  expect(from(94)).toEqual([93, 94, 74, 94, 0, 94, null]);
});

test('rows have their numbers far enough from each other, at round ones where that costs little', () => {
  expect(labelledEvery({ cellPx: 8, columns: 125 }, 36)).toBe(8);
  expect(labelledEvery({ cellPx: 20, columns: 50 }, 36)).toBe(2);
  for (const [cellPx, columns] of [
    [1, 1_000],
    [3, 375],
    [11, 100],
    [28, 7],
  ] as const)
    expect(labelledEvery({ cellPx, columns }, 36) * cellPx).toBeGreaterThanOrEqual(36);
});
