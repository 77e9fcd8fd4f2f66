import { expect, test } from 'vitest';
import { placeColumns } from '../../ui/model/chart.ts';

const column = (...counts: readonly number[]) => ({
  title: '',
  parts: counts.map((count, nth) => ({ colour: `c${nth}`, count })),
});

test('parts lie on each other, and the highest column is as high as the chart', () => {
  const [first, second] = placeColumns([column(1, 3), column(0, 2)], 100, 80);
  expect(first?.map(({ y, height, colour }) => [y, height, colour])).toEqual([
    [60, 20, 'c0'],
    [0, 60, 'c1'],
  ]);
  expect(second?.map(({ x, y, height }) => [x, y, height])).toEqual([[50, 40, 40]]);
});

test('one of many is seen, too', () => {
  const [, second] = placeColumns([column(100_000), column(1)], 100, 80);
  expect(second?.map(({ height }) => height)).toEqual([1]);
});

test('nothing is nothing', () => {
  expect(placeColumns([], 100, 80)).toEqual([]);
  expect(placeColumns([column(0)], 100, 80)).toEqual([[]]);
});
