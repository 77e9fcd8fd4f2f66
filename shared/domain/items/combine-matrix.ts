/** A name of a matrix, and its values. */
export type MatrixName = { readonly name: string; readonly values: readonly string[] };
/** Values by name. */
export type Values = Readonly<Record<string, string>>;

/** The rules of a matrix, put together so that a combination finds those that it fits without a look at the others. */
export type MatrixRules = {
  readonly exclude: readonly RuleGroup<true>[];
  readonly include: readonly RuleGroup<Addition>[];
  /** By the number of the row in `include`; null: no combination can fit it. */
  readonly additions: readonly (Addition | null)[];
  /** What the rules of each kind cost for each combination: digits, look-ups, and cells. */
  readonly checks: { readonly exclude: number; readonly include: number };
};

/** Rules that fix the same names, by the code of the values that they say. */
type RuleGroup<T> = {
  /** The names by their places, each a digit of the code. */
  readonly digits: readonly { readonly place: number; readonly weight: number }[];
  readonly byCode: Map<number, T>;
};

/** What the rows of `include` with the same values add to a combination: of each column, the last of them. */
type Addition = { readonly cells: Map<number, { readonly row: number; readonly value: string }>; isUsed: boolean };

/** A matrix, and where its columns are: first its names, then those that only `include` has. */
export type Combined = {
  readonly values: readonly MatrixName[];
  readonly columns: readonly string[];
  readonly include: readonly Values[];
  readonly exclude: readonly Values[];
};

/** How many combinations a matrix has, with those that are left out. */
export const combinationCount = (values: readonly MatrixName[]): number =>
  values.reduce((product, each) => product * each.values.length, 1);

/** Takes time and space in proportion to the texts of the matrix, whatever its values multiply to. */
export function matrixRules({ values, columns, include, exclude }: Combined): MatrixRules {
  const places = new Map(columns.map((name, place) => [name, place]));
  const firsts = values.map((each) => firstPlaces(each.values));
  const groupOf = <T>(groups: Map<string, RuleGroup<T>>, rule: Values) => {
    const fixed = fixedPlaces(rule, places, values.length);
    const known = groups.get(fixed.join());
    const group = known ?? { digits: digitsOf(fixed, values), byCode: new Map<number, T>() };
    if (known === undefined) groups.set(fixed.join(), group);
    return { byCode: group.byCode, code: ruleCode(group.digits, columns, rule, firsts) };
  };
  const left = new Map<string, RuleGroup<true>>();
  for (const rule of exclude) {
    const { byCode, code } = groupOf(left, rule);
    if (code !== null) byCode.set(code, true);
  }
  const added = new Map<string, RuleGroup<Addition>>();
  const additions = include.map((row, nth) => {
    const { byCode, code } = groupOf(added, row);
    if (code === null) return null;
    const addition = byCode.get(code) ?? { cells: new Map(), isUsed: false };
    byCode.set(code, addition);
    for (const [name, value] of Object.entries(row)) {
      const place = places.get(name) ?? 0;
      if (place >= values.length) addition.cells.set(place, { row: nth, value });
    }
    return addition;
  });
  const checks = {
    exclude: [...left.values()].reduce((sum, { digits }) => sum + digits.length + 1, 0),
    include: [...added.values()].reduce((sum, group) => sum + group.digits.length + 1 + widest(group), 0),
  };
  return { exclude: [...left.values()], include: [...added.values()], additions, checks };
}

const widest = ({ byCode }: RuleGroup<Addition>): number =>
  [...byCode.values()].reduce((most, { cells }) => Math.max(most, cells.size), 0);

/** Of a value that occurs twice, the first place. */
function firstPlaces(values: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [place, value] of values.entries()) if (!places.has(value)) places.set(value, place);
  return places;
}

const fixedPlaces = (rule: Values, places: ReadonlyMap<string, number>, names: number): readonly number[] =>
  Object.keys(rule)
    .map((name) => places.get(name) ?? names)
    .filter((place) => place < names)
    .sort((a, b) => a - b);

/** A number of mixed radix: it stays below the number of combinations, so it is exact. */
function digitsOf(fixed: readonly number[], values: readonly MatrixName[]): RuleGroup<never>['digits'] {
  let weight = 1;
  return fixed.map((place) => {
    const digit = { place, weight };
    weight *= values[place]?.values.length ?? 1;
    return digit;
  });
}

/** null: the matrix does not have one of the values. */
function ruleCode(
  digits: RuleGroup<never>['digits'],
  columns: readonly string[],
  rule: Values,
  firsts: readonly ReadonlyMap<string, number>[],
): number | null {
  let code = 0;
  for (const { place, weight } of digits) {
    const digit = firsts[place]?.get(rule[columns[place] ?? ''] ?? '');
    if (digit === undefined) return null;
    code += digit * weight;
  }
  return code;
}

/**
 * The rows of a matrix, one by one: combinations that no rule leaves out, with what rules add, and then the rows of `include` that
 * fit none. The first name changes slowest.
 *
 * @param rules of the same matrix; it is noted in them which rows fit
 */
export function* combinedRows(
  { values, columns, include }: Combined,
  rules: MatrixRules,
): Generator<readonly string[]> {
  const firsts = values.map((each) => {
    const places = firstPlaces(each.values);
    return each.values.map((value) => places.get(value) ?? 0);
  });
  const at = values.map(() => 0);
  const code = ({ digits }: RuleGroup<unknown>): number => {
    let sum = 0;
    for (const { place, weight } of digits) sum += (firsts[place]?.[at[place] ?? 0] ?? 0) * weight;
    return sum;
  };
  for (let left = combinationCount(values); left > 0; left--) {
    if (!rules.exclude.some((group) => group.byCode.has(code(group)))) {
      const row = columns.map((_, place) => values[place]?.values[at[place] ?? 0] ?? '');
      for (const [place, { value }] of cellsOf(rules.include, code)) row[place] = value;
      yield row;
    }
    step(at, values);
  }
  for (const [nth, row] of include.entries())
    if (rules.additions[nth]?.isUsed !== true) {
      const given = new Map(Object.entries(row));
      yield columns.map((column) => given.get(column) ?? '');
    }
}

/** What is added to a combination: of each column, what the last row of `include` says that fits. */
function cellsOf(groups: MatrixRules['include'], code: (group: RuleGroup<Addition>) => number): Addition['cells'] {
  const cells: Addition['cells'] = new Map();
  for (const group of groups) {
    const addition = group.byCode.get(code(group));
    if (addition === undefined) continue;
    addition.isUsed = true;
    for (const [place, cell] of addition.cells) if (cell.row >= (cells.get(place)?.row ?? 0)) cells.set(place, cell);
  }
  return cells;
}

/** To the next combination. */
function step(at: number[], values: readonly MatrixName[]): void {
  for (let place = values.length - 1; place >= 0; place--) {
    const next = (at[place] ?? 0) + 1;
    at[place] = next === values[place]?.values.length ? 0 : next;
    if (at[place] !== 0) return;
  }
}
