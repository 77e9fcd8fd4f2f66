import { expect, test } from 'vitest';
import { formatBytes } from '../cli/data-folder.ts';

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [9_940, '9.9 kB'],
  [9_960, '10 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [12_345_678, '12 MB'],
  [3e12, '3.0 TB'],
])('%i bytes', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
