import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { HAS_PROC, statOf } from './process-table.ts';

/** When a process started, in a form that only compares; null: there is no such process (a zombie is none). */
export function startOf(pid: number): string | null {
  if (HAS_PROC) {
    const stat = statOf(pid);
    return stat === null || stat.state === 'Z' || stat.state === 'X' ? null : stat.startedAt;
  }
  const ps = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const started = ps.status === 0 ? ps.stdout.trim() : '';
  return started === '' ? null : started;
}

/** A process, told from a later one that was given the same pid by when it started. */
export type Known = { readonly pid: number; readonly startedAt: string };

/** How a process is known from now on. */
export const knownAs = (pid: number): Known => ({ pid, startedAt: startOf(pid) ?? '' });

/** Whether that very process is still there. */
export const isThere = ({ pid, startedAt }: Known): boolean => startOf(pid) === startedAt;

/** SIGTERM, then SIGKILL; returns when the process is gone. Throws when it is somebody else's. */
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
