import {
  type Combined,
  type MatrixName,
  type Values,
  combinationCount,
  combinedRows,
  matrixRules,
} from './combine-matrix.ts';
import { type ItemList, COLUMNS_MAX, ITEMS_MAX, columnsFault, itemFault, itemLine } from './item-list.ts';

/** Values by name. The items are all combinations, as in the matrix of a CI workflow; the first name changes slowest. */
export type Matrix = {
  readonly values: readonly MatrixName[];
  /**
   * Added after `exclude`. A row is merged into every combination in which it changes no value of the matrix; a row that fits none
   * is an item of its own. What a name has no value for is an empty string.
   */
  readonly include?: readonly Values[];
  /** A combination with all values of one of these is left out. */
  readonly exclude?: readonly Values[];
};

/** `path`: of the part that is wrong, such as `exclude[0].os`. */
export type GeneratorFault = { readonly path: string; readonly message: string };
export type Generated =
  | { readonly kind: 'ok'; readonly list: ItemList }
  | { readonly kind: 'bad'; readonly faults: readonly GeneratorFault[] };

/** How much may be generated at once: items, values of all columns, and bytes of UTF-8 as lines. */
export type GeneratorLimits = { readonly items: number; readonly values: number; readonly bytes: number };

/** For a request: a fraction of a second, and some 100 MB while it is stored. */
export const REQUEST_LIMITS: GeneratorLimits = { items: 100_000, values: 1_000_000, bytes: 16 * 2 ** 20 };

/** For a client, which has its machine for itself, and sends a long list in parts. */
export const CLIENT_LIMITS: GeneratorLimits = { items: ITEMS_MAX, values: 16_000_000, bytes: 2 ** 30 };

/** The most that rules may cost, over all combinations: some 0.2 s. */
export const CHECKS_MAX = 5_000_000;

/** More of them help nobody. */
const FAULTS_MAX = 10;

/**
 * The items of a matrix. What it would cost is counted before anything is built, and the time it takes is in proportion to the
 * matrix and its items.
 *
 * @param limits of what is built
 */
export function generateMatrix({ values, include = [], exclude = [] }: Matrix, limits: GeneratorLimits): Generated {
  const names = new Set(values.map(({ name }) => name));
  const added = new Set(include.flatMap((row) => Object.keys(row)).filter((name) => !names.has(name)));
  const columns = [...values.map(({ name }) => name), ...added];
  const faults = columns.length > COLUMNS_MAX ? [] : matrixFaults(values, include, exclude);
  const columnFault = columnsFault(columns);
  if (columnFault !== null) faults.push({ path: 'matrix', message: columnFault });
  const combinations = combinationCount(values);
  const items = combinations + include.length;
  const size = sizeFault(items, columns.length, limits);
  if (size !== null) faults.push({ path: 'matrix', message: size });
  if (faults.length > 0) return { kind: 'bad', faults: firstOf(faults) };
  const matrix = { values, columns, include, exclude };
  const rules = matrixRules(matrix);
  for (const kind of ['exclude', 'include'] as const)
    if (combinations * rules.checks[kind] > CHECKS_MAX)
      return bad(kind, tooManyChecks(combinations, rules.checks[kind]));
  return rowsWithin(matrix, rules, limits);
}

const bad = (path: string, message: string): Generated => ({ kind: 'bad', faults: [{ path, message }] });

const tooMany = (items: number, itemsMax: number): string => `${items} items are more than the limit of ${itemsMax}`;

const tooManyChecks = (combinations: number, checks: number): string =>
  `rules about ${checks} names and columns, those about the same names counted once, are ${combinations * checks} checks for ${combinations} combinations: more than the limit of ${CHECKS_MAX}`;

/** What is wrong with the size of a list; null: nothing. */
function sizeFault(items: number, columns: number, limits: GeneratorLimits): string | null {
  if (items > limits.items) return tooMany(items, limits.items);
  return items * columns > limits.values
    ? `${items} items of ${columns} columns are more than the limit of ${limits.values} values`
    : null;
}

