import { QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { TABLE } from '../../names/table.ts';
import { Busy } from '../../ports/busy.ts';
import { FEED_HEAD_SORT, feedSort } from './dynamo-keys.ts';
import { rangeRequest, readRow } from './dynamo-read.ts';
import { type Row, alive, number, numberIn, textIn } from './dynamo-row.ts';
import type { Condition, Table } from './dynamo-write.ts';

/** How long a row of a feed can be read: as long as a watch may lag behind before it has to list anew. */
export const FEED_RETENTION_MS = 2 * 60 * 60_000;

/** After so many lost races for the head, 12 seconds in the mean, whoever asked had better come again. */
const HEAD_TRIES = 30;
const HEAD_WAIT_MAX_MS = 1000;
/** What was seen of a busy head is worth nothing after that. */
const SEEN_MS = 20;

/**
 * Waits before the next try for a head that somebody else took: between nothing and twice as long as before, by the token,
 * which is random, so that those who met do not meet again.
 *
 * @param nth tries that were lost
 * @returns where the head is now, or was a moment ago. Throws {@link Busy} when that was the last try.
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

/** A number between 0 and 1 that a random text stands for. */
function shareOf(token: string): number {
  let hash = 0x811c9dc5; // FNV-1a
  for (let at = 0; at < token.length; at++) hash = Math.imul(hash ^ token.charCodeAt(at), 0x01000193);
  return (hash >>> 0) / 2 ** 32;
}

/** That the head is still `head` keeps a feed's numbers without gaps. */
export const headIs = (head: number): Condition =>
  head === 0
    ? { expression: 'attribute_not_exists(#pk)' }
    : { expression: '#number = :was', values: { ':was': number(head) } };

/** The number in a head's row, 0 where there is none yet. */
export const headIn = (row: Row | null): number => (row === null ? 0 : numberIn(row, 'number'));

/** Rows of a feed behind `after`; the head sorts last and is met where there are fewer than asked for. */
export const feedPageRequest = (tableName: string, partition: string, after: number, limit: number) =>
  ({
    ...rangeRequest(tableName, partition, feedSort(after + 1), FEED_HEAD_SORT),
    Limit: limit,
  }) satisfies QueryCommandInput;

/** At most `limit` rows of a feed with the numbers that follow `after`. `expired`: the next one is gone already. */
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
  // Rows are removed in any order once their time has passed: what lies behind a gap is not for this page.
  const gap = Items.findIndex((row, nth) => textIn(row, TABLE.sortKey) !== feedSort(after + 1 + nth));
  return { kind: 'rows', rows: gap === -1 ? Items : Items.slice(0, gap) };
}
