import { plusMs, type EpochMs } from '../../domain/base/time.ts';
import { invariant } from '../../domain/base/invariant.ts';
import { standingOf } from '../../domain/spec/namespace.ts';
import { type UnreadableRow, ifReadable, throwUnreadable } from '../../domain/base/unreadable-row.ts';
import { OBJECT_BYTES_MAX, type ObjectChange, type ObjectStore, type StoredObject } from '../../ports/object-store.ts';
import { changeOf } from '../../store/programs/object-change.ts';
import { ChangeSchema, DocumentSchema } from '../../store/programs/row-bodies.ts';
import { feedKey, keyIn, objectKey, objectsOf, rangeOf, sortOf } from './lmdb-keys.ts';
import { headOf, nextNumber, readFeedPage } from './lmdb-feed.ts';
import { type Row, jsonIn, jsonRow } from './lmdb-row.ts';
import type { LmdbRows } from './lmdb-rows.ts';

/** {@link ObjectStore} as a row an object, and a feed for each kind. */
export const objects = (rows: LmdbRows, now: () => EpochMs, retentionMs: number): ObjectStore => ({
  async read(kind, key) {
    const at = objectKey(kind, key);
    return objectIn(kind, at, rows.read(at));
  },

  async list(kind, { namespace, after, limit, onNewer }) {
    const prefix = objectsOf(kind);
    // '"' follows '!': names of roles hold nearly any character.
    const [from, to] = namespace === null ? rangeOf(prefix) : [`${prefix}${namespace}!`, `${prefix}${namespace}"`];
    const found: StoredObject[] = [];
    const unreadable: UnreadableRow[] = [];
    let hasMore = false;
    const start = after === null ? from : `${prefix}${after}\0`;
    const keyOf = (key: string) => keyIn(key.slice(prefix.length));
    const skips = onNewer === undefined ? {} : { onNewer: (key: string) => onNewer(keyOf(key)) };
    for (const [key, row] of rows.range(start < from ? from : start, to, skips)) {
      hasMore = found.length === limit;
      if (hasMore) break;
      const document = ifReadable(() => jsonIn(row, DocumentSchema), unreadable);
      if (document !== null) found.push({ key: keyOf(key), version: row.version, document });
    }
    throwUnreadable(unreadable);
    return { objects: found, next: hasMore ? sortOf(found.at(-1)?.key ?? keyIn('!')) : null };
  },

  async commit(kind, { key, was, document }) {
    const at = objectKey(kind, key);
    return rows.transact((newest) => {
      const before = objectIn(kind, at, newest.get(at));
      const change = changeOf(key, before, document);
      if ((before?.version ?? 0) !== was || change === null) return { kind: 'lost' };
      if (was === 0 && key.namespace !== '') {
        const namespace = objectKey('Namespace', { namespace: '', name: key.namespace });
        const home = standingOf(objectIn('Namespace', namespace, newest.get(namespace))?.document);
        if (home !== 'open') return { kind: home };
      }
      const row = jsonRow(document ?? {});
      const bytes = row.body.length;
      invariant(bytes <= OBJECT_BYTES_MAX, `an object of ${bytes} bytes does not fit into a row (${OBJECT_BYTES_MAX})`);
      const version = nextNumber(newest, kind);
      newest.put(feedKey(kind, version), jsonRow(change, 0, plusMs(now(), retentionMs)));
      if (document === null) newest.remove(at);
      else newest.put(at, { ...row, version });
      return { kind: 'committed', version };
    });
  },

  async head(kind) {
    return headOf(rows, kind);
  },

  async changes(kind, after, limit) {
    const page = readFeedPage(rows, kind, after, limit);
    if (page.kind === 'expired') return page;
    return { kind: 'rows', rows: page.rows.map(([version, row]) => changeIn(version, row)) };
  },
});

function objectIn(kind: Parameters<typeof objectsOf>[0], at: string, row: Row | null): StoredObject | null {
  if (row === null) return null;
  const key = keyIn(at.slice(objectsOf(kind).length));
  return { key, version: row.version, document: jsonIn(row, DocumentSchema) };
}

function changeIn(version: number, row: Row): ObjectChange {
  const { type, key, document, labelsBefore } = jsonIn(row, ChangeSchema);
  return { type, object: { key, version, document }, ...(labelsBefore === undefined ? {} : { labelsBefore }) };
}
