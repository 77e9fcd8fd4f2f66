import { expect, test } from 'vitest';
import { itemHash } from '../../../shared/domain/items/item-hash.ts';
import {
  indexCount,
  inlineColumns,
  itemValues,
  jobItemsOf,
  isSameList,
  pinnedItemsOf,
  widestOf,
  widestOfAll,
  widestValues,
} from '../../../shared/domain/items/job-items.ts';

const annotated = (annotations: Record<string, string>) => ({ metadata: { annotations } });
const PIN = {
  content: 'c-1',
  columns: ['FRUIT'],
  count: 3,
  sha256: 'abc',
  widest: { columns: [6], line: 6 },
};

test('a Job says where its items are', () => {
  expect(jobItemsOf({ metadata: {} })).toBeNull();
  expect(jobItemsOf(annotated({ 'muster.run/work-list': 'fruits' }))).toBeNull();
  expect(jobItemsOf(annotated({ 'muster.run/items': 'FRUIT COLOR\r\napple green', 'muster.run/batch': '20' }))).toEqual(
    {
      columns: ['FRUIT', 'COLOR'],
      batch: 20,
      source: { kind: 'inline', text: 'FRUIT COLOR\r\napple green' },
    },
  );
  const pinned = annotated({ 'muster.run/work-list': 'fruits', 'muster.run/pinned-items': JSON.stringify(PIN) });
  expect(pinnedItemsOf(pinned)).toEqual(PIN);
  expect(jobItemsOf(pinned)).toEqual({ columns: ['FRUIT'], batch: 1, source: { kind: 'pinned', ...PIN } });
});

test('columns are separated by tabs, or else by single blanks', () => {
  expect(inlineColumns('A B\n1 2')).toEqual(['A', 'B']);
  expect(inlineColumns('A\tB C\n')).toEqual(['A', 'B C']);
  expect(inlineColumns('A')).toEqual(['A']);
});

test('an index of a batch gets the values of its items, a line each', () => {
  const rows = [
    ['apple', 'green'],
    ['banana pie', 'yellow'],
  ];
  expect(itemValues(['FRUIT', 'COLOR'], rows, 17)).toEqual({
    columns: new Map([
      ['FRUIT', 'apple\nbanana pie'],
      ['COLOR', 'green\nyellow'],
    ]),
    line: 'apple\tgreen\nbanana pie\tyellow',
    resultName: '000017-apple-green',
  });
  expect([indexCount(40, 20), indexCount(41, 20), indexCount(3, 1), indexCount(0, 20)]).toEqual([2, 3, 3, 0]);
});

test('the widest values are as long, as JSON, as those of any index', () => {
  const rows = [
    ['"quoted"', 'x'],
    ['tab\there', 'ö'.repeat(9)],
    ['', ''],
  ];
  const widest = widestOf(2, rows);
  expect(widest).toEqual({ columns: [10, 9], line: 20 });
  expect(widestOfAll(widest, { columns: [3, 99], line: 4 })).toEqual({ columns: [10, 99], line: 20 });
  for (const batch of [1, 2, 3]) {
    const bound = widestValues({ columns: ['A', 'B'], widest, batch });
    for (let first = 0; first < rows.length; first += batch) {
      const values = itemValues(['A', 'B'], rows.slice(first, first + batch), first);
      const chars = (text: string | undefined) => JSON.stringify(text).length;
      for (const name of ['A', 'B'])
        expect(chars(values.columns.get(name))).toBeLessThanOrEqual(chars(bound.columns.get(name)));
      expect(chars(values.line)).toBeLessThanOrEqual(chars(bound.line));
      expect(values.resultName.length).toBeLessThanOrEqual(bound.resultName.length);
    }
  }
});

test('the hash of an item is that of FNV-1a in 64 bits', () => {
  // The published vectors of the algorithm.
  expect(itemHash('')).toBe('cbf29ce484222325');
  expect(itemHash('a')).toBe('af63dc4c8601ec8c');
  expect(itemHash('foobar')).toBe('85944171f73967e8');
  expect(itemHash('Käse')).not.toBe(itemHash('Kase'));
});

test.each<
  [because: string, before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>, same: boolean]
>([
  ['no lists', {}, {}, true],
  ['a list and none', { items: 'F\na' }, {}, false],
  ['none and a list', {}, { items: 'F\na' }, false],
  ['one text', { items: 'F\na\nb' }, { items: 'F\na\nb' }, true],
  ['but for the last line end', { items: 'F\na\nb' }, { items: 'F\na\nb\n' }, true],
  ['another item', { items: 'F\na\nb' }, { items: 'F\na\nc' }, false],
  ['another batch', { items: 'F\na\nb' }, { items: 'F\na\nb', batch: '2' }, false],
  ['one content under two names', { 'pinned-items': pin({}) }, { 'pinned-items': pin({ content: 'other' }) }, true],
  ['another content', { 'pinned-items': pin({}) }, { 'pinned-items': pin({ sha256: 'ff' }) }, false],
  ['other columns', { 'pinned-items': pin({}) }, { 'pinned-items': pin({ columns: ['X'] }) }, false],
  ['inline and pinned', { items: 'F\na' }, { 'pinned-items': pin({}) }, false],
])('lists: %s', (_, before, after, same) => {
  const itemsOf = (given: Readonly<Record<string, string>>) =>
    jobItemsOf(annotated(Object.fromEntries(Object.entries(given).map(([key, text]) => [`muster.run/${key}`, text]))));
  expect(isSameList(itemsOf(before), itemsOf(after))).toBe(same);
});

function pin(change: object): string {
  return JSON.stringify({ ...PIN, ...change });
}
