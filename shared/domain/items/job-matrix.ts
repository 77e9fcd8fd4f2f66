import { expandVariables, referredVariables } from '../base/variable-expansion.ts';
import { type MatrixName, combinationCount } from './combine-matrix.ts';
import { IMAGES_MAX, IMAGE_COLUMN, type TaskColumns, type ValueAt, taskColumnsFrom } from './task-columns.ts';

/**
 * A work list that is computed: its items are all combinations of these values, and the first name changes slowest. Nothing is
 * stored for an item.
 */
export type JobMatrix = {
  readonly values: readonly MatrixName[];
  /** The image of each item, with `$(name)` in place of its values; it is one more column. */
  readonly image?: string | undefined;
};

/** The most combinations of a Job's matrix. */
export const COMBINATIONS_MAX = 100_000;

/** Parses the annotation; null: it has another form, which admission explains. */
export function parseMatrix(text: string): JobMatrix | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  return isMatrix(json) ? json : null;
}

const isMatrix = (json: unknown): json is JobMatrix =>
  isRecord(json) &&
  (json.image === undefined || typeof json.image === 'string') &&
  Array.isArray(json.values) &&
  json.values.every((each) => isRecord(each) && typeof each.name === 'string' && isTexts(each.values));

const isRecord = (json: unknown): json is { readonly [K in 'name' | 'values' | 'image']?: unknown } =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

const isTexts = (json: unknown): json is readonly string[] =>
  Array.isArray(json) && json.every((each) => typeof each === 'string');

/** How many items a matrix has. */
export const combinationsOf = ({ values }: JobMatrix): number => combinationCount(values);

/** The names of its values, and `image` if it says one. */
export const matrixColumns = ({ values, image }: JobMatrix): readonly string[] => [
  ...values.map(({ name }) => name),
  ...(image === undefined ? [] : [IMAGE_COLUMN]),
];

/** The values of one item, by its number from 0. */
export function matrixRow(matrix: JobMatrix, item: number): readonly string[] {
  const row = matrix.values.map(() => '');
  let rest = item;
  for (let place = row.length - 1; place >= 0; place--) {
    const values = matrix.values[place]?.values ?? [];
    row[place] = values[rest % values.length] ?? '';
    rest = Math.floor(rest / values.length);
  }
  return matrix.image === undefined ? row : [...row, imageOf(matrix, matrix.image, row)];
}

const imageOf = ({ values }: JobMatrix, image: string, row: readonly string[]): string =>
  expandVariables(image, new Map(values.map(({ name }, nth) => [name, row[nth] ?? ''])));

/** The most combinations of the values in an image. More than {@link IMAGES_MAX}, because some may make the same image. */
export const IMAGE_COMBINATIONS_MAX = 1_000;

/** How many combinations the values have that a matrix's image refers to. */
export const imageCombinations = (matrix: JobMatrix): number => combinationsOf(narrowed(matrix, matrix.image ?? ''));

/**
 * The images of a matrix, each with the first item that has it, in order: all of them, or one more than {@link IMAGES_MAX}. Empty: it
 * says none.
 */
export function matrixImages(matrix: JobMatrix): readonly ValueAt[] {
  const { image } = matrix;
  if (image === undefined) return [];
  const narrow = narrowed(matrix, image);
  const found = new Map<string, ValueAt>();
  for (let nth = 0; nth < combinationsOf(narrow) && found.size <= IMAGES_MAX; nth++) {
    const row = matrixRow(narrow, nth);
    const value = row.at(-1) ?? '';
    if (!found.has(value)) found.set(value, { item: itemOf(matrix, row), value });
  }
  return [...found.values()];
}

/** Names that the image does not have change nothing about it. */
function narrowed({ values }: JobMatrix, image: string): JobMatrix {
  const referred = new Set(referredVariables(image));
  return { values: values.map((each) => (referred.has(each.name) ? each : one(each))), image };
}

const one = ({ name, values }: MatrixName): MatrixName => ({ name, values: values.slice(0, 1) });

/** The number of the item with these values. */
const itemOf = ({ values }: JobMatrix, row: readonly string[]): number =>
  values.reduce((item, each, nth) => item * each.values.length + Math.max(0, each.values.indexOf(row[nth] ?? '')), 0);

/** A row at least as wide as any of the matrix, in each column, by this measure. */
export const widestMatrixRow = (matrix: JobMatrix, measure: (value: string) => number): readonly string[] =>
  [...matrix.values.map(({ values }) => values), ...imageColumn(matrix)].map((values) =>
    values.reduce((widest, value) => (measure(value) > measure(widest) ? value : widest), ''),
  );

const imageColumn = (matrix: JobMatrix): readonly (readonly string[])[] =>
  matrix.image === undefined ? [] : [matrixImages(matrix).map(({ value }) => value)];

/** What a matrix says about tasks; undefined: nothing. */
export function taskColumnsOfMatrix(matrix: JobMatrix): TaskColumns | undefined {
  return taskColumnsFrom(matrixColumns(matrix), (nth) => {
    const own = matrix.values[nth];
    if (own === undefined) return matrixImages(matrix);
    const stride = combinationsOf({ values: matrix.values.slice(nth + 1) });
    return own.values.map((value, i) => ({ item: i * stride, value }));
  });
}
