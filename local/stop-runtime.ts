import { existsSync, realpathSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseOf, holderOf } from './data-folder.ts';
import { enginesOn } from './dynamodb/engine-processes.ts';
import { endProcess, isThere } from './process-identity.ts';

/** What became of the runtime, and its pid. */
export type Stopped =
  | { readonly kind: 'none' }
  | { readonly kind: 'stopped' | 'still-stopping' | 'not-ours'; readonly pid: number };

const LOOK_EVERY_MS = 50;

/**
 * Stops the runtime of a data folder as Ctrl-C does, and resolves when it and its engine are gone, or after `timeoutMs`.
 * An engine that a killed runtime has left is ended, too. It may be called at any time, and again.
 */
export async function stopRuntime(dataDir: string, timeoutMs: number): Promise<Stopped> {
  const path = existsSync(dataDir) ? realpathSync(dataDir) : dataDir;
  const holder = holderOf(path);
  const isRunning = holder !== null && isThere(holder);
  if (isRunning && !terminate(holder.pid)) return { kind: 'not-ours', pid: holder.pid };
  for (let waitedMs = 0; isRunning && isThere(holder); waitedMs += LOOK_EVERY_MS) {
    if (waitedMs >= timeoutMs) return { kind: 'still-stopping', pid: holder.pid };
    await sleep(LOOK_EVERY_MS);
  }
  const left = enginesOn(databaseOf(path));
  await Promise.all(left.map(endProcess));
  const pid = isRunning ? holder.pid : left[0]?.pid;
  return pid === undefined ? { kind: 'none' } : { kind: 'stopped', pid };
}

/** false: it is another user's. */
function terminate(pid: number): boolean {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EPERM') return false;
  }
  return true;
}
