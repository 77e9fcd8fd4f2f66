import { closeSync, constants, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** What is kept in the data folder is for its owner's eyes. */
const OWNER_ONLY = 0o600;

export type Durability =
  /** on the disk when the call returns: for what nothing else could give back */
  | 'durable'
  /** after a crash of the machine (not of a process) it may be torn: for what is of no use then, or is made again */
  | 'fast';

/**
 * Writes a file such that a reader, after a crash of this process too, sees the old content or the new. Follows no link.
 */
export function writeWhole(path: string, content: string, durability: Durability): void {
  const draft = `${path}.new`;
  const file = openDraft(draft);
  try {
    writeFileSync(file, content);
    if (durability === 'durable') fsyncSync(file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}

function openDraft(draft: string): number {
  const open = (): number => openSync(draft, 'wx', OWNER_ONLY); // O_EXCL follows no link
  try {
    return open();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    rmSync(draft); // what a crash has left
    return open();
  }
}

/** Opens a file of the data folder for appending; it is made if need be. Throws ELOOP where a link stands. */
export const openForAppending = (path: string): number =>
  openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW, OWNER_ONLY);

/** Opens a file of the data folder for reading. Throws ELOOP where a link stands. */
export const openForReading = (path: string): number => openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);

/** Reads a file of the data folder, as UTF-8. Throws ELOOP where a link stands. */
export function readOwn(path: string): string {
  const file = openForReading(path);
  try {
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** Puts a file that makes no sense out of the way; its new name. */
export function setAside(path: string): string {
  renameSync(path, `${path}.torn`);
  return `${path}.torn`;
}
