import { setTimeout as sleep } from 'node:timers/promises';
import { type AttributeValue, QueryCommand, type TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { type EpochMs, plusMs, toTtl } from '../../domain/brand.ts';
import { invariant } from '../../domain/invariant.ts';
import { standingOf } from '../../domain/namespace.ts';
import { TABLE } from '../../names/table.ts';
import {
  OBJECT_BYTES_MAX,
  type ObjectChange,
  type ObjectCommit,
  type ObjectKey,
  type ObjectPage,
  type ObjectStore,
  type StoredDocument,
  type StoredKind,
  type StoredObject,
} from '../../ports/object-store.ts';
import { FEED_RETENTION_MS, HEAD_TRIES, headIn, headIs, readFeedPage, waitForHeadMs } from './dynamo-feed-page.ts';
import { type UnnumberedChange, changeOf } from '../object-change.ts';
import {
  namespaceKey,
  objectFeedKey,
  objectFeedPartition,
  objectHeadKey,
  objectKey,
  objectPartition,
  objectSort,
} from './dynamo-keys.ts';
import { rangeRequest, readRow } from './dynamo-read.ts';
import {
  ATTRIBUTE,
  ROW_VERSION,
  type Row,
  alive,
  jsonIn,
  number,
  numberIn,
  packedJson,
  text,
  textIn,
} from './dynamo-row.ts';
import { type Condition, type Table, change, isBy, sendTransaction, versionIs } from './dynamo-write.ts';

const DocumentSchema: z.ZodType<StoredDocument> = z.looseObject({ metadata: z.looseObject({ uid: z.string() }) });

const ChangeSchema = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED']),
  key: z.object({ namespace: z.string(), name: z.string() }),
  document: DocumentSchema,
  labelsBefore: z.record(z.string(), z.string()).optional(),
});

/** Sorts behind every name. */
const LAST = '~';

/**
 * {@link ObjectStore} as a row an object, and a feed a kind: a row a number, beside a row that holds the head. All
 * writers of a kind meet at its head, which is why only kinds that people change, and not programs, are kept like this.
 */
export function objects(table: Table, retentionMs: number = FEED_RETENTION_MS): ObjectStore {
  /** Heads as this process last saw them; stale or not, the transaction tells. */
  const heads = new Map<StoredKind, number>();

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

    async commit(kind, { key, was, document }) {
      const before = await readObject(table, kind, key);
      const change = changeOf(key, before, document);
      if ((before?.version ?? 0) !== was || change === null) return { kind: 'lost' };
      const by = table.newToken();
      for (let nth = 1; nth <= HEAD_TRIES; nth++) {
        const home = was === 0 && key.namespace !== '' ? await readHome(table, key.namespace) : null;
        if (home?.kind === 'closed') return { kind: home.why };
        const token = nth === 1 ? by : table.newToken();
        const head = heads.get(kind) ?? 0;
        const request = commitRequest(table.name, {
          token,
          by,
          kind,
          change,
          was,
          head,
          home: home?.condition ?? null,
          expireAt: plusMs(table.now(), retentionMs),
        });
        const outcome = await tryCommit(table, request, by, head);
        heads.set(kind, outcome.head);
        if (outcome.kind !== 'again') return outcome.commit;
        await sleep(waitForHeadMs(token, nth));
      }
      throw new Error(`the feed of ${kind} was taken ${HEAD_TRIES} times in a row`);
    },

    async head(kind) {
      const head = headIn(await readRow(table, objectHeadKey(kind)));
      heads.set(kind, head);
      return head;
    },

    async changes(kind, after, limit) {
      const page = await readFeedPage(table, objectFeedPartition(kind), after, limit);
      return page.kind === 'expired' ? page : { kind: 'rows', rows: page.rows.map(changeIn) };
    },
  };
}

async function readObject(table: Table, kind: StoredKind, key: ObjectKey): Promise<StoredObject | null> {
  const row = isShortEnough(objectSort(key)) ? await readRow(table, objectKey(kind, key)) : null;
  return row === null ? null : objectIn(row);
}

/** The namespace as it is now; null: there is none of that name. */
export const readNamespace = async (table: Table, name: string): Promise<StoredObject | null> =>
  readObject(table, 'Namespace', { namespace: '', name });

type Home =
  | { readonly kind: 'open'; readonly condition: { readonly key: Row; readonly condition: Condition } }
  | { readonly kind: 'closed'; readonly why: 'noNamespace' | 'terminating' };

/** Whether something new may come into the namespace, and by what the transaction knows that it still may. */
async function readHome(table: Table, name: string): Promise<Home> {
  const namespace = await readNamespace(table, name);
  const standing = standingOf(namespace?.document);
  if (namespace === null || standing !== 'open')
    return { kind: 'closed', why: standing === 'open' ? 'noNamespace' : standing };
  return { kind: 'open', condition: { key: namespaceKey(name), condition: versionIs(namespace.version) } };
}

type CommitOrder = {
  /** Names this request, by which DynamoDB knows it again. */
  readonly token: string;
  /** Names the commit over all its tries, by which we know it again when DynamoDB has forgotten. */
  readonly by: string;
  readonly kind: StoredKind;
  readonly change: UnnumberedChange;
  readonly was: number;
  readonly head: number;
  /** The namespace that a new object comes into, as it was when it was found open. */
  readonly home: { readonly key: Row; readonly condition: Condition } | null;
  readonly expireAt: EpochMs;
};

