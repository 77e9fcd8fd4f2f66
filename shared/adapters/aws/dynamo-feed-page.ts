import { QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { TABLE } from '../../names/table.ts';
import { FEED_HEAD_SORT, feedSort } from './dynamo-keys.ts';
import { rangeRequest } from './dynamo-read.ts';
import { type Row, alive, number, numberIn, textIn } from './dynamo-row.ts';
import type { Condition, Table } from './dynamo-write.ts';

/** How long a row of a feed can be read: as long as a watch may lag behind before it has to list anew. */
export const FEED_RETENTION_MS = 2 * 60 * 60_000;

/** Somebody else took the number, or is about to: with eight writers at work the last one needs eight tries. */
export const HEAD_TRIES = 40;
const HEAD_WAIT_MAX_MS = 100;

/** How long the loser of a race for the head waits before its try `nth + 1`; by its token, which is random, so that those who met do not meet again. */
export const waitForHeadMs = (token: string, nth: number): number =>
  Math.min(HEAD_WAIT_MAX_MS, (((token.codePointAt(0) ?? 0) % 16) * nth) / 2);

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
