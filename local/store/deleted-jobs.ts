import * as z from 'zod';
import type { LmdbRows } from '../../shared/adapters/rows/lmdb.ts';
import { decodeStatus } from '../../shared/domain/codecs/status-codec.ts';
import { type JobUid, type TaskArn, asJobUid, asTaskArn } from '../../shared/domain/base/ids.ts';
import { type EpochMs, plusMs } from '../../shared/domain/base/time.ts';
import { ifReadable } from '../../shared/domain/base/unreadable-row.ts';
import { ReservationsSchema, SlotsSchema } from '../../shared/store/programs/row-bodies.ts';
import { jobPartition, limitKey } from '../../shared/store/programs/row-keys.ts';
import { is } from '../../shared/store/rows/condition.ts';
import { decoded, jsonIn } from '../../shared/store/rows/fields.ts';
import { FIELD, type Row, type RowKey, type Write } from '../../shared/store/rows/row.ts';
import { attemptsOf, eachRow, fewOf, launchesOf, removeMany } from './rows-of-jobs.ts';

/** Removes what is kept for these tasks, before the rows that name them are removed. Safe to repeat. */
export type Forget = (tasks: ReadonlySet<TaskArn>) => Promise<void> | void;

/** Jobs that one step looks at: some milliseconds of work. */
const JOBS_AT_ONCE = 500;
/** Tasks that are forgotten together. */
const TASKS_AT_ONCE = 20_000;

const JOBS = jobPartition(asJobUid(''));
/** Sorts after every row of a partition. */
const LAST = '~';

type Deleted = { readonly uid: JobUid; readonly version: number };

/**
 * Removes what belongs to deleted Jobs, long before its time has passed: on AWS that costs nothing, here it is space on
 * somebody's disk. A Job goes when it was over for `keepMs`, has nothing left to do, and has no names.
 *
 * Its launch rows are what keeps a late message from launching once more. Clocks jump, as when a machine was asleep. So each
 * call removes only what the call before it has found as well, and callers leave an hour between two: no message waits that
 * long in a process that is awake. The first call is made when a process begins, whose queues are empty.
 */
export function deletedJobs(rows: LmdbRows, now: () => EpochMs, keepMs: number): (forget: Forget) => Promise<number> {
  let seen: ReadonlySet<JobUid> | null = null;
  return async (forget) => {
    const found = await findDeleted(rows, plusMs(now(), -keepMs));
    const due = found.filter(({ uid }) => seen?.has(uid) ?? true);
    seen = new Set(found.map(({ uid }) => uid));
    return removeAll(rows, due, forget);
  };
}

async function findDeleted(rows: LmdbRows, overBy: EpochMs): Promise<readonly Deleted[]> {
  const [reserved] = (await rows.get([limitKey('hosts')])).rows;
  const named = new Set(reserved === undefined ? [] : jsonIn(reserved, ReservationsSchema).map(({ uid }) => uid));
  const found: Deleted[] = [];
  for await (const row of statusRows(rows)) {
    const uid = asJobUid(row.key.partition.slice(JOBS.length));
    // The rows of a Job that is not deleted have no end.
    if (row.fields[FIELD.ttl] === undefined || named.has(uid)) continue;
    const status = ifReadable(() => decoded(row, decodeStatus));
    if (status === null) continue;
    const { phase, alarms, version } = status;
    if (phase.kind === 'deleted' && phase.at <= overBy && alarms.length === 0) found.push({ uid, version });
  }
  return found;
}

/** STATUS of every Job, without the rows between them, which may be many. */
async function* statusRows(rows: LmdbRows): AsyncGenerator<Row> {
  let after: RowKey | null = null;
  for (let nth = 1; ; nth++) {
    const [first]: readonly Row[] = rows.slice(JOBS, after, 1);
    if (first === undefined) return;
    const { partition } = first.key;
    const [status] = (await rows.get([{ partition, sort: 'STATUS' }])).rows;
    if (status !== undefined && status.fault === undefined) yield status;
    after = { partition, sort: LAST };
    if (nth % JOBS_AT_ONCE === 0) await rows.pause();
  }
}

async function removeAll(rows: LmdbRows, due: readonly Deleted[], forget: Forget): Promise<number> {
  let removed = 0;
  let tasks = new Set<TaskArn>();
  let jobs: Deleted[] = [];
  const flush = async (): Promise<void> => {
    await forget(tasks);
    for (const job of jobs) removed += await removeJob(rows, job);
    tasks = new Set();
    jobs = [];
  };
  for (const job of due) {
    for await (const task of tasksOf(rows, job.uid)) tasks.add(task);
    jobs.push(job);
    if (tasks.size >= TASKS_AT_ONCE) await flush();
  }
  await flush();
  return removed;
}

const TaskSchema = z.object({ taskArn: z.string().transform(asTaskArn).nullable() });

/** The tasks that the Job's rows name, as far as they can be decoded. */
async function* tasksOf(rows: LmdbRows, uid: JobUid): AsyncGenerator<TaskArn> {
  for await (const row of eachRow(rows, attemptsOf(uid))) {
    const taskArn = ifReadable(() => jsonIn(row, TaskSchema).taskArn);
    if (taskArn !== null) yield taskArn;
  }
  for await (const row of eachRow(rows, launchesOf(uid)))
    for (const slot of ifReadable(() => jsonIn(row, SlotsSchema)) ?? [])
      if (slot.state === 'launched') yield slot.taskArn;
}

/** STATUS, by which the others are found, goes last, and only as it was found. */
async function removeJob(rows: LmdbRows, { uid, version }: Deleted): Promise<number> {
  const removed = await removeMany(rows, uid);
  const few = await fewOf(rows, uid);
  const asFound = ({ sort }: RowKey) => (sort === 'STATUS' ? { condition: is(FIELD.version, version) } : {});
  const removals = few.map((key): Write => ({ kind: 'delete', key, ...asFound(key) }));
  const refusals = await rows.transact('removal', removals);
  return refusals === null ? removed + few.length : removed;
}
