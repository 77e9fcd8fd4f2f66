import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { isNewerFormat } from '../../../../domain/base/newer-format.ts';
import type { EpochMs } from '../../../../domain/base/time.ts';
import { TABLE } from '../../../../names/table.ts';
import type { ObjectPage, ObjectStore, StoredKind } from '../../../../ports/object-store.ts';
import { FEED_RETENTION_MS } from '../../../../ports/feed.ts';
import { headIn, readFeedPage } from '../dynamo-feed-page.ts';
import { objectFeedPartition, objectHeadKey, objectPartition, objectSort } from '../dynamo-keys.ts';
import { createCommits } from './dynamo-object-commits.ts';
import { changeIn, isShortEnough, objectIn, objectKeyIn, readObject } from './dynamo-object-rows.ts';
import { rangeRequest, readRow } from '../dynamo-read.ts';
import { type Row, alive, textIn } from '../dynamo-row.ts';
import type { Table } from '../dynamo-write.ts';

/** Sorts after every namespace. */
const LAST = '~';
/** The character after the '!' that ends a namespace. */
const AFTER_MARK = '"';

/**
 * {@link ObjectStore} as one row per object, and a feed per kind: one row per number, plus a row that holds the head. All
 * writers of a kind write its head, so only kinds that people change, not programs, are stored like this.
 */
export function objects(table: Table, retentionMs: number = FEED_RETENTION_MS): ObjectStore {
  return {
    read: async (kind, key) => readObject(table, kind, key),

    async list(kind, page) {
      const rows = await readObjects(table, kind, page, page.limit + 1);
      const shown = rows.slice(0, page.limit);
      const last = shown.at(-1);
      return {
        objects: shown.map(objectIn),
        next: rows.length > page.limit && last !== undefined ? textIn(last, TABLE.sortKey) : null,
      };
    },

    commit: createCommits(table, retentionMs),

    head: async (kind) => headIn(await readRow(table, objectHeadKey(kind))),

    async changes(kind, after, limit) {
      const page = await readFeedPage(table, objectFeedPartition(kind), after, limit);
      return page.kind === 'expired' ? page : { kind: 'rows', rows: page.rows.map(changeIn) };
    },
  };
}

/** Rows of existing objects, over as many pages as needed, up to `max`. */
async function readObjects(
  table: Table,
  kind: StoredKind,
  { namespace, after, onNewer }: ObjectPage,
  max: number,
): Promise<readonly Row[]> {
  const [first, last] =
    namespace === null ? ['!', LAST] : [objectSort({ namespace, name: '' }), `${namespace}${AFTER_MARK}`];
  // Names of roles hold nearly any character: only this one comes right after `after`.
  const from = after === null || after < first ? first : `${after}\0`;
  if (from > last || !isShortEnough(from) || !isShortEnough(last)) return [];
  const request = rangeRequest(table.name, objectPartition(kind), from, last);
  const found: Row[] = [];
  let page: Row | undefined;
  do {
    const answer = await table.client.send(
      new QueryCommand({
        ...request,
        Limit: max - found.length,
        ...(page === undefined ? {} : { ExclusiveStartKey: page }),
      }),
    );
    for (const row of answer.Items ?? []) if (isReadable(row, table.now(), onNewer)) found.push(row);
    page = answer.LastEvaluatedKey;
  } while (page !== undefined && found.length < max);
  return found;
}

function isReadable(row: Row, now: EpochMs, onNewer: ObjectPage['onNewer']): boolean {
  try {
    return alive(row, now) !== null;
  } catch (error) {
    if (onNewer === undefined || !isNewerFormat(error)) throw error;
    onNewer(objectKeyIn(row));
    return false;
  }
}
