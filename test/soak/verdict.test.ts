import { expect, test } from 'vitest';
import { verdictOf } from './verdict.ts';

const MIB = 2 ** 20;
const samplesOf = (mibAt: (n: number) => number) =>
  Array.from({ length: 40 }, (_, n) => ({
    atSec: n * 10,
    rssBytes: mibAt(n) * MIB,
    bytes: (n + 1) * MIB,
    files: 100,
    indexes: 50 * (n + 1),
  }));

test('what rises at first and stays is flat, and what goes on rising is not', () => {
  expect(verdictOf(samplesOf((n) => (n < 10 ? 100 + n : 150)))).toMatchObject({ isFlat: true });
  const grown = verdictOf(samplesOf((n) => 100 + 2 * n));
  expect(grown.isFlat).toBe(false);
  expect(grown.text).toContain('MiB of memory: 130.0 in the second quarter, 170.0 in the last: grew');
  expect(grown.text).toContain('KiB of the data folder an index: 20.48 in the second quarter, 20.48 in the last: flat');
});

test('too few samples show nothing', () => {
  expect(verdictOf(samplesOf(() => 1).slice(0, 3))).toEqual({ isFlat: false, text: 'too few samples' });
});
