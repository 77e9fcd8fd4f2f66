import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FILE_PLAN, parsePlan } from '../../../shared/adapters/aws/ecs/file-plan.ts';
import type { TaskRecord } from '../task-record.ts';
import type { Timers } from '../timers.ts';
import { type ContainerRun, environmentOf } from './driver.ts';
import { contentsOf, writeContents } from './file-writer.ts';
import type { TaskFiles } from './task-files.ts';
import type { ApiAccess, Signed, TaskTokens } from '../../tokens/task-tokens.ts';
import type { VolumeFolders } from './volume-folders.ts';

export type TokenFilesOptions = {
  readonly tokens: TaskTokens;
  readonly files: TaskFiles;
  readonly volumes: VolumeFolders;
  readonly timers: Timers;
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void;
};

/** What a container gets to call the API: a folder to mount, and variables. */
export type MountedAccess = Pick<ApiAccess, 'environment'> & { readonly folder: string };

/** A task that has tokens. */
type Holder = {
  readonly task: TaskRecord;
  /** The container that writes its files, if tokens are among them. */
  writer: ContainerRun | null;
  hasAccess: boolean;
  renewAtMs: number;
};

const LOOK_EVERY_MS = 30_000;
const FOLDER = 'api-access';
/** What is in it is mounted. */
const MOUNTED = 'serviceaccount';

/**
 * The tokens of tasks, in files: written before a container starts, and again before they end. A task of an earlier run gets new ones at
 * the first look.
 */
export class TokenFiles {
  readonly #options: TokenFilesOptions;
  readonly #holders = new Map<string, Holder>();
  #isLooking = false;

  constructor(options: TokenFilesOptions) {
    this.#options = options;
  }

  /** Signs the tokens that a container writes. */
  async signFor(run: ContainerRun): Promise<Signed> {
    const signed = await this.#options.tokens.sign(run.task);
    if (signed.kind === 'signed') this.#hold(run.task, { writer: run, renewAtMs: signed.renewAtMs });
    return signed;
  }

  /** Makes what a container of this task needs to call the API; null: it is not meant to. */
  async access(task: TaskRecord): Promise<MountedAccess | null> {
    const signed = await this.#options.tokens.sign(task);
    if (signed.kind === 'refused' || signed.access === null) return null;
    this.#hold(task, { hasAccess: true, renewAtMs: signed.renewAtMs });
    return { folder: this.#writeAccess(task, signed.access), environment: signed.access.environment };
  }

  /** A task of an earlier run, by one of its containers. */
  adopt(run: ContainerRun): void {
    if (writesTokens(run)) this.#hold(run.task, { writer: run, renewAtMs: 0 });
    if (existsSync(this.#folder(run.task))) this.#hold(run.task, { hasAccess: true, renewAtMs: 0 });
  }

  /** It has ended. */
  over({ id }: TaskRecord): void {
    this.#holders.delete(id);
  }

  #hold(task: TaskRecord, news: Partial<Omit<Holder, 'task'>>): void {
    const before = this.#holders.get(task.id) ?? { task, writer: null, hasAccess: false, renewAtMs: Infinity };
    const renewAtMs = Math.min(before.renewAtMs, news.renewAtMs ?? Infinity);
    this.#holders.set(task.id, { ...before, ...news, renewAtMs });
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#lookLater();
  }

  #lookLater(): void {
    this.#options.timers.after(LOOK_EVERY_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    for (const holder of this.#holders.values()) {
      if (holder.renewAtMs > this.#options.timers.now()) continue;
      try {
        await this.#renew(holder);
      } catch (error) {
        this.#options.log('the tokens of a task could not be renewed', { task: holder.task.id, error });
      }
    }
    this.#isLooking = this.#holders.size > 0;
    if (this.#isLooking) this.#lookLater();
  }

  async #renew(holder: Holder): Promise<void> {
    const { task, writer, hasAccess } = holder;
    const signed = await this.#options.tokens.sign(task);
    // It may have ended meanwhile: its folders are not made again.
    if (!this.#holders.has(task.id)) return;
    if (signed.kind === 'refused') return void this.#holders.delete(task.id);
    if (writer !== null) this.#writeAgain(writer, signed.files);
    if (hasAccess && signed.access !== null) this.#writeAccess(task, signed.access);
    holder.renewAtMs = signed.renewAtMs;
  }

  #writeAgain(writer: ContainerRun, tokens: ReadonlyMap<string, string>): void {
    const { container, task } = writer;
    const variables = new Map(environmentOf(container, task.overrides)).set(FILE_PLAN, tokenLines(planOf(writer)));
    const volumes = new Set((container.mountPoints ?? []).map(({ sourceVolume }) => sourceVolume));
    const wanted = contentsOf(variables, volumes, tokens);
    const written = wanted.kind === 'faulty' ? wanted : writeContents(wanted, this.#options.volumes.use(task));
    if (written.kind !== 'written') throw new Error(written.why);
  }

  /** Containers have users of their own: all may read it, below a folder that nobody else of this machine can open. */
  #writeAccess(task: TaskRecord, { files }: ApiAccess): string {
    const dir = this.#folder(task);
    const wanted = Object.entries(files).map(([path, text], nth) => {
      return { volume: MOUNTED, path, mode: 0o644, nth, form: 'text' as const, bytes: Buffer.from(text) };
    });
    const written = writeContents({ folders: [], files: wanted }, dir);
    if (written.kind !== 'written') throw new Error(written.why);
    return join(dir, MOUNTED);
  }

  #folder({ id }: TaskRecord): string {
    return join(this.#options.files.folder(id), FOLDER);
  }
}

const planOf = ({ container, task }: ContainerRun): string =>
  environmentOf(container, task.overrides).get(FILE_PLAN) ?? '';

/** Whether tokens are among the files that a container writes. */
export const writesTokens = (run: ContainerRun): boolean => tokenLines(planOf(run)) !== '';

/** The lines of a plan that are tokens. */
const tokenLines = (plan: string): string =>
  plan
    .split('\n')
    .filter((line) => parsePlan(line)?.[0]?.form === 'token')
    .join('\n');
