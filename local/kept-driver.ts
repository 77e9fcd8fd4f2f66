import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DRIVERS, type DriverName } from './drivers.ts';
import { TaskFiles } from './ecs/driver/task-files.ts';
import { readOwn, writeWhole } from './whole-file.ts';

const fileOf = (dataDir: string): string => join(dataDir, 'driver');

/** The driver with which a runtime was started last on this folder; null: none was, or nobody knows. */
export function keptDriver(dataDir: string): DriverName | null {
  try {
    const text = readOwn(fileOf(dataDir)).trim();
    return DRIVERS.find((each) => each === text) ?? null;
  } catch {
    return null;
  }
}

/** The next start takes it, unless it is given another. */
export function keepDriver(dataDir: string, driver: DriverName): void {
  writeWhole(fileOf(dataDir), `${driver}\n`, 'fast');
}

/**
 * Why a runtime with this driver may not take a folder over; null if it may. Tasks that another driver has started still run, and
 * only that one can find and end them.
 */
export function driverFault(dataDir: string, driver: DriverName, nowMs: number): string | null {
  const before = keptDriver(dataDir) ?? 'process';
  const folder = join(dataDir, 'ecs', 'tasks');
  if (before === driver || before === 'simulated' || !existsSync(folder)) return null;
  const live = new TaskFiles(folder, () => nowMs).load().tasks.filter(({ task }) => task.lastStatus !== 'STOPPED');
  if (live.length === 0) return null;
  return (
    `${live.length} ${live.length === 1 ? 'task' : 'tasks'} of the runtime before, with --driver ${before}, may still run: ` +
    `start it with that driver, and stop it (muster stop) before you take another`
  );
}
