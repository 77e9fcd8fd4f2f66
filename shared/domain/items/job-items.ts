import { unreachable } from '../base/invariant.ts';
import type { ItemValues } from '../base/late-text.ts';
import { ANNOTATIONS, parseBatch, parseFlag } from '../manifests/annotations.ts';
import type { Labels } from '../manifests/manifest.ts';
import { itemLine, resultName } from './item-list.ts';
import {
  type JobMatrix,
  combinationsOf,
  matrixColumns,
  matrixRow,
  parseMatrix,
  widestMatrixRow,
} from './job-matrix.ts';
import type { TaskColumns } from './task-columns.ts';

/** Items that are stored apart, for an object. They never change, and live as long as the object or a Job that uses them. */
export type ContentId = string;

/** What a Job says of its work list. */
export type JobItems = {
  readonly columns: readonly string[];
  /** Items that each index gets; the last index may get fewer. */
  readonly batch: number;
  readonly source:
    | { readonly kind: 'inline'; readonly text: string }
    | ({ readonly kind: 'pinned' } & PinnedItems)
    | ({ readonly kind: 'matrix' } & JobMatrix);
};

/** What a Job has named, as it was when the Job was created. */
export type PinnedItems = {
  readonly content: ContentId;
  readonly columns: readonly string[];
  readonly count: number;
  /** Of the content, in hex. */
  readonly sha256: string;
  readonly widest: WidestItem;
  /** Omitted: none of its columns may be about tasks, or an older Muster has made the list. */
  readonly taskColumns?: TaskColumns | undefined;
};

/** The most characters, as JSON, that the values of one item take: by column, and as a line. */
export type WidestItem = { readonly columns: readonly number[]; readonly line: number };

type WithAnnotations = { readonly metadata: { readonly annotations?: Labels | undefined } };

/** The Job's work list; null: it has none. A Job that names one has none before the server has pinned it. */
export function jobItemsOf({ metadata: { annotations = {} } }: WithAnnotations): JobItems | null {
  const batch = parseBatch(annotations[ANNOTATIONS.batch] ?? '') ?? 1;
  const matrix = matrixOf(annotations);
  if (matrix !== null) return { columns: matrixColumns(matrix), batch, source: { kind: 'matrix', ...matrix } };
  const text = annotations[ANNOTATIONS.items];
  if (text !== undefined) return { columns: inlineColumns(text), batch, source: { kind: 'inline', text } };
  const pinned = pinnedItemsOf({ metadata: { annotations } });
  return pinned === null ? null : { columns: pinned.columns, batch, source: { kind: 'pinned', ...pinned } };
}

/** The pin that the server has set; null: there is none. */
export function pinnedItemsOf({ metadata: { annotations = {} } }: WithAnnotations): PinnedItems | null {
  const text = annotations[ANNOTATIONS.pinnedItems];
  // Only the server writes it: admission refuses it from anyone else.
  return text === undefined ? null : (JSON.parse(text) as PinnedItems);
}

/** Annotations are never changed, and a matrix may have 100 KB: each launch of a Job asks for its columns. */
const READ = new WeakMap<Labels, JobMatrix>();

/** The Job's matrix; null: it has none, or one that admission refuses. */
function matrixOf(annotations: Labels): JobMatrix | null {
  const text = annotations[ANNOTATIONS.matrix];
  if (text === undefined) return null;
  const matrix = READ.get(annotations) ?? parseMatrix(text);
  if (matrix !== null) READ.set(annotations, matrix);
  return matrix;
}

/** Whether the Job's items say what their tasks need. */
export const takesResources = (job: WithAnnotations): boolean => says(job, ANNOTATIONS.resourcesFromItems);

/** Whether the Job's items say which image they run in. */
export const takesImages = (job: WithAnnotations): boolean =>
  says(job, ANNOTATIONS.imageFromItems) || matrixOf(job.metadata.annotations ?? {})?.image !== undefined;

const says = ({ metadata: { annotations = {} } }: WithAnnotations, key: string): boolean =>
  parseFlag(annotations[key] ?? '') ?? false;

