import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

const HAS_PROC = process.platform === 'linux';

/**
 * Whether `pid` is alive and its command line names `folder`. A task's folder holds 128 random bits, so that a pid which
 * went to another program since, after a reboot too, is never mistaken for ours. A zombie is not alive.
 */
export function isAliveFor(pid: number, folder: string): boolean {
  return commandLine(pid)?.includes(folder) === true;
}

function commandLine(pid: number): string | null {
  if (HAS_PROC) return readProc(pid, 'cmdline');
  const ps = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return ps.status === 0 ? ps.stdout : null;
}

/**
 * Whether a shim's command runs by now. Before, a signal would be swallowed: between fork and exec it meets the shell's own
 * trap. True where it cannot be told.
 */
export function hasBegun(shim: number, folder: string): boolean {
  const listed = HAS_PROC ? readProc(shim, `task/${shim}/children`) : null;
  if (listed === null) return true;
  return listed.split(' ').some((child) => child !== '' && commandLine(Number(child))?.includes(folder) === false);
}

/**
 * Sends a signal to a process group, and to processes of `leader`'s own that have left it (`timeout` makes itself a group).
 * Call it only while the leader is known to be ours.
 */
export function signalTree(leader: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  const strays = HAS_PROC
    ? (signal === 'SIGKILL' ? sessionMembers(new Set([leader])) : children(leader)).filter(
        (member) => member.group !== leader,
      )
    : [];
  kill(-leader, signal);
  for (const { pid } of strays) kill(pid, signal);
}

/**
 * Kills what is left of sessions whose leader, one of our shims, is gone. `proof` tells from the open files and the
 * environment whether a process is ours: a session's number may have been given to others since. Linux only; elsewhere
 * the groups are killed by the shims themselves and nothing can be found beyond them.
 */
export function killLeftovers(
  sessions: ReadonlySet<number>,
  proof: (process: { readonly outputs: readonly string[]; readonly environment: string }) => boolean,
): void {
  if (!HAS_PROC || sessions.size === 0) return;
  const members = sessionMembers(sessions);
  const ours = new Set(
    members
      .filter(({ pid }) => proof({ outputs: outputsOf(pid), environment: readProc(pid, 'environ') ?? '' }))
      .map(({ session }) => session),
  );
  for (const { pid, session } of members) if (ours.has(session)) kill(pid, 'SIGKILL');
}

/** Kills every process that prints into a file for which `isOurs` holds, wherever it has gone. Linux only. */
export function killPrintersInto(isOurs: (file: string) => boolean): void {
  if (!HAS_PROC) return;
  for (const pid of allPids()) {
    if (pid !== process.pid && outputsOf(pid).some(isOurs)) kill(pid, 'SIGKILL');
  }
}

type Member = { readonly pid: number; readonly group: number; readonly session: number };

const sessionMembers = (sessions: ReadonlySet<number>): Member[] =>
  allPids()
    .flatMap((pid) => memberOf(pid) ?? [])
    .filter(({ session }) => sessions.has(session));

function children(pid: number): Member[] {
  const listed = readProc(pid, `task/${pid}/children`) ?? '';
  return listed.split(' ').flatMap((child) => (child === '' ? [] : (memberOf(Number(child)) ?? [])));
}

/** Group and session are the fifth and sixth field of proc(5)'s stat; the second may hold blanks, but ends in the last `)`. */
function memberOf(pid: number): Member | null {
  const stat = readProc(pid, 'stat');
  if (stat === null) return null;
  const [state, , group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' ? null : { pid, group: Number(group), session: Number(session) };
}

const allPids = (): number[] => readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));

/** The files behind standard output and error. */
const outputsOf = (pid: number): string[] =>
  [1, 2].flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      return [];
    }
  });

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null; // gone, or another user's
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has ended meanwhile, which is what we want
  }
}
