import { StoreFileError } from '../../shared/adapters/lmdb/lmdb-file.ts';
import type { LmdbRows } from '../../shared/adapters/rows/lmdb.ts';
import { type JobUid, asJobUid } from '../../shared/domain/base/ids.ts';
import { STORED_KINDS, type StoredKind } from '../../shared/ports/object-store.ts';
import { ifReadable } from '../../shared/domain/base/unreadable-row.ts';
import { SpecSchema } from '../../shared/store/programs/row-bodies.ts';
import {
  FEED_HEAD_SORT,
  feedHeadKey,
  jobPartition,
  nameKey,
  objectHeadKey,
  objectPartition,
  specKey,
} from '../../shared/store/programs/row-keys.ts';
import { fieldsOf, jsonIn, numberIn } from '../../shared/store/rows/fields.ts';
import type { Row, RowKey, Write } from '../../shared/store/rows/row.ts';
import { eachRow } from './each-row.ts';

/**
 * Removes a row that cannot be decoded, and what means nothing without it: for a row of a Job, or its name, all of the Job. What
 * follows from a deletion elsewhere does not happen, as with Kubernetes' `ignoreStoreReadErrorWithClusterBreakingPotential`; tasks
 * of a Job that is gone are stopped. Watches that go on from before must list again, since nobody can say what was deleted.
 *
 * @param name partition and sort key, with a space between them
 * @returns how many rows are gone
 * @throws StoreFileError where there is no such row, or one that others count on
 */
export async function discardRow(rows: LmdbRows, name: string): Promise<number> {
  const key = keyNamed(name);
  if (name === 'FORMAT' || (key.sort === FEED_HEAD_SORT && key.partition.startsWith('FEED#')))
    throw new StoreFileError(`row ${name} of ${rows.path} numbers all others: put a copy of the file in its place`);
  const [found] = (await rows.get([key])).rows;
  if (found === undefined) throw new StoreFileError(`${rows.path} has no row ${name}: start without --discard-row`);
  const { others, feed } = await belongingTo(rows, key);
  const gone = new Map([key, ...others].map((each) => [nameOf(each), each]));
  const removals = [...gone.values()].map((each): Write => ({ kind: 'delete', key: each }));
  // A number without a row in the feed: a watch that is behind it hears that the feed has gone on without it.
  const moved = feed === null ? [] : [await headMoved(rows, feed === 'Job' ? feedHeadKey() : objectHeadKey(feed))];
  await rows.transact('discard', [...removals, ...moved]);
  return gone.size;
}

/** No partition has a space in its name. */
function keyNamed(name: string): RowKey {
  const mark = name.indexOf(' ');
  return mark === -1 ? { partition: name, sort: '' } : { partition: name.slice(0, mark), sort: name.slice(mark + 1) };
}
const nameOf = ({ partition, sort }: RowKey): string => `${partition} ${sort}`;

async function headMoved(rows: LmdbRows, key: RowKey): Promise<Write> {
  const [head] = (await rows.get([key])).rows;
  return { kind: 'put', key, fields: { number: head === undefined ? 1 : numberIn(head, 'number') + 1 } };
}

/** The rows that go with one, and the feed whose watches may have shown it. */
async function belongingTo(
  rows: LmdbRows,
  { partition, sort }: RowKey,
): Promise<{ readonly others: readonly RowKey[]; readonly feed: StoredKind | 'Job' | null }> {
  const [, uid] = /^(?:JOB|TASK)#([^#]+)/.exec(partition) ?? [];
  if (uid !== undefined) return { others: await rowsOfJob(rows, asJobUid(uid)), feed: 'Job' };
  if (partition.startsWith(NAMES)) {
    const uids = await uidsNamed(rows, { partition, sort });
    const others = await Promise.all(uids.map(async (each) => rowsOfJob(rows, each)));
    return { others: others.flat(), feed: 'Job' };
  }
  return { others: [], feed: STORED_KINDS.find((kind) => partition === objectPartition(kind)) ?? null };
}

const NAMES = 'NS#';

async function rowsOfJob(rows: LmdbRows, uid: JobUid): Promise<readonly RowKey[]> {
  const found: RowKey[] = [];
  const partition = jobPartition(uid);
  for await (const { key } of eachRow(rows, partition)) if (key.partition === partition) found.push(key);
  for await (const { key } of eachRow(rows, `TASK#${uid}#`)) found.push(key);
  for await (const row of eachRow(rows, NAMES)) if (ifReadable(() => uidIn(row)) === uid) found.push(row.key);
  return found;
}

const uidIn = (row: Row): unknown => fieldsOf(row)['uid'];

/** Jobs that have, or had, this name, as far as they can say so. */
async function uidsNamed(rows: LmdbRows, name: RowKey): Promise<readonly JobUid[]> {
  const uids: JobUid[] = [];
  for await (const row of eachRow(rows, jobPartition(asJobUid('')))) {
    if (row.key.sort !== specKey(asJobUid('')).sort) continue;
    const identity = ifReadable(() => jsonIn(row, SpecSchema).identity);
    if (identity !== null && nameOf(nameKey(identity.namespace, identity.name)) === nameOf(name))
      uids.push(identity.uid);
  }
  return uids;
}
