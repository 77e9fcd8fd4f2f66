import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import * as z from 'zod';
import {
  type ContainerSession,
  type ContainerSessions,
  type ExecRequest,
  SessionError,
} from '../../container-sessions.ts';
import type { ContainerRun } from '../driver/driver.ts';
import type { ProcessCommand, RunnableCommand } from '../driver/process-command.ts';
import { openInput } from '../driver/private-input.ts';
import { attachedLog } from './attached-log.ts';
import type { ContainerInput } from './container-input.ts';
import { connectTo } from './connect-to.ts';
import { type HangUp, SESSION_VARIABLE, hangUps } from './session-processes.ts';
import { inTerminal } from './terminal.ts';

export type ProcessSessionsOptions = {
  /** What to run for a container, as when it starts. */
  readonly commandFor: (run: ContainerRun) => ProcessCommand;
  readonly logFile: (run: ContainerRun) => string;
  readonly isRunning: (run: ContainerRun) => boolean;
  /** null: it takes none, or an earlier runtime has started it */
  readonly inputOf: (run: ContainerRun) => ContainerInput | null;
  /** A new file, by its name, that only this user may open. */
  readonly inputFile: (run: ContainerRun, name: string) => string;
  /** where python3 is looked for */
  readonly path: string;
};

/** Sessions beside processes: in the folder, the environment, and at the address of a container. */
export function processSessions(options: ProcessSessionsOptions): ContainerSessions<ContainerRun> {
  const hangUp = hangUps();
  return {
    exec: async (run, request) => exec(run, request, options, hangUp),
    attach: async (run, { stdin }) => {
      const input = stdin ? options.inputOf(run) : null;
      return attachedLog(options.logFile(run), () => options.isRunning(run), input);
    },
    connect: async ({ task }, port) => connectTo(task.privateIp, port),
  };
}

async function exec(
  run: ContainerRun,
  request: ExecRequest,
  options: ProcessSessionsOptions,
  hangUp: HangUp,
): Promise<ContainerSession> {
  const command = options.commandFor(withCommand(run, request.command));
  if (command.kind === 'impossible') throw new SessionError(command.reason.replace(/^\w+: /, ''));
  const session = randomUUID();
  const child = await started(marked(command, session), request, options, options.inputFile(run, `session.${session}`));
  const { pid = 0 } = child;
  const sizes = request.tty ? (child.stdio[4] as Writable) : null;
  sizes?.on('error', () => undefined);
  child.stdin?.on('error', () => undefined);
  const outputs = [child.stdout, child.stderr].filter((each): each is Readable => each !== null);
  let isOver = false;
  const ended = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => {
      isOver = true;
      endWhenQuiet(outputs);
      resolve(code ?? 128 + (SIGNALS[signal ?? ''] ?? 0));
    });
  });
  return {
    stdin: child.stdin,
    stdout: child.stdout as Readable,
    stderr: request.tty ? null : child.stderr,
    resize({ width, height }) {
      if (sizes?.writable === true && !isOver) sizes.write(`${width}x${height}\n`);
    },
    ended,
    hangUp() {
      if (!isOver) hangUp(pid, session);
      for (const output of outputs) output.destroy();
    },
  };
}

/** As shells count the ends that have no code. */
const SIGNALS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
};

/** The container as if this were its command. */
function withCommand(run: ContainerRun, command: readonly string[]): ContainerRun {
  const { task, container } = run;
  const containerOverrides = (task.overrides.containerOverrides ?? []).map(({ command: _replaced, ...more }) => more);
  return {
    ...run,
    task: { ...task, overrides: { ...task.overrides, containerOverrides } },
    container: { ...container, entryPoint: [], command: [...command] },
  };
}

const VariablesSchema = z.record(z.string(), z.string());

function marked(command: RunnableCommand, session: string): RunnableCommand {
  const mark = { [SESSION_VARIABLE]: session };
  const input =
    command.input === null ? null : JSON.stringify({ ...VariablesSchema.parse(JSON.parse(command.input)), ...mark });
  return { ...command, env: { ...command.env, ...mark }, input };
}

/** Resolves once it runs. */
async function started(
  command: RunnableCommand,
  { tty, stdin }: ExecRequest,
  { path }: ProcessSessionsOptions,
  inputFile: string,
): Promise<ChildProcess> {
  const { argv, cwd, env, input } = tty ? inTerminal(command, path) : command;
  const [program = '', ...rest] = argv;
  const third = input === null ? null : openInput(inputFile, input);
  try {
    const child = spawn(program, rest, {
      cwd,
      env,
      detached: true, // its own session and process group
      stdio: [stdin || tty ? 'pipe' : 'ignore', 'pipe', 'pipe', third ?? 'ignore', ...(tty ? (['pipe'] as const) : [])],
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => reject(new SessionError(error.message)));
    });
    return child;
  } finally {
    if (third !== null) closeSync(third);
  }
}

/** How long a program that has ended may still be heard: what it has left in the background may hold its output open. */
const QUIET_MS = 1_000;

/** Ends outputs that bring nothing more, though nobody has closed them. */
function endWhenQuiet(outputs: readonly Readable[]): void {
  for (const output of outputs) {
    let bytes = bytesOf(output);
    const timer = setInterval(() => {
      const before = bytes;
      bytes = bytesOf(output);
      // Its reader may be slow.
      if (output.isPaused() || output.readableLength > 0 || bytes !== before) return;
      clearInterval(timer);
      output.once('end', () => output.destroy());
      output.push(null);
    }, QUIET_MS);
    timer.unref();
    for (const event of ['end', 'close']) output.once(event, () => clearInterval(timer));
  }
}

/** A pipe of a child is a socket. */
const bytesOf = (output: Readable): number => (output instanceof Socket ? output.bytesRead : 0);
