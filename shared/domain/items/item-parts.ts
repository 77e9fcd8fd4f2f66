import { itemLine } from './item-list.ts';
import { type WidestItem, widestOf, widestOfAll } from './job-items.ts';
import { type TaskColumns, allTaskColumns, taskColumnsOf } from './task-columns.ts';

/** Values of one item, by column. */
export type ItemRow = readonly string[];

/** What is known of a part of a list, apart from its items. */
export type PartSummary = {
  readonly no: number;
  readonly count: number;
  /** Of UTF-8, as lines. */
  readonly bytes: number;
  readonly sha256: string;
  readonly widest: WidestItem;
  /** Omitted: none of its columns may be about tasks, or an older Muster has written it. */
  readonly taskColumns?: TaskColumns | undefined;
};

/** Consecutive items: part `no` of a list begins with item `no * itemsPerPart`. */
export type ItemPart = PartSummary & { readonly rows: readonly ItemRow[] };

/** All items of a list. Its `sha256` is the hash of the hashes of its parts, a line each. */
export type SealedContent = Omit<PartSummary, 'no'>;

/** The hash of a text in hex. */
type Hash = (text: string) => string;

const UTF8 = new TextEncoder();

/** A part with its hash, which is that of its items as JSON. */
export const partOf = (no: number, rows: readonly ItemRow[], columns: readonly string[], hash: Hash): ItemPart => ({
  no,
  rows,
  count: rows.length,
  bytes: rows.reduce((sum, row) => sum + UTF8.encode(itemLine(row)).length + 1, 0),
  sha256: hash(JSON.stringify(rows)),
  widest: widestOf(columns.length, rows),
  ...about(taskColumnsOf(columns, rows)),
});

const about = (taskColumns: TaskColumns | undefined) => (taskColumns === undefined ? {} : { taskColumns });

/** A list as parts of `itemsPerPart` items; the last one may have fewer. */
export function* partsOf(
  { columns, rows }: { readonly columns: readonly string[]; readonly rows: readonly ItemRow[] },
  itemsPerPart: number,
  hash: Hash,
): Generator<ItemPart> {
  for (let no = 0; no * itemsPerPart < rows.length; no++)
    yield partOf(no, rows.slice(no * itemsPerPart, (no + 1) * itemsPerPart), columns, hash);
}

/** The whole of parts, in order of their numbers; or why they are none. */
export function sealedOf(
  parts: readonly PartSummary[],
  itemsPerPart: number,
  hash: Hash,
): { readonly kind: 'ok'; readonly sealed: SealedContent } | { readonly kind: 'bad'; readonly message: string } {
  if (parts.length === 0) return { kind: 'bad', message: 'no part has been sent' };
  const missing = parts.findIndex(({ no }, nth) => no !== nth);
  if (missing !== -1) return { kind: 'bad', message: `part ${missing} has not been sent` };
  const short = parts.slice(0, -1).find(({ count }) => count !== itemsPerPart);
  if (short !== undefined)
    return {
      kind: 'bad',
      message: `part ${short.no} has ${short.count} items, and only the last may have fewer than ${itemsPerPart}`,
    };
  return {
    kind: 'ok',
    sealed: {
      count: parts.reduce((sum, { count }) => sum + count, 0),
      bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
      sha256: hash(parts.map(({ sha256 }) => sha256).join('\n')),
      widest: parts.map(({ widest }) => widest).reduce(widestOfAll),
      ...about(
        allTaskColumns(
          parts.map(({ taskColumns }) => taskColumns),
          itemsPerPart,
        ),
      ),
    },
  };
}
