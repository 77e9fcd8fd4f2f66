import { describe, expect, test } from 'vitest';
import { type ListOptions, parseItems } from '../../../shared/schema/items/parse-items.ts';

type Given = Partial<ListOptions>;

/** The columns and the items, or the faults with their places. */
function shown(source: string | Uint8Array, given: Given): readonly string[] {
  const parsed = parseItems(source, { format: 'lines', header: false, skipEmpty: false, ...given });
  if (parsed.kind === 'ok') return [parsed.list.columns, ...parsed.list.rows].map((row) => row.join('|'));
  return parsed.faults.map(
    ({ line, column, message }) => `${line}${column === undefined ? '' : `:${column}`} ${message}`,
  );
}

const csv = (given: Given = {}): Given => ({ format: 'csv', ...given });
const MANY = '1 257 columns are more than the limit of 256';
const wide = (columns: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: columns }, (_, i) => [`C${i}`, i])));
const jsonl = (given: Given = {}): Given => ({ format: 'jsonl', ...given });
const named = 'name the columns, or say that the first';

describe('lists', () => {
  test.each<[string, string, Given, readonly string[]]>([
    ['lines, blanks and all', ' my file.txt\nzwölf\t12\n', {}, ['ITEM', ' my file.txt', 'zwölf\t12']],
    ['no newline at the end', 'a\nb', {}, ['ITEM', 'a', 'b']],
    ['lines of Windows', '\uFEFFa\r\nb\r\n', {}, ['ITEM', 'a', 'b']],
    ['a carriage return within a line', 'a\rb\n', {}, ['ITEM', 'a\rb']],
    ['a header', 'FRUIT\napple\n', { header: true }, ['FRUIT', 'apple']],
    ['a name given', 'apple\n', { columns: ['FRUIT'] }, ['FRUIT', 'apple']],
    ['other names than the header', 'fruit\napple\n', { header: true, columns: ['F'] }, ['F', 'apple']],
    ['empty lines left out', '\na\n\n\nb\n\n', { skipEmpty: true }, ['ITEM', 'a', 'b']],
    ['nothing is evaluated', '$(date) `id` "x" \\n\n', {}, ['ITEM', '$(date) `id` "x" \\n']],
    ['words', ' a  b\tc\nd\r\n', { format: 'words' }, ['ITEM', 'a', 'b', 'c', 'd']],
    ['words with quotes', '"a b"', { format: 'words' }, ['ITEM', '"a', 'b"']],
    ['tabs', 'A\tB\na b\t\n\t"c\n', { format: 'tsv', header: true }, ['A|B', 'a b|', '|"c']],
    ['commas', 'A,B\n1,2\n', csv({ header: true }), ['A|B', '1|2']],
    [
      'commas, quotes, and newlines in quotes',
      'A,B\r\n"x, y","say ""hi"""\r\n"two\r\nlines",ü\r\n',
      csv({ header: true }),
      ['A|B', 'x, y|say "hi"', 'two\r\nlines|ü'],
    ],
    ['both line ends in one file', 'a\r\n"b\nc\r\nd"\n""\r\n', csv(), ['ITEM', 'a', 'b\nc\r\nd', '']],
    ['one value a row, empty in quotes', 'a\n""\nb', csv(), ['ITEM', 'a', '', 'b']],
    ['an empty value in quotes, alone', '""', csv(), ['ITEM', '']],
    ['one character in the last line', 'a\nb', csv(), ['ITEM', 'a', 'b']],
    ['empty rows left out', 'a\n\nb\n\n', csv({ skipEmpty: true }), ['ITEM', 'a', 'b']],
    [
      'arrays',
      '["a",1,true]\n["b c",-2.5,false]\n',
      jsonl({ columns: ['A', 'B', 'C'] }),
      ['A|B|C', 'a|1|true', 'b c|-2.5|false'],
    ],
    ['arrays below a header', '["A","B"]\n["a","b"]\n', jsonl({ header: true }), ['A|B', 'a|b']],
    ['objects, in any order', '{"A":"a","B":1}\n{"B":2,"A":""}\n', jsonl(), ['A|B', 'a|1', '|2']],
    ['objects in an order that is given', '{"A":"a","B":1}\n', jsonl({ columns: ['B', 'A'] }), ['B|A', '1|a']],
    ['single values', '"a b"\n12\n', jsonl(), ['ITEM', 'a b', '12']],
    ['numbers in strings stay', '"1.10"\n["1e3"]\n', jsonl(), ['ITEM', '1.10', '1e3']],
  ])('%s', (_, text, given, expected) => {
    expect(shown(text, given)).toEqual(expected);
  });

  test('duplicates are counted', () => {
    const parsed = parseItems('a\nb\na\na\n', { format: 'lines', header: false, skipEmpty: false });
    expect(parsed).toMatchObject({ kind: 'ok', duplicates: 2, list: { rows: [['a'], ['b'], ['a'], ['a']] } });
  });

  test('bytes are UTF-8, with or without a byte order mark', () => {
    expect(shown(new TextEncoder().encode('\uFEFFKöln\n'), {})).toEqual(['ITEM', 'Köln']);
  });
});

