import { describe, expect, test } from 'vitest';
import { type Matrix, generateMatrix, generateRange, numbersOf } from '../../../shared/domain/items/generate-items.ts';

const nodeOs = [
  { name: 'node', values: ['18', '20'] },
  { name: 'os', values: ['linux', 'mac'] },
];

/** The items as lines, or the faults. */
function shown(matrix: Matrix): readonly string[] {
  const made = generateMatrix(matrix);
  if (made.kind === 'bad') return made.faults.map(({ path, message }) => `${path}: ${message}`);
  return [made.list.columns, ...made.list.rows].map((row) => row.join('/'));
}

describe('a matrix', () => {
  test.each<[string, Matrix, readonly string[]]>([
    ['the first name changes slowest', { values: nodeOs }, ['node/os', '18/linux', '18/mac', '20/linux', '20/mac']],
    [
      'a combination is left out',
      { values: nodeOs, exclude: [{ os: 'mac', node: '18' }] },
      ['node/os', '18/linux', '20/linux', '20/mac'],
    ],
    [
      'a value is left out everywhere',
      { values: nodeOs, exclude: [{ os: 'mac' }] },
      ['node/os', '18/linux', '20/linux'],
    ],
    [
      'an included row extends what it fits',
      { values: nodeOs, include: [{ node: '20', npm: '10' }] },
      ['node/os/npm', '18/linux/', '18/mac/', '20/linux/10', '20/mac/10'],
    ],
    [
      'a later one changes what an earlier one added',
      { values: nodeOs, include: [{ npm: '9' }, { node: '20', npm: '10' }] },
      ['node/os/npm', '18/linux/9', '18/mac/9', '20/linux/10', '20/mac/10'],
    ],
    [
      'one that fits nothing is an item',
      { values: nodeOs, include: [{ node: '22', os: 'linux' }, { node: '24' }] },
      ['node/os', '18/linux', '18/mac', '20/linux', '20/mac', '22/linux', '24/'],
    ],
    [
      'what is excluded can be included',
      { values: nodeOs, exclude: [{ node: '18' }], include: [{ node: '18', os: 'mac' }] },
      ['node/os', '20/linux', '20/mac', '18/mac'],
    ],
    ['no names', { values: [] }, ['matrix: needs a name with its values', 'matrix: a list needs a column']],
    ['a name without values', { values: [{ name: 'os', values: [] }] }, ['matrix.os: has no values']],
    ['a name twice', { values: [...nodeOs, ...nodeOs] }, ['matrix: the column "node" occurs twice']],
    [
      'an added name that is reserved',
      { values: nodeOs, include: [{ MUSTER_X: '1' }] },
      ['matrix: the column "MUSTER_X" needs another name: MUSTER_… is reserved for Muster'],
    ],
    [
      'an excluded name that is none',
      { values: nodeOs, exclude: [{ is: 'mac' }, {}] },
      ['exclude[0].is: is no name of the matrix (node, os)', 'exclude[1]: is empty, so it would leave nothing'],
    ],
    ['an empty row', { values: nodeOs, include: [{}] }, ['include[0]: is empty']],
    [
      'nothing is left',
      { values: nodeOs, exclude: [{ node: '18' }, { node: '20' }] },
      ['exclude: leaves none of the 4 combinations'],
    ],
  ])('%s', (_, matrix, expected) => {
    expect(shown(matrix)).toEqual(expected);
  });

  test('is measured before it is built', () => {
    const many = Array.from({ length: 1_001 }, (_, i) => String(i));
    const names = ['A', 'B', 'C', 'D'].map((name) => ({ name, values: many }));
    expect(shown({ values: names.slice(0, 2) })).toEqual(['matrix: 1002001 items are more than the limit of 1000000']);
    expect(shown({ values: names })[0]).toMatch(/^matrix: \d+ items are more/);
  });
});

describe('a range', () => {
  test.each([
    ['5', [5]],
    ['0-3', [0, 1, 2, 3]],
    ['1-10:3', [1, 4, 7, 10]],
    ['1-9:3', [1, 4, 7]],
    ['3,7,10-20:2', [3, 7, 10, 12, 14, 16, 18, 20]],
    ['7,3,3', [7, 3, 3]],
    ['4-4', [4]],
  ])('%s', (text, numbers) => {
    expect(numbersOf(text)).toEqual({ kind: 'ok', numbers });
  });

  test.each([
    ['', '"" is not a part of a range: write 3, 10-20, or 10-20:2, and commas between them'],
    ['1,,2', '"" is not a part of a range: write 3, 10-20, or 10-20:2, and commas between them'],
    ['3:2', '"3:2" is not a part of a range: write 3, 10-20, or 10-20:2, and commas between them'],
    ['-3', '"-3" is not a part of a range: write 3, 10-20, or 10-20:2, and commas between them'],
    ['1-2 ', '"1-2 " is not a part of a range: write 3, 10-20, or 10-20:2, and commas between them'],
    ['9-1', '"9-1" runs backwards'],
    ['1-9:0', '"1-9:0" would never end: its step is 0'],
    ['001-100', '"001-100": write 1, not 001'],
    ['1-99999999999999999', '"1-99999999999999999" is too large'],
    ['1-1000001', '1000001 items are more than the limit of 1000000'],
    ['0-9007199254740991', '9007199254740992 items are more than the limit of 1000000'],
    ['1-600000,1-600000', '1200000 items are more than the limit of 1000000'],
  ])('%j is refused', (text, message) => {
    expect(numbersOf(text)).toEqual({ kind: 'bad', message });
  });

  test('as a list', () => {
    expect(generateRange('2-4:2', 'N')).toEqual({ kind: 'ok', list: { columns: ['N'], rows: [['2'], ['4']] } });
    expect(generateRange('9-1', 'N')).toEqual({
      kind: 'bad',
      faults: [{ path: 'range', message: '"9-1" runs backwards' }],
    });
    expect(generateRange('1-9', '9')).toMatchObject({ kind: 'bad', faults: [{ path: 'columns' }] });
  });
});
