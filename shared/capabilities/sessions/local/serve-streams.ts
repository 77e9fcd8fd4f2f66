import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ContainerSession, SessionError, type TaskSessions } from '../../../../local/container-sessions.ts';
import type { SessionPlan } from '../domain/session-plan.ts';
import type { SessionEnd } from '../domain/session-end.ts';
import type { Carried } from './carried.ts';

/**
 * Carries the streams of exec and attach until the program has ended, or the client is gone. Each stream is read as fast as the
 * other side takes it.
 */
export async function serveStreams(
  { taskId, container, wanted }: SessionPlan,
  carried: Carried,
  gone: AbortSignal,
  sessions: TaskSessions,
): Promise<void> {
  if (wanted.kind === 'portForward' || container === null) return;
  const target = { taskId, container };
  let session: ContainerSession;
  try {
    session =
      wanted.kind === 'exec'
        ? await sessions.exec(target, { command: wanted.command, tty: wanted.tty, stdin: wanted.stdin })
        : await sessions.attach(target, { stdin: wanted.stdin });
  } catch (error) {
    const doing = wanted.kind === 'exec' ? 'error executing command in container' : 'error attaching to container';
    await carried.finish({ kind: 'failed', why: `${doing}: ${wordsOf(error)}` });
    return;
  }
  const hangUp = (): void => session.hangUp();
  gone.addEventListener('abort', hangUp, { once: true });
  if (gone.aborted) hangUp();
  carried.onSize((size) => session.resize(size));
  passInput(carried.stdin, session.stdin);
  const outputs = [passOutput(session.stdout, carried.stdout), passOutput(session.stderr, carried.stderr)];
  const end = await session.ended.then(
    (exitCode): SessionEnd => ({ kind: 'ended', exitCode }),
    (error: unknown): SessionEnd => ({ kind: 'failed', why: wordsOf(error) }),
  );
  await Promise.all(outputs);
  gone.removeEventListener('abort', hangUp);
  carried.stdin?.destroy();
  session.stdin?.destroy();
  if (!gone.aborted) await carried.finish(end);
}

const wordsOf = (error: unknown): string =>
  error instanceof SessionError ? error.message : 'the session could not be held';

/** A program that wants no more input gets none, and goes on. */
function passInput(from: Readable | null, to: Writable | null): void {
  if (from === null) return void to?.end();
  if (to === null) return void from.resume();
  pipeline(from, to).catch(() => from.resume());
}

/** Resolves when all is sent, or nobody takes it. What is not asked for is read all the same: a full pipe would stop the program. */
async function passOutput(from: Readable | null, to: Writable | null): Promise<void> {
  if (from === null) return;
  if (to === null) {
    from.resume();
    return;
  }
  await pipeline(from, to).catch(() => undefined);
}
