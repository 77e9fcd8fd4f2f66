import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** Linux lists its processes in /proc; elsewhere we use `ps`, which reports less. */
export const HAS_PROC = process.platform === 'linux';

/** Fields of a process's `stat` (proc(5)). */
export type Stat = {
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** in ticks since the machine started */
  readonly startedAt: string;
};

/** null if the process does not exist. Linux only. */
export function statOf(pid: number): Stat | null {
  const text = readProc(pid, 'stat');
  if (text === null) return null;
  // The name, in parentheses, may contain anything; the fields are counted after the last one: 3 is the state, 22 the
  // start.
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

/** A file of /proc/PID; null if it is gone or belongs to another user. */
export function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null;
  }
}

/** Words separated by NULs (`ps`: spaces); null if the process does not exist. */
export function commandLine(pid: number): string | null {
  if (HAS_PROC) return readProc(pid, 'cmdline');
  const ps = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return ps.status === 0 ? ps.stdout : null;
}

/**
 * A line per process with its command and its environment, separated by spaces. For systems without /proc. On macOS, the
 * environment of programs that the system protects is missing.
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

/** The name of the program that a process runs; null if unknown. */
export function programOf(pid: number): string | null {
  if (!HAS_PROC) return field(pid, 'comm=')?.split('/').at(-1) ?? null;
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`));
  } catch {
    return null;
  }
}

/** null if the process does not exist. */
export function parentOf(pid: number): number | null {
  if (HAS_PROC) return statOf(pid)?.parent ?? null;
  const parent = field(pid, 'ppid=');
  return parent === null ? null : Number(parent);
}

/** Processes that have this file open, among those that we may inspect. */
export function holdersOfFile(path: string): readonly number[] {
  if (HAS_PROC) return allPids().filter((pid) => openFilesOf(pid).includes(path));
  const lsof = spawnSync('lsof', ['-t', '--', path], { encoding: 'utf8' });
  return (lsof.stdout ?? '').split('\n').filter(Boolean).map(Number);
}

function openFilesOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).flatMap((fd) => linkAt(`${folder}/${fd}`) ?? []);
  } catch {
    return []; // gone, or another user's
  }
}

/** null: it has been closed. */
function linkAt(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function field(pid: number, name: 'comm=' | 'ppid='): string | null {
  const ps = spawnSync('ps', ['-o', name, '-p', String(pid)], { encoding: 'utf8' });
  const text = ps.status === 0 ? ps.stdout.trim() : '';
  return text === '' ? null : text;
}

/** Sends a signal to a process or (negative) a group. A process that has already ended is not an error. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // gone, which is what we want
  }
}
