import { HAS_PROC, allPids, readProc, send } from '../../process-table.ts';

/** The variable by which the processes of a session are known. */
export const SESSION_VARIABLE = 'MUSTER_SESSION';

/** How long a process has after SIGHUP. */
const HANG_UP_MS = 5_000;

/** Ends the processes of a session, wherever they have gone: SIGHUP, and SIGKILL after a while. Without /proc, those of its group. */
export function hangUp(leader: number, session: string): void {
  const all = (signal: 'SIGHUP' | 'SIGKILL'): void => {
    const members = membersOf(session);
    for (const pid of members) send(pid, signal);
    if (!HAS_PROC || members.includes(leader)) send(-leader, signal);
  };
  all('SIGHUP');
  setTimeout(() => all('SIGKILL'), HANG_UP_MS).unref();
}

function membersOf(session: string): readonly number[] {
  if (!HAS_PROC) return [];
  const mark = `${SESSION_VARIABLE}=${session}`;
  return allPids().filter((pid) => readProc(pid, 'environ')?.split('\0').includes(mark) === true);
}
