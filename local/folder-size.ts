import type { DataFolderSize } from '../shared/ports/gathered/folder-size.ts';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The unit of `blocks` (POSIX, stat). */
const BLOCK_BYTES = 512;
/** Files that are looked at together. */
const AT_ONCE = 200;

/**
 * What a data folder takes of its disk, where a small file takes a whole block. Links are not followed, and what vanishes
 * meanwhile counts for nothing.
 */
export async function dataFolderSize(path: string, jobs: DataFolderSize['jobs']): Promise<DataFolderSize> {
  const [logs, tasks] = [join(path, 'logs'), join(path, 'ecs', 'tasks')];
  const [logsBytes, tasksBytes] = [await bytesBelow(logs), await bytesBelow(tasks)];
  return { path, jobs, logsBytes, tasksBytes, bytes: logsBytes + tasksBytes + (await bytesBelow(path, [logs, tasks])) };
}

/** Of what is below a folder, but for what is below those of `except`. */
async function bytesBelow(folder: string, except: readonly string[] = []): Promise<number> {
  let bytes = 0;
  const names = (await unlessGone(readdir(folder))) ?? [];
  for (let from = 0; from < names.length; from += AT_ONCE) {
    const paths = names.slice(from, from + AT_ONCE).map((name) => join(folder, name));
    for (const each of await Promise.all(paths.map(look))) {
      bytes += each.bytes;
      if (each.folder !== null && !except.includes(each.folder)) bytes += await bytesBelow(each.folder, except);
    }
  }
  return bytes;
}

async function look(path: string) {
  const stats = await unlessGone(lstat(path));
  return {
    bytes: stats === null ? 0 : stats.blocks * BLOCK_BYTES,
    folder: stats?.isDirectory() === true ? path : null,
  };
}

async function unlessGone<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
