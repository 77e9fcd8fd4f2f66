import { describe, expect, test } from 'vitest';
import {
  CHECKS_MAX,
  CLIENT_LIMITS,
  type GeneratorLimits,
  type Matrix,
  REQUEST_LIMITS,
  generateMatrix,
  generateRange,
  numbersOf,
} from '../../../shared/domain/items/generate-items.ts';

const nodeOs = [
  { name: 'node', values: ['18', '20'] },
  { name: 'os', values: ['linux', 'mac'] },
];

/** The items as lines, or the faults. */
function shown(matrix: Matrix, limits: GeneratorLimits = CLIENT_LIMITS): readonly string[] {
  const made = generateMatrix(matrix, limits);
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

  const named = (names: string, count: number) =>
    names.split('').map((name) => ({ name, values: Array.from({ length: count }, (_, i) => String(i)) }));

  test('is measured before it is built', () => {
    expect(shown({ values: named('AB', 1_001) })).toEqual(['matrix: 1002001 items are more than the limit of 1000000']);
    expect(shown({ values: named('ABCDEFGHIJKLMNOPQRSTUVWXYZ', 1_001) })[0]).toMatch(
      /^matrix: \d\.\d+e\+78 items are more/,
    );
    expect(shown({ values: named('AB', 317) }, REQUEST_LIMITS)).toEqual([
      'matrix: 100489 items are more than the limit of 100000',
    ]);
    expect(shown({ values: named('ABCDEFGHIJKLMNOP', 2) }, REQUEST_LIMITS)).toEqual([
      'matrix: 65536 items of 16 columns are more than the limit of 1000000 values',
    ]);
  });

  test('has a limit for what its rules cost: those about the same names count once', () => {
    const pairs = Array.from({ length: 8_000 }, (_, i) => ({ A: String(i % 300), B: String(Math.floor(i / 300)) }));
    expect(shown({ values: named('AB', 300), exclude: pairs }, REQUEST_LIMITS)).toHaveLength(1 + 90_000 - 8_000);
    const subsets = Array.from({ length: 200 }, (_, i) =>
      Object.fromEntries(
        'ABCDEFGHIJKLM'
          .split('')
          .filter((_name, bit) => ((i + 1) >> bit) % 2 === 1)
          .map((name) => [name, '0']),
      ),
    );
    const cost = subsets.reduce((sum, rule) => sum + Object.keys(rule).length + 1, 0);
    const fault = `rules about ${cost} names and columns, those about the same names counted once, are ${cost * 8_192} checks for 8192 combinations: more than the limit of ${CHECKS_MAX}`;
    expect(shown({ values: named('ABCDEFGHIJKLM', 2), exclude: subsets }, REQUEST_LIMITS)).toEqual([
      `exclude: ${fault}`,
    ]);
    expect(shown({ values: named('ABCDEFGHIJKLM', 2), include: subsets }, REQUEST_LIMITS)).toEqual([
      `include: ${fault}`,
    ]);
  });

  test('makes no item that could not be given', () => {
    const long = {
      values: [
        { name: 'A', values: ['x', 'y'.repeat(3_000)] },
        { name: 'B', values: ['z'.repeat(3_144)] },
      ],
    };
    expect(shown(long)).toEqual(['matrix: item 2 (index 1) has 6145 bytes; the limit is 6144']);
    expect(shown({ values: [{ name: 'A', values: ['\0'] }] })).toEqual(['matrix: item 1 (index 0) contains NUL']);
  });

  test('has a limit for its bytes', () => {
    const [letters] = named('A', 10);
    const values = [letters!, { name: 'B', values: ['x'.repeat(96)] }];
    expect(shown({ values }, { ...CLIENT_LIMITS, bytes: 990 })).toHaveLength(11);
    expect(shown({ values }, { ...CLIENT_LIMITS, bytes: 989 })).toEqual([
      'matrix: its items have more than 989 bytes, the limit',
    ]);
  });

  test('has 256 columns at most, also with those that are added', () => {
    const values = Array.from({ length: 256 }, (_, i) => ({ name: `C${i}`, values: ['x'] }));
    expect(shown({ values })).toHaveLength(2);
    expect(shown({ values, include: [{ D: 'x' }] })).toEqual(['matrix: 257 columns are more than the limit of 256']);
  });

  test('tells ten faults, and how many there are beside', () => {
    const exclude = Array.from({ length: 30 }, () => ({ is: 'x' }));
    expect(shown({ values: nodeOs, exclude }).slice(9)).toEqual([
      'exclude[9].is: is no name of the matrix (node, os)',
      'exclude[10].is: and 20 more',
    ]);
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
    expect(numbersOf(text, 1_000_000)).toEqual({ kind: 'ok', numbers });
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
    expect(numbersOf(text, 1_000_000)).toEqual({ kind: 'bad', message });
  });

  test('as a list', () => {
    expect(generateRange('2-4:2', 'N', REQUEST_LIMITS)).toEqual({
      kind: 'ok',
      list: { columns: ['N'], rows: [['2'], ['4']] },
    });
    expect(generateRange('9-1', 'N', REQUEST_LIMITS)).toEqual({
      kind: 'bad',
      faults: [{ path: 'range', message: '"9-1" runs backwards' }],
    });
    expect(generateRange('1-9', '9', REQUEST_LIMITS)).toMatchObject({ kind: 'bad', faults: [{ path: 'columns' }] });
  });
});
