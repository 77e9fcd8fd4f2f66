import { QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { TABLE } from '../../../names/table.ts';
import { Busy } from '../../../ports/busy.ts';
import { FEED_HEAD_SORT, feedSort } from './dynamo-keys.ts';
import { rangeRequest, readRow } from './dynamo-read.ts';
import { type Row, alive, number, numberIn, textIn } from './dynamo-row.ts';
import type { Condition, Table } from './dynamo-write.ts';

/** After this many lost races for the head, 12 seconds on average, the caller gives up. */
const HEAD_TRIES = 30;
const HEAD_WAIT_MAX_MS = 1000;
/** A known head is outdated after this on a busy feed. */
const SEEN_MS = 20;

/**
 * Waits before the next try for a head that another writer took: between zero and twice as long as before, depending on the
 * token, which is random, so that the same writers do not collide again.
 *
 * @param nth lost tries
 * @returns where the head is now, or was a moment ago. Throws {@link Busy} if that was the last try.
 */
export async function headAfterLoss(
  table: Table,
  { key, feed, seen }: { readonly key: Row; readonly feed: string; readonly seen: number },
  token: string,
  nth: number,
): Promise<number> {
  if (nth >= HEAD_TRIES) throw new Busy(`the feed of ${feed} was taken ${nth} times in a row`);
  const waitMs = shareOf(token) * Math.min(HEAD_WAIT_MAX_MS, 5 * 2 ** nth);
  await table.sleep(waitMs);
  return waitMs < SEEN_MS ? seen : headIn(await readRow(table, key));
}

/** A number between 0 and 1, from a random text. */
function shareOf(token: string): number {
  let hash = 0x811c9dc5; // FNV-1a
  for (let at = 0; at < token.length; at++) hash = Math.imul(hash ^ token.charCodeAt(at), 0x01000193);
  return (hash >>> 0) / 2 ** 32;
}

/** The condition that the head is still `head` keeps a feed's numbers without gaps. */
export const headIs = (head: number): Condition =>
  head === 0
    ? { expression: 'attribute_not_exists(#pk)' }
    : { expression: '#number = :was', values: { ':was': number(head) } };

/** The number in a head's row; 0 if there is none yet. */
export const headIn = (row: Row | null): number => (row === null ? 0 : numberIn(row, 'number'));

/** Rows of a feed after `after`. The head sorts last and is found if there are fewer rows than requested. */
export const feedPageRequest = (tableName: string, partition: string, after: number, limit: number) =>
  ({
    ...rangeRequest(tableName, partition, feedSort(after + 1), FEED_HEAD_SORT),
    Limit: limit,
  }) satisfies QueryCommandInput;

/** At most `limit` rows of a feed with the numbers after `after`. `expired`: the next one is already gone. */
export async function readFeedPage(
  table: Table,
  partition: string,
  after: number,
  limit: number,
): Promise<{ readonly kind: 'rows'; readonly rows: readonly Row[] } | { readonly kind: 'expired' }> {
  const request = feedPageRequest(table.name, partition, after, limit);
  const { Items = [] } = await table.client.send(new QueryCommand(request));
  const [first] = Items;
  if (first === undefined) return { kind: 'rows', rows: [] };
  if (textIn(first, TABLE.sortKey) === FEED_HEAD_SORT) {
    return headIn(first) > after ? { kind: 'expired' } : { kind: 'rows', rows: [] };
  }
  if (textIn(first, TABLE.sortKey) !== feedSort(after + 1) || alive(first, table.now()) === null) {
    return { kind: 'expired' };
  }
  // Rows expire in any order once their time has passed: rows after a gap do not belong to this page.
  const gap = Items.findIndex((row, nth) => textIn(row, TABLE.sortKey) !== feedSort(after + 1 + nth));
  return { kind: 'rows', rows: gap === -1 ? Items : Items.slice(0, gap) };
}