function rowsWithin(matrix: Combined, rules: ReturnType<typeof matrixRules>, limits: GeneratorLimits): Generated {
  const rows: (readonly string[])[] = [];
  let bytes = 0;
  for (const row of combinedRows(matrix, rules)) {
    const fault = itemFault(row, rows.length, matrix.columns.length);
    if (fault !== null) return bad('matrix', fault);
    bytes += UTF8.encode(itemLine(row)).length + 1;
    if (bytes > limits.bytes) return bad('matrix', `its items have more than ${limits.bytes} bytes, the limit`);
    rows.push(row);
  }
  return rows.length === 0
    ? bad('exclude', `leaves none of the ${combinationCount(matrix.values)} combinations`)
    : { kind: 'ok', list: { columns: matrix.columns, rows } };
}

const UTF8 = new TextEncoder();

function matrixFaults(
  values: readonly MatrixName[],
  include: readonly Values[],
  exclude: readonly Values[],
): GeneratorFault[] {
  const names = new Set(values.map(({ name }) => name));
  const known = [...names].join(', ');
  return [
    ...(values.length === 0 ? [{ path: 'matrix', message: 'needs a name with its values' }] : []),
    ...values
      .filter((each) => each.values.length === 0)
      .map(({ name }) => ({ path: `matrix.${name}`, message: 'has no values' })),
    ...include.flatMap((row, i) =>
      Object.keys(row).length === 0 ? [{ path: `include[${i}]`, message: 'is empty' }] : [],
    ),
    ...exclude.flatMap((rule, i) => {
      const rules = Object.keys(rule);
      if (rules.length === 0) return [{ path: `exclude[${i}]`, message: 'is empty, so it would leave nothing' }];
      return rules
        .filter((name) => !names.has(name))
        .map((name) => ({ path: `exclude[${i}].${name}`, message: `is no name of the matrix (${known})` }));
    }),
  ];
}

function firstOf(faults: readonly GeneratorFault[]): readonly GeneratorFault[] {
  const next = faults[FAULTS_MAX];
  if (next === undefined) return faults;
  return [...faults.slice(0, FAULTS_MAX), { path: next.path, message: `and ${faults.length - FAULTS_MAX} more` }];
}

export type Numbers =
  | { readonly kind: 'ok'; readonly numbers: readonly number[] }
  | { readonly kind: 'bad'; readonly message: string };

type Step = { readonly first: number; readonly last: number; readonly by: number };

/** The numbers of a range such as `1-100:3` or `3,7,10-20:2`, in its order. They are counted before anything is built. */
export function numbersOf(text: string, itemsMax: number): Numbers {
  const steps: Step[] = [];
  for (const part of text.split(',')) {
    const step = stepOf(part);
    if (typeof step === 'string') return { kind: 'bad', message: step };
    steps.push(step);
  }
  const count = steps.reduce((sum, { first, last, by }) => sum + Math.floor((last - first) / by) + 1, 0);
  if (count > itemsMax) return { kind: 'bad', message: tooMany(count, itemsMax) };
  const numbers = steps.flatMap(({ first, last, by }) =>
    Array.from({ length: Math.floor((last - first) / by) + 1 }, (_, i) => first + i * by),
  );
  return { kind: 'ok', numbers };
}

/** One part of a range, or what is wrong with it. */
function stepOf(part: string): Step | string {
  const shown = JSON.stringify(part);
  const [, first, last = first, by = '1'] = /^(\d+)(?:-(\d+)(?::(\d+))?)?$/.exec(part) ?? [];
  if (first === undefined || last === undefined)
    return `${shown} is not a part of a range: write 3, 10-20, or 10-20:2, and commas between them`;
  const padded = [first, last, by].find((digits) => /^0\d/.test(digits));
  if (padded !== undefined) return `${shown}: write ${padded.replace(/^0+(?=\d)/, '')}, not ${padded}`;
  const step = { first: Number(first), last: Number(last), by: Number(by) };
  if (!Object.values(step).every((number) => Number.isSafeInteger(number))) return `${shown} is too large`;
  if (step.last < step.first) return `${shown} runs backwards`;
  return step.by === 0 ? `${shown} would never end: its step is 0` : step;
}

/** A list with a number of a range in each row. */
export function generateRange(text: string, column: string, limits: GeneratorLimits): Generated {
  const read = numbersOf(text, limits.items);
  if (read.kind === 'bad') return { kind: 'bad', faults: [{ path: 'range', message: read.message }] };
  const fault = columnsFault([column]);
  if (fault !== null) return { kind: 'bad', faults: [{ path: 'columns', message: fault }] };
  return { kind: 'ok', list: { columns: [column], rows: read.numbers.map((number) => [String(number)]) } };
}
