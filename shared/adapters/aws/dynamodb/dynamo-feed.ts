import type { TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb';
import { type EpochMs, asEpochMs, plusMs, toTtl } from '../../../domain/base/time.ts';
import { invariant } from '../../../domain/base/invariant.ts';
import { TABLE } from '../../../names/table.ts';
import { numbered } from '../../../domain/scoreboard/published-pods.ts';
import { FEED_RETENTION_MS, type Feed, type FeedMark, type FeedRow, type Publication } from '../../../ports/feed.ts';
import {
  EntriesSchema,
  MarkBodySchema,
  PublishedPodListSchema,
  PublishedPodsSchema,
  packMark,
  packPods,
  packPublished,
} from '../../../store/programs/row-bodies.ts';
import { headAfterLoss, headIn, headIs, readFeedPage } from './dynamo-feed-page.ts';
import { FEED_PARTITION, feedHeadKey, feedKey, markKey, partNameIn, publishedKey } from './dynamo-keys.ts';
import { readRow, readRows } from './dynamo-read.ts';
import { ATTRIBUTE, ROW_VERSION, type Row, jsonIn, number, numberIn, packedJson, text, textIn } from './dynamo-row.ts';
import {
  type Table,
  change,
  eachOf,
  isBy,
  retryOnTransactionConflict,
  sendTransaction,
  sendUpdate,
  versionIs,
} from './dynamo-write.ts';

/** Jobs in one row: DynamoDB takes 100 writes at once, one for the head and one for the row. */
const FEED_ENTRIES_MAX = 98;

/**
 * {@link Feed} as one row per number, plus a row that holds the head. The head is a separate row, because numbers must continue
 * when everything else has expired, and the loser of a race learns the head from the refusal.
 */
export function feed(table: Table, retentionMs: number = FEED_RETENTION_MS): Feed {
  /** The head as this process last saw it; the transaction detects whether it is stale. */
  let head = 0;

  return {
    async readMark(uid) {
      const row = await readRow(table, markKey(uid));
      return row === null ? null : markIn(row);
    },

    async append(entries, at) {
      for (let nth = 1; ; nth++) {
        const token = table.newToken();
        const expireAt = plusMs(at, retentionMs);
        const outcome = await tryAppend(
          table,
          appendRequest(table.name, token, head, entries, at, expireAt),
          token,
          head,
        );
        if (outcome.kind === 'outrun') return outcome;
        head = outcome.head;
        if (outcome.kind === 'appended') return { kind: 'appended', number: outcome.head };
        head = await headAfterLoss(table, { key: feedHeadKey(), feed: 'Job', seen: head }, token, nth);
      }
    },

    async readPublished(uid, names) {
      const rows = await readRows(
        table,
        names.map((name) => publishedKey(uid, name)),
      );
      return new Map(
        rows.map((row) => [
          partNameIn(row),
          { through: numberIn(row, 'through'), pods: jsonIn(row, PublishedPodListSchema) },
        ]),
      );
    },

    async writePublished(uid, parts) {
      await eachOf([...parts], async ([name, { through, pods }]) =>
        retryOnTransactionConflict(`what was published about ${uid}`, async () => {
          const request = change(table.name, {
            key: publishedKey(uid, name),
            set: { through: number(through), [ATTRIBUTE.body]: packedJson(packPublished(pods)) },
            condition: { expression: 'attribute_not_exists(#pk) OR #through < :through' },
          });
          return (await sendUpdate(table.client, request))?.kind === 'conflict' ? 'conflict' : 'done';
        }),
      );
    },

    async head() {
      head = headIn(await readRow(table, feedHeadKey()));
      return head;
    },

    async read(after, limit) {
      const page = await readFeedPage(table, FEED_PARTITION, after, limit);
      return page.kind === 'expired' ? page : { kind: 'rows', rows: page.rows.map(feedRowIn) };
    },
  };
}

type Tried =
  | { readonly kind: 'appended'; readonly head: number }
  | { readonly kind: 'outrun' }
  /** Nothing was written; `head` is where it is now, or was a moment ago. */
  | { readonly kind: 'taken'; readonly head: number };

async function tryAppend(
  table: Table,
  request: TransactWriteItemsCommandInput,
  token: string,
  head: number,
): Promise<Tried> {
  const refusals = await sendTransaction(table.client, request);
  if (refusals === null) return { kind: 'appended', head: head + 1 };
  const [ofHead, , ...ofMarks] = refusals;
  if (ofMarks.some((refusal) => isBy(refusal, token))) return { kind: 'appended', head: head + 1 };
  if (ofMarks.some((refusal) => refusal?.kind === 'condition')) return { kind: 'outrun' };
  if (ofHead?.kind !== 'condition') return { kind: 'taken', head };
  return { kind: 'taken', head: headIn(ofHead.row) };
}

/**
 * The row after `head`, the head itself, and the mark of every Job in it: all or nothing. The condition that the head is still
 * `head` keeps numbers without gaps; the condition that a mark is where its entry says publishes every change once.
 */
export function appendRequest(
  tableName: string,
  token: string,
  head: number,
  entries: readonly Publication[],
  at: EpochMs,
  expireAt: EpochMs,
): TransactWriteItemsCommandInput {
  const fits = entries.length > 0 && entries.length <= FEED_ENTRIES_MAX;
  invariant(fits, `a row of the feed has 1 to ${FEED_ENTRIES_MAX} Jobs, not ${entries.length}`);
  const n = head + 1;
  const body = packedJson(
    entries.map(({ published: _published, ...entry }) => ({ ...entry, pods: packPods(entry.pods) })),
  );
  return {
    ClientRequestToken: token,
    TransactItems: [
      {
        Update: change(tableName, {
          key: feedHeadKey(),
          set: { number: number(n) },
          condition: headIs(head),
          returnOld: true,
        }),
      },
      {
        Put: {
          TableName: tableName,
          Item: {
            ...feedKey(n),
            [ATTRIBUTE.layout]: number(ROW_VERSION),
            at: number(at),
            [ATTRIBUTE.body]: body,
            [TABLE.ttl]: number(toTtl(expireAt)),
          },
        },
      },
      ...entries.map(({ uid, after, version, seq, published, shown }) => ({
        Update: change(tableName, {
          key: markKey(uid),
          set: {
            [ATTRIBUTE.version]: number(version),
            [ATTRIBUTE.by]: text(token),
            seq: number(seq),
            number: number(n),
            at: number(at),
            ...(published === undefined ? {} : { [ATTRIBUTE.body]: packedJson({ ...packMark(published), shown }) }),
          },
          condition: versionIs(after),
          returnOld: true,
        }),
      })),
    ],
  };
}

const feedRowIn = (row: Row): FeedRow => ({
  number: Number(textIn(row, TABLE.sortKey)),
  at: asEpochMs(numberIn(row, 'at')),
  entries: jsonIn(row, EntriesSchema),
});

const markIn = (row: Row): FeedMark => ({
  version: numberIn(row, ATTRIBUTE.version),
  seq: numberIn(row, 'seq'),
  number: numberIn(row, 'number'),
  at: asEpochMs(numberIn(row, 'at')),
  // The number of its newest row was not known when it was packed.
  published: ATTRIBUTE.body in row ? numbered(jsonIn(row, PublishedPodsSchema), numberIn(row, 'number')) : null,
  ...(ATTRIBUTE.body in row ? jsonIn(row, MarkBodySchema) : {}),
});
