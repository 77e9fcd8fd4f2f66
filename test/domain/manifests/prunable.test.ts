import { expect, test } from 'vitest';
import { isPrunable } from '../../../shared/domain/manifests/prunable.ts';

const NOW = 1_800_000_000_000;

test.each([
  [null, 0, false],
  [NOW, 0, true],
  [NOW + 1, 0, false],
  [NOW - 5, 5, true],
  [NOW - 4, 5, false],
])('ended at %s, older than %i ms: %s', (endedAt, olderThanMs, expected) => {
  expect(isPrunable(endedAt, olderThanMs, NOW)).toBe(expected);
});
