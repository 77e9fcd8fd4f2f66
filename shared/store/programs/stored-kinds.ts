import { isNewerFormat } from '../../domain/base/newer-format.ts';
import { type UnreadableRow, ifReadable, throwUnreadable } from '../../domain/base/unreadable-row.ts';
import type { ObjectPage, ObjectStore, StoredKind } from '../../ports/object-store.ts';
import { type Program, get, page } from '../rows/program.ts';
import type { Page, Row, RowKey } from '../rows/row.ts';
import { type Table, methodsOf } from '../rows/run.ts';
import { feedPage, headIn } from './feed-pages.ts';
import { createObjectCommits } from './object-commits.ts';
import { changeIn, objectIn, objectKeyIn, readObject } from './object-rows.ts';
import { objectFeedPartition, objectHeadKey, objectPartition, objectSort } from './row-keys.ts';

/**
 * {@link ObjectStore} as one row per object, and a feed per kind: one row per number, plus a row that holds the head. All
 * writers of a kind write its head, so only kinds that people change, not programs, are stored like this.
 */
export const objects = (table: Table, retentionMs: number): ObjectStore => ({
  ...methodsOf(table, { read: readObject, list: listObjects, head: readHead, changes }),
  commit: createObjectCommits(table, retentionMs),
});

/** Sorts before and after every namespace. */
const FIRST = '!';
const LAST = '~';
/** The character after the '!' that ends a namespace. */
const AFTER_MARK = '"';

/** Of 1 MB each, compressed: a page of large objects must not fill the memory. */
const PAGES_MAX = 8;

function* listObjects(
  kind: StoredKind,
  { namespace, after, limit, onNewer }: ObjectPage,
): Program<Awaited<ReturnType<ObjectStore['list']>>> {
  const [first, last] =
    namespace === null ? [FIRST, LAST] : [objectSort({ namespace, name: '' }), `${namespace}${AFTER_MARK}`];
  // Names of roles hold nearly any character: only this one comes right after `after`.
  const from = after === null || after < first ? first : `${after}\0`;
  const range = { partition: objectPartition(kind), from, to: last };
  const rows: Row[] = [];
  let next: RowKey | null = null;
  let pages = 0;
  do {
    const found: Page = yield* page({ ...range, limit: limit + 1 - rows.length, after: next });
    for (const row of found.rows)
      if (onNewer !== undefined && isNewerFormat(row.fault)) onNewer(objectKeyIn(row.key));
      else rows.push(row);
    next = found.next;
    pages++;
  } while (next !== null && rows.length <= limit && (pages < PAGES_MAX || rows.length === 0));
  const shown = rows.slice(0, limit);
  const unreadable: UnreadableRow[] = [];
  const listed = shown.flatMap((row) => ifReadable(() => objectIn(row), unreadable) ?? []);
  throwUnreadable(unreadable);
  return { objects: listed, next: rows.length > limit || next !== null ? (shown.at(-1)?.key.sort ?? null) : null };
}

function* readHead(kind: StoredKind): Program<number> {
  return headIn(yield* get(objectHeadKey(kind)));
}

function* changes(
  kind: StoredKind,
  after: number,
  limit: number,
): Program<Awaited<ReturnType<ObjectStore['changes']>>> {
  const found = yield* feedPage(objectFeedPartition(kind), after, limit);
  return found.kind === 'expired' ? found : { kind: 'rows', rows: found.rows.map(changeIn) };
}
