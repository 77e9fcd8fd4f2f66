import { expect, test } from 'vitest';
import { amountOf, bytesWords } from '../../ui/model/amounts.ts';
import { type Sample, paceWords, pacePerSec, withSample } from '../../ui/model/pace.ts';

test.each([
  ['8', 8],
  ['3500m', 3.5],
  ['16Gi', 16 * 2 ** 30],
  ['1.5k', 1_500],
  ['much', 0],
  ['5Xi', 0],
])('%s is %d', (quantity, amount) => {
  expect(amountOf(quantity)).toBeCloseTo(amount);
});

test('bytes have the largest unit that leaves a whole', () => {
  expect([0, 1_023, 1_024, 5_767_168].map(bytesWords)).toEqual(['0 B', '1023 B', '1.0 KiB', '5.5 MiB']);
});

const after = (...samples: readonly Sample[]): readonly Sample[] =>
  samples.reduce<readonly Sample[]>((all, next) => withSample(all, next), []);

test('the pace is that of the last two minutes', () => {
  const samples = after({ atMs: 0, done: 0 }, { atMs: 100_000, done: 0 }, { atMs: 200_000, done: 50 });
  expect(pacePerSec(samples)).toBe(0.5);
});

test('a moment says nothing, and neither does the same answer twice', () => {
  expect(pacePerSec(after({ atMs: 0, done: 3 }))).toBeNull();
  expect(pacePerSec(after({ atMs: 0, done: 3 }, { atMs: 3_999, done: 9 }))).toBeNull();
  expect(after({ atMs: 5, done: 3 }, { atMs: 5, done: 3 })).toHaveLength(1);
});

test('another Job of the name begins anew', () => {
  expect(after({ atMs: 0, done: 30 }, { atMs: 10_000, done: 1 })).toEqual([{ atMs: 10_000, done: 1 }]);
});

test('a pace is said in the unit in which it is a number that people read', () => {
  expect([500, 2.25, 0.5, 0.001].map(paceWords)).toEqual([
    '500 a second',
    '2.3 a second',
    '30.0 a minute',
    '3.6 an hour',
  ]);
});
