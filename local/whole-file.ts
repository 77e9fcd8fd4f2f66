import { closeSync, constants, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Files in the data folder are readable only by their owner. */
const OWNER_ONLY = 0o600;

export type Durability =
  /** on disk when the call returns, for data that cannot be recreated */
  | 'durable'
  /** may be torn after a machine crash (not a process crash), for data that is then useless or can be recreated */
  | 'fast';

/**
 * Writes a file so that a reader sees either the old or the new content, even if this process crashes. Follows no
 * links.
 */
export function writeWhole(path: string, content: string | Uint8Array, durability: Durability): void {
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
  const open = (): number => openSync(draft, 'wx', OWNER_ONLY); // O_EXCL does not follow links
  try {
    return open();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    rmSync(draft); // left by a crash
    return open();
  }
}

/** Opens a file of the data folder for appending, and creates it if necessary. Throws ELOOP if the path is a link. */
export const openForAppending = (path: string): number =>
  openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW, OWNER_ONLY);

/** Opens a file of the data folder for reading. Throws ELOOP if the path is a link. */
export const openForReading = (path: string): number => openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);

/** Reads a file of the data folder as UTF-8. Throws ELOOP if the path is a link. */
export function readOwn(path: string): string {
  const file = openForReading(path);
  try {
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** Moves an unreadable file aside; returns its new name. */
export function setAside(path: string): string {
  renameSync(path, `${path}.torn`);
  return `${path}.torn`;
}
