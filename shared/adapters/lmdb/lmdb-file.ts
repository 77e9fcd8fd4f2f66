import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Tree, type Trees, faultInPages } from './page-walk.ts';

/** A file that cannot be opened as a store; the message is a sentence for people. */
export class StoreFileError extends Error {
  override readonly name = 'StoreFileError';
}

/** A disk with less space is full: a commit needs a few pages, and other programs take the rest. */
const FULL_BELOW_BYTES = 1024 * 1024;

export function isDiskFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize < FULL_BELOW_BYTES;
  } catch {
    return false; // what is wrong with the file, the caller reports
  }
}

/** An error as the disk itself reports it, for {@link isDiskFull}. */
export const diskFull = (path: string, cause?: unknown): Error =>
  Object.assign(new Error(`no space is left for ${path}`, { cause }), { code: 'ENOSPC', path });

/**
 * Makes a store's file where there has never been one, and refuses one that LMDB would take unseen: foreign, cut off, with
 * damaged pages, or gone. LMDB maps its files into memory, so such a file, or a full disk, ends the process with a signal. All
 * pages are read, about a second for a million rows. No link is followed.
 *
 * @throws StoreFileError; errors of the disk, such as ELOOP for a link, EISDIR, EROFS, ENOSPC
 */
export function prepareLmdbFile(path: string): void {
  const wasMade = existsSync(madeMark(path));
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  if (wasMade && !isThere) throw new StoreFileError(`${path} is missing, and it held Jobs${advice(path)}`);
  for (const file of [path, `${path}-lock`]) closeSync(openOwn(file));
  const file = openOwn(path);
  try {
    const bytes = fstatSync(file).size;
    if (bytes === 0 && wasMade) throw new StoreFileError(`${path} is empty, and it held Jobs${advice(path)}`);
    const fault = bytes === 0 ? null : faultOf(file, bytes);
    if (fault !== null) throw new StoreFileError(`${path} is damaged: ${fault}${advice(path)}`);
  } finally {
    closeSync(file);
  }
  if (isDiskFull(path)) throw diskFull(path);
}

/**
 * Notes that a store's file has its first row on the disk: from now on an empty file, or none, is one that was lost.
 *
 * @throws errors of the disk
 */
export function markMade(path: string): void {
  if (!existsSync(madeMark(path))) closeSync(openOwn(madeMark(path)));
}

const madeMark = (path: string): string => `${path}-made`;

const openOwn = (file: string): number =>
  openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);

const advice = (path: string): string =>
  `; put a copy of it in its place, or move ${dirname(path)} away to begin without its Jobs`;

/** What is wrong with an open file of `bytes` bytes; null: nothing that its pages show. */
function faultOf(file: number, bytes: number): string | null {
  const head = Buffer.alloc(HEAD_BYTES);
  readSync(file, head, 0, HEAD_BYTES, 0);
  const first = metaAt(head, 0);
  const second = metaAt(head, head.readUInt32LE(META.pageBytes));
  if (first === null && second === null) return "it is not a store of Muster's";
  // LMDB looks at the first page alone before it takes the newer one.
  if (first === null || second === null) return `page ${first === null ? 0 : 1} is no meta page`;
  const newest = first.transaction >= second.transaction ? first : second;
  const neededBytes = (newest.lastPage + 1) * newest.pageBytes;
  if (neededBytes > bytes) return `it has ${bytes} of ${neededBytes} bytes`;
  return faultInPages(newest, (into, page) => readSync(file, into, 0, into.length, page * newest.pageBytes));
}

/** Two pages of at most 16 KB (macOS on arm64). */
const HEAD_BYTES = 2 * 16_384;
const MAGIC = 0xbe_ef_c0_de;
const FORMAT = 2;
/** Places of fields in a meta page: LMDB's `MDB_meta` in the version that the npm package brings. */
const META = {
  magic: 24,
  format: 28,
  pageBytes: 48,
  free: 48,
  main: 96,
  lastPage: 144,
  transaction: 152,
  end: 160,
} as const;
const TREE = { depth: 6, root: 40 } as const;

function metaAt(head: Buffer, at: number): Trees | null {
  if (at + META.end > head.length || head.readUInt32LE(at + META.magic) !== MAGIC) return null;
  if (head.readUInt16LE(at + META.format) !== FORMAT) return null;
  const pageBytes = head.readUInt32LE(at + META.pageBytes);
  if (pageBytes < PAGE_BYTES_MIN || (pageBytes & (pageBytes - 1)) !== 0) return null;
  const long = (place: number): number => Number(head.readBigInt64LE(at + place));
  if (long(META.lastPage) < 1) return null;
  const treeAt = (place: number): Tree | null => {
    const root = long(place + TREE.root);
    return root === NO_ROOT ? null : { root, depth: head.readUInt16LE(at + place + TREE.depth) };
  };
  return {
    pageBytes,
    lastPage: long(META.lastPage),
    transaction: long(META.transaction),
    free: treeAt(META.free),
    main: treeAt(META.main),
  };
}
const NO_ROOT = -1;
const PAGE_BYTES_MIN = 512;
