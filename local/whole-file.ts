import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file such that a reader, after a crash too, sees the old content or the new. */
export function writeWhole(path: string, content: string): void {
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}
