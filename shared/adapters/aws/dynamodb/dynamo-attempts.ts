import type { WriteRequest } from '@aws-sdk/client-dynamodb';
import { chunkOf } from '../../../domain/scoreboard/board.ts';
import { type EpochMs, toTtl } from '../../../domain/base/time.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import { invariant } from '../../../domain/base/invariant.ts';
import { TABLE } from '../../../names/table.ts';
import type { AttemptRecord, JobStore } from '../../../ports/job-store.ts';
import { AttemptSchema } from '../../../store/programs/row-bodies.ts';
import { writeBatches } from './dynamo-batches.ts';
import { attemptKey, attemptPartitionBefore, attemptPartitions, attemptSort } from './dynamo-keys.ts';
import { queryAll, rangeRequest } from './dynamo-read.ts';
import { ATTRIBUTE, ROW_VERSION, jsonIn, number, packedJson } from './dynamo-row.ts';
import type { Table } from './dynamo-write.ts';

/**
 * Records of ended attempts. They are in separate partitions, a few for each chunk, so that a large Job's history does not
 * crowd the partition of its STATUS. They are written unconditionally: a record is the same whenever it is written.
 */
export const attempts = (table: Table): Pick<JobStore, 'writeAttempts' | 'readAttempts'> => ({
  async writeAttempts(uid, records, expireAt) {
    await writeBatches(table, attemptWrites(uid, records, expireAt), 'records of attempts');
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
