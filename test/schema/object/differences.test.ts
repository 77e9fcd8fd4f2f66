import { expect, test } from 'vitest';
import { differences } from '../../../shared/schema/object/differences.ts';

test.each<[string, unknown, unknown, readonly string[]]>([
  ['nothing', { a: [{ b: 1 }] }, { a: [{ b: 1 }] }, []],
  ['a value in a list', { a: [{ b: 1 }, { b: 2 }] }, { a: [{ b: 1 }, { b: 3 }] }, ['t.a[1].b']],
  ['what only one has', { a: 1, c: {} }, { a: 1, b: 2 }, ['t.c', 't.b']],
  ['a type', { a: [] }, { a: {} }, ['t.a']],
  ['the first five of many', [1, 2, 3, 4, 5, 6], [], ['t[0]', 't[1]', 't[2]', 't[3]', 't[4]']],
])('%s', (_, next, old, paths) => {
  expect(differences(next, old, 't')).toEqual(paths);
});
