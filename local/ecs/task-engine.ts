import { stopTimeoutSec, type ContainerDefinition, type Definition } from './definition.ts';
import type { Definitions } from './definitions.ts';
import { STOPPED_VISIBLE_MS } from './client-tokens.ts';
import type { Driver, Reports } from './driver/driver.ts';
import { EndedTasks } from './ended-task.ts';
import type { TaskFiles } from './driver/task-files.ts';
import { requestOf } from './requested-size.ts';
import { Places, type Room, counts } from './room.ts';
import { afterRestart, hasNotBegun, live, startable, stoppable, unplaced, type TaskFact } from './task-life.ts';
import type { StopCause, TaskRecord } from './task-record.ts';
import type { Timers } from './timers.ts';

export type EngineOptions = {
  readonly makeDriver: (reports: Reports) => Driver;
  /** null: tasks are only in memory */
  readonly files: TaskFiles | null;
  readonly definitions: Definitions;
  readonly timers: Timers;
  /** What tasks may request together; those beyond it wait in order. */
  readonly room: Room;
  /** Called for every visible state of every task, after required data has been written. */
  readonly publish: (task: TaskRecord, definition: Definition, onDelivered: () => void) => void;
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void;
};

const PRUNE_EVERY_MS = 60_000;
type Entry = { task: TaskRecord; readonly definition: Definition; signalled: Set<string> };
const nthOf = ({ nth = 0 }: TaskRecord): number => nth;
/** For an ended task: it gets no more signals. */
const NOBODY = new Set<string>();

