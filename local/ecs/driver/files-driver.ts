import { closeSync, mkdirSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FILE_PLAN, FOLDER_PLAN, parseFolderPlan } from '../../../shared/adapters/aws/ecs/file-plan.ts';
import { CONTAINER_LABELS } from '../../../shared/domain/task/container-labels.ts';
import { FILES_CONTAINER } from '../../../shared/domain/task/task.ts';
import { streamFile } from '../../logs/stream-files.ts';
import { openForAppending } from '../../whole-file.ts';
import type { ContainerDefinition, Definition } from '../definition.ts';
import type { ContainerEnd } from '../task-life.ts';
import type { TaskRecord } from '../task-record.ts';
import type { Timers } from '../timers.ts';
import { type ContainerRun, type Driver, type FoundContainer, type Reports, environmentOf } from './driver.ts';
import { groupHere } from './group-here.ts';
import { contentsOf, writeContents } from './file-writer.ts';
import { logStream } from './log-name.ts';
import { type SecretStores, readSecrets } from './secret-files.ts';
import type { TaskFiles } from './task-files.ts';
import type { Signed } from '../../tokens/task-tokens.ts';
import { type TokenFiles, writesTokens } from './token-files.ts';
import type { VolumeFolders } from './volume-folders.ts';

type Definitions = Pick<Definition, 'containerDefinitions'>;

/** Whether a container is the one that writes the files of a task's volumes, and gives these to their groups. */
export const writesFiles = ({ name, environment = [] }: ContainerDefinition): boolean =>
  name === FILES_CONTAINER && environment.some((variable) => [FILE_PLAN, FOLDER_PLAN].includes(variable.name));

/** The volumes of a task that hold files from its start, or have a group: folders on this machine, whatever runs its containers. */
export const volumesWithFiles = ({ containerDefinitions }: Definitions): ReadonlySet<string> =>
  new Set(containerDefinitions.filter(writesFiles).flatMap(mountedBy));

/**
 * The groups that a container's programs are in beside that of their user: those that its Pod says, and those that folders have which
 * are meant for them.
 */
export function groupsIn({ dockerLabels = {} }: ContainerDefinition, definition: Definitions): readonly number[] {
  const said = (dockerLabels[CONTAINER_LABELS.groups] ?? '').split(',').filter((group) => /^\d+$/.test(group));
  const given = definition.containerDefinitions
    .filter(writesFiles)
    .flatMap(({ environment = [] }) => environment.filter(({ name }) => name === FOLDER_PLAN))
    .flatMap(({ value }) => parseFolderPlan(value) ?? []);
  return said.length === 0 ? [] : [...new Set([...said.map(Number), ...given.map(({ group }) => groupHere(group))])];
}

const mountedBy = ({ mountPoints = [] }: ContainerDefinition): readonly string[] =>
  mountPoints.map(({ sourceVolume }) => sourceVolume);

export type FilesDriverOptions = {
  readonly files: TaskFiles;
  readonly volumes: VolumeFolders;
  readonly secrets: SecretStores;
  /** null: nothing here signs tokens. */
  readonly tokens: TokenFiles | null;
  readonly logsDir: string;
  readonly timers: Timers;
  readonly reports: Reports;
};

/** A container whose files are to be written, and the tokens among them. */
type Writing = {
  readonly run: ContainerRun;
  readonly signed:
    | Pick<Extract<Signed, { readonly kind: 'signed' }>, 'kind' | 'files'>
    | Extract<Signed, { readonly kind: 'refused' }>
    | { readonly kind: 'failed'; readonly why: string };
};

const NO_TOKENS: Writing['signed'] = { kind: 'signed', files: new Map() };

/**
 * A driver for whose tasks files and folders are made here, without a program: what `files-script.ts` does on Fargate, in no time, with no
 * image. All other containers are the driver's.
 */
export class FilesDriver implements Driver {
  readonly #driver: Driver;
  readonly #options: FilesDriverOptions;
  readonly #waiting: Writing[] = [];
  /** Tasks, by id, that are to end. */
  readonly #withdrawn = new Set<string>();
  #isClosed = false;

  constructor(driver: Driver, options: FilesDriverOptions) {
    this.#driver = driver;
    this.#options = options;
  }

  async open(): Promise<void> {
    return this.#driver.open();
  }

  refusal(definition: Parameters<Driver['refusal']>[0]): string | null {
    return this.#driver.refusal(definition);
  }

  setupProblem(definition: Parameters<Driver['setupProblem']>[0]): string | null {
    return this.#driver.setupProblem(definition);
  }

