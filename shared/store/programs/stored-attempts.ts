import { chunkOf } from '../../domain/scoreboard/board.ts';
import type { EpochMs } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import { invariant } from '../../domain/base/invariant.ts';
import type { AttemptRecord, JobStore } from '../../ports/job-store.ts';
import { aPut, jsonIn } from '../rows/fields.ts';
import { type Program, all, getAll, rowsIn, writeAll } from '../rows/program.ts';
import type { Row } from '../rows/row.ts';
import { type Table, methodsOf } from '../rows/run.ts';
import { AttemptSchema } from './row-bodies.ts';
import { attemptKey, attemptPartitions, attemptSort } from './row-keys.ts';

/**
 * Records of ended attempts. They are in separate partitions, a few for each chunk, so that a large Job's history does not
 * crowd the partition of its STATUS. They are written unconditionally: a record is the same whenever it is written. It takes the
 * place of that of the task before, so the last one of a Pod that was restarted keeps which that was.
 */
export const attempts = (table: Table): Pick<JobStore, 'writeAttempts' | 'readAttempts'> =>
  methodsOf(table, { writeAttempts, readAttempts });

/** A batch must not name a row twice, so the last record of an attempt counts. */
function* writeAttempts(uid: JobUid, records: readonly AttemptRecord[], expireAt: EpochMs): Program<void> {
  const newest = latest(records);
  const known = new Map(yield* recordsBefore(uid, records, newest.filter(isEndAfterRestarts)));
  yield* writeAll(
    newest.map((record) => {
      const before = known.get(keyOf(record)) ?? null;
      const earlierTaskArn = before === null ? undefined : earlierTaskOf(record, before);
      const whole = earlierTaskArn === undefined ? record : { ...record, earlierTaskArn };
      return aPut(attemptKey(uid, record.index, record.attempt), whole, expireAt);
    }),
    'records of attempts',
  );
}

const isEndAfterRestarts = ({ restarts, judgement: { as } }: AttemptRecord): boolean =>
  restarts > 0 && as !== 'restarted' && as !== 'unstarted';

/** For each of these: what its place has now, which may be what an earlier try has written, or what is written in the same go. */
function* recordsBefore(
  uid: JobUid,
  records: readonly AttemptRecord[],
  ends: readonly AttemptRecord[],
): Program<readonly (readonly [string, AttemptRecord])[]> {
  if (ends.length === 0) return [];
  const rows = yield* getAll(ends.map(({ index, attempt }) => attemptKey(uid, index, attempt)));
  const stored = rows.flatMap(readable);
  const together = records.filter(({ judgement: { as } }) => as === 'restarted');
  return [...stored, ...together].map((record) => [keyOf(record), record] as const);
}

/** What cannot be read is overwritten, as if nothing were there. */
function readable(row: Row): readonly AttemptRecord[] {
  try {
    return [jsonIn(row, AttemptSchema)];
  } catch {
    return [];
  }
}

const keyOf = ({ index, attempt }: AttemptRecord): string => attemptSort(index, attempt);

function earlierTaskOf(record: AttemptRecord, before: AttemptRecord): AttemptRecord['earlierTaskArn'] {
  if (before.taskArn === record.taskArn) return before.earlierTaskArn;
  return before.judgement.as === 'restarted' ? (before.taskArn ?? undefined) : undefined;
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
  ...new Map(records.map((record) => [keyOf(record), record])).values(),
];
