import { HAS_PROC, allPids, readProc, send } from '../../process-table.ts';

/** The variable by which the processes of a session are known. */
export const SESSION_VARIABLE = 'MUSTER_SESSION';

/** How long a process has after SIGHUP. */
export const HANG_UP_MS = 5_000;

/** The session that a process belongs to; null: to none, or it cannot be read. */
export const sessionOf = (pid: number): string | null =>
  IN_ENVIRONMENT.exec(readProc(pid, 'environ') ?? '')?.[1] ?? null;

const IN_ENVIRONMENT = new RegExp(`(?:^|\\0)${SESSION_VARIABLE}=([^\\0]*)`);

/** Ends the processes of a session, whose first one is `leader`. */
export type HangUp = (leader: number, session: string) => void;

/**
 * Ends processes wherever they have gone: SIGHUP, and SIGKILL after a while. Sessions that end together are looked for together, as
 * that looks at every process of the machine. Without /proc, those of the leader's group are ended.
 */
export function hangUps(): HangUp {
  let leaders = new Map<string, number>();
  return (leader, session) => {
    leaders.set(session, leader);
    if (leaders.size > 1) return;
    setImmediate(() => {
      const all = leaders;
      leaders = new Map();
      signal(all, 'SIGHUP');
      setTimeout(() => signal(all, 'SIGKILL'), HANG_UP_MS).unref();
    });
  };
}

function signal(leaders: ReadonlyMap<string, number>, name: 'SIGHUP' | 'SIGKILL'): void {
  if (!HAS_PROC) {
    for (const leader of leaders.values()) send(-leader, name);
    return;
  }
  for (const pid of allPids()) {
    const leader = leaders.get(sessionOf(pid) ?? '');
    if (leader !== undefined) send(pid === leader ? -leader : pid, name);
  }
}
