import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** Linux lists its processes in /proc; elsewhere `ps` is asked, which knows less. */
export const HAS_PROC = process.platform === 'linux';

/** What proc(5) says of a process in `stat`. */
export type Stat = {
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** in ticks since the machine started */
  readonly startedAt: string;
};

/** null: there is no such process. Linux only. */
export function statOf(pid: number): Stat | null {
  const text = readProc(pid, 'stat');
  if (text === null) return null;
  // The name, in brackets, may hold anything; the fields are counted behind the last one: 3 is the state, 22 the start.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group, session] = fields;
  return {
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt: fields[19] ?? '',
  };
}

/** Linux only. */
export const allPids = (): number[] =>
  readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));

/** A file of /proc/PID; null: it is gone, or another user's. */
export function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null;
  }
}

/** Words that NULs (`ps`: blanks) part; null: there is no such process. */
export function commandLine(pid: number): string | null {
  if (HAS_PROC) return readProc(pid, 'cmdline');
  const ps = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return ps.status === 0 ? ps.stdout : null;
}

/**
 * Of each process a line with its command and its environment, parted by blanks. For where there is no /proc; on macOS the
 * environment of programs that the system protects is left out.
 */
export function processesWithEnvironment(): readonly { readonly pid: number; readonly text: string }[] {
  const ps = spawnSync('ps', ['-A', '-E', '-ww', '-o', 'pid=,command='], {
    encoding: 'utf8',
    maxBuffer: PS_BYTES_MAX,
  });
  return (ps.stdout ?? '').split('\n').flatMap((line) => {
    const [, pid, text] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
    return pid === undefined || text === undefined ? [] : [{ pid: Number(pid), text }];
  });
}

const PS_BYTES_MAX = 64 * 1024 * 1024;

/** The name of the program that a process runs; null: it cannot be told. */
export function programOf(pid: number): string | null {
  if (!HAS_PROC) return field(pid, 'comm=')?.split('/').at(-1) ?? null;
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`));
  } catch {
    return null;
  }
}

/** null: there is no such process. */
export function parentOf(pid: number): number | null {
  if (HAS_PROC) return statOf(pid)?.parent ?? null;
  const parent = field(pid, 'ppid=');
  return parent === null ? null : Number(parent);
}

function field(pid: number, name: 'comm=' | 'ppid='): string | null {
  const ps = spawnSync('ps', ['-o', name, '-p', String(pid)], { encoding: 'utf8' });
  const text = ps.status === 0 ? ps.stdout.trim() : '';
  return text === '' ? null : text;
}

/** A signal to a process, or (negative) to a group. One that has ended meanwhile is no matter. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // gone, which is what we want
  }
}
