import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import {
  type ContainerSession,
  type ContainerSessions,
  type ExecRequest,
  SessionError,
  type TerminalSize,
} from '../../container-sessions.ts';
import type { ContainerRun } from '../../ecs/driver/driver.ts';
import { connectTo } from '../../ecs/sessions/connect-to.ts';
import { SESSION_VARIABLE } from '../../ecs/sessions/session-processes.ts';
import { type Engine, EngineError } from '../engine.ts';
import { containerName } from '../names.ts';
import { createExec, hangUp, inspectExec } from './hang-up.ts';
import { partedOutput } from './parted-output.ts';

/** Sessions in the containers of an engine. */
export function dockerSessions(engine: Engine): ContainerSessions<ContainerRun> {
  return {
    exec: async ({ task, container }, request) =>
      inWords(async () => exec(engine, containerName(task.id, container.name), request)),
    attach: async (run, request) => inWords(async () => attach(engine, run, request)),
    connect: async ({ task }, port) => connectTo(task.privateIp, port),
  };
}

async function exec(
  engine: Engine,
  container: string,
  { command, tty, stdin }: ExecRequest,
): Promise<ContainerSession> {
  const session = randomUUID();
  const id = await createExec(engine, container, {
    Cmd: command,
    Tty: tty,
    Env: [`${SESSION_VARIABLE}=${session}`],
    AttachStdin: stdin,
    AttachStdout: true,
    AttachStderr: true,
  });
  const line = await engine.connect({ method: 'POST', path: `/exec/${id}/start`, body: { Detach: false, Tty: tty } });
  let isOver = false;
  const ended = untilClosed(line).then(async () => {
    isOver = true;
    return exitCodeOf(engine, id);
  });
  ended.catch(() => undefined);
  const sized = terminalOf(engine, `/exec/${id}`, () => isOver);
  return {
    stdin: stdin ? line : null,
    ...(tty ? { stdout: line, stderr: null } : partedOutput(line)),
    resize(size) {
      if (tty) sized(size);
    },
    ended,
    hangUp() {
      if (isOver) return;
      line.destroy();
      hangUp(engine, container, id, session).catch(() => undefined);
    },
  };
}

/** Gives a terminal the newest size. An engine refuses one for a program that has not begun yet: it is offered again. */
function terminalOf(engine: Engine, path: string, isOver: () => boolean): (size: TerminalSize) => void {
  let newest: TerminalSize | null = null;
  return (size) => {
    newest = size;
    const offer = async (): Promise<void> => {
      for (let tries = 0; tries < TRIES && newest === size && !isOver(); tries++) {
        const query = { w: size.width, h: size.height };
        const refusal = await engine.ask({ method: 'POST', path: `${path}/resize`, query }).then(
          () => null,
          (error: unknown) => error,
        );
        if (refusal === null) return;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    };
    void offer();
  };
}

async function attach(
  engine: Engine,
  { task, container }: ContainerRun,
  { stdin }: Pick<ExecRequest, 'stdin'>,
): Promise<ContainerSession> {
  const path = `/containers/${containerName(task.id, container.name)}`;
  const { interactive = false, pseudoTerminal = false } = container;
  const takesInput = stdin && interactive;
  const query = { stream: true, stdin: takesInput, stdout: true, stderr: true };
  const line = await engine.connect({ method: 'POST', path: `${path}/attach`, query });
  let isOver = false;
  const ended = untilClosed(line).then(() => {
    isOver = true;
    return null;
  });
  const sized = terminalOf(engine, path, () => isOver);
  return {
    stdin: takesInput ? line : null,
    ...(pseudoTerminal ? { stdout: line, stderr: null } : partedOutput(line)),
    resize(size) {
      if (pseudoTerminal) sized(size);
    },
    ended,
    hangUp: () => void line.destroy(),
  };
}

/** Resolves when the engine has sent everything, or the connection is gone. */
const untilClosed = async (line: Duplex): Promise<void> =>
  new Promise((resolve) => {
    line.once('end', resolve);
    line.once('close', resolve);
    line.on('error', () => resolve());
  });

/** How often it is asked for an exit code that is not there yet, and how long. */
const AGAIN_MS = 20;
const TRIES = 250;

/** An engine may have sent the last output before it notes the end. */
async function exitCodeOf(engine: Engine, id: string): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const { Running, ExitCode } = await inspectExec(engine, id);
    if (!Running && typeof ExitCode === 'number') return ExitCode;
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
  throw new SessionError('the container engine does not say how the program has ended');
}

async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EngineError) throw new SessionError(error.message);
    throw error;
  }
}
