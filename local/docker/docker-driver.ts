import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { EngineLeftover } from '../../shared/ports/gathered/engine-leftovers.ts';
import { streamFile } from '../logs/stream-files.ts';
import type { Definition } from '../ecs/definition.ts';
import { type Addresses, addressesIn } from '../ecs/driver/addresses.ts';
import {
  type ContainerRun,
  type Driver,
  type FoundContainer,
  type Reports,
  environmentOf,
} from '../ecs/driver/driver.ts';
import { logNameFault, logStream } from '../ecs/driver/log-name.ts';
import { setupProblemOf } from '../ecs/driver/setup-problem.ts';
import type { ContainerEnd } from '../ecs/task-life.ts';
import type { TaskRecord } from '../ecs/task-record.ts';
import type { Timers } from '../ecs/timers.ts';
import { containerStats } from './container-stats.ts';
import { EngineError, isAway } from './engine.ts';
import { type EngineEvent, followEvents } from './engine-events.ts';
import { type EngineContainer, endOf, inspectContainer } from './found-container.ts';
import type { Copied, Held } from './held-container.ts';
import { provideIdleImage } from './idle-image.ts';
import { type EngineLife, lookAtKeeper } from './keeper.ts';
import { copyLog, isDiskFull } from './log-copy.ts';
import { isInstalled } from './installation.ts';
import { leftoversIn } from './leftovers.ts';
import { LABELS, containerName, keeperName, sandboxName, volumePrefix } from './names.ts';
import { provideNetwork } from './network.ts';
import { type KnownNames, ReadyNames } from './ready-names.ts';
import { Removals, listContainers } from './removals.ts';
import { dockerSessions } from './sessions/docker-sessions.ts';
import { type Started, Starter, type StarterOptions, isGroup, startEnd } from './starter.ts';

export type DockerDriverOptions = Omit<StarterOptions, 'now'> & {
  readonly names: KnownNames;
  readonly logsDir: string;
  /** whose containers these are */
  readonly dataDir: string;
  readonly timers: Timers;
  readonly reports: Reports;
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void;
};

/** Containers that are being started at once: an engine does little more in parallel. */
const STARTS_AT_ONCE = 8;
/** How often an engine that is away is asked whether it is back. */
const RETRY_MS = 300;
/** A request about one container may break off while the engine is there: it is made again after this time. */
const AGAIN_MS = 1_000;
/** An engine that is restarted ends its containers one after the other, the keeper among them, within this time. */
const ENDING_MS = 60_000;
/** What ended in this time before the engine went away may have been its doing. */
const GOING_AWAY_MS = 1_000;

/** Runs the containers of tasks in a container engine: their image, with the limits and the fields of Fargate. */
export class DockerDriver implements Driver {
  readonly #options: DockerDriverOptions;
  /** by {@link keyOf} */
  readonly #held = new Map<string, Held>();
  readonly #byId = new Map<string, Held>();
  /** containers that were there when this runtime started, by name */
  readonly #found = new Map<string, EngineContainer>();
  readonly #starter: Starter;
  readonly #removals: Removals;
  readonly #readyNames: ReadyNames;
  readonly #toStart: Held[] = [];
  readonly #closing = new AbortController();
  readonly sessions: NonNullable<Driver['sessions']>;
  readonly usage: NonNullable<Driver['usage']>;
  #starting = 0;
  #addresses: Addresses | null = null;
  #life = { id: '', endedFromMs: Infinity };
  /** null: the engine is there; otherwise since when it is not */
  #awaySinceMs: number | null = null;
  #looking: Promise<void> | null = null;

  constructor(options: DockerDriverOptions) {
    const { engine, installation, names, timers, log } = options;
    this.#options = options;
    this.sessions = dockerSessions(engine);
    this.usage = async (runs) =>
      Promise.all(
        runs.map(async ({ task, container }) => containerStats(engine, containerName(task.id, container.name))),
      );
    this.#starter = new Starter({ ...options, now: () => timers.now() });
    const isThere = (): boolean => this.#awaySinceMs === null;
    this.#removals = new Removals({ engine, installation, log, isThere });
    const addresses = (): Addresses => this.#ownAddresses();
    this.#readyNames = new ReadyNames({ engine, installation, names, addresses, isThere, timers, log });
    mkdirSync(options.workspaceDir, { recursive: true });
  }

  refusal({ containerDefinitions }: Pick<Definition, 'containerDefinitions'>): string | null {
    for (const container of containerDefinitions) {
      const fault = logNameFault(container);
      if (fault !== null) return fault;
    }
    return null;
  }

