import { parseQuantity } from '../base/quantity.ts';

/** The columns of a list that may say what the task of an item needs (`muster.run/resources-from-items`). */
export const RESOURCE_COLUMNS = ['cpu', 'memory', 'ephemeral-storage'] as const;
export type ResourceName = (typeof RESOURCE_COLUMNS)[number];

/** The column of a list that may say which image its items run in (`muster.run/image-from-items`). */
export const IMAGE_COLUMN = 'image';
/** The most images of a list: each is a task definition, and ECS registers one a second (aws.md 1.4). */
export const IMAGES_MAX = 20;

/** A value, and the number of its item, from 0. */
export type ValueAt = { readonly item: number; readonly value: string };

/** What a column of quantities says. An empty value says nothing. */
export type QuantityColumn = {
  /** The first of the largest; null: there is none. */
  readonly largest: ValueAt | null;
  /** The first that is no quantity for a task; null: all are. */
  readonly bad: ValueAt | null;
};

/** What a column of images says. An empty value says nothing. */
export type ImageColumn = {
  /** Each image, with its first item; empty: there are none, or more than {@link IMAGES_MAX}. */
  readonly distinct: readonly ValueAt[];
  /** Up to here the list has too many images; null: it has not. */
  readonly over: ValueAt | null;
  /** The first that is no image; null: all are. */
  readonly bad: ValueAt | null;
};

/**
 * What a list says about tasks, whatever its Jobs make of it. It is recorded with each part of a list, because only
 * the writer of a part reads all of its items.
 */
export type TaskColumns = {
  /** Of those of the columns that the list has. */
  readonly resources: Readonly<Partial<Record<ResourceName, QuantityColumn>>>;
  /** Omitted: the list has no such column. */
  readonly images?: ImageColumn | undefined;
};

type Rows = readonly (readonly string[])[];

/** No quantity that anybody needs is longer. */
const QUANTITY_CHARS_MAX = 32;
/** So much is kept of a value that is none. */
const BAD_CHARS_MAX = 80;
/** A task with less than a mebibyte is a unit forgotten: `2048` is 2,048 bytes. */
const BYTES_MIN = 2 ** 20;

/** What is wrong with a quantity of an item, and what would be right; null: nothing. An empty one is the template's. */
export function quantityFault(name: ResourceName, text: string): string | null {
  if (text === '') return null;
  const right = name === 'cpu' ? '500m or 2' : name === 'memory' ? '512Mi or 2Gi' : '40Gi';
  const amount = text.length > QUANTITY_CHARS_MAX ? null : parseQuantity(text);
  if (amount === null || amount < 0) return `write a quantity such as ${right}, or leave it empty`;
  return name !== 'cpu' && amount > 0 && amount < BYTES_MIN
    ? `this is less than a mebibyte; write its unit, as in ${right}`
    : null;
}

/** Whether a text may be an image's name; that it exists, only a task can tell. */
export const isImage = (text: string): boolean => /^[!-~]{1,255}$/.test(text);

/** Undefined: none of the list's columns may be about tasks. */
export const taskColumnsOf = (columns: readonly string[], rows: Rows): TaskColumns | undefined =>
  taskColumnsFrom(columns, (nth) => columnOf(rows, nth));

function* columnOf(rows: Rows, nth: number): Iterable<ValueAt> {
  for (const [item, row] of rows.entries()) yield { item, value: row[nth] ?? '' };
}

/** The same for a list of which the values of each column are known, in order; repeated ones may be left out. */
export function taskColumnsFrom(
  columns: readonly string[],
  valuesOf: (nth: number) => Iterable<ValueAt>,
): TaskColumns | undefined {
  const resources = RESOURCE_COLUMNS.flatMap((name) => {
    const nth = columns.indexOf(name);
    return nth === -1 ? [] : [[name, quantitiesOf(name, valuesOf(nth))] as const];
  });
  const nth = columns.indexOf(IMAGE_COLUMN);
  if (resources.length === 0 && nth === -1) return undefined;
  return {
    resources: Object.fromEntries(resources),
    ...(nth === -1 ? {} : { images: imagesOf(valuesOf(nth)) }),
  };
}

