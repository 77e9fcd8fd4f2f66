import * as z from 'zod';
import { type JobUid, type TaskArn, asJobUid, asTaskArn } from '../../domain/base/ids.ts';
import { type EpochMs, plusMs } from '../../domain/base/time.ts';
import { ifReadable } from '../../domain/base/unreadable-row.ts';
import { ReservationsSchema, SlotsSchema } from '../../store/programs/row-bodies.ts';
import { JOBS, RESERVED_KEY, attemptsOf, jobOf, launchesOf, rangeOf, statusKey } from './lmdb-keys.ts';
import { statusIn } from './lmdb-jobs.ts';
import { type Row, jsonIn } from './lmdb-row.ts';
import type { LmdbRows } from './lmdb-rows.ts';

/** Removes what is kept for these tasks, before the rows that name them are removed. Safe to repeat. */
export type Forget = (tasks: ReadonlySet<TaskArn>) => Promise<void> | void;

/** Rows that one step looks at: some milliseconds of work. */
const SLICE_ROWS = 2_000;
/** Rows that are removed together. The file gets space for two pages a row, and never gives it back. */
const REMOVED_AT_ONCE = 100;
/** Tasks that are forgotten together. */
const TASKS_AT_ONCE = 20_000;

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
  const reserved = rows.read(RESERVED_KEY);
  const named = new Set(reserved === null ? [] : jsonIn(reserved, ReservationsSchema).map(({ uid }) => uid));
  const found: Deleted[] = [];
  for await (const [key, row] of inSlices(rows, JOBS)) {
    const uid = asJobUid(key.slice(JOBS.length, key.indexOf('#', JOBS.length)));
    // The rows of a Job that is not deleted have no end.
    if (key !== statusKey(uid) || row.ttl === null || named.has(uid)) continue;
    const status = ifReadable(() => statusIn(row));
    if (status === null) continue;
    const { phase, alarms, version } = status;
    if (phase.kind === 'deleted' && phase.at <= overBy && alarms.length === 0) found.push({ uid, version });
  }
  return found;
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
    for await (const [, row] of inSlices(rows, attemptsOf(job.uid))) {
      const taskArn = ifReadable(() => jsonIn(row, TaskSchema).taskArn);
      if (taskArn !== null) tasks.add(taskArn);
    }
    for await (const [, row] of inSlices(rows, launchesOf(job.uid)))
      for (const slot of ifReadable(() => jsonIn(row, SlotsSchema)) ?? [])
        if (slot.state === 'launched') tasks.add(slot.taskArn);
    jobs.push(job);
    if (tasks.size >= TASKS_AT_ONCE) await flush();
  }
  await flush();
  return removed;
}

const TaskSchema = z.object({ taskArn: z.string().transform(asTaskArn).nullable() });

/** STATUS, by which the others are found, goes last, and only as it was found. */
async function removeJob(rows: LmdbRows, { uid, version }: Deleted): Promise<number> {
  let removed = 0;
  for (const prefix of [attemptsOf(uid), launchesOf(uid)]) {
    for (let keys = firstKeys(rows, prefix); keys.length > 0; keys = firstKeys(rows, prefix)) {
      await rows.transact((now) => keys.forEach((key) => now.remove(key)));
      removed += keys.length;
    }
  }
  const own = [...rows.keys(...rangeOf(jobOf(uid)))];
  return rows.transact((now) => {
    if (now.get(statusKey(uid))?.version !== version) return removed;
    for (const key of own) now.remove(key);
    return removed + own.length;
  });
}

function firstKeys(rows: LmdbRows, prefix: string): readonly string[] {
  const keys: string[] = [];
  for (const key of rows.keys(...rangeOf(prefix))) if (keys.push(key) === REMOVED_AT_ONCE) break;
  return keys;
}

/** Every row whose key begins with `prefix`, a slice at a time, so that the process stays responsive. */
async function* inSlices(rows: LmdbRows, prefix: string): AsyncGenerator<readonly [key: string, row: Row]> {
  const [first, to] = rangeOf(prefix);
  for (let from: string | null = first; from !== null; ) {
    const slice: (readonly [string, Row])[] = [];
    for (const each of rows.range(from, to, { skipUnreadable: true })) if (slice.push(each) === SLICE_ROWS) break;
    yield* slice;
    const last = slice.at(-1);
    from = slice.length < SLICE_ROWS || last === undefined ? null : `${last[0]}\0`;
    if (from !== null) await new Promise((resolve) => setImmediate(resolve));
  }
}
