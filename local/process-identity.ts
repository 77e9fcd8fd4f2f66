import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** When a process started, in a form that only compares; null: there is no such process (a zombie is none). */
export function startOf(pid: number): string | null {
  if (process.platform === 'linux') {
    try {
      // proc(5): the name may hold anything, so the fields are counted behind its closing bracket; 3 is the state, 22 the start.
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
    } catch {
      return null;
    }
  }
  const ps = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const started = ps.status === 0 ? ps.stdout.trim() : '';
  return started === '' ? null : started;
}

/** Whether the process that started then under this pid is still there. */
export const isSameProcess = (pid: number, startedAt: string): boolean => startOf(pid) === startedAt;