describe('refused', () => {
  test.each<[string, string | Uint8Array, Given, readonly string[]]>([
    ['nothing at all', '', {}, ['1 the list has no items']],
    ['a header only', 'A\n', { header: true }, ['1 the list has no items']],
    ['no header', '', { header: true }, ['1 there is no header']],
    ['one empty line', 'a\n\nb\n', {}, ['2 is empty']],
    ['empty lines', 'a\n\nb\n\r\n\n', {}, ['2 is empty', '4 is empty', '5 is empty']],
    ['empty rows', 'a,b\n\n"x\ny",z\n\n', csv({ header: true }), ['2 is empty', '5 is empty']],
    ['NUL', 'a\nbc\0\n\0\n', {}, ['2:3 contains NUL', '3:1 contains NUL']],
    ['NUL in JSON', '"a\\u0000"\n', jsonl(), ['1 item 1 (index 0) contains NUL']],
    [
      'half a character',
      '"\\ud800"\n',
      jsonl(),
      ['1 item 1 (index 0) is not valid Unicode (half of a surrogate pair)'],
    ],
    [
      'bytes that are not UTF-8',
      Uint8Array.from([0x61, 0x0a, 0xff, 0x0a, 0x62, 0x0a, 0xc3]),
      {},
      ['2 is not valid UTF-8', '4 is not valid UTF-8'],
    ],
    [
      'rows of other lengths',
      'A,B\n1,2\n3\n4,5,6\n',
      csv({ header: true }),
      [
        '3 item 2 (index 1) has 1 value; the list has 2 columns',
        '4 item 3 (index 2) has 3 values; the list has 2 columns',
      ],
    ],
    ['columns without names', '1,2\n3,4\n', csv(), [`1 has 2 values: ${named} line is a header`]],
    ['arrays without names', '[1,2]\n', jsonl(), [`1 has 2 values: ${named} array is a header`]],
    [
      'fewer names than columns',
      '1,2\n',
      csv({ columns: ['A'] }),
      ['1 item 1 (index 0) has 2 values; the list has 1 column'],
    ],
    [
      'fewer names than the header has',
      'A,B\n1,2\n',
      csv({ header: true, columns: ['A'] }),
      ['1 the header has 2 columns; 1 name given'],
    ],
    ['a header with a name twice', 'A,A\n1,2\n', csv({ header: true }), ['1 the column "A" occurs twice']],
    [
      'a header with a blank',
      'A, B\n1,2\n',
      csv({ header: true }),
      ['1 the column " B" must be a variable\'s name: letters, digits, and _, no digit first'],
    ],
    ['a quote at the start that is never closed', '"x\ny\n', csv(), ['1:1 this quote is never closed']],
    ['a quote that is never closed', 'A,B\nü,"x\n2,3\n', csv({ header: true }), ['2:3 this quote is never closed']],
    [
      'text after a closing quote',
      'A,B\n"p\nq","x\ny"z,2\n',
      csv({ header: true }),
      ['4:3 a comma or a newline must follow the closing quote; double a quote that is part of the value'],
    ],
    [
      'a quote within a value',
      'A,B\n"1 ""a""",x"y\n',
      csv({ header: true }),
      ['2:12 a quote within a value: quote the whole value, and double the quotes in it'],
    ],
    [
      'words with a header',
      'a b',
      { format: 'words', header: true },
      ['1 a list of words has no header: name its column'],
    ],
    [
      'an item that is too long',
      `a\n${'x'.repeat(6_145)}\n`,
      {},
      ['2 item 2 (index 1) has 6145 bytes; the limit is 6144'],
    ],
    [
      'numbers that would change',
      '1.10\n12345678901234567890\n1e3\n',
      jsonl(),
      [
        '1 the number 1.10 would become 1.1: write it as a string, "1.10"',
        '2 the number 12345678901234567890 would become 12345678901234567000: write it as a string, "12345678901234567890"',
        '3 the number 1e3 would become 1000: write it as a string, "1e3"',
      ],
    ],
    [
      'values that are no texts',
      '{"A":null}\n{"A":["x"]}\n',
      jsonl(),
      ['1 "A" must be a string, a number, or a boolean', '2 "A" must be a string, a number, or a boolean'],
    ],
    ['an array in an array', '["a",["b"]]\n', jsonl(), ['1 value 2 must be a string, a number, or a boolean']],
    [
      'objects of other names',
      '{"A":1,"B":2}\n{"A":1}\n{"A":1,"B":2,"C":3}\n',
      jsonl(),
      ['2 the column "B" is missing', '3 "C" is none of the columns A, B'],
    ],
    ['a field twice', '{"A":1,"A":2}\n', jsonl(), ['1 the field "A" occurs twice']],
    ['too many columns', `\n${wide(257)}\n`, jsonl({ skipEmpty: true }), [MANY.replace('1', '2')]],
    ['too many columns given', '"a"\n', jsonl({ columns: Object.keys(JSON.parse(wide(257)) as object) }), [MANY]],
    ['too many columns of a header', `${','.repeat(256)}\n`, { format: 'csv', header: true }, [MANY]],
    [
      'objects with a header',
      '{"A":1}\n',
      jsonl({ header: true }),
      ['1 is an object, which names its columns itself: leave the header out'],
    ],
  ])('%s', (_, source, given, expected) => {
    expect(shown(source, given)).toEqual(expected);
  });

  test('what is not JSON, with its line', () => {
    expect(shown('"a"\n{a: 1}\n', jsonl())).toEqual([expect.stringMatching(/^2 is not JSON: /)]);
  });

  test('of many faults the first twenty are reported', () => {
    const faults = shown('\n'.repeat(50), {});
    expect(faults).toHaveLength(21);
    expect(faults.slice(-2)).toEqual(['20 is empty', '21 and 30 more']);
  });

  test('a list that is too long', () => {
    expect(shown('a\n'.repeat(1_000_001), {})).toEqual(['1000001 1000001 items are more than the limit of 1000000']);
  });
});
