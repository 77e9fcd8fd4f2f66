import { BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { chunkOf } from '../../../domain/scoreboard/board.ts';
import { type EpochMs, toTtl } from '../../../domain/base/time.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import { invariant } from '../../../domain/base/invariant.ts';
import { TABLE } from '../../../names/table.ts';
import type { AttemptRecord, JobStore } from '../../../ports/job-store.ts';
import { AttemptSchema } from '../../row-bodies.ts';
import { attemptKey, attemptPartitionBefore, attemptPartitions, attemptSort } from './dynamo-keys.ts';
import { pauseOrGiveUp, queryAll, rangeRequest } from './dynamo-read.ts';
import { ATTRIBUTE, ROW_VERSION, jsonIn, number, packedJson } from './dynamo-row.ts';
import { type Table, eachOf } from './dynamo-write.ts';

/** DynamoDB takes this many writes at once. */
const WRITES_PER_BATCH = 25;

/**
 * Records of ended attempts. They are in separate partitions, a few for each chunk, so that a large Job's history does not
 * crowd the partition of its STATUS. They are written unconditionally: a record is the same whenever it is written.
 */
export const attempts = (table: Table): Pick<JobStore, 'writeAttempts' | 'readAttempts'> => ({
  async writeAttempts(uid, records, expireAt) {
    const writes = attemptWrites(uid, records, expireAt);
    const batches: WriteRequest[][] = [];
    for (let from = 0; from < writes.length; from += WRITES_PER_BATCH) {
      batches.push(writes.slice(from, from + WRITES_PER_BATCH));
    }
    await eachOf(batches, async (batch) => writeBatch(table, batch));
  },

  async readAttempts(uid, from, to) {
    invariant(chunkOf(from) === chunkOf(to), 'attempts are read within one chunk');
    const [first, last] = [attemptSort(from, 0), attemptSort(to, 'all')];
    const partitions = [attemptPartitionBefore(uid, from), ...attemptPartitions(uid, from, to)];
    const found = await Promise.all(
      partitions.map(async (partition) => queryAll(table, rangeRequest(table.name, partition, first, last))),
    );
    const records = found.flat().map((row) => jsonIn(row, AttemptSchema));
    // A record may have been written again since an upgrade: the later one counts.
    const latest = new Map(records.map((record) => [attemptSort(record.index, record.attempt), record]));
    return [...latest.values()].sort((a, b) => a.index - b.index || a.attempt - b.attempt);
  },
});

/** One row per attempt. A batch must not name a row twice, so the last record of an attempt counts. */
export function attemptWrites(
  uid: JobUid,
  records: readonly AttemptRecord[],
  expireAt: EpochMs,
): readonly WriteRequest[] {
  const latest = new Map(records.map((record) => [attemptSort(record.index, record.attempt), record]));
  return [...latest.values()].map((record) => ({
    PutRequest: {
      Item: {
        ...attemptKey(uid, record.index, record.attempt),
        [ATTRIBUTE.layout]: number(ROW_VERSION),
        [ATTRIBUTE.body]: packedJson(record),
        [TABLE.ttl]: number(toTtl(expireAt)),
      },
    },
  }));
}

async function writeBatch(table: Table, batch: WriteRequest[]): Promise<void> {
  let rest = batch;
  for (let nth = 1; rest.length > 0; nth++) {
    const answer = await table.client.send(new BatchWriteItemCommand({ RequestItems: { [table.name]: rest } }));
    rest = answer.UnprocessedItems?.[table.name] ?? [];
    if (rest.length > 0) await pauseOrGiveUp(nth, `${rest.length} records of attempts were not written`);
  }
}
