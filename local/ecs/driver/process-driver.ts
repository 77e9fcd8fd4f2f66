import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { CONTAINER_LABELS } from '../../../shared/domain/task/container-labels.ts';
import { closeSync, mkdirSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { streamFile } from '../../logs/stream-files.ts';
import { SHARED_ADDRESS } from './addresses.ts';
import type { ContainerDefinition, Definition } from '../definition.ts';
import { commandOf, type ContainerRun, type Driver, type FoundContainer, type Reports } from './driver.ts';
import {
  type EndedContainer,
  hasBegun,
  isAliveFor,
  killAllBelow,
  killLeftovers,
  killTrees,
  terminateTree,
} from './processes.ts';
import type { HostPlaces } from './host-paths.ts';
import { logNameFault, logStream } from './log-name.ts';
import { openInput } from './private-input.ts';
import { usageByMark } from './process-usage.ts';
import { type ProcessCommand, processCommand, type RunnableCommand, volumesOf } from './process-command.ts';
import type { SecretStores } from './secret-files.ts';
import { SessionError } from '../../container-sessions.ts';
import { ContainerInput } from '../sessions/container-input.ts';
import { inTerminal } from '../sessions/terminal.ts';
import { processSessions } from '../sessions/process-sessions.ts';
import { setupProblemOf } from './setup-problem.ts';
import { SHIM, SHIM_NAME } from './shim.ts';
import type { TaskFiles } from './task-files.ts';
import type { VolumeFolders } from './volume-folders.ts';
import type { TaskNetwork } from './task-network.ts';
import type { ContainerEnd } from '../task-life.ts';
import type { TaskRecord } from '../task-record.ts';
import type { Timers } from '../timers.ts';
import { HAS_PROC } from '../../process-table.ts';
import { openForAppending } from '../../whole-file.ts';

export type ProcessDriverOptions = {
  readonly files: TaskFiles;
  readonly volumes: VolumeFolders;
  readonly logsDir: string;
  readonly workspaceDir: string;
  /** Variables of every container, unless it sets them itself. */
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: SecretStores;
  readonly hosts: HostPlaces;
  readonly network: TaskNetwork;
  readonly timers: Timers;
  readonly reports: Reports;
};

/** Adopted shims are not our children, so there is no exit event for them. */
const POLL_MS = 200;
/** A shim writes its pid immediately after its claim; one without a pid by then was killed in between. */
const CLAIM_WITHOUT_PID_MS = 5_000;
/** How long after a container's end its leftover processes are searched for, together with those of other ended containers. */
const LEFTOVERS_AFTER_MS = 1_000;

/** How many times to check for a starting command before it gets SIGTERM. */
const BEGIN_TRIES_MAX = 50;
const BEGIN_RETRY_MS = 20;

type Process = {
  readonly run: ContainerRun;
  /** null: queued here, or claimed without a known pid */
  pid: number | null;
  readonly adopted: boolean;
  /** since when it is watched, by our clock */
  readonly sinceMs: number;
  sent: 'SIGTERM' | 'SIGKILL' | null;
  /** null: it takes none; that of an earlier run ended with it */
  input: ContainerInput | null;
};

/** Runs the containers' commands as processes under shims (see shim.ts). Ignores the image. */
export class ProcessDriver implements Driver {
  readonly #options: ProcessDriverOptions;
  readonly #processes = new Map<string, Process>();
  readonly #queue: Process[] = [];
  /** ended containers that may have left processes behind */
  readonly #ended: EndedContainer[] = [];
  readonly #toKill: Process[] = [];
  readonly sessions: NonNullable<Driver['sessions']>;
  readonly usage: Driver['usage'];
  #polling = false;
  #closed = false;

  constructor(options: ProcessDriverOptions) {
    this.#options = options;
    this.sessions = processSessions({
      commandFor: (run) => this.#commandFor(run),
      logFile: (run) => this.#logFile(run),
      isRunning: (run) => this.#processes.has(keyOf(run)),
      inputOf: (run) => this.#processes.get(keyOf(run))?.input ?? null,
      inputFile: ({ task }, name) => join(options.files.folder(task.id), name),
      path: process.env['PATH'] ?? '',
    });
    if (HAS_PROC)
      this.usage = async (runs) => {
        const used = await usageByMark();
        return runs.map((run) => used.get(this.#mark(run)) ?? null);
      };
    mkdirSync(options.workspaceDir, { recursive: true });
  }

  async open(): Promise<void> {
    return Promise.resolve();
  }

  settle(): void {}

  over(): void {}

  refusal({ containerDefinitions }: { readonly containerDefinitions: readonly ContainerDefinition[] }): string | null {
    for (const container of containerDefinitions) {
      if (commandOf(container, {}).length === 0)
        return `the process driver runs commands, not images: container ${container.name} has no command`;
      const fault = logNameFault(container);
      if (fault !== null) return fault;
    }
    return null;
  }

  setupProblem(definition: Pick<Definition, 'containerDefinitions' | 'volumes'>): string | null {
    return setupProblemOf(definition, this.#options.secrets, this.#options.hosts);
  }

  privateIp(): string {
    return this.#options.network.addresses?.take() ?? SHARED_ADDRESS;
  }

  /** Starts one process per turn of the event loop: hundreds may be requested at once, and other work must go on. */
  start(run: ContainerRun): void {
    const sinceMs = this.#options.timers.now();
    const started: Process = { run, pid: null, adopted: false, sinceMs, sent: null, input: null };
    this.#processes.set(keyOf(run), started);
    if (this.#queue.push(started) === 1) setImmediate(() => this.#spawnNext());
  }

  #spawnNext(): void {
    const [started] = this.#queue;
    if (started === undefined || this.#closed) return;
    if (started.sent === null) this.#spawn(started);
    else
      this.#report(started, {
        kind: 'unstartable',
        reason: 'stopped before it was started',
        atMs: this.#options.timers.now(),
      });
    this.#queue.shift();
    if (this.#queue.length > 0) setImmediate(() => this.#spawnNext());
  }

  #spawn(started: Process): void {
    const { run } = started;
    const { files, timers, reports } = this.#options;
    const folder = files.folder(run.task.id);
    const fail = (reason: string): void => this.#report(started, { kind: 'unstartable', reason, atMs: timers.now() });
    let child;
    const startedAtMs = timers.now();
    try {
      const command = inItsTerminal(run, this.#commandFor(run));
      if (command.kind === 'impossible') {
        fail(command.reason);
        return;
      }
      files.expectExit(run.task.id, run.container.name);
      child = spawnShim(folder, run.container, command, this.#logFile(run));
    } catch (error) {
      fail(startErrorOf(error));
      return;
    }
    child.on('error', (error) => fail(startErrorOf(error)));
    if (child.pid === undefined) return;
    started.pid = child.pid;
    child.unref();
    started.input = inputOf(run.container, child);
    const { pid } = child;
    child.once('exit', () => this.#childEnded(started, pid));
    reports.started(run.task.id, run.container.name, startedAtMs);
  }

  #commandFor(run: ContainerRun): ProcessCommand {
    const { volumes, workspaceDir, environment, secrets, hosts, network } = this.#options;
    const volumesDir = volumesOf(run.container).length === 0 ? null : volumes.use(run.task);
    return processCommand(run, {
      workspaceDir,
      environment,
      mark: this.#mark(run),
      secrets,
      volumesDir,
      hosts,
      network,
    });
  }

  /** Our own child has ended. If it lost the claim to a shim of an earlier run, watches that one instead. */
  #childEnded(started: Process, pid: number): void {
    const { files } = this.#options;
    const { task, container } = started.run;
    const claim = files.claim(task.id, container.name);
    if (claim !== null && claim.pid !== pid && files.exit(task.id, container.name) === null)
      this.#watch(started.run, claim.pid, started.sent);
    else this.#settle(started);
  }

  /** The shim is gone; its exit file, or the lack of one, says the rest. */
  #settle(started: Process): void {
    const { files, timers } = this.#options;
    const { task, container } = started.run;
    const exit = files.exit(task.id, container.name);
    const atMs = timers.now();
    if (exit !== null) this.#report(started, { kind: 'exited', ...exit });
    else if (started.sent !== null)
      this.#report(started, { kind: 'exited', exitCode: started.sent === 'SIGTERM' ? 143 : 137, atMs });
    else
      this.#report(started, {
        kind: 'lost',
        reason: `the process that watched container ${container.name} is gone`,
        atMs,
      });
  }

  #report(started: Process, end: ContainerEnd): void {
    const { run } = started;
    if (this.#processes.get(keyOf(run)) !== started) return;
    this.#processes.delete(keyOf(run));
    started.input?.close();
    this.#clearUp(run, end);
    if (!this.#closed) this.#options.reports.ended(run.task.id, run.container.name, end);
  }

  signal(run: ContainerRun, signal: 'SIGTERM' | 'SIGKILL'): void {
    const started = this.#processes.get(keyOf(run));
    if (started === undefined) return;
    started.sent = signal;
    // still queued, or without a known pid; the next step checks `sent`
    if (started.pid !== null) this.#send(started, started.pid, BEGIN_TRIES_MAX);
  }

  #send(started: Process, pid: number, tries: number): void {
    const { files, timers } = this.#options;
    const folder = files.folder(started.run.task.id);
    if (started.sent === null || this.#processes.get(keyOf(started.run)) !== started) return;
    if (started.adopted && !isAliveFor(pid, folder)) return;
    if (started.sent === 'SIGKILL') {
      if (this.#toKill.push(started) === 1) setImmediate(() => this.#kill());
    } else if (tries > 0 && !hasBegun(pid, folder)) {
      timers.after(BEGIN_RETRY_MS, () => this.#send(started, pid, tries - 1));
    } else terminateTree(pid);
  }

  /** All that are to be killed in this turn. */
  #kill(): void {
    const all = this.#toKill.splice(0).filter((started) => this.#processes.get(keyOf(started.run)) === started);
    killTrees(new Set(all.flatMap(({ pid }) => (pid === null ? [] : [pid]))));
  }

  inspect(run: ContainerRun): FoundContainer {
    const { files, network, timers } = this.#options;
    const { task, container } = run;
    network.addresses?.keep(task.privateIp);
    // A shim that was started just before we died may not have claimed yet: if the task must end, it must not start.
    if (task.stop !== null && files.forbidStart(task.id, container.name)) return { kind: 'absent' };
    const claim = files.claim(task.id, container.name);
    if (claim === null) return { kind: 'absent' };
    const exit = files.exit(task.id, container.name);
    if (exit !== null) {
      const end = { kind: 'exited', ...exit } as const;
      this.#clearUp(run, end);
      return { kind: 'ended', startedAtMs: claim.atMs, end };
    }
    if (claim.pid === null && claim.atMs + CLAIM_WITHOUT_PID_MS < timers.now())
      return { kind: 'ended', startedAtMs: claim.atMs, end: this.#vanished(run) };
    if (claim.pid !== null && !isAliveFor(claim.pid, files.folder(task.id))) {
      // it may have ended between the two checks
      const late = files.exit(task.id, container.name);
      return {
        kind: 'ended',
        startedAtMs: claim.atMs,
        end: late === null ? this.#vanished(run) : { kind: 'exited', ...late },
      };
    }
    this.#watch(run, claim.pid, null);
    return { kind: 'running', startedAtMs: claim.atMs };
  }

  /** After a reboot, or when a user killed the shim: kills its leftover processes, because nothing watches them any more. */
  #vanished(run: ContainerRun): ContainerEnd {
    const end: ContainerEnd = {
      kind: 'lost',
      reason: `the process that watched container ${run.container.name} vanished`,
      atMs: this.#options.timers.now(),
    };
    this.#clearUp(run, end);
    return end;
  }

  #watch(run: ContainerRun, pid: number | null, sent: Process['sent']): void {
    const sinceMs = this.#options.timers.now();
    this.#processes.set(keyOf(run), { run, pid, adopted: true, sinceMs, sent, input: null });
    if (this.#polling) return;
    this.#polling = true;
    this.#options.timers.after(POLL_MS, () => this.#poll());
  }

  #poll(): void {
    this.#polling = false;
    if (this.#closed) return;
    for (const started of this.#processes.values()) if (started.adopted) this.#look(started);
    if (this.#polling || ![...this.#processes.values()].some(({ adopted }) => adopted)) return;
    this.#polling = true;
    this.#options.timers.after(POLL_MS, () => this.#poll());
  }

  #look(started: Process): void {
    const { files, timers } = this.#options;
    const { task, container } = started.run;
    if (started.pid === null) {
      const claim = files.claim(task.id, container.name);
      if (claim !== null && claim.pid !== null) {
        started.pid = claim.pid;
        if (started.sent !== null) this.signal(started.run, started.sent);
      } else if (claim === null || started.sinceMs + CLAIM_WITHOUT_PID_MS < timers.now()) this.#settle(started);
    } else if (files.exit(task.id, container.name) !== null || !isAliveFor(started.pid, files.folder(task.id)))
      this.#settle(started);
  }

  forget(task: TaskRecord): void {
    this.#options.files.remove(task.id);
    this.#options.volumes.forget(task);
    this.#options.network.addresses?.release(task.privateIp);
  }

  /**
   * Shims kill their own group at the end. Processes that left the group are searched for a while later, for many
   * containers at once.
   */
  #clearUp(run: ContainerRun, end: ContainerEnd): void {
    this.#ended.push({ mark: this.#mark(run), logFile: this.#logFile(run) });
    if (end.kind === 'lost') this.#killLeftovers();
    else if (this.#ended.length === 1) this.#options.timers.after(LEFTOVERS_AFTER_MS, () => this.#killLeftovers());
  }

  #killLeftovers(): void {
    killLeftovers(this.#ended.splice(0));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.length = 0;
    for (const { input } of this.#processes.values()) input?.close();
    const { files, logsDir } = this.#options;
    const tasksDir = files.folder('');
    killAllBelow(tasksDir, (file) => file.startsWith(logsDir + sep) || file.startsWith(tasksDir + sep));
    return Promise.resolve();
  }

  #mark({ task, container }: ContainerRun): string {
    return join(this.#options.files.folder(task.id), container.name);
  }

  #logFile({ task, container }: ContainerRun): string {
    const log = logStream(container, task.id);
    return log === null
      ? join(this.#options.files.folder(task.id), `log.${container.name}`)
      : streamFile(this.#options.logsDir, log);
  }
}

/**
 * A command's own fault: too many arguments, or a NUL. All other errors are temporary limits of this machine. Node's words for a NUL
 * cite the argument or the variable that has it.
 */
function startErrorOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('ERR_'))
    return 'CannotStartContainerError: an argument or a variable has a byte 0, which no program can get';
  const isTheirs = code === 'E2BIG';
  return `${isTheirs ? 'CannotStartContainerError' : 'InternalError'}: ${error instanceof Error ? error.message : String(error)}`;
}

/** The path of the interpreter that makes terminals is looked for as the user's shell does. */
function inItsTerminal({ container }: ContainerRun, command: ProcessCommand): ProcessCommand {
  if (container.pseudoTerminal !== true || command.kind === 'impossible') return command;
  try {
    return inTerminal(command, process.env['PATH'] ?? '');
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    return { kind: 'impossible', reason: `CannotStartContainerError: ${error.message}` };
  }
}

/** Neither holds this process up. */
function inputOf({ dockerLabels = {} }: ContainerDefinition, { stdin, stdio }: ChildProcess): ContainerInput | null {
  const sizes = stdio[4] instanceof Writable ? stdio[4] : null;
  for (const each of [stdin, sizes]) if (each instanceof Socket) each.unref();
  if (stdin === null) {
    sizes?.destroy();
    return null;
  }
  return new ContainerInput(stdin, { once: dockerLabels[CONTAINER_LABELS.stdinOnce] === 'true', sizes });
}

function spawnShim(
  folder: string,
  { name, interactive, pseudoTerminal }: ContainerDefinition,
  command: RunnableCommand,
  logFile: string,
): ChildProcess {
  const umask = process.umask().toString(8).padStart(4, '0');
  const files: number[] = [];
  try {
    const log = openLog(logFile);
    files.push(log);
    if (command.input !== null) files.push(openInput(join(folder, `input.${name}`), command.input));
    return spawn('/bin/sh', ['-c', SHIM, SHIM_NAME, folder, name, umask, ...command.argv], {
      cwd: command.cwd,
      env: command.env,
      detached: true, // its own session and process group
      stdio: [
        interactive === true ? 'pipe' : 'ignore',
        log,
        log,
        files[1] ?? 'ignore',
        ...(pseudoTerminal === true ? (['pipe'] as const) : []),
      ],
    });
  } finally {
    for (const file of files) closeSync(file);
  }
}

function openLog(file: string): number {
  try {
    return openForAppending(file);
  } catch {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return openForAppending(file);
  }
}

const keyOf = ({ task, container }: ContainerRun): string => `${task.id}/${container.name}`;