  setupProblem(definition: Pick<Definition, 'containerDefinitions' | 'volumes'>): string | null {
    return setupProblemOf(definition, this.#options.secrets, this.#options.hosts);
  }

  privateIp(): string {
    return this.#ownAddresses().take();
  }

  #ownAddresses(): Addresses {
    if (this.#addresses === null) throw new Error('the driver is not open');
    return this.#addresses;
  }

  /** Finds what an earlier run has left. Throws an EngineError if the engine does not answer. */
  async open(): Promise<void> {
    const { engine, installation } = this.#options;
    await provideIdleImage(engine);
    this.#addresses = addressesIn(await provideNetwork(engine, installation));
    const { id, sinceMs, endedMs } = await this.#lookAtKeeper();
    this.#life = { id, endedFromMs: (endedMs ?? sinceMs) - ENDING_MS };
    const look = async (name: string): Promise<void> => {
      const found = await inspectContainer(engine, name);
      if (found !== null) this.#found.set(name, found);
    };
    await Promise.all((await this.#removals.labelled(LABELS.task)).map(look));
    await this.#removals.all(await this.#removals.labelled(LABELS.name));
    this.#watch();
  }

  inspect(run: ContainerRun): FoundContainer {
    const { task, container } = run;
    this.#addresses?.keep(task.privateIp);
    const name = containerName(task.id, container.name);
    const found = this.#found.get(name);
    if (found === undefined) return this.#missing(run);
    // One that was created only is started now, unless the task is to end.
    if (found.state === 'created') return { kind: 'absent' };
    this.#found.delete(name);
    const held = this.#hold(run);
    this.#isRunning(held, found);
    if (found.state === 'ended') setImmediate(() => void this.#end(held));
    return { kind: 'running', startedAtMs: found.startedAtMs };
  }

  /** If it has begun once, somebody has removed it since: a program never runs twice in one task. */
  #missing({ task, container }: ContainerRun): FoundContainer {
    const { files, timers } = this.#options;
    const begun = files.begun(task.id, container.name);
    if (begun === null) return { kind: 'absent' };
    return { kind: 'ended', startedAtMs: begun.atMs, end: endOf(container.name, null, null, timers.now()) };
  }

  /** What no task of this runtime asked for goes. */
  settle(): void {
    const wanted = new Set(this.#wanted());
    for (const name of this.#found.keys()) if (!wanted.has(name)) this.#removals.add(name);
    this.#found.clear();
  }

  /** The names of the containers that tasks ask for. */
  #wanted(): readonly string[] {
    return [...this.#held.values()].flatMap(({ run: { task, container } }) => [
      containerName(task.id, container.name),
      ...(isGroup(task) ? [sandboxName(task.id)] : []),
    ]);
  }

  start(run: ContainerRun): void {
    this.#toStart.push(this.#hold(run));
    setImmediate(() => this.#startNext());
  }

  #hold(run: ContainerRun): Held {
    const held: Held = {
      run,
      id: null,
      isRunning: false,
      stopSignal: 'SIGTERM',
      sent: null,
      isKilled: false,
      isEnding: false,
      log: null,
    };
    this.#held.set(keyOf(run), held);
    const readyName = readyNameOf(run);
    if (readyName !== null) this.#readyNames.use(readyName, keyOf(run));
    return held;
  }

  #startNext(): void {
    while (this.#starting < STARTS_AT_ONCE) {
      const held = this.#toStart.shift();
      if (held === undefined || this.#isClosed) return;
      this.#starting += 1;
      void this.#start(held).finally(() => {
        this.#starting -= 1;
        this.#startNext();
      });
    }
  }

  /** Starts a container, however often the engine goes away meanwhile: each step may be repeated. */
  async #start(held: Held): Promise<void> {
    const wish = { isWithdrawn: () => held.sent !== null, life: () => this.#life.id };
    let isAgain = false;
    while (!this.#isClosed) {
      try {
        if (isAgain) await this.#lookAtLife();
        isAgain = true;
        this.#begin(held, await this.#starter.start(held.run, wish));
        return;
      } catch (error) {
        if (!isAway(error)) {
          this.#neverSeen(held, startEnd(held.run.container.name, error, this.#options.timers.now()));
          return;
        }
        await new Promise<void>((again) => this.#options.timers.after(RETRY_MS, again));
      }
    }
  }

  #begin(held: Held, started: Started): void {
    if (started.kind === 'over') {
      this.#neverSeen(held, started.end);
      return;
    }
    const { task, container } = held.run;
    this.#options.reports.started(task.id, container.name, started.container.startedAtMs);
    this.#isRunning(held, started.container);
    if (started.container.state === 'ended') void this.#end(held);
  }

  /** From now on its output is copied, and its end is seen. */
  #isRunning(held: Held, { id, stopSignal }: EngineContainer): void {
    held.id = id;
    held.isRunning = true;
    held.stopSignal = stopSignal;
    this.#byId.set(id, held);
    this.#follow(held, id);
    if (held.sent !== null) void this.#send(held);
  }

