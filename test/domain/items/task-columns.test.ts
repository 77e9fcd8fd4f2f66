import { describe, expect, test } from 'vitest';
import {
  allTaskColumns,
  largestQuantity,
  quantityFault,
  taskColumnsOf,
} from '../../../shared/domain/items/task-columns.ts';
import { partsOf, sealedOf } from '../../../shared/domain/items/item-parts.ts';

const rowsOf = (column: readonly string[]) => column.map((value) => [value]);
const at = (item: number, value: string) => ({ item, value });

describe('what a list says about tasks', () => {
  test('is nothing, without a column of such a name', () => {
    expect(taskColumnsOf(['CPU', 'F'], [['2', 'a']])).toBeUndefined();
  });

  test.each<[string, readonly string[], object]>([
    ['the first of the largest, by amount', ['500m', '0.5', '2', '2000m', ''], { largest: at(2, '2'), bad: null }],
    ['nothing, where all are empty', ['', ''], { largest: null, bad: null }],
    ['the first that is no quantity', ['1', 'two', 'three'], { largest: at(0, '1'), bad: at(1, 'two') }],
    ['zero is a quantity', ['0'], { largest: at(0, '0'), bad: null }],
    ['a start of a long text', ['x'.repeat(6_000)], { largest: null, bad: at(0, 'x'.repeat(80)) }],
  ])('of cpu: %s', (_, column, expected) => {
    expect(taskColumnsOf(['cpu'], rowsOf(column))).toEqual({ resources: { cpu: expected } });
  });

  test('is by column, wherever it stands', () => {
    const rows = [
      ['a', '2Gi', '1'],
      ['b', '1Gi', '2'],
    ];
    expect(taskColumnsOf(['F', 'memory', 'cpu'], rows)?.resources).toEqual({
      memory: { largest: at(0, '2Gi'), bad: null },
      cpu: { largest: at(1, '2'), bad: null },
    });
  });
});

describe('what a column of images says', () => {
  const of = (images: readonly string[]) =>
    taskColumnsOf(
      ['F', 'image'],
      images.map((image) => ['x', image]),
    )?.images;
  const many = Array.from({ length: 22 }, (_, i) => `i:${i}`);

  test.each<[string, readonly string[], object]>([
    ['each once, in order', ['b', 'a', 'b', '', 'a'], { distinct: [at(0, 'b'), at(1, 'a')], over: null, bad: null }],
    ['none', ['', ''], { distinct: [], over: null, bad: null }],
    ['the first that is none', ['a', 'b c', 'ä'], { distinct: [at(0, 'a')], over: null, bad: at(1, 'b c') }],
    ['where they are too many', ['i:0', ...many], { distinct: [], over: at(21, 'i:20'), bad: null }],
  ])('%s', (_, images, expected) => {
    expect(of(images)).toEqual(expected);
  });

  test('as many as there may be', () => {
    expect(of([...many.slice(0, 20), 'i:7'])).toMatchObject({ over: null, distinct: { length: 20 } });
  });

  test.each([1, 2, 3, 5, 11, 23])('is the same in parts of %i', (itemsPerPart) => {
    for (const images of [many, ['i:0', '', ...many.slice(0, 19), 'i:1', 'z'], ['a', '', 'b', 'a', 'x y']]) {
      const rows = rowsOf(images);
      const parts = [...partsOf({ columns: ['image'], rows }, itemsPerPart, (text) => text)];
      const together = allTaskColumns(
        parts.map(({ taskColumns }) => taskColumns),
        itemsPerPart,
      );
      const whole = taskColumnsOf(['image'], rows);
      // Beyond a fault in a part its other values no longer matter: the list is refused by then.
      const said = whole?.images ?? { distinct: [], over: null, bad: null };
      expect(together?.images).toMatchObject(said.bad === null ? { ...said } : { bad: said.bad, over: said.over });
    }
  });
});

test.each([
  ['cpu', '', null],
  ['cpu', '1e3', null],
  ['cpu', '-1', 'write a quantity such as 500m or 2, or leave it empty'],
  ['cpu', '2 ', 'write a quantity such as 500m or 2, or leave it empty'],
  ['cpu', '1'.padStart(32, '0'), null],
  ['cpu', '1'.padStart(33, '0'), 'write a quantity such as 500m or 2, or leave it empty'],
  ['memory', '512M', null],
  ['memory', '0', null],
  ['memory', '2GB', 'write a quantity such as 512Mi or 2Gi, or leave it empty'],
  ['memory', '2048', 'this is less than a mebibyte; write its unit, as in 512Mi or 2Gi'],
  ['memory', '512m', 'this is less than a mebibyte; write its unit, as in 512Mi or 2Gi'],
  ['ephemeral-storage', '100', 'this is less than a mebibyte; write its unit, as in 40Gi'],
] as const)('the fault of %s %s', (name, text, fault) => {
  expect(quantityFault(name, text)).toBe(fault);
});

describe('what the parts of a list say together', () => {
  const hash = (text: string): string => String(text.length);
  const column = ['1', '500m', '4', '', '4', 'x', '2', 'y'];

  test.each([1, 2, 3, 5, 8, 9])('is what the whole list says: parts of %i', (itemsPerPart) => {
    const list = { columns: ['cpu'], rows: rowsOf(column) };
    const sealed = sealedOf([...partsOf(list, itemsPerPart, hash)], itemsPerPart, hash);
    // Beyond a fault in a part its other values no longer matter: the list is refused by then.
    expect(sealed).toMatchObject({
      kind: 'ok',
      sealed: { taskColumns: { resources: { cpu: { largest: at(2, '4'), bad: at(5, 'x') } } } },
    });
  });

  test('is not known, if an older Muster has written one of them', () => {
    const known = taskColumnsOf(['cpu'], rowsOf(column));
    expect(allTaskColumns([known, undefined], 8)).toBeUndefined();
    expect(allTaskColumns([known, known], 8)).toEqual(known);
  });

  test('is not stored of a list that says nothing', () => {
    const [part] = partsOf({ columns: ['F'], rows: [['a']] }, 1, hash);
    expect(Object.keys(part ?? {})).toEqual(['no', 'rows', 'count', 'bytes', 'sha256', 'widest']);
  });
});

test.each<[readonly string[], string | undefined]>([
  [[], undefined],
  [['1', '1500m', '1.5'], '1500m'],
  [['2Gi', '2048Mi', '3G'], '3G'],
  [['x', '500m'], '500m'],
])('the largest quantity of %j is %s', (texts, largest) => {
  expect(largestQuantity(texts)).toBe(largest);
});
