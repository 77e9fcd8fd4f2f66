import { readlinkSync } from 'node:fs';
import { sep } from 'node:path';
import {
  HAS_PROC,
  allPids,
  commandLine,
  processesWithEnvironment,
  readProc,
  send,
  statOf,
} from '../../process-table.ts';

/**
 * Whether `pid` is alive and its command line names `folder`. A task's folder name has 128 random bits, so a pid that
 * another program got since, even after a reboot, is never mistaken for ours. A zombie is not alive.
 */
export function isAliveFor(pid: number, folder: string): boolean {
  return commandLine(pid)?.includes(folder) === true;
}

/**
 * Whether a shim's command runs yet. An earlier signal would be lost: between fork and exec it meets the shell's own trap.
 * True if this cannot be determined.
 */
export function hasBegun(shim: number, folder: string): boolean {
  const listed = HAS_PROC ? readProc(shim, `task/${shim}/children`) : null;
  if (listed === null) return true;
  return listed.split(' ').some((child) => child !== '' && commandLine(Number(child))?.includes(folder) === false);
}

/**
 * Sends SIGTERM to a process group, and to children of `leader` that have left it (`timeout` makes its own group). Call it
 * only while the leader is known to be ours.
 */
export function terminateTree(leader: number): void {
  const strays = HAS_PROC ? children(leader).filter((member) => member.group !== leader) : [];
  send(-leader, 'SIGTERM');
  for (const { pid } of strays) send(pid, 'SIGTERM');
}

/** The same with SIGKILL, for all of their sessions, and for many leaders at once: it looks at every process of the machine. */
export function killTrees(leaders: ReadonlySet<number>): void {
  const strays = HAS_PROC ? sessionMembers(leaders).filter(({ group }) => !leaders.has(group)) : [];
  for (const leader of leaders) send(-leader, 'SIGKILL');
  for (const { pid } of strays) send(pid, 'SIGKILL');
}

/** The variable that every process of a container inherits: the container's folder and name. */
export const MARK = 'MUSTER_CONTAINER';

/** A container run that has ended: what identifies its processes. */
export type EndedContainer = { readonly mark: string; readonly logFile: string };

/** A process that hides its environment may start another one during the search. */
const ROUNDS_MAX = 10;

/**
 * Kills what containers left behind when they ended, wherever it is: processes with the container's mark, and processes
 * that print into its log, which belongs to that container alone. Without /proc it uses `ps`, which does not show every
 * process's environment.
 */
export function killLeftovers(ended: readonly EndedContainer[]): void {
  if (ended.length === 0) return;
  const marks = new Set(ended.map(({ mark }) => mark));
  const logs = new Set(ended.map(({ logFile }) => logFile));
  killAll((pid, mark) => (mark !== null && marks.has(mark)) || outputsOf(pid).some((file) => logs.has(file)));
}

/**
 * Kills every process of any container below `tasksDir`, and all processes that print into a file for which `isOurs` is
 * true.
 *
 * @returns their pids
 */
export const killAllBelow = (tasksDir: string, isOurs: (file: string) => boolean): readonly number[] =>
  killAll((pid, mark) => mark?.startsWith(tasksDir + sep) === true || outputsOf(pid).some(isOurs));

function killAll(isOurs: (pid: number, mark: string | null) => boolean): readonly number[] {
  const killed = new Set<number>();
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const found = marked().filter(({ pid, mark }) => pid !== process.pid && isOurs(pid, mark));
    for (const { pid } of found) {
      send(pid, 'SIGKILL');
      killed.add(pid);
    }
    if (found.length === 0) break;
  }
  return [...killed];
}

type Marked = {
  readonly pid: number;
  /** null: it has none, or it cannot be read */
  readonly mark: string | null;
};

const marked = (): readonly Marked[] =>
  HAS_PROC
    ? allPids().flatMap((pid) => {
        const environment = readProc(pid, 'environ');
        return environment === null ? [] : [{ pid, mark: markIn(environment) }];
      })
    : processesWithEnvironment().map(({ pid, text }) => ({ pid, mark: markInPs(text) }));

/** The mark in the environment of a process, as `/proc` has it; null if there is none. */
export const markIn = (environment: string): string | null => IN_PROC.exec(environment)?.[1] ?? null;

const IN_PROC = new RegExp(`(?:^|\\0)${MARK}=([^\\0]*)`);
const IN_PS = new RegExp(` ${MARK}=(.*?)(?= [A-Za-z_]\\w*=|$)`);

/** The mark in a line of `ps -E`, where spaces separate variables and may also occur in values; null if there is none. */
export const markInPs = (line: string): string | null => IN_PS.exec(line)?.[1] ?? null;

type Member = { readonly pid: number; readonly group: number; readonly session: number };

const sessionMembers = (sessions: ReadonlySet<number>): Member[] =>
  allPids()
    .flatMap((pid) => memberOf(pid) ?? [])
    .filter(({ session }) => sessions.has(session));

function children(pid: number): Member[] {
  const listed = readProc(pid, `task/${pid}/children`) ?? '';
  return listed.split(' ').flatMap((child) => (child === '' ? [] : (memberOf(Number(child)) ?? [])));
}

function memberOf(pid: number): Member | null {
  const stat = statOf(pid);
  return stat === null || stat.state === 'Z' ? null : { pid, group: stat.group, session: stat.session };
}

/** The files behind standard output and standard error. */
const outputsOf = (pid: number): string[] =>
  [1, 2].flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      return [];
    }
  });