/** The head, the row behind it and the object: all or nothing. */
export function commitRequest(
  tableName: string,
  { token, by, kind, change: body, was, head, home, expireAt }: CommitOrder,
): TransactWriteItemsCommandInput {
  const { key, document } = body;
  const n = head + 1;
  const object = objectKey(kind, key);
  const condition = versionIs(was);
  const removes = body.type === 'DELETED';
  return {
    ClientRequestToken: token,
    TransactItems: [
      {
        Update: change(tableName, {
          key: objectHeadKey(kind),
          set: { number: number(n) },
          condition: headIs(head),
          tellLoser: true,
        }),
      },
      {
        Put: {
          TableName: tableName,
          Item: {
            ...objectFeedKey(kind, n),
            [ATTRIBUTE.layout]: number(ROW_VERSION),
            [ATTRIBUTE.by]: text(by),
            [ATTRIBUTE.body]: fitting(body),
            [TABLE.ttl]: number(toTtl(expireAt)),
          },
          // The head says so already; but where it says no, the row that is there tells whether it is ours.
          ConditionExpression: 'attribute_not_exists(#pk)',
          ExpressionAttributeNames: { '#pk': TABLE.partitionKey },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      },
      removes
        ? {
            Delete: {
              TableName: tableName,
              Key: object,
              ConditionExpression: condition.expression,
              ExpressionAttributeNames: { '#version': ATTRIBUTE.version },
              ExpressionAttributeValues: condition.values,
            },
          }
        : {
            Update: change(tableName, {
              key: object,
              set: {
                [ATTRIBUTE.version]: number(n),
                [ATTRIBUTE.by]: text(by),
                [ATTRIBUTE.body]: fitting(document),
              },
              condition,
              tellLoser: true,
            }),
          },
      ...(home === null
        ? []
        : [
            {
              ConditionCheck: {
                TableName: tableName,
                Key: home.key,
                ConditionExpression: home.condition.expression,
                ExpressionAttributeNames: { '#version': ATTRIBUTE.version },
                ExpressionAttributeValues: home.condition.values,
              },
            },
          ]),
    ],
  };
}

type Tried =
  | { readonly kind: 'done'; readonly commit: ObjectCommit; readonly head: number }
  /** Nothing was written; `head` is where it is now, or was a moment ago. */
  | { readonly kind: 'again'; readonly head: number };

async function tryCommit(
  table: Table,
  request: TransactWriteItemsCommandInput,
  by: string,
  head: number,
): Promise<Tried> {
  const refusals = await sendTransaction(table.client, request);
  if (refusals === null) return { kind: 'done', commit: { kind: 'committed', version: head + 1 }, head: head + 1 };
  const [ofHead, ofRow, ofObject] = refusals;
  const newHead = ofHead?.kind === 'condition' ? headIn(ofHead.row) : head;
  if (isBy(ofRow, by)) return { kind: 'done', commit: { kind: 'committed', version: head + 1 }, head: newHead };
  if (isBy(ofObject, by) && ofObject?.kind === 'condition' && ofObject.row !== null) {
    const version = numberIn(ofObject.row, ATTRIBUTE.version);
    return { kind: 'done', commit: { kind: 'committed', version }, head: newHead };
  }
  if (ofObject?.kind === 'condition') return { kind: 'done', commit: { kind: 'lost' }, head: newHead };
  return { kind: 'again', head: newHead };
}

/** DynamoDB takes a sort key of at most 1,024 bytes, and refuses requests with longer ones; names are shorter. */
const isShortEnough = (sort: string): boolean => Buffer.byteLength(sort) <= 1024;

/** Rows of objects that are there, over as many pages as that takes, up to `max`. */
async function readObjects(
  table: Table,
  kind: StoredKind,
  { namespace, after }: ObjectPage,
  max: number,
): Promise<readonly Row[]> {
  const [first, last] =
    namespace === null ? ['!', LAST] : [objectSort({ namespace, name: '' }), `${namespace}!${LAST}`];
  // No key goes on with '!': behind `after` + '!' is the next one.
  const from = after === null || after < first ? first : `${after}!`;
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
    for (const row of answer.Items ?? []) if (alive(row, table.now()) !== null) found.push(row);
    page = answer.LastEvaluatedKey;
  } while (page !== undefined && found.length < max);
  return found;
}

/** A value as a body, if it fits into a row. */
function fitting(value: unknown): AttributeValue {
  const body = packedJson(value);
  const bytes = body.B?.length ?? 0;
  invariant(bytes <= OBJECT_BYTES_MAX, `an object of ${bytes} bytes does not fit into a row (${OBJECT_BYTES_MAX})`);
  return body;
}

function objectIn(row: Row): StoredObject {
  const sort = textIn(row, TABLE.sortKey);
  const mark = sort.indexOf('!');
  return {
    key: { namespace: sort.slice(0, mark), name: sort.slice(mark + 1) },
    version: numberIn(row, ATTRIBUTE.version),
    document: jsonIn(row, DocumentSchema),
  };
}

function changeIn(row: Row): ObjectChange {
  const { type, key, document, labelsBefore } = jsonIn(row, ChangeSchema);
  const version = Number(textIn(row, TABLE.sortKey));
  return { type, object: { key, version, document }, ...(labelsBefore === undefined ? {} : { labelsBefore }) };
}
