import { expect, test } from 'vitest';
import { immutableErrors } from '../../../shared/schema/object/object-update.ts';

const long = 'x'.repeat(300);

test.each<[string, unknown, unknown, string]>([
  ['a number: the answer shows it', 2, 1, 'field is immutable'],
  ['a short text: the answer shows it', 'b', 'a', 'field is immutable'],
  ['an object where none was', { a: 1 }, undefined, 'field is immutable'],
  ['no object any more', undefined, { a: 1 }, 'field is immutable'],
  ['one field', { a: { b: 1 } }, { a: { b: 2 } }, 'f.a.b differs; do this: field is immutable'],
  ['two fields', { a: [1, 2] }, { a: [2, 3] }, 'f.a[0], f.a[1] differ; do this: field is immutable'],
  ['an item and an empty list', { a: [1], b: [] }, { c: {} }, 'f.a differs; do this: field is immutable'],
  [
    'a text that the answer cuts',
    `${long}b`,
    `${long}a${long}`,
    'it differs from character 301 on; do this: field is immutable',
  ],
])('an immutable field says what differs: %s', (_, value, old, message) => {
  expect(immutableErrors('f', value, old, 'do this').map((each) => each.message)).toEqual([message]);
  expect(immutableErrors('f', old, old, 'do this')).toEqual([]);
});
