import { existsSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseOf, holderOf, takeDataFolder } from './data-folder.ts';
import { enginesOn } from './dynamodb/engine-processes.ts';
import { killAllBelow } from './ecs/driver/processes.ts';
import { endProcess, isThere } from './process-identity.ts';

/** What happened to the runtime, and its pid; `cleared`: it had been killed, and its remains are gone now. */
export type Stopped =
  | { readonly kind: 'none' | 'cleared' }
  | { readonly kind: 'stopped' | 'still-stopping' | 'not-ours'; readonly pid: number };

const LOOK_EVERY_MS = 50;

/**
 * Stops the runtime of a data folder as Ctrl-C does, and resolves when it and its engine are gone, or after `timeoutMs`.
 * Also ends the remains of a killed runtime. Safe to call at any time, and repeatedly.
 *
 * @throws disk errors
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
  const hasLeft = existsSync(databaseOf(path)) || existsSync(tasksOf(path)) ? await endWhatIsLeft(path) : false;
  if (isRunning) return { kind: 'stopped', pid: holder.pid };
  return { kind: hasLeft ? 'cleared' : 'none' };
}

const tasksOf = (path: string): string => join(path, 'ecs', 'tasks');

/**
 * Cleans up after a killed runtime: its engine, and its tasks, which the next one would have adopted. Returns whether there
 * were any.
 */
async function endWhatIsLeft(path: string): Promise<boolean> {
  const folder = takeDataFolder(path, () => undefined); // so that no runtime starts meanwhile
  if (folder.kind === 'refused') return false;
  try {
    const engines = enginesOn(databaseOf(path));
    await Promise.all(engines.map(endProcess));
    const tasks = killTasks(path);
    return engines.length + tasks.length > 0;
  } finally {
    folder.release();
  }
}

/**
 * Kills all processes of tasks of a data folder, which the caller holds. They count as lost with the next runtime.
 *
 * @returns their pids
 */
export function killTasks(path: string): readonly number[] {
  const below = [join(path, 'logs') + sep, tasksOf(path) + sep];
  return killAllBelow(tasksOf(path), (file) => below.some((folder) => file.startsWith(folder)));
}

/** false: it belongs to another user. */
function terminate(pid: number): boolean {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EPERM') return false;
  }
  return true;
}
