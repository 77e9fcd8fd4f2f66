import { StoreFileError } from '../../shared/adapters/lmdb/lmdb-file.ts';
import type { LmdbRows } from '../../shared/adapters/rows/lmdb.ts';
import { type JobUid, asJobUid } from '../../shared/domain/base/ids.ts';
import { STORED_KINDS } from '../../shared/ports/object-store.ts';
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
import { eachRow, fewOf, removeMany } from './rows-of-jobs.ts';

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
  const uids = await uidsOf(rows, key);
  const [few, names] = [await Promise.all(uids.map(async (uid) => fewOf(rows, uid))), await namesOf(rows, uids)];
  const gone = new Map([key, ...few.flat(), ...names].map((each) => [nameOf(each), each]));
  const removals = [...gone.values()].map((each): Write => ({ kind: 'delete', key: each }));
  // Then a Job counts as gone. What a crash leaves of its other rows goes when its time has passed.
  await rows.transact('discard', [...removals, ...(await headMoved(rows, key))]);
  let count = gone.size;
  for (const uid of uids) count += await removeMany(rows, uid);
  return count;
}

/** No partition has a space in its name. */
function keyNamed(name: string): RowKey {
  const mark = name.indexOf(' ');
  return mark === -1 ? { partition: name, sort: '' } : { partition: name.slice(0, mark), sort: name.slice(mark + 1) };
}
const nameOf = ({ partition, sort }: RowKey): string => `${partition} ${sort}`;

/** A number without a row in the feed: a watch that is behind it hears that the feed has gone on without it. */
async function headMoved(rows: LmdbRows, { partition }: RowKey): Promise<readonly Write[]> {
  const kind = STORED_KINDS.find((each) => partition === objectPartition(each));
  if (kind === undefined && !/^(?:JOB|TASK|NS)#/.test(partition)) return [];
  const key = kind === undefined ? feedHeadKey() : objectHeadKey(kind);
  const [head] = (await rows.get([key])).rows;
  return [{ kind: 'put', key, fields: { number: head === undefined ? 1 : numberIn(head, 'number') + 1 } }];
}

/** The Jobs that go with a row. */
async function uidsOf(rows: LmdbRows, key: RowKey): Promise<readonly JobUid[]> {
  const [, uid] = /^(?:JOB|TASK)#([^#]+)/.exec(key.partition) ?? [];
  if (uid !== undefined) return [asJobUid(uid)];
  return key.partition.startsWith(NAMES) ? uidsNamed(rows, key) : [];
}

const NAMES = 'NS#';

async function namesOf(rows: LmdbRows, uids: readonly unknown[]): Promise<readonly RowKey[]> {
  const found: RowKey[] = [];
  if (uids.length === 0) return found;
  for await (const row of eachRow(rows, NAMES)) if (uids.includes(ifReadable(() => uidIn(row)))) found.push(row.key);
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
