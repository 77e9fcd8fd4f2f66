import { expect, test } from 'vitest';
import { durationWords, momentWords, msOf, roughWords } from '../../ui/model/time-words.ts';

test.each([
  [-5, '0.0 s'],
  [0, '0.0 s'],
  [1_999, '1.9 s'],
  [9_999, '9.9 s'],
  [10_000, '10 s'],
  [59_999, '59 s'],
  [60_000, '1m 00s'],
  [185_000, '3m 05s'],
  [3_600_000, '1h 00m'],
  [7_440_000, '2h 04m'],
  [86_400_000, '1d 00h'],
  [273_600_000, '3d 04h'],
])('%i ms are %s', (ms, words) => {
  expect(durationWords(ms)).toBe(words);
});

test.each([
  [12_400, '12 s'],
  [-12_400, '12 s'],
  [200_000, '3 min'],
  [7_300_000, '2 h'],
  [40 * 3_600_000, '40 h'],
  [4 * 86_400_000, '4 d'],
])('about %i ms are %s', (ms, words) => {
  expect(roughWords(ms)).toBe(words);
});

test('a moment of today is its time; any other has its day', () => {
  const now = new Date(2026, 10, 28, 20, 0, 0).getTime();
  expect(momentWords(new Date(2026, 10, 28, 3, 4, 5).getTime(), now)).toBe('03:04:05');
  expect(momentWords(new Date(2026, 10, 27, 23, 59, 59).getTime(), now)).toBe('2026-11-27 23:59:59');
});

test('a time that is none is null', () => {
  expect([msOf('1970-01-01T00:00:01Z'), msOf(null), msOf(undefined), msOf('soon')]).toEqual([1_000, null, null, null]);
});