function imagesOf(values: Iterable<ValueAt>): ImageColumn {
  const distinct = new Map<string, ValueAt>();
  for (const { item, value } of values) {
    if (value === '' || distinct.has(value)) continue;
    if (!isImage(value))
      return { distinct: [...distinct.values()], over: null, bad: { item, value: value.slice(0, BAD_CHARS_MAX) } };
    if (distinct.size === IMAGES_MAX) return { distinct: [], over: { item, value }, bad: null };
    distinct.set(value, { item, value });
  }
  return { distinct: [...distinct.values()], over: null, bad: null };
}

function quantitiesOf(name: ResourceName, values: Iterable<ValueAt>): QuantityColumn {
  let largest: ValueAt | null = null;
  for (const { item, value } of values) {
    if (value === '') continue;
    if (quantityFault(name, value) !== null) return { largest, bad: { item, value: value.slice(0, BAD_CHARS_MAX) } };
    if (isLarger(value, largest)) largest = { item, value };
  }
  return { largest, bad: null };
}

const isLarger = (value: string, than: ValueAt | null): boolean =>
  than === null || amountOf(value) > amountOf(than.value);

/** What is no quantity, asks for nothing. */
const amountOf = (text: string): number => parseQuantity(text) ?? 0;

/**
 * What all parts of a list say. Undefined: nothing, or an older Muster has written a part without it.
 *
 * @param parts by their number; part k begins with item `k * itemsPerPart`
 */
export function allTaskColumns(
  parts: readonly (TaskColumns | undefined)[],
  itemsPerPart: number,
): TaskColumns | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length) return undefined;
  const resources = RESOURCE_COLUMNS.flatMap((name) => {
    const columns = known.map((part, no) => moved(part.resources[name], no * itemsPerPart));
    const present = columns.filter((column) => column !== null);
    return present.length === 0 ? [] : [[name, present.reduce(bothColumns)] as const];
  });
  const images = known.map(({ images: column }, no) =>
    column === undefined ? null : movedImages(column, no * itemsPerPart),
  );
  const [first = null, ...others] = images.filter((column) => column !== null);
  const isKnown = first !== null && others.length + 1 === known.length;
  return {
    resources: Object.fromEntries(resources),
    ...(isKnown ? { images: others.reduce(bothImages, first) } : {}),
  };
}

/** In numbers of the whole list. */
const later = ({ item, value }: ValueAt, by: number): ValueAt => ({ item: item + by, value });
const laterOrNull = (at: ValueAt | null, by: number): ValueAt | null => (at === null ? null : later(at, by));

const moved = (column: QuantityColumn | undefined, by: number): QuantityColumn | null =>
  column === undefined ? null : { largest: laterOrNull(column.largest, by), bad: laterOrNull(column.bad, by) };

const movedImages = ({ distinct, over, bad }: ImageColumn, by: number): ImageColumn => ({
  distinct: distinct.map((at) => later(at, by)),
  over: laterOrNull(over, by),
  bad: laterOrNull(bad, by),
});

/** `a` comes first in the list. */
function bothImages(a: ImageColumn, b: ImageColumn): ImageColumn {
  const bad = a.bad ?? b.bad;
  const all = [...a.distinct, ...b.distinct.filter(({ value }) => !a.distinct.some((known) => known.value === value))];
  const over = a.over ?? all[IMAGES_MAX] ?? b.over;
  return { distinct: over === null ? all : [], over, bad };
}

/** `a` comes first in the list. */
const bothColumns = (a: QuantityColumn, b: QuantityColumn): QuantityColumn => ({
  largest: b.largest !== null && isLarger(b.largest.value, a.largest) ? b.largest : a.largest,
  bad: a.bad ?? b.bad,
});

/** The largest of some quantities; undefined: there are none. */
export const largestQuantity = (texts: readonly string[]): string | undefined =>
  texts.reduce<string | undefined>(
    (largest, text) => (largest !== undefined && amountOf(text) <= amountOf(largest) ? largest : text),
    undefined,
  );
