import { type JobUid, asJobUid } from '../../domain/base/ids.ts';
import { type ObjectKey, STORED_KINDS, type StoredKind } from '../../ports/object-store.ts';
import { ifReadable } from '../../domain/base/unreadable-row.ts';
import { NameSchema, SpecSchema } from '../../store/programs/row-bodies.ts';
import { nextNumber } from './lmdb-feed.ts';
import { StoreFileError } from './lmdb-file.ts';
import {
  ALARMS,
  JOBS,
  NAMES,
  attemptsOf,
  hostsOf,
  jobOf,
  keyIn,
  launchesOf,
  objectsOf,
  rangeOf,
  sortOf,
  specKey,
} from './lmdb-keys.ts';
import { jsonIn } from './lmdb-row.ts';
import type { LmdbRows } from './lmdb-rows.ts';

/**
 * Removes a row that cannot be decoded, and what means nothing without it: for a row of a Job, or its name, all of the Job. What
 * follows from a deletion elsewhere does not happen, as with Kubernetes' `ignoreStoreReadErrorWithClusterBreakingPotential`; tasks
 * of a Job that is gone are stopped. Watches that go on from before must list again, since nobody can say what was deleted.
 *
 * @returns how many rows are gone
 * @throws StoreFileError where there is no such row, or one that others count on
 */
export async function discardRow(rows: LmdbRows, key: string): Promise<number> {
  const [found] = rows.keys(key, key);
  if (found === undefined) throw new StoreFileError(`${rows.path} has no row ${key}: start without --discard-row`);
  if (key === 'FORMAT' || key.startsWith('HEAD#'))
    throw new StoreFileError(`row ${key} of ${rows.path} numbers all others: put a copy of the file in its place`);
  const { keys, feed } = belongingTo(rows, key);
  await rows.transact((now) => {
    for (const each of keys) now.remove(each);
    // A number without a row in the feed: a watch that is behind it hears that the feed has gone on without it.
    if (feed !== null) nextNumber(now, feed);
  });
  return keys.size;
}

/** The rows that go with one, and the feed whose watches may have shown it. */
function belongingTo(
  rows: LmdbRows,
  key: string,
): { readonly keys: ReadonlySet<string>; readonly feed: StoredKind | 'Job' | null } {
  const [, uid] = /^(?:JOB|LAUNCH|ATTEMPT|HOSTS)#([^#]+)#/.exec(key) ?? [];
  if (uid !== undefined) return { keys: new Set([key, ...rowsOfJob(rows, asJobUid(uid))]), feed: 'Job' };
  if (key.startsWith(NAMES)) {
    const uids = uidsNamed(rows, keyIn(key.slice(NAMES.length)));
    return { keys: new Set([key, ...uids.flatMap((each) => rowsOfJob(rows, each))]), feed: 'Job' };
  }
  return { keys: new Set([key]), feed: STORED_KINDS.find((kind) => key.startsWith(objectsOf(kind))) ?? null };
}

function rowsOfJob(rows: LmdbRows, uid: JobUid): readonly string[] {
  const own = [jobOf(uid), launchesOf(uid), attemptsOf(uid), hostsOf(uid)].flatMap((prefix) => [
    ...rows.keys(...rangeOf(prefix)),
  ]);
  const alarms = [...rows.keys(...rangeOf(ALARMS))].filter((key) => key.endsWith(`#${uid}`));
  const names: string[] = [];
  for (const [key, row] of rows.range(...rangeOf(NAMES), { skipUnreadable: true }))
    if (ifReadable(() => jsonIn(row, NameSchema).uid) === uid) names.push(key);
  return [...own, ...alarms, ...names];
}

/** Jobs that have, or had, this name, as far as they can say so. */
function uidsNamed(rows: LmdbRows, at: ObjectKey): readonly JobUid[] {
  const uids: JobUid[] = [];
  for (const [key, row] of rows.range(...rangeOf(JOBS), { skipUnreadable: true })) {
    const uid = asJobUid(key.slice(JOBS.length, key.indexOf('#', JOBS.length)));
    if (key !== specKey(uid)) continue;
    const identity = ifReadable(() => jsonIn(row, SpecSchema).identity);
    if (identity !== null && sortOf(identity) === sortOf(at)) uids.push(uid);
  }
  return uids;
}