/** An index means the same items in both. Lists that are given in different ways are taken to differ. */
export function isSameList(a: JobItems | null, b: JobItems | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.batch !== b.batch) return false;
  return contentOf(a) === contentOf(b);
}

/** Two lists with the same are the same list. */
function contentOf({ source, columns }: JobItems): string {
  const { kind } = source;
  switch (kind) {
    case 'inline':
      return JSON.stringify([kind, source.text.replace(/\r?\n$/, '')]);
    case 'pinned':
      return JSON.stringify([kind, source.sha256, columns]);
    case 'matrix':
      // Its image says how an item runs, not what it is: a rerun may have another.
      return JSON.stringify([kind, source.values.map(({ name, values }) => [name, values])]);
    default:
      return unreachable(kind);
  }
}

/** Columns of an inline list: its first line, at tabs, or else at blanks. */
export function inlineColumns(text: string): readonly string[] {
  const end = text.indexOf('\n');
  const line = (end === -1 ? text : text.slice(0, end)).replace(/\r$/, '');
  return line.split(line.includes('\t') ? '\t' : ' ');
}

/** The indexes that have items: 0 without a list. */
export function indexesOf(
  job: WithAnnotations & { readonly spec: { readonly completions?: number | undefined } },
): number {
  return jobItemsOf(job) === null ? 0 : (job.spec.completions ?? 0);
}

/** How many indexes `count` items make. */
export const indexCount = (count: number, batch: number): number => Math.ceil(count / batch);

/**
 * What the attempts of an index get: of several items, each value has a line for each of them.
 *
 * @param rows the items of this index
 */
export function itemValues(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  index: number,
): ItemValues {
  const line = rows.map(itemLine).join('\n');
  return {
    columns: new Map(columns.map((name, nth) => [name, rows.map((row) => row[nth] ?? '').join('\n')])),
    line,
    resultName: resultName(index, rows[0] === undefined ? '' : itemLine(rows[0])),
  };
}

/** Values at least as long as those of any index. */
export function widestValues({
  columns,
  widest,
  batch,
}: {
  readonly columns: readonly string[];
  readonly widest: WidestItem;
  readonly batch: number;
}): ItemValues {
  // A line break between two items is two characters as JSON.
  const text = (chars: number): string => 'x'.repeat(batch * (chars + 2));
  return {
    columns: new Map(columns.map((name, nth) => [name, text(widest.columns[nth] ?? 0)])),
    line: text(widest.line),
    resultName: 'x'.repeat(RESULT_NAME_CHARS_MAX),
  };
}

const RESULT_NAME_CHARS_MAX = 60;

/** The {@link WidestItem} of some rows. */
export function widestOf(columns: number, rows: readonly (readonly string[])[]): WidestItem {
  const widths = Array.from({ length: columns }, () => 0);
  let line = 0;
  for (const row of rows) {
    for (const [nth, value] of row.entries()) widths[nth] = Math.max(widths[nth] ?? 0, jsonChars(value));
    line = Math.max(line, jsonChars(itemLine(row)));
  }
  return { columns: widths, line };
}

/** The {@link WidestItem} of a matrix. */
export function widestOfMatrix(matrix: JobMatrix): WidestItem {
  const widest = widestMatrixRow(matrix, jsonChars);
  return { columns: widest.map(jsonChars), line: jsonChars(itemLine(widest)) };
}

/** The items of one index of a matrix. */
export const matrixRows = (matrix: JobMatrix, batch: number, index: number): readonly (readonly string[])[] =>
  Array.from({ length: Math.max(0, Math.min(batch, combinationsOf(matrix) - index * batch)) }, (_, nth) =>
    matrixRow(matrix, index * batch + nth),
  );

export const widestOfAll = (a: WidestItem, b: WidestItem): WidestItem => ({
  columns: Array.from({ length: Math.max(a.columns.length, b.columns.length) }, (_, nth) =>
    Math.max(a.columns[nth] ?? 0, b.columns[nth] ?? 0),
  ),
  line: Math.max(a.line, b.line),
});

/** Without the quotes. */
const jsonChars = (value: string): number => JSON.stringify(value).length - 2;
