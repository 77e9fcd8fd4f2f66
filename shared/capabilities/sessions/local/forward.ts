import type { Duplex, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SessionError, type TaskSessions } from '../../../../local/container-sessions.ts';
import type { SessionPlan } from '../domain/session-plan.ts';

/**
 * Carries one connection to a port of a task until both sides have ended it; either may end its half before. Why it could not be
 * made goes to `error`, which ends when all is over.
 */
export async function forward(
  port: number,
  { data, error }: { readonly data: Duplex; readonly error: Writable },
  { taskId, pod }: SessionPlan,
  sessions: TaskSessions,
): Promise<void> {
  try {
    const socket = await sessions.connect(taskId, port);
    await Promise.all([pipeline(data, socket), pipeline(socket, data)]).catch(() => {
      // One of them was cut off: so is the other.
      socket.destroy();
      data.destroy();
    });
  } catch (fault) {
    const why = fault instanceof SessionError ? fault.message : String(fault);
    error.write(`error forwarding port ${port} to pod ${pod.name}, uid ${pod.uid}: ${why}`);
    data.end();
    data.resume();
  }
  error.end();
}
