import { type ItemList, ITEMS_MAX, columnsFault } from './item-list.ts';

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

export type MatrixName = { readonly name: string; readonly values: readonly string[] };
type Values = Readonly<Record<string, string>>;

/** `path`: of the part that is wrong, such as `exclude[0].os`. */
export type GeneratorFault = { readonly path: string; readonly message: string };
export type Generated =
  | { readonly kind: 'ok'; readonly list: ItemList }
  | { readonly kind: 'bad'; readonly faults: readonly GeneratorFault[] };

/** The items of a matrix. Nothing is built before the limit of items has been checked. */
export function generateMatrix({ values, include = [], exclude = [] }: Matrix): Generated {
  const names = values.map(({ name }) => name);
  const added = [...new Set(include.flatMap((row) => Object.keys(row)))].filter((name) => !names.includes(name));
  const columns = [...names, ...added];
  const faults = matrixFaults(values, include, exclude);
  const columnFault = columnsFault(columns);
  if (columnFault !== null) faults.push({ path: 'matrix', message: columnFault });
  const combinations = values.reduce((product, each) => product * each.values.length, 1);
  if (combinations + include.length > ITEMS_MAX) faults.push({ path: 'matrix', message: tooMany(combinations) });
  if (faults.length > 0) return { kind: 'bad', faults };
  const kept = productOf(values).filter((row) => !exclude.some((rule) => matches(row, names, rule)));
  const rows = withIncluded(kept, names, columns, include);
  return rows.length === 0
    ? { kind: 'bad', faults: [{ path: 'exclude', message: `leaves none of the ${combinations} combinations` }] }
    : { kind: 'ok', list: { columns, rows } };
}

const tooMany = (items: number): string => `${items} items are more than the limit of ${ITEMS_MAX}`;

function matrixFaults(
  values: readonly MatrixName[],
  include: readonly Values[],
  exclude: readonly Values[],
): GeneratorFault[] {
  const names = values.map(({ name }) => name);
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
        .filter((name) => !names.includes(name))
        .map((name) => ({ path: `exclude[${i}].${name}`, message: `is no name of the matrix (${names.join(', ')})` }));
    }),
  ];
}

function productOf(values: readonly MatrixName[]): readonly (readonly string[])[] {
  let rows: readonly (readonly string[])[] = [[]];
  for (const each of values) rows = rows.flatMap((row) => each.values.map((value) => [...row, value]));
  return rows;
}

const matches = (row: readonly string[], names: readonly string[], rule: Values): boolean =>
  Object.entries(rule).every(([name, value]) => row[names.indexOf(name)] === value);

/** Rows that are added may change what earlier ones have added, but never a value of the matrix (as GitHub's workflows do it). */
function withIncluded(
  kept: readonly (readonly string[])[],
  names: readonly string[],
  columns: readonly string[],
  include: readonly Values[],
): readonly (readonly string[])[] {
  const wide = (row: Values): string[] => columns.map((column) => row[column] ?? '');
  const combinations = kept.map((row) => [...row, ...columns.slice(names.length).map(() => '')]);
  const own: string[][] = [];
  for (const row of include) {
    const given = Object.entries(row);
    const fixed = Object.fromEntries(given.filter(([name]) => names.includes(name)));
    const fitting = combinations.filter((each) => matches(each, names, fixed));
    if (fitting.length === 0) own.push(wide(row));
    for (const each of fitting) for (const [name, value] of given) each[columns.indexOf(name)] = value;
  }
  return [...combinations, ...own];
}

export type Numbers =
  | { readonly kind: 'ok'; readonly numbers: readonly number[] }
  | { readonly kind: 'bad'; readonly message: string };

type Step = { readonly first: number; readonly last: number; readonly by: number };

/** The numbers of a range such as `1-100:3` or `3,7,10-20:2`, in its order. Nothing is built before the limit has been checked. */
export function numbersOf(text: string): Numbers {
  const steps: Step[] = [];
  for (const part of text.split(',')) {
    const step = stepOf(part);
    if (typeof step === 'string') return { kind: 'bad', message: step };
    steps.push(step);
  }
  const count = steps.reduce((sum, { first, last, by }) => sum + Math.floor((last - first) / by) + 1, 0);
  if (count > ITEMS_MAX) return { kind: 'bad', message: tooMany(count) };
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
export function generateRange(text: string, column: string): Generated {
  const read = numbersOf(text);
  if (read.kind === 'bad') return { kind: 'bad', faults: [{ path: 'range', message: read.message }] };
  const fault = columnsFault([column]);
  if (fault !== null) return { kind: 'bad', faults: [{ path: 'columns', message: fault }] };
  return { kind: 'ok', list: { columns: [column], rows: read.numbers.map((number) => [String(number)]) } };
}
