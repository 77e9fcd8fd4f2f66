import { Busy } from '../../ports/busy.ts';
import { type Condition, ABSENT, is } from '../rows/condition.ts';
import { numberIn } from '../rows/fields.ts';
import { type Program, get, page, pause } from '../rows/program.ts';
import type { Row, RowKey, Update } from '../rows/row.ts';
import { FEED_HEAD_SORT, feedSort } from './row-keys.ts';

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
export function* headAfterLoss(
  { key, feed, seen }: { readonly key: RowKey; readonly feed: string; readonly seen: number },
  token: string,
  nth: number,
): Program<number> {
  if (nth >= HEAD_TRIES) throw new Busy(`the feed of ${feed} was taken ${nth} times in a row`);
  const waitMs = shareOf(token) * Math.min(HEAD_WAIT_MAX_MS, 5 * 2 ** nth);
  yield* pause(waitMs);
  return waitMs < SEEN_MS ? seen : headIn(yield* get(key));
}

/** A number between 0 and 1, from a random text. */
function shareOf(token: string): number {
  let hash = 0x811c9dc5; // FNV-1a
  for (let at = 0; at < token.length; at++) hash = Math.imul(hash ^ token.charCodeAt(at), 0x01000193);
  return (hash >>> 0) / 2 ** 32;
}

/** Moves a feed's head from `head` to `to`. The condition that it is still there keeps numbers without gaps. */
export const moveHead = (key: RowKey, head: number, to: number): Update => ({
  kind: 'update',
  key,
  set: { number: to },
  condition: headIs(head),
  returnOld: true,
});

const headIs = (head: number): Condition => (head === 0 ? ABSENT : is('number', head));

/** The number in a head's row; 0 if there is none yet. */
export const headIn = (row: Row | null): number => (row === null ? 0 : numberIn(row, 'number'));

type FeedPage = { readonly kind: 'rows'; readonly rows: readonly Row[] } | { readonly kind: 'expired' };

/** At most `limit` rows of a feed with the numbers after `after`. `expired`: the next one is already gone. */
export function* feedPage(partition: string, after: number, limit: number): Program<FeedPage> {
  // The head sorts last and is found if there are fewer rows than requested.
  const { rows, next } = yield* page({ partition, from: feedSort(after + 1), to: FEED_HEAD_SORT, limit });
  const [first] = rows;
  // No row of the page is left, and the head lies beyond it.
  if (first === undefined) return next === null ? { kind: 'rows', rows: [] } : { kind: 'expired' };
  if (first.key.sort === FEED_HEAD_SORT)
    return headIn(first) > after ? { kind: 'expired' } : { kind: 'rows', rows: [] };
  // Rows expire in any order once their time has passed: rows after a gap do not belong to this page.
  const gap = rows.findIndex(({ key }, nth) => key.sort !== feedSort(after + 1 + nth));
  if (gap === 0) return { kind: 'expired' };
  return { kind: 'rows', rows: gap === -1 ? rows : rows.slice(0, gap) };
}
