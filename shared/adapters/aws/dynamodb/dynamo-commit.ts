import type {
  TransactWriteItem,
  TransactWriteItemsCommandInput,
  UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { encodeChunk } from '../../../domain/scoreboard/board-codec.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import { invariant } from '../../../domain/base/invariant.ts';
import type { JobIdentity } from '../../../domain/spec/job.ts';
import { encodeStatus } from '../../../domain/scoreboard/status-codec.ts';
import type { Status } from '../../../domain/scoreboard/status.ts';
import { CHUNKS_PER_PASS_MAX } from '../../../domain/base/timing.ts';
import { TABLE } from '../../../names/table.ts';
import type { ChunkWrite, Commit, JobStore, StoredSpec } from '../../../ports/job-store.ts';
import { alarmOf } from './dynamo-alarms.ts';
import { boardKey, nameKey, specKey, statusKey } from './dynamo-keys.ts';
import { ATTRIBUTE, type Row, number, packed, packedJson, text } from './dynamo-row.ts';
import {
  type Table,
  change,
  isBy,
  retryOnTransactionConflict,
  sendTransaction,
  sendUpdate,
  versionIs,
} from './dynamo-write.ts';

/**
 * Commits of a Job: each is conditional on the version of STATUS that was read, whatever else it writes. If it finds our own
 * write (its answer was lost and the SDK repeated it), the commit counts as done.
 */
export const commits = (table: Table): Pick<JobStore, 'commitPass' | 'commitSpec' | 'commitDeletion' | 'freeName'> => ({
  async commitPass(uid, status, chunks) {
    if (chunks.length === 0) return commitStatus(table, uid, status);
    const token = table.newToken();
    return transact(table, token, foldRequest(table.name, token, uid, status, chunks));
  },

  async commitSpec(spec, status) {
    const token = table.newToken();
    return transact(table, token, specRequest(table.name, token, spec, status));
  },

  async commitDeletion(identity, status) {
    const token = table.newToken();
    const refusals = await sendTransaction(table.client, deletionRequest(table.name, token, identity, status));
    if (refusals === null || isBy(refusals[0], token)) return COMMITTED;
    const [ofStatus, ofName] = refusals;
    // The name already belongs to another Job; there is nothing to free.
    if (ofStatus === null && ofName?.kind === 'condition') return commitStatus(table, identity.uid, status);
    return LOST;
  },

  async freeName(identity) {
    await retryOnTransactionConflict(`freeing the name of ${identity.uid}`, async () => {
      const refusals = await sendTransaction(table.client, nameRequest(table.name, table.newToken(), identity));
      return refusals?.[0]?.kind === 'conflict' ? 'conflict' : 'done';
    });
  },
});

const COMMITTED: Commit = { kind: 'committed' };
const LOST: Commit = { kind: 'lost' };

async function commitStatus(table: Table, uid: JobUid, status: Status): Promise<Commit> {
  const token = table.newToken();
  const refusal = await sendUpdate(table.client, passRequest(table.name, token, uid, status));
  return refusal === null || isBy(refusal, token) ? COMMITTED : LOST;
}

async function transact(table: Table, token: string, request: TransactWriteItemsCommandInput): Promise<Commit> {
  const refusals = await sendTransaction(table.client, request);
  return refusals === null || isBy(refusals[0], token) ? COMMITTED : LOST;
}

/** STATUS alone: the write of nearly every pass. */
export function passRequest(tableName: string, token: string, uid: JobUid, status: Status) {
  const alarm = alarmOf(uid, status);
  const alarmNames = [TABLE.alarms.shard, TABLE.alarms.minute];
  return change(tableName, {
    key: statusKey(uid),
    set: { ...statusAttributes(token, status), ...alarm },
    ...(alarm === null ? { remove: alarmNames } : {}),
    condition: versionIs(status.version - 1),
    returnOld: true,
  }) satisfies UpdateItemCommandInput;
}

/** What a STATUS row holds apart from its keys and its alarm. */
export const statusAttributes = (token: string, status: Status): Row => ({
  [ATTRIBUTE.version]: number(status.version),
  [ATTRIBUTE.by]: text(token),
  [ATTRIBUTE.body]: packed(encodeStatus(status)),
});

/** STATUS and the chunks that the journal is folded into. */
export function foldRequest(
  tableName: string,
  token: string,
  uid: JobUid,
  status: Status,
  chunks: readonly ChunkWrite[],
): TransactWriteItemsCommandInput {
  invariant(chunks.length <= CHUNKS_PER_PASS_MAX, `at most ${CHUNKS_PER_PASS_MAX} chunks in one commit`);
  return transaction(token, [
    { Update: passRequest(tableName, token, uid, status) },
    ...chunks.map(({ no, expectedVersion, chunk, length }) => ({
      Update: change(tableName, {
        key: boardKey(uid, no),
        set: {
          [ATTRIBUTE.version]: number(expectedVersion + 1),
          [ATTRIBUTE.body]: packed(encodeChunk(chunk, length)),
        },
        condition: versionIs(expectedVersion),
      }),
    })),
  ]);
}

/** STATUS and the spec's new revision, which STATUS guards. */
export const specRequest = (tableName: string, token: string, spec: StoredSpec, status: Status) =>
  transaction(token, [
    { Update: passRequest(tableName, token, spec.identity.uid, status) },
    {
      Update: change(tableName, {
        key: specKey(spec.identity.uid),
        set: specAttributes(spec),
        condition: { expression: 'attribute_exists(#pk)' },
      }),
    },
  ]);

/** The whole manifest; the API refuses any that would not fit into an item of 400 KB long before this. */
export const specAttributes = (spec: StoredSpec): Row => ({ [ATTRIBUTE.body]: packedJson(spec) });

/** STATUS, and the name becomes free, if it (still) belongs to this Job. */
export const deletionRequest = (
  tableName: string,
  token: string,
  { uid, namespace, name }: JobIdentity,
  status: Status,
) =>
  transaction(token, [
    { Update: passRequest(tableName, token, uid, status) },
    freeing(tableName, { uid, namespace, name }),
  ]);

const nameRequest = (tableName: string, token: string, identity: Named) =>
  transaction(token, [freeing(tableName, identity)]);

type Named = Pick<JobIdentity, 'uid' | 'namespace' | 'name'>;

const freeing = (tableName: string, { uid, namespace, name }: Named): TransactWriteItem => ({
  Delete: {
    TableName: tableName,
    Key: nameKey(namespace, name),
    ConditionExpression: 'attribute_not_exists(#pk) OR #uid = :uid',
    ExpressionAttributeNames: { '#pk': TABLE.partitionKey, '#uid': 'uid' },
    ExpressionAttributeValues: { ':uid': text(uid) },
  },
});

/** The token makes a repeat within ten minutes a no-op (aws.md 2.1); for an older one, the rows themselves tell. */
const transaction = (token: string, items: TransactWriteItem[]) =>
  ({ ClientRequestToken: token, TransactItems: items }) satisfies TransactWriteItemsCommandInput;
