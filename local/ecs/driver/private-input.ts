import { openSync, rmSync, writeFileSync } from 'node:fs';

/** A file that no other process can open and that disappears when it is closed. It is read from its beginning. */
export function openInput(path: string, text: string): number {
  writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  const file = openSync(path, 'r');
  rmSync(path);
  return file;
}
