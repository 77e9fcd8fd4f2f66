import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { HAS_PROC, statOf } from './process-table.ts';

/** When a process started, in a form only for comparison; null if the process does not exist (or is a zombie). */
export function startOf(pid: number): string | null {
  if (HAS_PROC) {
    const stat = statOf(pid);
    return stat === null || stat.state === 'Z' || stat.state === 'X' ? null : stat.startedAt;
  }
  const ps = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const started = ps.status === 0 ? ps.stdout.trim() : '';
  return started === '' ? null : started;
}

/** A process, distinguished by its start time from a later one with the same pid. */
export type Known = { readonly pid: number; readonly startedAt: string };

/** Identifies a process from now on. */
export const knownAs = (pid: number): Known => ({ pid, startedAt: startOf(pid) ?? '' });

/** Whether the same process still exists. */
export const isThere = ({ pid, startedAt }: Known): boolean => startOf(pid) === startedAt;

/** Sends SIGTERM, then SIGKILL; returns when the process is gone. Throws when it belongs to another user. */
export async function endProcess(known: Known): Promise<void> {
  for (let tries = 0; isThere(known); tries++) {
    try {
      process.kill(known.pid, tries < TERM_TRIES ? 'SIGTERM' : 'SIGKILL');
    } catch (error) {
      if (isThere(known)) throw error;
    }
    await sleep(LOOK_EVERY_MS);
  }
}

const TERM_TRIES = 20;
const LOOK_EVERY_MS = 50;
