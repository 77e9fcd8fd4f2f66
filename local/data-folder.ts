import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { enginesOn } from './dynamodb/engine-processes.ts';
import { type Known, isThere, knownAs } from './process-identity.ts';
import { parentOf, programOf } from './process-table.ts';
import { openPrivateFolder } from './private-folder.ts';
import { readOwn } from './whole-file.ts';

const LockSchema = z.object({ pid: z.int().positive(), startedAt: z.string() });

export type DataFolder = {
  readonly kind: 'folder';
  /** Without links. */
  readonly path: string;
  /** Another runtime may take the folder. */
  release(): void;
};

/** A sentence for people: who has it, or what is wrong with it. */
export type NotTaken = { readonly kind: 'refused'; readonly reason: string };

/** The file that the DynamoDB engine of a data folder holds open. */
export const databaseOf = (path: string): string => join(path, 'dynamodb.sqlite');

/**
 * Takes a data folder for this process, or says why not. The lock of a runtime that is no more (pid and start time tell)
 * is taken over, whatever ended it; so is one that cannot be read, which `say` is told.
 *
 * @throws what the disk throws, as when it is full
 */
export function takeDataFolder(dir: string, say: (line: string) => void): DataFolder | NotTaken {
  const folder = openPrivateFolder(resolve(dir), say);
  if (folder.kind === 'refused') return folder;
  const { path } = folder;
  const lockFile = join(path, 'lock');
  const draft = join(path, `lock.${process.pid}`);
  rmSync(draft, { force: true });
  writeFileSync(draft, JSON.stringify(knownAs(process.pid)), { mode: 0o600, flag: 'wx', flush: true });
  try {
    while (!tryLink(draft, lockFile)) {
      const holder = ownerOf(readLock(lockFile), path);
      if (holder.kind === 'alive')
        return {
          kind: 'refused',
          reason: `another runtime (pid ${holder.pid}) runs on ${dir}; stop it, or give --data another folder`,
        };
      if (holder.kind === 'unknown')
        say(`warning: ${lockFile} cannot be read; no runtime is found there, so it is taken over`);
      putAway(lockFile, path);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return { kind: 'folder', path, release: () => rmSync(lockFile, { force: true }) };
}

/** The process that has taken a data folder, dead or alive; null: it was released, never taken, or its lock is torn. */
export function holderOf(path: string): Known | null {
  const lock = readLock(join(path, 'lock'));
  return lock === 'torn' ? null : lock;
}

type Lock = Known | null | 'torn';
type Owner = { readonly kind: 'alive'; readonly pid: number } | { readonly kind: 'dead' | 'unknown' };

/** A torn lock names nobody; then a runtime is found by its engine, whose parent it is. */
function ownerOf(lock: Lock, path: string): Owner {
  if (lock === null) return { kind: 'dead' };
  if (lock !== 'torn') return isThere(lock) ? { kind: 'alive', pid: lock.pid } : { kind: 'dead' };
  const parents = enginesOn(databaseOf(path)).flatMap(({ pid }) => parentOf(pid) ?? []);
  const [pid] = parents.filter((parent) => programOf(parent)?.startsWith('node') === true);
  return pid === undefined ? { kind: 'unknown' } : { kind: 'alive', pid };
}

/** Of two that find the same dead lock, one moves it away; the other finds none or the new one. */
function putAway(lockFile: string, path: string): void {
  const dead = join(path, `lock.dead.${process.pid}`);
  try {
    renameSync(lockFile, dead);
    rmSync(dead);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** link(2) fails where the name is there: the one atomic "create if absent" with content. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function readLock(file: string): Lock {
  try {
    const parsed = LockSchema.safeParse(JSON.parse(readOwn(file)));
    return parsed.success ? parsed.data : 'torn';
  } catch (error) {
    if (isMissing(error)) return null;
    if (error instanceof SyntaxError) return 'torn';
    throw error;
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';
