import { type EpochMs, plusMs, toTtl } from '../../domain/base/time.ts';
import { comesBefore } from '../../domain/base/text-order.ts';
import { invariant } from '../../domain/base/invariant.ts';
import { standingOf } from '../../domain/spec/namespace.ts';
import {
  OBJECT_BYTES_MAX,
  type ObjectChange,
  type ObjectKey,
  type ObjectStore,
  type StoredDocument,
  type StoredKind,
  type StoredObject,
} from '../../ports/object-store.ts';
import { FEED_RETENTION_MS } from '../../ports/feed.ts';
import { changeOf } from '../../store/programs/object-change.ts';

/** As text, as DynamoDB stores them: callers share no object, and what JSON drops is dropped. */
type Row = { readonly key: ObjectKey; readonly version: number; readonly text: string };
type FeedRow = { readonly at: EpochMs; readonly text: string };

/** {@link ObjectStore} in this process's memory: every method takes its whole effect in one synchronous step. */
export function createMemoryObjects(now: () => EpochMs, retentionMs = FEED_RETENTION_MS): ObjectStore {
  const kinds = new Map<StoredKind, { readonly rows: Map<string, Row>; readonly feed: FeedRow[] }>();
  const of = (kind: StoredKind) => {
    const found = kinds.get(kind) ?? { rows: new Map<string, Row>(), feed: [] };
    kinds.set(kind, found);
    return found;
  };
  const find = (kind: StoredKind, key: ObjectKey): StoredObject | null => {
    const row = of(kind).rows.get(sortKey(key));
    return row === undefined ? null : objectIn(row);
  };
  const isGone = (row: FeedRow): boolean => now() >= toTtl(plusMs(row.at, retentionMs)) * 1000;

  return {
    async read(kind, key) {
      return find(kind, key);
    },

    async list(kind, { namespace, after, limit }) {
      const rows = [...of(kind).rows.entries()]
        .filter(
          ([sort, { key }]) =>
            (namespace ?? key.namespace) === key.namespace && (after === null || comesBefore(after, sort)),
        )
        .sort(([a], [b]) => (comesBefore(a, b) ? -1 : 1));
      const shown = rows.slice(0, limit);
      return {
        objects: shown.map(([, row]) => objectIn(row)),
        next: rows.length > limit ? (shown.at(-1)?.[0] ?? null) : null,
      };
    },

    async commit(kind, { key, was, document }) {
      const { rows, feed } = of(kind);
      const before = find(kind, key);
      const change = changeOf(key, before, document);
      if ((before?.version ?? 0) !== was || change === null) return { kind: 'lost' };
      if (was === 0 && key.namespace !== '') {
        const home = standingOf(find('Namespace', { namespace: '', name: key.namespace })?.document);
        if (home !== 'open') return { kind: home };
      }
      const version = feed.length + 1;
      const { type, labelsBefore, document: published } = change;
      const text = JSON.stringify(published);
      invariant(text.length <= OBJECT_BYTES_MAX, `an object of ${text.length} bytes does not fit into a row`);
      const row: ObjectChange = {
        type,
        object: { key, version, document: published },
        ...(labelsBefore === undefined ? {} : { labelsBefore }),
      };
      feed.push({ at: now(), text: JSON.stringify(row) });
      if (document === null) rows.delete(sortKey(key));
      else rows.set(sortKey(key), { key: { ...key }, version, text });
      return { kind: 'committed', version };
    },

    async head(kind) {
      return of(kind).feed.length;
    },

    async changes(kind, after, limit) {
      const page = of(kind).feed.slice(after, after + limit);
      const [first] = page;
      if (first !== undefined && isGone(first)) return { kind: 'expired' };
      return { kind: 'rows', rows: page.map(({ text }) => JSON.parse(text) as ObjectChange) };
    },
  };
}

/** '!' sorts before every character of a name, so keys sort as (namespace, name). */
const sortKey = ({ namespace, name }: ObjectKey): string => `${namespace}!${name}`;

const objectIn = ({ key, version, text }: Row): StoredObject => ({
  key: { ...key },
  version,
  document: JSON.parse(text) as StoredDocument,
});
