import type { LmdbRows } from '../../shared/adapters/rows/lmdb.ts';
import type { JobUid } from '../../shared/domain/base/ids.ts';
import { jobPartition } from '../../shared/store/programs/row-keys.ts';
import type { Row, RowKey } from '../../shared/store/rows/row.ts';

/** Rows that one step looks at: some milliseconds of work. */
const SLICE_ROWS = 2_000;
/** Rows that are removed together. The file gets space for two pages a row, and never gives it back. */
const REMOVED_AT_ONCE = 100;

/**
 * Every row whose partition, a zero byte, and sort key begin with `prefix`, a slice at a time, so that the process stays
 * responsive.
 */
export async function* eachRow(rows: LmdbRows, prefix: string): AsyncGenerator<Row> {
  for (let after: RowKey | null = null; ; await rows.pause()) {
    const slice: readonly Row[] = rows.slice(prefix, after, SLICE_ROWS);
    yield* slice;
    after = slice.at(-1)?.key ?? null;
    if (slice.length < SLICE_ROWS || after === null) return;
  }
}

/** What all rows in the Job's partition begin with whose sort keys begin with `sort`. */
const within = (uid: JobUid, sort: string): string => `${jobPartition(uid)}\0${sort}`;
export const attemptsOf = (uid: JobUid): string => `TASK#${uid}#`;
export const launchesOf = (uid: JobUid): string => within(uid, 'LAUNCH#');

/** Of these rows a Job may have a million. They mean nothing without its others. */
const manyOf = (uid: JobUid): readonly string[] => [attemptsOf(uid), launchesOf(uid), within(uid, 'HOSTS#')];

/** Removes those rows of which a Job may have many, some at a time; returns how many. */
export async function removeMany(rows: LmdbRows, uid: JobUid): Promise<number> {
  let removed = 0;
  for (const prefix of manyOf(uid)) {
    for (let found = rows.slice(prefix, null, REMOVED_AT_ONCE); found.length > 0; ) {
      await rows.batch(found.map(({ key }) => ({ kind: 'delete', key })));
      removed += found.length;
      found = rows.slice(prefix, null, REMOVED_AT_ONCE);
    }
  }
  return removed;
}

/** The keys of all others in the Job's partition. */
export async function fewOf(rows: LmdbRows, uid: JobUid): Promise<readonly RowKey[]> {
  const found: RowKey[] = [];
  for await (const { key } of eachRow(rows, within(uid, ''))) if (!/^(?:LAUNCH|HOSTS)#/.test(key.sort)) found.push(key);
  return found;
}
