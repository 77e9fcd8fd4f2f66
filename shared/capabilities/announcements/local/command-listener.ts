import { spawn } from 'node:child_process';
import { type Announcement, eventOf } from '../domain/announcement.ts';
import type { Listener, Told } from './listener.ts';

/** Longer than a message to somebody takes, and short enough that a command which hangs is seen. */
const RUN_MS = 60_000;
const SAID_CHARS_MAX = 300;

/**
 * A shell command that is run for each change. It gets the event as JSON on standard input and what people ask first in
 * variables. Exit code 0: it has taken it. It ends with all that it has started after a minute, and when the runtime ends.
 */
export const commandListener = (command: string, cwd: string, runMs = RUN_MS): Listener => ({
  name: '--on-event',
  tell: async (change, signal) =>
    new Promise((resolve) => {
      const child = spawn('/bin/sh', ['-c', command], {
        cwd,
        detached: true, // a group of its own, so that all of it can be ended
        env: { ...process.env, ...variablesOf(change) },
        stdio: ['pipe', 'ignore', 'pipe'],
      });
      let said = '';
      let overdue = false;
      const end = (): void => {
        try {
          if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
        } catch {
          // it has ended by itself
        }
      };
      const timer = setTimeout(() => {
        overdue = true;
        end();
      }, runMs);
      signal.addEventListener('abort', end, { once: true });
      const over = (told: Told): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve(told);
      };
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-SAID_CHARS_MAX);
      });
      child.once('error', (error) => over({ kind: 'refused', why: error.message }));
      // Not 'close': what it leaves behind may hold its output open.
      child.once('exit', (code, killedBy) => {
        if (code === 0) return over({ kind: 'taken' });
        const how = overdue ? `it ran for more than ${runMs / 1_000} s` : `it ended with ${killedBy ?? code}`;
        over({ kind: 'refused', why: said.trim() === '' ? how : `${how}: ${said.trim()}` });
      });
      child.stdin.once('error', () => undefined); // it may end without reading
      child.stdin.end(`${JSON.stringify(eventOf(change))}\n`);
    }),
});

const variablesOf = ({ id, detail }: Announcement): Record<string, string> => ({
  MUSTER_EVENT_ID: id,
  MUSTER_EVENT_STATE: detail.state,
  MUSTER_EVENT_TIME: detail.time,
  MUSTER_EVENT_REASON: detail.reason ?? '',
  MUSTER_JOB_NAMESPACE: detail.namespace,
  MUSTER_JOB_NAME: detail.name,
  MUSTER_JOB_UID: detail.uid,
});
