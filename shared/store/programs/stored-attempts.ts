import { chunkOf } from '../../domain/scoreboard/board.ts';
import type { EpochMs } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import { invariant } from '../../domain/base/invariant.ts';
import type { AttemptRecord, JobStore } from '../../ports/job-store.ts';
import { aPut, jsonIn } from '../rows/fields.ts';
import { type Program, all, rowsIn, writeAll } from '../rows/program.ts';
import { type Table, methodsOf } from '../rows/run.ts';
import { AttemptSchema } from './row-bodies.ts';
import { attemptKey, attemptPartitions, attemptSort } from './row-keys.ts';

/**
 * Records of ended attempts. They are in separate partitions, a few for each chunk, so that a large Job's history does not
 * crowd the partition of its STATUS. They are written unconditionally: a record is the same whenever it is written.
 */
export const attempts = (table: Table): Pick<JobStore, 'writeAttempts' | 'readAttempts'> =>
  methodsOf(table, { writeAttempts, readAttempts });

/** A batch must not name a row twice, so the last record of an attempt counts. */
function writeAttempts(uid: JobUid, records: readonly AttemptRecord[], expireAt: EpochMs): Program<void> {
  return writeAll(
    latest(records).map((record) => aPut(attemptKey(uid, record.index, record.attempt), record, expireAt)),
    'records of attempts',
  );
}

function* readAttempts(uid: JobUid, from: number, to: number): Program<readonly AttemptRecord[]> {
  invariant(chunkOf(from) === chunkOf(to), 'attempts are read within one chunk');
  const range = { from: attemptSort(from, 0), to: attemptSort(to, 'all') };
  const partitions = attemptPartitions(uid, from, to);
  const found = yield* all(partitions.map((partition) => rowsIn({ partition, ...range })));
  const records = found.flat().map((row) => jsonIn(row, AttemptSchema));
  return records.sort((a, b) => a.index - b.index || a.attempt - b.attempt);
}

/** One record for each attempt, the last one. */
const latest = (records: readonly AttemptRecord[]): readonly AttemptRecord[] => [
  ...new Map(records.map((record) => [attemptSort(record.index, record.attempt), record])).values(),
];
