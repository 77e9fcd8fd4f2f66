import { expect, test } from 'vitest';
import { ShownObjects } from '../../../shared/kube/feed/shown-objects.ts';

test.each([
  // was    is     what the client sees
  [false, true, 'ADDED'],
  [true, true, 'MODIFIED'],
  [true, false, 'DELETED'],
  [false, false, null],
] as const)('what was shown (%s) and is (%s) is %s', (was, is, seen) => {
  const shown = new ShownObjects();
  expect(shown.turn('uid', was, is, false, 7)).toBe(seen);
  expect(shown.isShown('uid')).toBe(is);
  expect([6, 7, 8].map((version) => shown.isTold('uid', version))).toEqual([true, true, false]);
});

test('what was there at the start is known by its version', () => {
  const shown = new ShownObjects();
  shown.show('uid', 7);
  expect(shown.isShown('uid')).toBe(true);
  expect(shown.isTold('uid', 7)).toBe(true);
  expect(shown.isShown('other')).toBeUndefined();
  expect(shown.isTold('other', 1)).toBe(false);
});

test('nothing is known about an object after its last change', () => {
  const shown = new ShownObjects();
  shown.show('uid', 7);
  expect(shown.turn('uid', true, false, true, 8)).toBe('DELETED');
  expect(shown.isShown('uid')).toBeUndefined();
});
