import type { TransactWriteItemsCommandInput, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { decodeChunk } from '../../../domain/scoreboard/board-codec.ts';
import { type EpochMs, toTtl } from '../../../domain/base/time.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import { decodeStatus } from '../../../domain/scoreboard/status-codec.ts';
import type { Status } from '../../../domain/scoreboard/status.ts';
import { TABLE } from '../../../names/table.ts';
import { type JobStore, type StoredChunk, type StoredSpec, ownerUidOf } from '../../../ports/job-store.ts';
import { alarmOf } from './dynamo-alarms.ts';
import { SpecSchema, PublishedPodsSchema } from '../../../store/programs/row-bodies.ts';
import { specAttributes, statusAttributes } from './dynamo-commit.ts';
import { boardKey, markKey, nameKey, specKey, statusKey, templateKey, publishedKey } from './dynamo-keys.ts';
import { readRow, readRows } from './dynamo-read.ts';
import { ATTRIBUTE, ROW_VERSION, type Row, bodyIn, jsonIn, number, numberIn, text, textIn } from './dynamo-row.ts';
import { type Table, eachOf, retryOnTransactionConflict, sendTransaction, sendUpdate } from './dynamo-write.ts';

type Jobs = Pick<JobStore, 'createJob' | 'readSpec' | 'readStatus' | 'readChunks' | 'expireJob'>;

/** A Job from its first row to its last. */
export function jobs(table: Table): Jobs {
  return {
    async createJob(spec, status) {
      const { namespace, uid } = spec.identity;
      return retryOnTransactionConflict(`creating ${namespace}/${spec.identity.name}`, async () => {
        const token = table.newToken();
        const refusals = await sendTransaction(table.client, createRequest(table.name, token, spec, status));
        if (refusals === null) return { kind: 'created' };
        const [ofName, ofStatus] = refusals;
        if (ofStatus?.kind === 'condition') return { kind: 'created' }; // by the same call: a uid is used once
        if (ofName?.kind !== 'condition') return 'conflict';
        return ofName.row !== null && textIn(ofName.row, 'uid') === uid ? { kind: 'created' } : { kind: 'taken' };
      });
    },

    async readSpec(uid) {
      const row = await readRow(table, specKey(uid));
      return row === null ? null : jsonIn(row, SpecSchema);
    },

    async readStatus(uid) {
      const row = await readRow(table, statusKey(uid));
      return row === null ? null : decodeStatus(bodyIn(row));
    },

    async readChunks(uid, nos) {
      const keys = new Map(nos.map((no) => [boardKey(uid, no)[TABLE.sortKey]?.S, no]));
      const rows = await readRows(
        table,
        nos.map((no) => boardKey(uid, no)),
      );
      const found = new Map<number, StoredChunk>();
      for (const row of rows) {
        const no = keys.get(textIn(row, TABLE.sortKey));
        if (no !== undefined) {
          found.set(no, { version: numberIn(row, ATTRIBUTE.version), chunk: decodeChunk(bodyIn(row)) });
        }
      }
      return found;
    },

    async expireJob(uid, chunks, at) {
      // A small Job has no rows beyond its mark, and a refused write costs as much as a successful one.
      const mark = await readRow(table, markKey(uid));
      const isPublished = mark !== null && ATTRIBUTE.body in mark && jsonIn(mark, PublishedPodsSchema).through > 0;
      await eachOf(expireRequests(table.name, uid, chunks, isPublished, at), async (request) =>
        retryOnTransactionConflict(`expiring ${uid}`, async () =>
          (await sendUpdate(table.client, request))?.kind === 'conflict' ? 'conflict' : 'done',
        ),
      );
    },
  };
}

/** Name, spec, and status of a new Job. The key makes a name unique; the uid identifies a repeated call. */
export function createRequest(
  tableName: string,
  token: string,
  spec: StoredSpec,
  status: Status,
): TransactWriteItemsCommandInput {
  const { uid, namespace, name } = spec.identity;
  const put = (key: Row, attributes: Row) => ({
    TableName: tableName,
    Item: { ...key, [ATTRIBUTE.layout]: number(ROW_VERSION), ...attributes },
    ConditionExpression: 'attribute_not_exists(#pk)',
    ExpressionAttributeNames: { '#pk': TABLE.partitionKey },
  });
  const ownerUid = ownerUidOf(spec.manifest);
  const owner: Row = ownerUid === null ? {} : { owner: text(ownerUid) };
  return {
    ClientRequestToken: token,
    TransactItems: [
      {
        Put: {
          ...put(nameKey(namespace, name), { uid: text(uid), ...owner }),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      },
      { Put: put(statusKey(uid), { ...statusAttributes(token, status), ...alarmOf(uid, status) }) },
      { Put: put(specKey(uid), specAttributes(spec)) },
    ],
  };
}

/** One request for each row of a Job (except launches and attempts, which expire by themselves). */
export function expireRequests(
  tableName: string,
  uid: JobUid,
  chunks: number,
  isPublished: boolean,
  at: EpochMs,
): readonly UpdateItemCommandInput[] {
  const nos = Array.from({ length: chunks }, (_, no) => no);
  const boards = nos.map((no) => boardKey(uid, no));
  const published = isPublished ? [publishedKey(uid, 'tail'), ...nos.map((no) => publishedKey(uid, no))] : [];
  return [statusKey(uid), specKey(uid), templateKey(uid), markKey(uid), ...boards, ...published].map((key) => ({
    TableName: tableName,
    Key: key,
    UpdateExpression: 'SET #ttl = :ttl',
    ConditionExpression: 'attribute_exists(#pk)', // must not create a row that was never written
    ExpressionAttributeNames: { '#ttl': TABLE.ttl, '#pk': TABLE.partitionKey },
    ExpressionAttributeValues: { ':ttl': number(toTtl(at)) },
  }));
}
