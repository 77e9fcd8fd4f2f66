import { invariant } from '../domain/base/invariant.ts';
import type { ItemValues } from '../domain/base/late-text.ts';
import { type JobItems, itemValues, jobItemsOf, matrixRows } from '../domain/items/job-items.ts';
import { taskColumnsOfMatrix } from '../domain/items/job-matrix.ts';
import { type TaskColumns, taskColumnsOf } from '../domain/items/task-columns.ts';
import type { JobManifest } from '../domain/manifests/manifest.ts';
import type { ContentId, ItemRow, ItemRun, ItemStore } from '../ports/item-store.ts';
import { parseInlineItems } from '../schema/items/inline-items.ts';

/** What one process remembers of contents, which never change: runs of items, and inline lists that were parsed. */
export type ItemCache = {
  readonly runs: Map<ContentId, ItemRun[]>;
  readonly inline: WeakMap<JobManifest, readonly ItemRow[]>;
};

export const createItemCache = (): ItemCache => ({ runs: new Map(), inline: new WeakMap() });

/** A run takes about 8 KB, so the cache takes some megabytes. */
const RUNS_MAX = 512;

export type ItemSource = { readonly items: ItemStore; readonly itemCache: ItemCache };

/**
 * What the items of some indexes give to their tasks and Pods; an empty map for a Job without a work list. An index is
 * missing if its items are gone, which happens only after the Job's deletion.
 */
export async function readItemValues(
  manifest: JobManifest,
  indexes: readonly number[],
  source: ItemSource,
): Promise<ReadonlyMap<number, ItemValues>> {
  const list = jobItemsOf(manifest);
  const values = new Map<number, ItemValues>();
  if (list === null) return values;
  for (const index of indexes) {
    const rows = await rowsOf(manifest, list, index, source);
    if (rows.length > 0) values.set(index, itemValues(list.columns, rows, index));
  }
  return values;
}

/** The images that the items of a Job say, in the order of their first items. */
export function readImages(manifest: JobManifest, itemCache: ItemCache): readonly string[] {
  const list = jobItemsOf(manifest);
  if (list === null) return [];
  return taskColumns(manifest, list, itemCache)?.images?.distinct.map(({ value }) => value) ?? [];
}

function taskColumns(
  manifest: JobManifest,
  { columns, source }: JobItems,
  itemCache: ItemCache,
): TaskColumns | undefined {
  if (source.kind === 'pinned') return source.taskColumns;
  return source.kind === 'matrix'
    ? taskColumnsOfMatrix(source)
    : taskColumnsOf(columns, inlineRows(manifest, source.text, itemCache));
}

/** The items of one index: `batch` of them, or fewer at the end of the list. */
async function rowsOf(
  manifest: JobManifest,
  { source: from, batch }: JobItems,
  index: number,
  source: ItemSource,
): Promise<readonly ItemRow[]> {
  const first = index * batch;
  if (from.kind === 'matrix') return matrixRows(from, batch, index);
  if (from.kind === 'inline') return inlineRows(manifest, from.text, source.itemCache).slice(first, first + batch);
  const rows: ItemRow[] = [];
  for (let number = first; number < Math.min(first + batch, from.count); number++) {
    const run = await runWith(from.content, number, source);
    const row = run?.rows[number - run.first];
    if (row === undefined) return [];
    rows.push(row);
  }
  return rows;
}

function inlineRows(manifest: JobManifest, text: string, { inline }: ItemCache): readonly ItemRow[] {
  const known = inline.get(manifest);
  if (known !== undefined) return known;
  const parsed = parseInlineItems(text);
  invariant(parsed.kind === 'ok', 'admission takes readable lists only');
  inline.set(manifest, parsed.list.rows);
  return parsed.list.rows;
}

async function runWith(
  content: ContentId,
  number: number,
  { items, itemCache: { runs } }: ItemSource,
): Promise<ItemRun | null> {
  const has = ({ first, rows }: ItemRun): boolean => number >= first && number < first + rows.length;
  const known = runs.get(content) ?? [];
  const found = known.find(has);
  if (found !== undefined) return found;
  const run = await items.readItems(content, number);
  if (run === null) return null;
  // What was written longest ago goes first: a Map keeps the order of insertion.
  runs.delete(content);
  runs.set(content, [run, ...known]);
  for (let held = [...runs.values()].reduce((sum, each) => sum + each.length, 0); held > RUNS_MAX; held--)
    dropOldest(runs);
  return run;
}

/** The run that was read longest ago, of the content that was used longest ago. */
function dropOldest(runs: Map<ContentId, ItemRun[]>): void {
  const [oldest] = runs;
  if (oldest === undefined) return;
  const [content, held] = oldest;
  held.pop();
  if (held.length === 0) runs.delete(content);
}
