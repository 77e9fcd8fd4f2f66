import { type EpochMs, plusMs } from '../../domain/base/time.ts';
import { type ContentHead, type ContentId, type ItemStore, REMOVAL_AFTER_MS } from '../../ports/item-store.ts';
import { runsOf } from '../../store/programs/item-runs.ts';
import {
  ContentHeadSchema,
  ItemReservationSchema,
  ItemRunSchema,
  PartSummarySchema,
} from '../../store/programs/row-bodies.ts';
import {
  CONTENTS,
  contentKey,
  itemRunKey,
  itemRunsOf,
  itemsOf,
  partKey,
  partsOf,
  rangeOf,
  usedKey,
  usedOf,
} from './lmdb-keys.ts';
import { type Row, jsonIn, jsonRow } from './lmdb-row.ts';
import type { LmdbRows, Transaction } from './lmdb-rows.ts';

/** Rows that are removed together. */
const REMOVED_AT_ONCE = 100;

/** {@link ItemStore}: a row for each content, part, reservation, and run of items. */
export const items = (rows: LmdbRows, now: () => EpochMs): ItemStore => ({
  async begin(head) {
    await rows.transact((all) => {
      const key = contentKey(head.content);
      if (all.get(key) === null) all.put(key, jsonRow({ head: { ...head, sealed: null }, removingSince: null }));
    });
  },

  async readHead(content) {
    return headIn(rows.read(contentKey(content)));
  },

  async writePart(head, part) {
    const { rows: _rows, ...summary } = part;
    const key = partKey(head.content, part.no);
    return rows.transact((all) => {
      const stored = all.get(key);
      if (stored !== null)
        return { kind: jsonIn(stored, PartSummarySchema).sha256 === part.sha256 ? 'written' : 'conflict' };
      for (const run of runsOf(head, part)) all.put(itemRunKey(head.content, run.first), jsonRow(run));
      all.put(key, jsonRow(summary));
      return { kind: 'written' };
    });
  },

  async readPart(content, no) {
    const row = rows.read(partKey(content, no));
    return row === null ? null : jsonIn(row, PartSummarySchema);
  },

  async listParts(content) {
    return [...rows.range(...rangeOf(partsOf(content)))].map(([, row]) => jsonIn(row, PartSummarySchema));
  },

  async seal(content, sealed) {
    return rows.transact((all) => {
      const head = headIn(all.get(contentKey(content)));
      if (head !== null && head.sealed === null)
        all.put(contentKey(content), jsonRow({ head: { ...head, sealed }, removingSince: null }));
      return head !== null;
    });
  },

  async readItems(content, number) {
    const [from] = rangeOf(itemRunsOf(content));
    for (const [, row] of rows.range(from, itemRunKey(content, number), { reverse: true })) {
      const run = jsonIn(row, ItemRunSchema);
      return number < run.first + run.rows.length ? run : null;
    }
    return null;
  },

  async reserve(content, job, at) {
    return rows.transact((all) => {
      const head = headIn(all.get(contentKey(content)));
      if (head === null || head.sealed === null) return false;
      if (all.get(usedKey(content, job)) === null) all.put(usedKey(content, job), jsonRow({ job, at }));
      return true;
    });
  },

  async release(content, job) {
    await rows.transact((all) => {
      if (all.get(usedKey(content, job)) !== null) all.remove(usedKey(content, job));
    });
  },

  async listReservations(content) {
    return [...rows.range(...rangeOf(usedOf(content)))].map(([, row]) => jsonIn(row, ItemReservationSchema));
  },

  async listContents({ after, limit }) {
    const [from, to] = rangeOf(CONTENTS);
    const found: ContentId[] = [];
    for (const [key] of rows.range(after === null ? from : `${CONTENTS}${after}\0`, to)) {
      if (found.length === limit) return { contents: found, next: found.at(-1) ?? null };
      found.push(key.slice(CONTENTS.length));
    }
    return { contents: found, next: null };
  },

  async remove(content) {
    const marked = await rows.transact((all) => mark(all, content, rows, now()));
    if (marked === 'removed' || marked === 'reserved') return { kind: marked };
    if (now() < plusMs(marked, REMOVAL_AFTER_MS)) return { kind: 'marked' };
    for (let keys = firstKeys(rows, itemsOf(content)); keys.length > 0; keys = firstKeys(rows, itemsOf(content)))
      await rows.transact((all) => keys.forEach((key) => all.remove(key)));
    await rows.transact((all) => all.remove(contentKey(content)));
    return { kind: 'removed' };
  },
});

/** Since when it is marked. A reservation that came just before the mark takes the mark away. */
function mark(all: Transaction, content: ContentId, rows: LmdbRows, at: EpochMs): EpochMs | 'reserved' | 'removed' {
  const key = contentKey(content);
  const row = all.get(key);
  if (row === null) return 'removed';
  const { head, removingSince } = jsonIn(row, ContentHeadSchema);
  const isReserved = !rows.range(...rangeOf(usedOf(content))).next().done;
  const since = isReserved ? null : (removingSince ?? at);
  if (since !== removingSince) all.put(key, jsonRow({ head, removingSince: since }));
  return since ?? 'reserved';
}

function headIn(row: Row | null): ContentHead | null {
  const stored = row === null ? null : jsonIn(row, ContentHeadSchema);
  return stored === null || stored.removingSince !== null ? null : stored.head;
}

function firstKeys(rows: LmdbRows, prefix: string): readonly string[] {
  const keys: string[] = [];
  for (const [key] of rows.range(...rangeOf(prefix))) if (keys.push(key) === REMOVED_AT_ONCE) break;
  return keys;
}