/** Runs tasks: folds the driver's reports and acts on the result. */
export class TaskEngine {
  readonly #options: EngineOptions;
  readonly #driver: Driver;
  readonly #tasks = new Map<string, Entry>();
  /** Those that have not ended: far fewer, once a large Job has run for a while. */
  readonly #live = new Map<string, Entry>();
  readonly #ended = new EndedTasks();
  readonly #places: Places;
  /** Of the tasks that take room, the number of the newest. */
  #newest = 0;
  #closing: { readonly graceMs: number; readonly onEmpty: () => void } | null = null;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#places = new Places(options.room);
    this.#driver = options.makeDriver({
      started: (id, container, atMs) => this.#apply(id, { kind: 'started', container, atMs }),
      ended: (id, container, end) => this.#apply(id, { kind: 'ended', container, end }),
      interrupted: (id, cause) => this.stop(id, cause),
    });
  }

  get driver(): Pick<Driver, 'refusal' | 'privateIp' | 'leftovers' | 'sessions' | 'usage'> {
    return this.#driver;
  }

  /** Every known task, oldest first, including ended ones. */
  *all(): Generator<TaskRecord> {
    for (const { task } of this.#tasks.values()) yield task;
  }

  /** A visible task. An ended one is visible for an hour. */
  get(id: string): TaskRecord | null {
    const task = this.#tasks.get(id)?.task;
    if (task === undefined) return null;
    return task.stoppedAtMs !== null && task.stoppedAtMs + STOPPED_VISIBLE_MS <= this.#options.timers.now()
      ? null
      : task;
  }

  /** A task whose record is still there, visible or not. */
  find(id: string): TaskRecord | null {
    return this.#tasks.get(id)?.task ?? null;
  }

  /** What tasks have of the room, and which wait for some. */
  get places(): Pick<Places, 'waitOf' | 'used' | 'room'> {
    return this.#places;
  }

  /** The tasks that have not ended; they may come and go while it is gone through. */
  live(): Iterable<Readonly<Pick<Entry, 'task' | 'definition'>>> {
    return this.#live.values();
  }

  /** One of them; null: there is no such task, or it has ended. */
  findLive(id: string): Readonly<Pick<Entry, 'task' | 'definition'>> | null {
    return this.#live.get(id) ?? null;
  }

  /** Tasks that have not ended; they may come and go while it is gone through. */
  liveTasks(): Iterable<Readonly<Pick<Entry, 'task' | 'definition'>>> {
    return this.#live.values();
  }

  /** The containers of tasks that have not ended; tasks may come and go while it is gone through. */
  *liveContainers(): Generator<{ readonly taskId: string; readonly container: ContainerDefinition }> {
    for (const { task, definition } of this.#live.values())
      for (const container of definition.containerDefinitions) yield { taskId: task.id, container };
  }

  /** How many tasks have not ended. */
  get liveCount(): number {
    return this.#live.size;
  }

  /**
   * Accepts the new tasks of one launch: they are on disk when this returns, and start soon after, or as soon as there is room.
   * Throws if the disk refuses them.
   */
  add(accepted: readonly TaskRecord[], definition: Definition): void {
    const { files, publish } = this.#options;
    const tasks = accepted.map((task) => (this.#takesRoom(task) ? { ...task, nth: ++this.#newest } : task));
    // the first record makes the launch valid, so it is written last
    for (const task of [...tasks].reverse()) files?.create(task);
    for (const task of tasks) {
      const entry: Entry = { task, definition, signalled: new Set() };
      this.#tasks.set(task.id, entry);
      this.#live.set(task.id, entry);
      publish(task, definition, () => undefined);
      if (this.#takesRoom(task)) this.#places.queue(task.id, requestOf(task));
      else this.#placeSoon(task.id);
    }
    this.#admit();
  }

  #takesRoom(task: TaskRecord): boolean {
    return counts(requestOf(task), this.#options.room);
  }

  /** Starts those that wait and for which there is room. */
  #admit(): void {
    for (const id of this.#places.admit()) this.#placeSoon(id);
  }

  #placeSoon(id: string): void {
    this.#options.timers.after(0, () => {
      const entry = this.#live.get(id);
      if (entry !== undefined) this.#place(id, entry.definition);
    });
  }

  #place(id: string, definition: Definition): void {
    const reason = this.#driver.setupProblem(definition);
    if (reason === null) this.#apply(id, { kind: 'placed' });
    else this.stop(id, { code: 'TaskFailedToStart', reason });
  }

  /** Stops a task, unless it has ended or is already stopping. The request is on disk when this returns. */
  stop(id: string, cause: Omit<StopCause, 'atMs'>): void {
    const entry = this.#tasks.get(id);
    if (entry === undefined || entry.task.stop !== null || entry.task.lastStatus === 'STOPPED') return;
    this.#apply(id, { kind: 'stop', cause: { ...cause, atMs: this.#options.timers.now() } });
  }

  #apply(id: string, fact: TaskFact): void {
    const entry = this.#tasks.get(id);
    if (entry === undefined) return;
    const { task, passed } = live(entry.task, entry.definition, fact);
    entry.task = task;
    const isOver = passed.length > 0 && task.lastStatus === 'STOPPED';
    const isSaved = (fact.kind === 'stop' || isOver) && this.#save(task);
    this.#follow(entry, passed);
    if (isOver && isSaved) this.#driver.over(task);
  }

  #follow(entry: Entry, passed: readonly TaskRecord[]): void {
    for (const state of passed) this.#publish(state, entry.definition);
    if (entry.task.lastStatus === 'STOPPED') this.#over(entry, passed);
    else this.#act(entry);
  }

  #act(entry: Entry): void {
    for (const container of startable(entry.task, entry.definition)) {
      entry.task = live(entry.task, entry.definition, { kind: 'starting', container: container.name }).task;
      this.#driver.start({ task: entry.task, container, definition: entry.definition });
    }
    for (const container of stoppable(entry.task, entry.definition)) this.#terminate(entry, container);
  }

  #terminate(entry: Entry, container: ContainerDefinition): void {
    if (entry.signalled.has(container.name)) return;
    entry.signalled.add(container.name);
    const { id } = entry.task;
    this.#driver.signal({ task: entry.task, container }, 'SIGTERM');
    const graceMs = this.#closing?.graceMs ?? stopTimeoutSec(container) * 1000;
    this.#options.timers.after(graceMs, () => {
      const now = this.#tasks.get(id)?.task;
      const alive = now?.containers.some(({ name, status }) => name === container.name && status !== 'stopped');
      if (now !== undefined && alive === true) this.#driver.signal({ task: now, container }, 'SIGKILL');
    });
  }

  #publish(task: TaskRecord, definition: Definition): void {
    const { publish, files } = this.#options;
    publish(task, definition, () => {
      if (task.lastStatus === 'STOPPED') files?.markDelivered(task.id);
    });
  }

  #over(entry: Entry, passed: readonly TaskRecord[]): void {
    if (passed.length === 0) return;
    entry.task = this.#ended.pack(entry.task);
    entry.signalled = NOBODY;
    this.#live.delete(entry.task.id);
    this.#places.leave(entry.task.id);
    this.#admit();
    if (this.#live.size === 0) this.#closing?.onEmpty();
  }

  /** A record that cannot be written affects a restart, not the task. Returns whether it is written. */
  #save(task: TaskRecord): boolean {
    try {
      this.#options.files?.write(task);
      return true;
    } catch (error) {
      this.#options.log('the state of a task could not be written', { taskId: task.id, error });
      return false;
    }
  }

  /**
   * Adopts the tasks of an earlier run: running tasks continue, tasks that ended in the meantime end here with their own
   * code and time, and tasks that never started start now. Reports the state of every task again whose end was not
   * delivered.
   */
  async adopt(): Promise<readonly TaskRecord[]> {
    await this.#driver.open();
    this.#pruneLater();
    const { files, definitions, log } = this.#options;
    const { tasks = [], unreadable = [] } = files?.load() ?? {};
    for (const folder of unreadable) log('the record of a task cannot be read; it is ignored', { folder });
    for (const { task, delivered } of tasks) {
      const definition = definitions.get(task.definition);
      if (definition === null) {
        log('a task without a definition is ignored', { taskId: task.id });
        continue;
      }
      const entry: Entry = { task, definition, signalled: new Set() };
      this.#tasks.set(task.id, entry);
      if (task.lastStatus !== 'STOPPED') this.#live.set(task.id, entry);
      else {
        if (!delivered) this.#publish(task, definition);
        entry.task = this.#ended.pack(task);
      }
    }
    const adopted = [...this.#live.values()].map((entry) => ({ entry, facts: this.#foundOf(entry) }));
    const waiting = adopted.filter(({ entry: { task }, facts }) => this.#takesRoom(task) && hasNotBegun(task, facts));
    const isWaiting = new Set(waiting);
    const begun = adopted.filter((each) => !isWaiting.has(each));
    // What runs has its room before anything that waits gets some.
    for (const { entry } of begun) this.#places.take(entry.task.id, requestOf(entry.task));
    for (const { entry, facts } of begun) this.#adoptLive(entry, facts);
    for (const { entry } of waiting.toSorted((a, b) => nthOf(a.entry.task) - nthOf(b.entry.task)))
      this.#adoptWaiting(entry);
    this.#admit();
    this.#driver.settle();
    return tasks.map(({ task }) => task);
  }

  #adoptWaiting(entry: Entry): void {
    const { task } = entry;
    this.#newest = Math.max(this.#newest, nthOf(task));
    entry.task = unplaced(task);
    this.#save(entry.task);
    this.#publish(entry.task, entry.definition);
    this.#places.queue(task.id, requestOf(task));
  }

  #foundOf(entry: Entry): readonly TaskFact[] {
    return entry.task.containers.flatMap(({ name, status }): TaskFact[] => {
      const container = entry.definition.containerDefinitions.find((candidate) => candidate.name === name);
      if (status === 'stopped' || container === undefined) return [];
      const found = this.#driver.inspect({ task: entry.task, container });
      if (found.kind === 'absent') return [];
      const started: TaskFact = { kind: 'started', container: name, atMs: found.startedAtMs };
      return found.kind === 'running' ? [started] : [started, { kind: 'ended', container: name, end: found.end }];
    });
  }

  #adoptLive(entry: Entry, facts: readonly TaskFact[]): void {
    const { task, passed } = afterRestart(entry.task, entry.definition, facts);
    entry.task = task;
    const isSaved = this.#save(task);
    if (passed.length === 0) this.#publish(task, entry.definition);
    this.#follow(entry, passed);
    if (isSaved && task.lastStatus === 'STOPPED') this.#driver.over(task);
  }

  /**
   * Ends every task: SIGTERM, then SIGKILL after `graceMs`. Resolves when all are gone and recorded as stopped by the
   * infrastructure. The next start handles a process that survives even SIGKILL.
   */
  async stopAll(graceMs: number, goneMs: number): Promise<void> {
    const { timers, log } = this.#options;
    const cause = { code: 'TerminationNotice', reason: 'The embedded ECS was shut down.' } as const;
    await new Promise<void>((resolve) => {
      this.#closing = { graceMs, onEmpty: resolve };
      timers.after(graceMs, () => this.#killAll());
      timers.after(graceMs + goneMs, () => {
        log('some tasks could not be ended', { tasks: this.#live.size });
        resolve();
      });
      for (const id of this.#tasks.keys()) this.stop(id, cause);
      if (this.#live.size === 0) resolve();
    });
    await this.#driver.close();
  }

  /** Includes tasks that were stopped earlier with a longer grace. */
  #killAll(): void {
    for (const { task, definition } of this.#tasks.values()) {
      for (const { name, status } of task.containers) {
        const container = definition.containerDefinitions.find((candidate) => candidate.name === name);
        if (container !== undefined && status !== 'stopped' && task.lastStatus !== 'STOPPED')
          this.#driver.signal({ task, container }, 'SIGKILL');
      }
    }
  }

  #pruneLater(): void {
    this.#options.timers.after(PRUNE_EVERY_MS, () => {
      this.#prune();
      this.#pruneLater();
    });
  }

  /** Forgets launches whose tasks all ended over an hour ago: their records belong together. */
  #prune(): void {
    const nowMs = this.#options.timers.now();
    const isOver = ({ stoppedAtMs }: TaskRecord): boolean =>
      stoppedAtMs !== null && stoppedAtMs + STOPPED_VISIBLE_MS <= nowMs;
    for (const { task } of this.#tasks.values()) {
      if (!isOver(task)) continue;
      const siblings = task.launch.taskIds.map((id) => this.#tasks.get(id)?.task);
      if (!siblings.every((sibling) => sibling === undefined || isOver(sibling))) continue;
      this.#tasks.delete(task.id);
      this.#driver.forget(task);
    }
  }
}
