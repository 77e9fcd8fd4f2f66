import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergePatch } from '../../../shared/kube/patch/merge-patch.ts';

test.each<[target: unknown, patch: unknown, expected: unknown]>([
  // the examples of RFC 7386, appendix A
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('%j with %j is %j', (target, patch, expected) => {
  expect(mergePatch(target, patch)).toEqual(expected);
});

const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(1, 'x', true, null),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'constructor', 'toString'), tie('json'), { noNullPrototype: true }),
  ),
}));
const object = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'constructor'), json, { noNullPrototype: true });

/** The patch that turns one object into the other. A merge patch cannot create nested nulls. */
function patchFrom(one: unknown, other: unknown): unknown {
  if (!isObject(one) || !isObject(other)) return other;
  const gone = Object.keys(one).filter((key) => !Object.hasOwn(other, key));
  const kept = Object.keys(other).map((key) => [
    key,
    Object.hasOwn(one, key) ? patchFrom(one[key], other[key]) : other[key],
  ]);
  return Object.fromEntries([...gone.map((key) => [key, null]), ...kept]) as unknown;
}
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const withoutNulls = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([key, inner]) => (inner === null ? [] : [[key, withoutNulls(inner)]])),
      )
    : value;

test('a patch made of the difference leads to the other object', () => {
  fc.assert(
    fc.property(object, object, (one, other) => {
      const wanted = withoutNulls(other);
      expect(mergePatch(withoutNulls(one), patchFrom(withoutNulls(one), wanted))).toEqual(wanted);
    }),
  );
});

test('the same patch again changes nothing more, and neither argument is touched', () => {
  fc.assert(
    fc.property(object, object, (one, patch) => {
      const [oneBefore, patchBefore] = [structuredClone(one), structuredClone(patch)];
      const once = mergePatch(one, patch);
      expect(mergePatch(once, patch)).toEqual(once);
      expect([one, patch]).toEqual([oneBefore, patchBefore]);
    }),
  );
});

test('__proto__ is a key like any other and changes no prototype', () => {
  const merged = mergePatch({ a: 1 }, JSON.parse('{"__proto__":{"evil":1}}')) as Record<string, unknown>;
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  expect(merged['evil']).toBeUndefined();
});
