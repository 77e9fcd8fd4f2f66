import { expect, test } from 'vitest';
import { verdictOf } from './verdict.ts';

const MIB = 2 ** 20;
const samplesOf = (minutes: number, mibAt: (minute: number) => number) =>
  Array.from({ length: minutes }, (_, n) => ({
    atSec: (n + 1) * 60,
    anonBytes: mibAt(n + 1) * MIB,
    bytes: (n + 1) * MIB,
    files: 100,
    indexes: 50 * (n + 1),
  }));

test('what rises in the first quarter and stays is flat, and what goes on rising is not', () => {
  expect(verdictOf(samplesOf(40, (minute) => Math.min(100 + 5 * minute, 150)))).toMatchObject({ isFlat: true });
  const grown = verdictOf(samplesOf(40, (minute) => 100 + 3 * minute));
  expect(grown.isFlat).toBe(false);
  expect(grown.text).toContain(
    'judged from minute 10 on\nMiB of memory: 154.0 in the first half, 199.0 in the second: grew',
  );
  expect(grown.text).toContain('KiB of the data folder an index: 20.48 in the first half, 20.48 in the second: flat');
});

test('a long run is judged after its first hour', () => {
  const hour = samplesOf(150, (minute) => Math.min(100 + minute, 160));
  expect(verdictOf(hour)).toMatchObject({ isFlat: true });
  expect(verdictOf(hour).text).toContain('judged from minute 60 on\nMiB of memory: 160.0 in the first half');
  expect(verdictOf(samplesOf(150, (minute) => 100 + minute)).isFlat).toBe(false);
});

test('too few samples show nothing', () => {
  expect(verdictOf(samplesOf(4, () => 1))).toEqual({ isFlat: false, text: 'too few samples' });
});