  /** Copies its output as it comes; after a time in which the disk was full, it goes on. */
  #follow(held: Held, id: string): void {
    const log = this.#copy(held, id, true);
    held.log = log;
    void log.done.then((copied) => {
      if (copied !== 'full') return;
      this.#options.timers.after(AGAIN_MS, () => {
        if (this.#counts(held) && !held.isEnding) this.#follow(held, id);
      });
    });
  }

  #copy({ run }: Held, id: string, follow: boolean): NonNullable<Held['log']> {
    const stopping = new AbortController();
    const signal = AbortSignal.any([stopping.signal, this.#closing.signal]);
    const isPlain = run.container.pseudoTerminal === true;
    const done = copyLog(this.#options.engine, id, this.#logFile(run), { follow, isPlain, signal }).then(
      (): Copied => 'whole',
      (error: unknown): Copied => {
        if (isAway(error) || signal.aborted) return 'away';
        this.#options.log('the log of a container could not be copied', { taskId: run.task.id, error });
        return isDiskFull(error) ? 'full' : 'broken';
      },
    );
    return { done, stop: () => stopping.abort() };
  }

  signal(run: ContainerRun, signal: 'SIGTERM' | 'SIGKILL'): void {
    const held = this.#held.get(keyOf(run));
    if (held === undefined) return;
    held.sent = signal;
    if (held.isRunning) void this.#send(held);
  }

  /** Is repeated until the engine has it, or the container has ended. */
  async #send(held: Held): Promise<void> {
    const { id, sent, stopSignal } = held;
    if (id === null || !this.#counts(held)) return;
    const signal = sent === 'SIGTERM' ? stopSignal : 'SIGKILL';
    try {
      await this.#options.engine.ask({ method: 'POST', path: `/containers/${id}/kill`, query: { signal } });
    } catch (error) {
      // 404 and 409: it has ended, and its end is on its way
      if (error instanceof EngineError && (error.status === 404 || error.status === 409)) return;
      this.#options.timers.after(AGAIN_MS, () => void this.#send(held));
      if (!isAway(error)) this.#options.log('a container could not be stopped', { id, error });
    }
  }

  /** Its end, once its output is copied to the last line. */
  async #end(held: Held): Promise<void> {
    if (held.isEnding || held.id === null || !this.#counts(held)) return;
    held.isEnding = true;
    const { timers } = this.#options;
    try {
      const found = await inspectContainer(this.#options.engine, held.id);
      if (found?.state === 'running') return;
      await held.log?.done;
      // An engine may end a stream that follows before its last line: what there is in the end is copied again.
      const copied = found === null ? 'whole' : await this.#copy(held, held.id, false).done;
      if (copied === 'away' || copied === 'full' || this.#awaySinceMs !== null) this.#endLater(held);
      else this.#report(held, endOf(held.run.container.name, found, this.#stoppedBy(held, found), timers.now()));
    } catch (error) {
      this.#endLater(held);
      if (!isAway(error)) this.#options.log('a container could not be looked at', { id: held.id, error });
    } finally {
      held.isEnding = false;
    }
  }

  #endLater(held: Held): void {
    this.#options.timers.after(AGAIN_MS, () => void this.#end(held));
  }

  #counts(held: Held): boolean {
    return !this.#isClosed && this.#held.get(keyOf(held.run)) === held;
  }

  /** Of an earlier life, what ended when that did ended with it. */
  #stoppedBy({ run, sent, isKilled }: Held, found: EngineContainer | null): Parameters<typeof endOf>[2] {
    const begun = this.#options.files.begun(run.task.id, run.container.name);
    if (found !== null && begun?.life !== this.#life.id && found.endedAtMs >= this.#life.endedFromMs) return 'engine';
    return isKilled && sent === null ? 'somebody' : null;
  }

  /**
   * The end of a container that was not seen running. One that is lost after it was asked to begin may have run: a task that says
   * that it never started would have its attempt launched again.
   */
  #neverSeen(held: Held, end: ContainerEnd): void {
    const { task, container } = held.run;
    const begun = this.#options.files.begun(task.id, container.name);
    if (end.kind === 'lost' && begun !== null && this.#counts(held))
      this.#options.reports.started(task.id, container.name, begun.atMs);
    this.#report(held, end);
  }

  #report(held: Held, end: ContainerEnd): void {
    const { run, id } = held;
    if (this.#held.get(keyOf(run)) !== held) return;
    this.#held.delete(keyOf(run));
    const readyName = readyNameOf(run);
    if (readyName !== null) this.#readyNames.leave(readyName, keyOf(run));
    if (id !== null) this.#byId.delete(id);
    held.log?.stop();
    if (!this.#isClosed) this.#options.reports.ended(run.task.id, run.container.name, end);
  }

  /** Hears of what happens until the engine goes away, then waits for it, looks at everything, and hears on. */
  #watch(): void {
    const { engine, installation, timers } = this.#options;
    const run = async (): Promise<void> => {
      await followEvents(
        engine,
        installation,
        this.#closing.signal,
        () => void this.#isBack(),
        (event) => this.#hear(event),
      ).catch(() => undefined);
      if (this.#isClosed) return;
      if (this.#awaySinceMs === null) {
        this.#awaySinceMs = timers.now();
        this.#options.log('the container engine is away: its containers are looked at when it is back', {});
      }
      timers.after(RETRY_MS, () => void run());
    };
    void run();
  }

  #hear({ id, what }: EngineEvent): void {
    const held = this.#byId.get(id);
    if (held === undefined) return;
    if (what === 'killed') held.isKilled ||= held.sent === null;
    else void this.#end(held);
  }

  /** Once it hears again. What cannot be looked at yet is looked at a little later. */
  async #isBack(): Promise<void> {
    const { timers, log } = this.#options;
    const sinceMs = this.#awaySinceMs;
    try {
      await this.#lookAtLife();
      if (sinceMs !== null) log('the container engine is back', { awayMs: timers.now() - sinceMs });
      this.#awaySinceMs = null;
      for (const held of this.#held.values()) await this.#lookAgain(held);
      this.#removals.goOn();
      this.#readyNames.lookAgain();
    } catch {
      if (!this.#isClosed) timers.after(RETRY_MS, () => void this.#isBack());
    }
  }

  async #lookAgain(held: Held): Promise<void> {
    if (!held.isRunning || held.id === null) return;
    const copied = await Promise.race([held.log?.done, Promise.resolve(null)]);
    if (copied === 'away') this.#follow(held, held.id);
    await this.#end(held);
  }

  /** Takes note of a restart of the engine, one look for all who ask meanwhile. Throws if it cannot be asked. */
  async #lookAtLife(): Promise<void> {
    this.#looking ??= this.#noteLife().finally(() => (this.#looking = null));
    return this.#looking;
  }

  async #noteLife(): Promise<void> {
    const { timers } = this.#options;
    const { id } = await this.#lookAtKeeper();
    if (id === this.#life.id) return;
    const goneMs = this.#awaySinceMs === null ? timers.now() - ENDING_MS : this.#awaySinceMs - GOING_AWAY_MS;
    this.#life = { id, endedFromMs: goneMs };
    this.#starter.forgetSandboxes();
  }

  async #lookAtKeeper(): Promise<EngineLife> {
    const { engine, installation, dataDir } = this.#options;
    const labels = { [LABELS.folder]: dataDir, [LABELS.machine]: hostname() };
    return lookAtKeeper(engine, installation, labels);
  }

  /** What the engine keeps that nobody needs. Throws an EngineError. */
  async leftovers(): Promise<readonly EngineLeftover[]> {
    const { engine, installation } = this.#options;
    const listed = await listContainers(engine);
    const names = new Set(this.#wanted());
    const isNeeded = (name: string): boolean =>
      names.has(name) ||
      name === keeperName(installation) ||
      this.#readyNames.has(name) ||
      this.#removals.isRemoving(name);
    return leftoversIn(listed, { installation, machine: hostname(), isNeeded, isInstalled });
  }

  /** A task that has ended, and whose end is on disk, leaves nothing in the engine but the volumes of its Pod. */
  over(task: TaskRecord): void {
    for (const { name } of task.containers) this.#removals.add(containerName(task.id, name));
    if (isGroup(task)) this.#removals.add(sandboxName(task.id));
    this.#starter.forgetSandbox(task.id);
  }

  forget(task: TaskRecord): void {
    const { files, volumes, installation } = this.#options;
    files.remove(task.id);
    this.#addresses?.release(task.privateIp);
    const owner = volumes.owner(task);
    try {
      if (volumes.forget(task)) void this.#removals.volumes(volumePrefix(installation, owner));
    } catch (error) {
      // What a container wrote as root only root can remove.
      this.#options.log('the volumes of a Pod could not be removed', { taskId: task.id, error });
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#readyNames.close();
    await this.#removals.everything();
    this.#options.engine.close();
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #logFile({ task, container }: ContainerRun): string {
    const stream = logStream(container, task.id);
    return stream === null
      ? join(this.#options.files.folder(task.id), `log.${container.name}`)
      : streamFile(this.#options.logsDir, stream);
  }
}

/** What says to its task that all of its gang run; null: it is in no gang. */
const readyNameOf = ({ task, container }: ContainerRun): string | null =>
  environmentOf(container, task.overrides).get('MUSTER_READY_HOSTNAME') ?? null;

const keyOf = ({ task, container }: ContainerRun): string => `${task.id}/${container.name}`;
