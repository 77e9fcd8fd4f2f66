import type { TransactWriteItemsCommandInput, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { decodeChunk } from '../../domain/board-codec.ts';
import { type EpochMs, type JobUid, toTtl } from '../../domain/brand.ts';
import { standingOf } from '../../domain/namespace.ts';
import { decodeStatus } from '../../domain/status-codec.ts';
import type { Status } from '../../domain/status.ts';
import { TABLE } from '../../names/table.ts';
import { type JobStore, type StoredChunk, type StoredSpec, ownerUidOf } from '../../ports/job-store.ts';
import { alarmOf } from './dynamo-alarms.ts';
import { SpecSchema, ToldSchema } from './dynamo-bodies.ts';
import { specAttributes, statusAttributes } from './dynamo-commit.ts';
import { boardKey, markKey, nameKey, specKey, statusKey, templateKey, toldKey } from './dynamo-keys.ts';
import { readNamespace } from './dynamo-object-rows.ts';
import { readRow, readRows } from './dynamo-read.ts';
import { ATTRIBUTE, ROW_VERSION, type Row, bodyIn, jsonIn, number, numberIn, text, textIn } from './dynamo-row.ts';
import { type Table, eachOf, patiently, sendTransaction, sendUpdate } from './dynamo-write.ts';

type Jobs = Pick<JobStore, 'createJob' | 'readSpec' | 'readStatus' | 'readChunks' | 'expireJob'>;

/** A Job from its first row to its last. */
export function jobs(table: Table): Jobs {
  return {
    async createJob(spec, status) {
      const { namespace, uid } = spec.identity;
      // Read, not checked in the transaction, where all Jobs of a namespace would get in one another's way.
      const home = standingOf((await readNamespace(table, namespace))?.document);
      if (home !== 'open') return { kind: home };
      return patiently(`creating ${namespace}/${spec.identity.name}`, async () => {
        const token = table.newToken();
        const refusals = await sendTransaction(table.client, createRequest(table.name, token, spec, status));
        if (refusals === null) return { kind: 'created' };
        const [ofName, ofStatus] = refusals;
        if (ofStatus?.kind === 'condition') return { kind: 'created' }; // by this very call: a uid is used once
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
      // A small Job has no rows beside its mark, and what is refused costs as much as what is done.
      const mark = await readRow(table, markKey(uid));
      const isTold = mark !== null && ATTRIBUTE.body in mark && jsonIn(mark, ToldSchema).through > 0;
      await eachOf(expireRequests(table.name, uid, chunks, isTold, at), async (request) =>
        patiently(`expiring ${uid}`, async () =>
          (await sendUpdate(table.client, request))?.kind === 'conflict' ? 'conflict' : 'done',
        ),
      );
    },
  };
}

/** Name, spec and status of a new Job. A name is unique by its key; so is a uid, by which a repeat is known. */
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

/** One request for each row that a Job has (but for launches and attempts, which expire by themselves). */
export function expireRequests(
  tableName: string,
  uid: JobUid,
  chunks: number,
  isTold: boolean,
  at: EpochMs,
): readonly UpdateItemCommandInput[] {
  const nos = Array.from({ length: chunks }, (_, no) => no);
  const boards = nos.map((no) => boardKey(uid, no));
  const told = isTold ? [toldKey(uid, 'tail'), ...nos.map((no) => toldKey(uid, no))] : [];
  return [statusKey(uid), specKey(uid), templateKey(uid), markKey(uid), ...boards, ...told].map((key) => ({
    TableName: tableName,
    Key: key,
    UpdateExpression: 'SET #ttl = :ttl',
    ConditionExpression: 'attribute_exists(#pk)', // a row that was never written is not to be made
    ExpressionAttributeNames: { '#ttl': TABLE.ttl, '#pk': TABLE.partitionKey },
    ExpressionAttributeValues: { ':ttl': number(toTtl(at)) },
  }));
}
