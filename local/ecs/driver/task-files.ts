import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOwn, writeWhole } from '../../whole-file.ts';
import { EXIT_LINE, NO_EXIT } from './shim.ts';
import { TaskRecordSchema, type TaskRecord } from '../task-record.ts';

export type StoredTask = {
  readonly task: TaskRecord;
  /** Its last event has been handed over. */
  readonly delivered: boolean;
};

/**
 * The files of tasks: `<dir>/<task id>/` with `task.json` (ours, always whole), and for each container `started.<name>`
 * and `exit.<name>` (the shim's). Synchronous on purpose: the files are small, and RunTask must not answer before.
 */
export class TaskFiles {
  readonly #dir: string;
  readonly #now: () => number;

  /** @param now our clock, in milliseconds since 1970; what a file says of time is no later */
  constructor(dir: string, now: () => number) {
    this.#dir = dir;
    this.#now = now;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  }

  folder(taskId: string): string {
    return join(this.#dir, taskId);
  }

  create(task: TaskRecord): void {
    mkdirSync(this.folder(task.id), { recursive: true, mode: 0o700 });
    this.write(task);
  }

  write(task: TaskRecord): void {
    writeWhole(join(this.folder(task.id), 'task.json'), JSON.stringify(task), 'fast');
  }

  /** The last event of an ended task has been delivered: nothing is pending. */
  markDelivered(taskId: string): void {
    try {
      writeFileSync(join(this.folder(taskId), 'delivered'), '', { flag: 'wx', mode: 0o600 });
    } catch {
      // the task was forgotten meanwhile, or this is already recorded
    }
  }

  remove(taskId: string): void {
    rmSync(this.folder(taskId), { recursive: true, force: true });
  }

  /**
   * All tasks of launches that were recorded in full, oldest first. Removes the remains of others: RunTask never answered
   * for them, and none of their containers started. Reports records that cannot be read and does not change them.
   */
  load(): { readonly tasks: readonly StoredTask[]; readonly unreadable: readonly string[] } {
    const tasks = new Map<string, StoredTask>();
    const unreadable: string[] = [];
    for (const id of readdirSync(this.#dir)) {
      const record = readRecord(join(this.folder(id), 'task.json'));
      if (record.kind === 'whole')
        tasks.set(id, { task: record.task, delivered: existsSync(join(this.folder(id), 'delivered')) });
      else if (record.kind === 'missing') this.remove(id);
      else unreadable.push(this.folder(id));
    }
    for (const [id, { task }] of tasks) {
      const [first] = task.launch.taskIds;
      if (first !== undefined && tasks.has(first)) continue;
      tasks.delete(id);
      this.remove(id);
    }
    return { tasks: [...tasks.values()].sort((a, b) => a.task.createdAtMs - b.task.createdAtMs), unreadable };
  }

  /** Reserves the space for a container's exit; called before its shim starts. */
  expectExit(taskId: string, container: string): void {
    try {
      writeFileSync(join(this.folder(taskId), `exit.${container}`), NO_EXIT, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      // An earlier run has already created it.
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }

  /** Makes sure that no shim starts this container from now on; false if a shim has already claimed it. */
  forbidStart(taskId: string, container: string): boolean {
    try {
      writeFileSync(join(this.folder(taskId), `started.${container}`), 'forbidden\n', { flag: 'wx', mode: 0o600 });
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Records that a container of an engine begins now, unless it has: what has begun once is never started again.
   *
   * @param life the engine's, as one word: a restart ends it
   */
  begin(taskId: string, container: string, life: string): void {
    const path = join(this.folder(taskId), `started.${container}`);
    if (!existsSync(path)) writeWhole(path, `life ${life}\n`, 'fast');
  }

  /** When a container of an engine has begun, and in which of its lives; null: it has not. */
  begun(taskId: string, container: string): { readonly atMs: number; readonly life: string } | null {
    const read = this.#readWithTime(join(this.folder(taskId), `started.${container}`));
    return read === null ? null : { atMs: read.atMs, life: /^life (\S*)/.exec(read.text)?.[1] ?? '' };
  }

  /** The shim that claimed a container; its pid is null while (or because) it could not write it. */
  claim(taskId: string, container: string): { readonly pid: number | null; readonly atMs: number } | null {
    const read = this.#readWithTime(join(this.folder(taskId), `started.${container}`));
    if (read === null) return null;
    const pid = Number.parseInt(read.text, 10);
    return { pid: Number.isNaN(pid) ? null : pid, atMs: read.atMs };
  }

  /** Records the end of a container that was no program. */
  recordEnd(taskId: string, container: string, exitCode: number): void {
    writeWhole(join(this.folder(taskId), `exit.${container}`), `${exitCode} end\n`, 'fast');
  }

  /** How a container ended, if its shim recorded it. */
  exit(taskId: string, container: string): { readonly exitCode: number; readonly atMs: number } | null {
    const read = this.#readWithTime(join(this.folder(taskId), `exit.${container}`));
    const line = read === null ? null : EXIT_LINE.exec(read.text);
    return read === null || line === null ? null : { exitCode: Number(line[1]), atMs: read.atMs };
  }

  /** A file server's clock may be hours ahead, and a wait that begins at an end would be as long. */
  #readWithTime(path: string): { readonly text: string; readonly atMs: number } | null {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return null;
    try {
      return { text: readOwn(path), atMs: Math.min(Math.floor(stats.mtimeMs), this.#now()) };
    } catch {
      return null;
    }
  }
}

function readRecord(
  path: string,
): { readonly kind: 'whole'; readonly task: TaskRecord } | { readonly kind: 'missing' | 'unreadable' } {
  if (!existsSync(path)) return { kind: 'missing' };
  try {
    return { kind: 'whole', task: TaskRecordSchema.parse(JSON.parse(readOwn(path))) };
  } catch {
    return { kind: 'unreadable' };
  }
}
