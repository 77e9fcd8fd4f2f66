import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { type Known, isThere, knownAs } from './process-identity.ts';

const ProcessSchema = z.object({ pid: z.int().positive(), startedAt: z.string() });
const LockSchema = ProcessSchema.extend({ engine: ProcessSchema.optional() });
type Lock = z.output<typeof LockSchema>;

export type DataFolder = {
  readonly path: string;
  /** A DynamoDB engine that an earlier runtime left behind when it was killed; it holds the database open. */
  readonly leftEngine: Known | null;
  /** Notes which process the engine is, so that whoever comes after a kill can end it. */
  noteEngine(pid: number): void;
  /** Another runtime may take the folder. */
  release(): void;
};

export type Taken = { readonly kind: 'taken'; readonly pid: number };

/**
 * Takes a data folder for this process, or says who has it. The lock of a runtime that is no more (pid and start time
 * tell) is taken over, whatever ended it.
 */
export function takeDataFolder(dir: string): DataFolder | Taken {
  const path = resolve(dir);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const lockFile = join(path, 'lock');
  const mine: Lock = knownAs(process.pid);
  const write = (lock: Lock): string => {
    const draft = join(path, `lock.${process.pid}`);
    writeFileSync(draft, JSON.stringify(lock), { mode: 0o600 });
    return draft;
  };

  let left: Lock | null = null;
  for (;;) {
    const draft = write(mine);
    if (tryLink(draft, lockFile)) {
      rmSync(draft);
      break;
    }
    rmSync(draft);
    const holder = readLock(lockFile);
    if (holder !== null && isThere(holder)) return { kind: 'taken', pid: holder.pid };
    left = holder ?? left;
    // Of two that find the same dead lock, one moves it away; the other finds none or the new one.
    const dead = join(path, `lock.dead.${process.pid}`);
    try {
      renameSync(lockFile, dead);
      rmSync(dead);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  const engine = left?.engine;
  return {
    path,
    leftEngine: engine !== undefined && isThere(engine) ? engine : null,
    noteEngine(pid) {
      renameSync(write({ ...mine, engine: knownAs(pid) }), lockFile);
    },
    release: () => rmSync(lockFile, { force: true }),
  };
}

/** The process that has taken a data folder, dead or alive, and its engine; null: it was released, or never taken. */
export const holderOf = (dir: string): (Known & { readonly engine?: Known | undefined }) | null =>
  readLock(join(resolve(dir), 'lock'));

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

function readLock(file: string): Lock | null {
  try {
    const parsed = LockSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return null;
    throw error;
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';
