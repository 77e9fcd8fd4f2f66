import * as z from 'zod';
import { StoreFileError } from '../../../shared/adapters/lmdb/lmdb-file.ts';
import type { LmdbDisk } from '../../../shared/adapters/rows/lmdb-disk.ts';
import { STORED_KINDS } from '../../../shared/ports/object-store.ts';
import { OLD_END, OLD_HEADS, decodeOldRow, oldHead } from './format-1.ts';

/**
 * Removes a row of format 1 that cannot be taken over, and what means nothing without it, as `discardRow` does for rows of today.
 *
 * @returns how many rows are gone
 * @throws StoreFileError where there is no such row, or one that others count on
 */
export async function discardOldRow(disk: LmdbDisk, key: string): Promise<number> {
  if (key === 'FORMAT' || key.startsWith(OLD_HEADS))
    throw new StoreFileError(`row ${key} of ${disk.path} numbers all others: put a copy of the file in its place`);
  if (disk.get(key) === undefined)
    throw new StoreFileError(`${disk.path} has no row ${key}: start without --discard-row`);
  const uids = uidsOf(disk, key);
  const gone = new Set([key, ...uids.flatMap((uid) => rowsOfJob(disk, uid))]);
  const isOfJob = uids.length > 0 || key.startsWith('NAME#');
  const feed = isOfJob ? 'Job' : STORED_KINDS.find((kind) => key.startsWith(`OBJECT#${kind}#`));
  const changes = new Map<string, Buffer | null>([...gone].map((each) => [each, null]));
  // A number without a row in the feed: a watch that is behind it hears that the feed has gone on without it.
  if (feed !== undefined) changes.set(OLD_HEADS + feed, oldHead(headOf(disk, feed) + 1));
  disk.change(changes);
  await disk.stored();
  return gone.size;
}

function headOf(disk: LmdbDisk, feed: string): number {
  const bytes = disk.get(OLD_HEADS + feed);
  return bytes === undefined ? 0 : decodeOldRow(OLD_HEADS + feed, bytes).version;
}

/** The Jobs that go with a row. */
function uidsOf(disk: LmdbDisk, key: string): readonly string[] {
  const [, uid] = /^(?:JOB|LAUNCH|ATTEMPT|HOSTS)#([^#]+)#/.exec(key) ?? [];
  if (uid !== undefined) return [uid];
  return key.startsWith('NAME#') ? uidsNamed(disk, key.slice('NAME#'.length)) : [];
}

function rowsOfJob(disk: LmdbDisk, uid: string): readonly string[] {
  const own = ['JOB', 'LAUNCH', 'ATTEMPT', 'HOSTS'].flatMap((kind) => [...textsOf(disk, `${kind}#${uid}#`)]);
  const alarms = [...textsOf(disk, 'ALARM#')].filter((key) => key.endsWith(`#${uid}`));
  const names = [...textsOf(disk, 'NAME#')].filter((key) => valueIn(disk, key, UidSchema)?.uid === uid);
  return [...own, ...alarms, ...names];
}

const UidSchema = z.object({ uid: z.string() });
const IdentitySchema = z.object({ identity: z.object({ namespace: z.string(), name: z.string() }) });

/** Jobs that have, or had, this name, as far as they can say so. */
const uidsNamed = (disk: LmdbDisk, name: string): readonly string[] =>
  [...textsOf(disk, 'JOB#')].flatMap((key) => {
    const [, uid] = /^JOB#([^#]+)#SPEC$/.exec(key) ?? [];
    const identity = uid === undefined ? undefined : valueIn(disk, key, IdentitySchema)?.identity;
    return uid !== undefined && `${identity?.namespace}!${identity?.name}` === name ? [uid] : [];
  });

const textsOf = (disk: LmdbDisk, prefix: string): Iterable<string> =>
  disk.texts({ from: prefix, to: prefix + OLD_END });

/** What a row says; undefined: nobody can read it. */
function valueIn<S extends z.ZodType>(disk: LmdbDisk, key: string, schema: S): z.output<S> | undefined {
  const bytes = disk.get(key);
  try {
    return bytes && schema.parse(JSON.parse(decodeOldRow(key, bytes).body.toString('utf8')));
  } catch {
    return undefined;
  }
}
