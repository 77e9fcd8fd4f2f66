import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { INDEX, typeOf } from '../domain/page-headers.ts';

export type PageFile = { readonly type: string; readonly bytes: Uint8Array; readonly gzipped: Uint8Array };

/** By their paths in the folder. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/**
 * All files of the page, so that no request ever names a path of this machine, and a new version that is installed meanwhile does
 * not mix with this one. Nothing, where there is no such folder. Links in it are not followed.
 */
export function readPageFiles(folder: string | null): PageFiles {
  const files = new Map<string, PageFile>();
  if (folder === null) return files;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const type = typeOf(entry.name);
    if (!entry.isFile() || type === null) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    files.set(relative(folder, path).split(sep).join('/'), { type, bytes, gzipped: gzipSync(bytes) });
  }
  return files;
}

/** Where a build puts the page: beside `muster.mjs`, also for a chunk of it; in a checkout, in `dist`. */
const PLACES = ['ui', '../ui', '../../../../dist/ui'];

/** null: this build has none. */
export function pageFolder(): string | null {
  const folders = PLACES.map((place) => join(import.meta.dirname, place));
  return folders.find((folder) => existsSync(join(folder, INDEX)) && existsSync(join(folder, 'assets'))) ?? null;
}
