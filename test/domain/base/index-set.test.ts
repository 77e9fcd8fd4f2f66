import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  NO_INDEXES,
  type IndexSet,
  addIndex,
  formatIndexSet,
  has,
  indexSetOf,
  indexSetWhere,
  intersect,
  intervalsWithin,
  isSubset,
  parseIndexesStrict,
  parseStatusIndexes,
  size,
  subtract,
  union,
} from '../../../shared/domain/base/index-set.ts';
import { InvariantError } from '../../../shared/domain/base/invariant.ts';

const N = 70;
const members = fc.uniqueArray(fc.nat(N - 1), { maxLength: N }).map((list) => list.sort((a, b) => a - b));
const listed = (set: IndexSet): number[] => Array.from({ length: N + 2 }, (_, i) => i).filter((i) => has(set, i));

describe('the canonical text', () => {
  test.each([
    [[], '', 'the empty set'],
    [[0], '0', 'one index'],
    [[0, 1], '0,1', 'a run of two is never an interval'],
    [[0, 1, 2], '0-2', 'a run of three is'],
    [[0, 1, 2, 3, 7], '0-3,7', 'the example of the API page'],
    [[1, 3, 4, 6, 7, 8], '1,3,4,6-8', 'runs of one, two and three'],
  ])('%j → %j: %s', (indexes, text) => {
    expect(formatIndexSet(indexSetOf(indexes))).toBe(text);
  });

  test('both parsers read the written text', () => {
    fc.assert(
      fc.property(members, (list) => {
        const set = indexSetOf(list);
        expect(parseIndexesStrict(formatIndexSet(set), N)).toEqual({ kind: 'ok', set });
        expect(parseStatusIndexes(formatIndexSet(set), N)).toEqual(set);
      }),
    );
  });
});

test.each([
  ['', 5, '', 'nothing'],
  ['0-3,7', 10, '0-3,7', 'well formed'],
  ['1,2,3', 10, '1-3', 'adjacent numbers merge'],
  ['0,1-3,4', 10, '0-4', 'numbers merge with intervals'],
  ['0-1,2-3', 10, '0-3', 'intervals merge'],
  ['x,2', 10, '2', 'an unparsable part is skipped'],
  ['0,,2', 10, '0,2', 'so is an empty one'],
  ['0, 2,4', 10, '0,4', 'and one with a space'],
  ['1-x,3', 10, '3', 'and an interval without a readable end'],
  ['-1,3', 10, '3', 'and a negative number'],
  ['1-2-3,5', 10, '5', 'and a part of three numbers'],
  ['5-3,7', 10, '7', 'and an interval that runs backwards'],
  ['0,5,2', 5, '0', 'stops at the first number that is too large'],
  ['0,5-9', 5, '0', 'also when an interval begins with it'],
  ['5-x,2', 5, '', 'and however that interval ends'],
  ['1-9', 5, '1-4', "an interval's end is cut"],
  ['0-99999999999999999999', 3, '0-2', 'whatever its size'],
  ['0-4', 0, '', 'a Job of nothing'],
  ['4,0-2', 5, '0-2,4', 'order is mended'],
  ['0-3,2-4', 5, '0-4', 'and so is overlap'],
])('lenient: %j of %i → %j: %s', (text, completions, expected) => {
  expect(formatIndexSet(parseStatusIndexes(text, completions))).toBe(expected);
});

test.each([
  ['', 5, 'ok '],
  ['0', 1, 'ok 0'],
  ['0-3,7', 8, 'ok 0-3,7'],
  ['0-1,2', 3, 'ok 0-2'],
  ['0,1,2', 3, 'ok 0-2'],
  ['x', 5, 'cannot convert string to integer for index: "x"'],
  ['1,,3', 5, 'cannot convert string to integer for index: ""'],
  ['1,', 5, 'cannot convert string to integer for index: ""'],
  [' 1', 5, 'cannot convert string to integer for index: " 1"'],
  ['-1', 5, 'cannot convert string to integer for index: ""'],
  ['1.5', 5, 'cannot convert string to integer for index: "1.5"'],
  ['1-x', 5, 'cannot convert string to integer for index: "x"'],
  ['1-', 5, 'cannot convert string to integer for index: ""'],
  ['5', 5, 'too large index: "5"'],
  ['0-5', 5, 'too large index: "5"'],
  ['0', 0, 'too large index: "0"'],
  ['2,1', 5, 'non-increasing order, previous: 2, current: 1'],
  ['1,1', 5, 'non-increasing order, previous: 1, current: 1'],
  ['1-1', 5, 'non-increasing order, previous: 1, current: 1'],
  ['3-1', 5, 'non-increasing order, previous: 3, current: 1'],
  ['0-2,2', 5, 'non-increasing order, previous: 2, current: 2'],
  [
    '1-2-3',
    5,
    `the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by '-'`,
  ],
])('strict: %j of %i → %s', (text, completions, expected) => {
  const parsed = parseIndexesStrict(text, completions);
  expect(parsed.kind === 'ok' ? `ok ${formatIndexSet(parsed.set)}` : parsed.reason).toBe(expected);
});

describe('compared with plain sets', () => {
  test('both builders, has and size', () => {
    fc.assert(
      fc.property(members, (list) => {
        const naive = new Set(list);
        const set = indexSetOf(list);
        expect(indexSetWhere(N, (i) => naive.has(i))).toEqual(set);
        expect(listed(set)).toEqual(list);
        expect(size(set)).toBe(naive.size);
      }),
    );
  });

  test('union, intersect, subtract and isSubset', () => {
    fc.assert(
      fc.property(members, members, (left, right) => {
        const [a, b] = [indexSetOf(left), indexSetOf(right)];
        const inRight = new Set(right);
        expect(union(a, b)).toEqual(indexSetOf([...new Set([...left, ...right])].sort((x, y) => x - y)));
        expect(intersect(a, b)).toEqual(indexSetOf(left.filter((i) => inRight.has(i))));
        expect(subtract(a, b)).toEqual(indexSetOf(left.filter((i) => !inRight.has(i))));
        expect(isSubset(a, b)).toBe(left.every((i) => inRight.has(i)));
        expect(isSubset(intersect(a, b), a)).toBe(true);
      }),
    );
  });

  test('added one by one, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(N - 1)), (list) => {
        const set = list.reduce(addIndex, NO_INDEXES);
        expect(set).toEqual(indexSetOf([...list].sort((a, b) => a - b)));
        expect(addIndex(set, list[0] ?? 0)).toEqual(list.length === 0 ? indexSetOf([0]) : set);
      }),
    );
  });
});

test('an unordered list throws', () => {
  expect(() => indexSetOf([3, 1])).toThrow(InvariantError);
});

test('a set has nothing below 0 or past the end', () => {
  const set = indexSetWhere(5, () => true);
  expect([-1, 0, 4, 5].map((i) => has(set, i))).toEqual([false, true, true, false]);
});

test('the part of a set between two numbers, as intervals', () => {
  fc.assert(
    fc.property(members, fc.nat(N), fc.nat(N), (list, from, length) => {
      const part = intersect(indexSetOf(list), { edges: length === 0 ? [] : [from, from + length] });
      expect(intervalsWithin(indexSetOf(list), from, from + length).flat()).toEqual(part.edges);
    }),
  );
});
