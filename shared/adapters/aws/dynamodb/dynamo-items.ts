import { DeleteItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { type EpochMs, plusMs } from '../../../domain/base/time.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import { TABLE } from '../../../names/table.ts';
import {
  type ContentHead,
  type ContentId,
  type ItemPart,
  type ItemReservation,
  type ItemStore,
  REMOVAL_AFTER_MS,
} from '../../../ports/item-store.ts';
import { runsOf } from '../../../store/programs/item-runs.ts';
import {
  ContentHeadSchema,
  ItemReservationSchema,
  ItemRunSchema,
  PartSummarySchema,
} from '../../../store/programs/row-bodies.ts';
import { writeBatches } from './dynamo-batches.ts';
import {
  CONTENT_PARTITION,
  PARTS_RANGE,
  USES_RANGE,
  contentHeadKey,
  contentListKey,
  contentPartition,
  itemPartKey,
  itemRunKey,
  itemRunSort,
  itemUseKey,
} from './dynamo-keys.ts';
import { queryAll, rangeRequest, readRow } from './dynamo-read.ts';
import {
  ATTRIBUTE,
  type Row,
  ROW_VERSION,
  alive,
  jsonIn,
  number,
  numberIn,
  packedJson,
  text,
  textIn,
} from './dynamo-row.ts';
import { type Table, change, isBy, sendUpdate, versionIs } from './dynamo-write.ts';

const TRIES_MAX = 20;

type StoredHead = { readonly head: ContentHead; readonly removingSince: EpochMs | null };

/**
 * {@link ItemStore}: a content is a partition of its own (its head, its parts, the Jobs that use it, its items in runs), and a
 * row in a list of all contents.
 */
export const items = (table: Table): ItemStore => ({
  async begin({ content, ...rest }) {
    await putRow(table, contentListKey(content), null);
    const head: ContentHead = { content, ...rest, sealed: null };
    await writeHead(table, { version: 0, head, removingSince: null });
  },

  async readHead(content) {
    return headIn(await readRow(table, contentHeadKey(content)));
  },

  async writePart(head, part) {
    const { content } = head;
    const { rows: _rows, ...summary } = part;
    const claim = { key: itemPartKey(content, part.no), sha256: part.sha256 };
    // The part is claimed before its items are written, so that two senders never mix theirs.
    if (!(await claimPart(table, claim, null))) return { kind: 'conflict' };
    await writeBatches(
      table,
      runsOf(head, part).map((run) => ({ PutRequest: { Item: rowOf(itemRunKey(content, run.first), run) } })),
      'rows of items',
    );
    return { kind: (await claimPart(table, claim, summary)) ? 'written' : 'conflict' };
  },

  async readPart(content, no) {
    const row = await readRow(table, itemPartKey(content, no));
    return row?.[ATTRIBUTE.body] === undefined ? null : jsonIn(row, PartSummarySchema);
  },

  async listParts(content) {
    const rows = await queryAll(table, rangeRequest(table.name, contentPartition(content), ...PARTS_RANGE));
    return rows.filter((row) => row[ATTRIBUTE.body] !== undefined).map((row) => jsonIn(row, PartSummarySchema));
  },

  async seal(content, sealed) {
    return changeHead(
      table,
      content,
      ({ head, removingSince }) => {
        if (removingSince !== null) return { answer: false, next: null };
        return { answer: true, next: head.sealed === null ? { head: { ...head, sealed }, removingSince } : null };
      },
      false,
    );
  },

  async readItems(content, wanted) {
    const { Items } = await table.client.send(
      new QueryCommand({
        ...rangeRequest(table.name, contentPartition(content), itemRunSort(0), itemRunSort(wanted)),
        ConsistentRead: false,
        ScanIndexForward: false,
        Limit: 1,
      }),
    );
    const row = alive(Items?.[0], table.now());
    const run = row === null ? null : jsonIn(row, ItemRunSchema);
    return run === null || wanted >= run.first + run.rows.length ? null : run;
  },

  async reserve(content, job, at) {
    // Written first and then checked, while a removal marks first and then looks for reservations: one sees the other.
    await putRow(table, itemUseKey(content, job), { job, at });
    const head = headIn(await readRow(table, contentHeadKey(content)));
    if (head !== null && head.sealed !== null) return true;
    await release(table, content, job);
    return false;
  },

  release: (content, job) => release(table, content, job),
  listReservations: (content) => reservationsOf(table, content),

  async listContents({ after, limit }) {
    const { Items = [], LastEvaluatedKey } = await table.client.send(
      new QueryCommand({
        ...rangeRequest(table.name, CONTENT_PARTITION, after === null ? ' ' : `${after}!`, '~'),
        Limit: limit,
      }),
    );
    const contents = Items.map((row) => textIn(row, TABLE.sortKey));
    return { contents, next: LastEvaluatedKey === undefined ? null : (contents.at(-1) ?? null) };
  },

  async remove(content) {
    const now = table.now();
    const since = await changeHead<EpochMs | null>(
      table,
      content,
      (stored) => {
        const at = stored.removingSince ?? now;
        return { answer: at, next: stored.removingSince === null ? { ...stored, removingSince: at } : null };
      },
      null,
    );
    if (since !== null && (await reservationsOf(table, content)).length > 0) {
      await changeHead(table, content, ({ head }) => ({ answer: null, next: { head, removingSince: null } }), null);
      return { kind: 'reserved' };
    }
    if (since !== null && now < plusMs(since, REMOVAL_AFTER_MS)) return { kind: 'marked' };
    await deleteRows(table, content);
    return { kind: 'removed' };
  },
});

async function release(table: Table, content: ContentId, job: JobUid): Promise<void> {
  await table.client.send(new DeleteItemCommand({ TableName: table.name, Key: itemUseKey(content, job) }));
}

async function reservationsOf(table: Table, content: ContentId): Promise<readonly ItemReservation[]> {
  const rows = await queryAll(table, rangeRequest(table.name, contentPartition(content), ...USES_RANGE));
  return rows.map((row) => jsonIn(row, ItemReservationSchema));
}

const rowOf = (key: Row, body: unknown): Row => ({
  ...key,
  [ATTRIBUTE.layout]: number(ROW_VERSION),
  ...(body === null ? {} : { [ATTRIBUTE.body]: packedJson(body) }),
});

const putRow = async (table: Table, key: Row, body: unknown): Promise<unknown> =>
  table.client.send(new PutItemCommand({ TableName: table.name, Item: rowOf(key, body) }));

/** Claims a part, or (with its summary) says that it is stored whole. False: another part has this number. */
async function claimPart(
  table: Table,
  { key, sha256 }: { readonly key: Row; readonly sha256: string },
  summary: Omit<ItemPart, 'rows'> | null,
): Promise<boolean> {
  const set = { [ATTRIBUTE.by]: text(sha256), ...(summary === null ? {} : { [ATTRIBUTE.body]: packedJson(summary) }) };
  const condition = { expression: 'attribute_not_exists(#pk) OR #by = :sha', values: { ':sha': text(sha256) } };
  return (await sendUpdate(table.client, change(table.name, { key, set, condition }))) === null;
}

/** False: another writer was faster. */
async function writeHead(
  table: Table,
  { version, ...stored }: StoredHead & { readonly version: number },
): Promise<boolean> {
  const token = table.newToken();
  const refusal = await sendUpdate(
    table.client,
    change(table.name, {
      key: contentHeadKey(stored.head.content),
      set: {
        [ATTRIBUTE.version]: number(version + 1),
        [ATTRIBUTE.by]: text(token),
        [ATTRIBUTE.body]: packedJson(stored),
      },
      condition: versionIs(version),
      returnOld: true,
    }),
  );
  return refusal === null || isBy(refusal, token);
}

/** Writes `next` (null: nothing) if the head has not changed; otherwise decides again. `gone`: there is no such content. */
async function changeHead<T>(
  table: Table,
  content: ContentId,
  decide: (stored: StoredHead) => { readonly answer: T; readonly next: StoredHead | null },
  gone: T,
): Promise<T> {
  for (let nth = 0; nth < TRIES_MAX; nth++) {
    const row = await readRow(table, contentHeadKey(content));
    if (row === null) return gone;
    const { answer, next } = decide(jsonIn(row, ContentHeadSchema));
    if (next === null || (await writeHead(table, { ...next, version: numberIn(row, ATTRIBUTE.version) })))
      return answer;
  }
  throw new Error(`others changed content ${content} during each of ${TRIES_MAX} tries`);
}

function headIn(row: Row | null): ContentHead | null {
  const stored = row === null ? null : jsonIn(row, ContentHeadSchema);
  return stored === null || stored.removingSince !== null ? null : stored.head;
}

/** The head goes last but one, and then the row by which the content is found. */
async function deleteRows(table: Table, content: ContentId): Promise<void> {
  for (const [from, to] of [
    ['PART#', 'USED#~'],
    ['HEAD', 'HEAD'],
  ] as const) {
    const range = rangeRequest(table.name, contentPartition(content), from, to);
    const names = { ...range.ExpressionAttributeNames, '#layout': ATTRIBUTE.layout };
    const keysOnly = { ExpressionAttributeNames: names, ProjectionExpression: '#pk, #sk, #layout' };
    const rows = await queryAll(table, { ...range, ...keysOnly });
    const deletes = rows.map(({ [ATTRIBUTE.layout]: _layout, ...Key }) => ({ DeleteRequest: { Key } }));
    await writeBatches(table, deletes, 'rows of items');
  }
  await table.client.send(new DeleteItemCommand({ TableName: table.name, Key: contentListKey(content) }));
}