  privateIp(): string {
    return this.#driver.privateIp();
  }

  /** The files of one task in a turn of the event loop: hundreds may be requested at once, and other work must go on. */
  start(run: ContainerRun): void {
    const { tokens } = this.#options;
    if (!writesFiles(run.container)) this.#driver.start(run);
    else if (tokens === null || !writesTokens(run)) this.#enqueue({ run, signed: NO_TOKENS });
    else void this.#signed(run, tokens).then((signed) => this.#enqueue({ run, signed }));
  }

  #enqueue(writing: Writing): void {
    if (this.#waiting.push(writing) === 1) setImmediate(() => this.#next());
  }

  async #signed(run: ContainerRun, tokens: TokenFiles): Promise<Writing['signed']> {
    try {
      return await tokens.signFor(run);
    } catch (error) {
      return {
        kind: 'failed',
        why: `no token could be signed: ${error instanceof Error ? error.message : String(error)}`,
      };
    }
  }

  #next(): void {
    const [first] = this.#waiting;
    if (first === undefined || this.#isClosed) return;
    const { task, container } = first.run;
    const { reports, timers } = this.#options;
    const startedAtMs = timers.now();
    const end = this.#write(first);
    this.#waiting.shift();
    if (this.#waiting.length > 0) setImmediate(() => this.#next());
    if (end.kind !== 'unstartable') reports.started(task.id, container.name, startedAtMs);
    reports.ended(task.id, container.name, end);
  }

  #write({ run, signed }: Writing): ContainerEnd {
    const { task, container } = run;
    const { files, secrets, timers, volumes } = this.#options;
    const atMs = timers.now();
    if (this.#withdrawn.has(task.id)) return { kind: 'unstartable', reason: 'stopped before it was started', atMs };
    if (signed.kind === 'refused') return { kind: 'unstartable', reason: signed.why, atMs };
    if (signed.kind === 'failed') return { kind: 'lost', reason: signed.why, atMs };
    const read = readSecrets(container, secrets);
    if (read.kind === 'missing') return { kind: 'unstartable', reason: read.reason, atMs };
    try {
      const variables = new Map([...read.variables, ...environmentOf(container, task.overrides)]);
      const wanted = contentsOf(variables, new Set(mountedBy(container)), signed.files);
      const written = wanted.kind === 'faulty' ? wanted : writeContents(wanted, volumes.use(task));
      if (written.kind === 'failed') return { kind: 'lost', reason: written.why, atMs };
      const reason = written.kind === 'written' ? null : written.why;
      if (reason !== null) this.#say(run, reason);
      const exitCode = reason === null ? 0 : 1;
      files.recordEnd(task.id, container.name, exitCode);
      return { kind: 'exited', exitCode, atMs, ...(reason === null ? {} : { reason }) };
    } catch (error) {
      return { kind: 'lost', reason: error instanceof Error ? error.message : String(error), atMs };
    }
  }

  /** A line in its log. */
  #say({ task, container }: ContainerRun, line: string): void {
    const { files, logsDir } = this.#options;
    const stream = logStream(container, task.id);
    const path = stream === null ? join(files.folder(task.id), `log.${container.name}`) : streamFile(logsDir, stream);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const log = openForAppending(path);
    try {
      writeSync(log, `${container.name}: ${line}\n`);
    } finally {
      closeSync(log);
    }
  }

  signal(run: ContainerRun, signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#withdrawn.add(run.task.id);
    if (!writesFiles(run.container)) this.#driver.signal(run, signal);
  }

  inspect(run: ContainerRun): FoundContainer {
    this.#options.tokens?.adopt(run);
    if (!writesFiles(run.container)) return this.#driver.inspect(run);
    const exit = this.#options.files.exit(run.task.id, run.container.name);
    return exit === null
      ? { kind: 'absent' }
      : { kind: 'ended', startedAtMs: exit.atMs, end: { kind: 'exited', ...exit } };
  }

  settle(): void {
    this.#driver.settle();
  }

  over(task: TaskRecord): void {
    this.#withdrawn.delete(task.id);
    this.#options.tokens?.over(task);
    this.#driver.over(task);
  }

  forget(task: TaskRecord): void {
    this.#driver.forget(task);
  }

  get usage(): Driver['usage'] {
    return this.#driver.usage;
  }

  get sessions(): Driver['sessions'] {
    return this.#driver.sessions;
  }

  async leftovers(): ReturnType<NonNullable<Driver['leftovers']>> {
    return (await this.#driver.leftovers?.()) ?? [];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    return this.#driver.close();
  }
}
