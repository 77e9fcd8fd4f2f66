import { describe, expect, test } from 'vitest';
import {
  ITEM_BYTES_MAX,
  columnFault,
  columnsFault,
  duplicatesIn,
  itemFault,
  itemLine,
  resultName,
} from '../../../shared/domain/items/item-list.ts';

const named = (count: number) => Array.from({ length: count }, (_, i) => `C${i}`);

test('an item in one line', () => {
  expect(itemLine(['my file.txt'])).toBe('my file.txt');
  expect(itemLine(['apple', 'green'])).toBe('apple\tgreen');
});

test.each([
  [1, 'banana.txt', '000001-banana.txt'],
  [17, 'Straße nach Köln.dat', '000017-Straße-nach-Köln.dat'],
  [0, '../../etc/passwd', '000000-..-..-etc-passwd'],
  [3, 'apple\tgreen', '000003-apple-green'],
  [4, '日本', '000004-日本'],
  [188, 'data/Umsa\u0308tze Łódź 09.csv', '000188-data-Ums\u00e4tze-Łódź-09.csv'],
  [6, 'a\u0000b\u202ec\n/d', '000006-a-b-c-d'],
  [7, '日'.repeat(40), `000007-${'日'.repeat(17)}`],
  [8, `${'x'.repeat(52)}e\u0301\u0323`, `000008-${'x'.repeat(52)}`],
  [5, '--x--', '000005-x'],
  [999_999, `${'a'.repeat(52)} b`, `999999-${'a'.repeat(52)}`],
  [2, 'b'.repeat(100), `000002-${'b'.repeat(53)}`],
])('the result of %i %j → %s', (index, line, name) => {
  expect(resultName(index, line)).toBe(name);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(60);
});

describe('columns', () => {
  test.each(['FRUIT', '_x1', 'cpu', 'memory', 'ephemeral-storage'])('%s is good', (name) => {
    expect(columnFault(name)).toBeNull();
  });

  test.each([
    ['', 'a column needs a name'],
    ['MY-VAR', 'the column "MY-VAR" must be a variable\'s name: letters, digits, and _, no digit first'],
    ['1ST', 'the column "1ST" must be a variable\'s name: letters, digits, and _, no digit first'],
    ['Größe', 'the column "Größe" must be a variable\'s name: letters, digits, and _, no digit first'],
    ['MUSTER_ITEM', 'the column "MUSTER_ITEM" needs another name: MUSTER_… is reserved for Muster'],
    [
      'JOB_COMPLETION_INDEX',
      'the column "JOB_COMPLETION_INDEX" needs another name: every task has this variable anyway',
    ],
  ])('%j is refused', (name, fault) => {
    expect(columnFault(name)).toBe(fault);
  });

  test('the first fault of several columns', () => {
    expect(columnsFault(['A', 'B', 'A', ''])).toBe('the column "A" occurs twice');
    expect(columnsFault([])).toBe('a list needs a column');
    expect(columnsFault(['A', 'a'])).toBeNull();
    expect(columnsFault(named(256))).toBeNull();
    expect(columnsFault(named(257))).toBe('257 columns are more than the limit of 256');
  });
});

test.each([
  [['a'], 2, 'item 4 (index 3) has 1 value; the list has 2 columns'],
  [['a', 'b', 'c'], 1, 'item 4 (index 3) has 3 values; the list has 1 column'],
  [['a\0b'], 1, 'item 4 (index 3) contains NUL'],
  [['\uD800'], 1, 'item 4 (index 3) is not valid Unicode (half of a surrogate pair)'],
  [['x'.repeat(6_145)], 1, 'item 4 (index 3) has 6145 bytes; the limit is 6144'],
  [['ü'.repeat(3_073)], 1, 'item 4 (index 3) has 6146 bytes; the limit is 6144'],
  [['x'.repeat(3_000), 'y'.repeat(3_144)], 2, 'item 4 (index 3) has 6145 bytes; the limit is 6144'],
  [['x'.repeat(ITEM_BYTES_MAX)], 1, null],
  [['', '😀'], 2, null],
])('an item %#', (row, columns, fault) => {
  expect(itemFault(row, 3, columns)).toBe(fault);
});

test('duplicates are counted value by value', () => {
  expect(
    duplicatesIn({
      columns: ['A', 'B'],
      rows: [
        ['a', 'b'],
        ['a\tb', ''],
        ['a', 'b'],
        ['a', 'b'],
      ],
    }),
  ).toBe(2);
});
