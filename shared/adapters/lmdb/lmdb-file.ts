import { closeSync, constants, fstatSync, openSync, readSync, statfsSync } from 'node:fs';

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
 * Makes a store's file where there is none, and refuses one that LMDB would take unseen. LMDB maps its files into memory,
 * so a foreign or shortened one, or a full disk, ends the process with a signal. No link is followed.
 *
 * @throws StoreFileError; errors of the disk, such as ELOOP for a link, EISDIR, EROFS, ENOSPC
 */
export function prepareLmdbFile(path: string): void {
  for (const file of [path, `${path}-lock`]) closeSync(openOwn(file));
  const file = openOwn(path);
  try {
    const bytes = fstatSync(file).size;
    const head = Buffer.alloc(HEAD_BYTES);
    readSync(file, head, 0, HEAD_BYTES, 0);
    const fault = bytes === 0 ? null : faultOf(head, bytes);
    if (fault !== null) throw new StoreFileError(`${path} ${fault}`);
  } finally {
    closeSync(file);
  }
  if (isDiskFull(path)) throw diskFull(path);
}

const openOwn = (file: string): number =>
  openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);

/**
 * What is wrong with a file of `bytes` bytes that begins with `head`; null: nothing that can be seen there. The layout of
 * the two meta pages is LMDB's `MDB_meta` in the version that the npm package brings.
 */
function faultOf(head: Buffer, bytes: number): string | null {
  const metas = [metaAt(head, 0), metaAt(head, head.readUInt32LE(META.pageBytes))].filter((meta) => meta !== null);
  const [newest] = metas.toSorted((a, b) => b.transaction - a.transaction);
  if (newest === undefined)
    return "is damaged: it is not a store of Muster's; put a copy of it in its place, or move it away to begin without Jobs";
  if (newest.neededBytes <= bytes) return null;
  return `is damaged: it has ${bytes} of ${newest.neededBytes} bytes; put a copy of it in its place, or move it away to begin without Jobs`;
}

/** Two pages of at most 16 KB (macOS on arm64). */
const HEAD_BYTES = 2 * 16_384;
const MAGIC = 0xbe_ef_c0_de;
/** Places of fields in a meta page. */
const META = { magic: 24, pageBytes: 48, lastPage: 144, transaction: 152, end: 160 } as const;

function metaAt(head: Buffer, at: number) {
  if (at + META.end > head.length || head.readUInt32LE(at + META.magic) !== MAGIC) return null;
  const pageBytes = head.readUInt32LE(at + META.pageBytes);
  const lastPage = Number(head.readBigUInt64LE(at + META.lastPage));
  const transaction = Number(head.readBigUInt64LE(at + META.transaction));
  return { transaction, neededBytes: (lastPage + 1) * pageBytes };
}
