import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import { diskFull, isDiskFull } from './lmdb-file.ts';

/** How far a file grows beyond what is needed now, so that most writes find their space there. */
const AHEAD_BYTES = 1024 * 1024;
const ZEROS = Buffer.alloc(256 * 1024);

/**
 * Gives the file at `path` space on its disk up to `endBytes`. LMDB corrupts its process's memory when a write finds the
 * disk full, even if another program filled it a moment ago. So LMDB only writes pages that already have space.
 *
 * @throws errors of the disk; ENOSPC also where little space is left
 */
export function growFile(path: string, endBytes: number): void {
  if (isDiskFull(path)) throw diskFull(path);
  const file = openSync(path, 'r+');
  try {
    let end = fstatSync(file).size;
    if (end >= endBytes) return;
    const goal = endBytes + AHEAD_BYTES;
    while (end < goal) end += writeSync(file, ZEROS, 0, Math.min(ZEROS.length, goal - end), end);
  } finally {
    closeSync(file);
  }
}
