import fc from 'fast-check';
import { expect, test } from 'vitest';
import { draws } from '../../verify/draws.ts';
import { type Matrix, REQUEST_LIMITS, generateMatrix } from '../../../shared/domain/items/generate-items.ts';

type Values = Readonly<Record<string, string>>;

/** What a matrix means, as GitHub's workflows have it: each combination is held against each rule, one after the other. */
function meant({ values, include = [], exclude = [] }: Matrix) {
  const names = values.map(({ name }) => name);
  const columns = [...new Set([...names, ...include.flatMap((row) => Object.keys(row))])];
  let combinations: Record<string, string>[] = [{}];
  for (const { name, values: own } of values)
    combinations = combinations.flatMap((row) => own.map((value) => ({ ...row, [name]: value })));
  const fits = (row: Values, rule: Values) =>
    Object.entries(rule).every(([name, value]) => !names.includes(name) || row[name] === value);
  const kept = combinations.filter((row) => !exclude.some((rule) => fits(row, rule)));
  const own: Values[] = [];
  for (const rule of include) {
    const fitting = kept.filter((row) => fits(row, rule));
    for (const row of fitting) Object.assign(row, rule);
    if (fitting.length === 0) own.push(rule);
  }
  return {
    columns,
    rows: [...kept, ...own].map((row) => columns.map((column) => (Object.hasOwn(row, column) ? row[column] : ''))),
  };
}

/** `9` is never a value, so some rules fit nothing; a value may occur twice. */
const ofMatrix = fc.constantFrom('a', 'b', 'c');
const ofRules = fc.constantFrom('0', '1', '2', '9');
const matrices: fc.Arbitrary<Matrix> = fc.record({
  values: fc.uniqueArray(
    fc.record({ name: ofMatrix, values: fc.array(fc.constantFrom('0', '1', '2'), { minLength: 1, maxLength: 4 }) }),
    { minLength: 3, maxLength: 3, selector: ({ name }) => name },
  ),
  exclude: fc.array(fc.dictionary(ofMatrix, ofRules, { minKeys: 1 }), { maxLength: 5 }),
  include: fc.array(fc.dictionary(fc.constantFrom('a', 'b', 'c', 'x', 'y', 'constructor'), ofRules, { minKeys: 1 }), {
    maxLength: 6,
  }),
});

test('a matrix has the items that its rules mean, one after the other', () => {
  fc.assert(
    fc.property(matrices, (matrix) => {
      const { columns, rows } = meant(matrix);
      const made = generateMatrix(matrix, REQUEST_LIMITS);
      const list = made.kind === 'ok' ? made.list : { columns, rows: [] };
      expect(list).toEqual({ columns, rows });
    }),
    { numRuns: draws(3_000) },
  );
});
