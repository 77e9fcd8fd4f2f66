import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatInlineItems, parseInlineItems } from '../../../shared/schema/items/inline-items.ts';

function shown(text: string): readonly string[] {
  const parsed = parseInlineItems(text);
  if (parsed.kind === 'ok') return [parsed.list.columns, ...parsed.list.rows].map((row) => row.join('|'));
  return parsed.faults.map(({ line, message }) => `${line} ${message}`);
}

test.each([
  ['one column', 'FRUIT\napple\nmy pear\n', ['FRUIT', 'apple', 'my pear']],
  ['the whole line, tabs and all', 'F\n a\tb \n', ['F', ' a\tb ']],
  ['single spaces', 'FRUIT COLOR\napple green\nbanana yellow', ['FRUIT|COLOR', 'apple|green', 'banana|yellow']],
  ['tabs', 'FRUIT\tCOLOR\nmy apple\tgreen\n', ['FRUIT|COLOR', 'my apple|green']],
  ['columns with a space, items with a tab', 'A B\na b\tc\n', ['A|B', 'a b|c']],
  ['an empty value between spaces', 'A B C\na  c\n', ['A|B|C', 'a||c']],
  ['JSON', 'A B\n["a b","c\\nd"]\n', ['A|B', 'a b|c\nd']],
  ['JSON in one column', 'A\n["[x"]\n[""]\n', ['A', '[x', '']],
  ['lines of Windows', 'A\r\nx\r\n', ['A', 'x']],
  ['a text like the name of an object', 'a\nconstructor', ['a', 'constructor']],
  ['nothing', '', ['1 must name the columns']],
  ['no columns', '\napple\n', ['1 must name the columns']],
  ['no items', 'A\n', ['1 the list has no items']],
  ['two spaces between columns', 'A  B\na b\n', ['1 a column needs a name']],
  ['an empty line', 'A\nx\n\ny\n', ['3 is empty']],
  [
    'another length',
    'A B\na b c\n["x"]\n',
    [
      '2 item 1 (index 0) has 3 values; the list has 2 columns',
      '3 item 2 (index 1) has 1 value; the list has 2 columns',
    ],
  ],
  ['JSON of other values', 'A\n[1]\n', ['2 must be a JSON array of strings']],
  ['a column twice', 'A A\na b\n', ['1 the column "A" occurs twice']],
  ['an item that is too long', `A\n${'x'.repeat(6_145)}\n`, ['2 item 1 (index 0) has 6145 bytes; the limit is 6144']],
])('%s', (_, text, expected) => {
  expect(shown(text)).toEqual(expected);
});

test('a broken array is refused with its line', () => {
  expect(shown('A\nx\n[x\n')).toEqual([expect.stringMatching(/^3 starts with \[ and is no JSON array: /)]);
});

describe('written lists', () => {
  const value = fc.oneof(
    fc.constantFrom('', ' ', '\t', '[', '["a"]', 'a b', 'a\tb', 'Köln', '\r', 'x\r', 'a\nb', '"', '\\', '😀'),
    fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
  );
  const columns = fc.integer({ min: 1, max: 3 }).map((width) => ['A', 'B', 'C'].slice(0, width));
  const lists = columns.chain((names) =>
    fc.record({
      columns: fc.constant(names),
      rows: fc.array(fc.array(value, { minLength: names.length, maxLength: names.length }), { minLength: 1 }),
    }),
  );

  test('are read back as they were', () => {
    fc.assert(
      fc.property(lists, (list) => {
        expect(parseInlineItems(formatInlineItems(list))).toMatchObject({ kind: 'ok', list });
      }),
      { numRuns: 1_000 },
    );
  });

  test('are as plain as they can be', () => {
    const rows = [
      ['my apple', 'green'],
      ['a\tb', 'c'],
      ['', ''],
    ];
    expect(formatInlineItems({ columns: ['FRUIT', 'COLOR'], rows })).toBe(
      'FRUIT\tCOLOR\nmy apple\tgreen\n["a\\tb","c"]\n\t\n',
    );
  });
});
