import { linkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import { enginesOn } from './dynamodb/engine-processes.ts';
import { type Known, isThere, knownAs } from './process-identity.ts';
import { holdersOfFile, parentOf, programOf } from './process-table.ts';
import { openPrivateFolder } from './private-folder.ts';
import { readOwn } from './whole-file.ts';

/** `folder` identifies the folder, because the lock in a copy means nothing. Locks of earlier versions lack it. */
const LockSchema = z.object({ pid: z.int().positive(), startedAt: z.string(), folder: z.string().optional() });

/** Identifies a folder even after a move. A copy has another identity. */
export function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

export type DataFolder = {
  readonly kind: 'folder';
  /** The real path, without links. */
  readonly path: string;
  /** Releases the folder for another runtime. */
  release(): void;
};

/** A sentence for people: which runtime holds it, or what is wrong with it. */
export type NotTaken = { readonly kind: 'refused'; readonly reason: string };

/** The file that holds a data folder's Jobs. */
export const jobsFileOf = (path: string): string => join(path, 'jobs.lmdb');

/** The file that a data folder's DynamoDB engine keeps open, with `--emulate-aws`. */
export const databaseOf = (path: string): string => join(path, 'dynamodb.sqlite');

/**
 * Claims a data folder for this process, or says why it cannot. Takes over the lock of a dead runtime (identified by pid
 * and start time), however it ended, and a lock that cannot be read, which it reports with `say`.
 *
 * @throws disk errors, such as a full disk
 */
export function takeDataFolder(dir: string, say: (line: string) => void): DataFolder | NotTaken {
  const folder = openPrivateFolder(resolve(dir), say);
  if (folder.kind === 'refused') return folder;
  const { path } = folder;
  const lockFile = join(path, 'lock');
  const draft = join(path, `lock.${process.pid}`);
  rmSync(draft, { force: true });
  writeFileSync(draft, JSON.stringify({ ...knownAs(process.pid), folder: identityOf(path) }), {
    mode: 0o600,
    flag: 'wx',
    flush: true,
  });
  try {
    while (!tryLink(draft, lockFile)) {
      const holder = ownerOf(readLock(lockFile), path);
      if (holder.kind === 'alive')
        return {
          kind: 'refused',
          reason: `another runtime (pid ${holder.pid}) runs on ${dir}; stop it, or use --data with another folder`,
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

/**
 * The process that claimed a data folder, dead or alive; null if the folder was released or never claimed, or its lock is
 * torn.
 */
export function holderOf(path: string): Known | null {
  const lock = readLock(join(path, 'lock'));
  return lock === 'torn' ? null : lock;
}

type Lock = Known | null | 'torn';
type Owner = { readonly kind: 'alive'; readonly pid: number } | { readonly kind: 'dead' | 'unknown' };

/** A torn lock has no pid. The runtime is then found by the file that it has open, or as the parent of its engine. */
function ownerOf(lock: Lock, path: string): Owner {
  if (lock === null) return { kind: 'dead' };
  if (lock !== 'torn') return isThere(lock) ? { kind: 'alive', pid: lock.pid } : { kind: 'dead' };
  const parents = enginesOn(databaseOf(path)).flatMap(({ pid }) => parentOf(pid) ?? []);
  const [pid] = [...holdersOfFile(jobsFileOf(path)), ...parents].filter(
    (parent) => programOf(parent)?.startsWith('node') === true,
  );
  return pid === undefined ? { kind: 'unknown' } : { kind: 'alive', pid };
}

/** If two runtimes find the same dead lock, one moves it away. The other finds no lock, or the new one. */
function putAway(lockFile: string, path: string): void {
  const dead = join(path, `lock.dead.${process.pid}`);
  try {
    renameSync(lockFile, dead);
    rmSync(dead);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** link(2) fails if the name exists: the only atomic "create if absent" that includes content. */
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
    if (!parsed.success) return 'torn';
    const { folder, ...holder } = parsed.data;
    return folder === undefined || folder === identityOf(dirname(file)) ? holder : null;
  } catch (error) {
    if (isMissing(error)) return null;
    if (error instanceof SyntaxError) return 'torn';
    throw error;
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';
