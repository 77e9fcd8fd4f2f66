import { resolve } from 'node:path';
import { messageOf } from '../../shared/domain/base/error-text.ts';
import { has, type IndexSet } from '../../shared/domain/base/index-set.ts';
import { ANNOTATIONS } from '../../shared/domain/manifests/annotations.ts';
import { type EndedAttempt, type Job, JobSchema } from '../client/api-objects.ts';
import { type KubeClient, jobsPath, podsPath, readAs } from '../client/kube-client.ts';
import { reach } from '../client/reach.ts';
import { ApiFailure, EXIT, causeOf } from '../shell/failure.ts';
import { WorkBar } from '../follow/work-bar.ts';
import { endedAttempts } from '../logs/ended-attempts.ts';
import { wantedIndexes } from '../logs/wanted-indexes.ts';
import { JOBLOG_TEXT, NO_EXIT, joblogRow } from '../render/joblog.ts';
import { ResultFolder, type StoredResult } from '../results/result-folder.ts';
import { countRunning } from '../results/running-indexes.ts';
import { resultFolderName } from '../results/result-name.ts';
import type { Shell } from '../shell/shell.ts';

export type ResultFlags = {
  readonly folder: string;
  /** `7` or `0-3,7`; null: all indexes */
  readonly indexes: string | null;
  /** null: the one whose exit code it is */
  readonly container: string | null;
  /** Only what failed, or is missing in the folder. */
  readonly resumeFailed: boolean;
  readonly namespace: string | null;
  readonly kubeconfig: string | null;
};

const FETCHED_AT_ONCE = 8;
/** How often a line says how far it is, where there is no terminal. */
const LINE_EVERY_MS = 10_000;
/** Reasons that are printed one by one. */
const TOLD_MAX = 10;

/** `muster logs --results`: a folder for each index, with its output and exit code. Run again, it fetches what is missing. */
export async function results(name: string, flags: ResultFlags, shell: Shell): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.namespace ?? client.target.namespace;
  const job = readAs(JobSchema, await client.get(jobsPath(namespace, name)), client.target);
  const wanted = flags.indexes === null ? null : await wantedIndexes(flags.indexes, job, client);
  const total = await countRunning(job, wanted, client);
  const repeats = job.metadata.annotations[ANNOTATIONS.rerunOf] ?? null;
  const folder = await ResultFolder.of(resolve(shell.cwd, flags.folder), { ...job.metadata, repeats });
  const stop = new AbortController();
  const forgetInterrupts = shell.onInterrupt(() => stop.abort());
  const bar = new WorkBar(shell, LINE_EVERY_MS);
  const fetching = new Fetching({ job, wanted, total, folder, flags, client, bar, signal: stop.signal });
  try {
    await fetching.all();
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    stop.abort();
    bar.close();
    forgetInterrupts();
  }
  return fetching.tell(shell);
}

type Context = {
  readonly job: Job;
  /** null: all */
  readonly wanted: IndexSet | null;
  /** How many results there will be; null: unknown. */
  readonly total: number | null;
  readonly folder: ResultFolder;
  readonly flags: ResultFlags;
  readonly client: KubeClient;
  readonly bar: WorkBar;
  readonly signal: AbortSignal;
};

class Fetching {
  readonly #context: Context;
  readonly #underway = new Set<Promise<void>>();
  readonly #not: string[] = [];
  #fetched = 0;
  #unchanged = 0;
  #isInterrupted = true;
  /** What ends everything: the server or the disk is gone. */
  #fatal: Error | null = null;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Fetches what is missing, page by page, and the joblog of all that has ended. */
  async all(): Promise<void> {
    const { folder } = this.#context;
    try {
      await folder.storeJoblog(this.#pages());
    } finally {
      await Promise.all(this.#underway);
    }
    if (this.#fatal !== null) throw this.#fatal;
    this.#isInterrupted = this.#context.signal.aborted;
    // Before all is there, nobody could tell whose results are whose.
    if (folder.isJoining && !this.#isInterrupted && this.#not.length === 0) await folder.own();
  }

  /** Starts the fetches of a page, and passes its joblog on. */
  async *#pages(): AsyncGenerator<string> {
    const { job, wanted, client, signal } = this.#context;
    const { head, row } = JOBLOG_TEXT.tsv;
    let rows = 0;
    yield head;
    for await (const page of endedAttempts(job.metadata, 'last', client, { words: true })) {
      for (const ended of page)
        if (wanted === null || (ended.index !== undefined && has(wanted, ended.index))) await this.#begin(ended);
      signal.throwIfAborted();
      yield page.map((ended, i) => row(joblogRow(job, ended, rows + i), rows + i)).join('');
      rows += page.length;
    }
  }

  /** Waits for a place first. */
  async #begin(ended: EndedAttempt): Promise<void> {
    while (this.#underway.size >= FETCHED_AT_ONCE) await Promise.race(this.#underway);
    this.#context.signal.throwIfAborted();
    if (this.#fatal !== null) throw this.#fatal;
    const work = this.#fetch(ended)
      .catch((error: unknown) => {
        this.#fatal ??= error instanceof Error ? error : new Error(messageOf(error));
      })
      .finally(() => this.#underway.delete(work));
    this.#underway.add(work);
  }

  async #fetch(ended: EndedAttempt): Promise<void> {
    const { folder, flags } = this.#context;
    const name = resultFolderName(ended);
    const stored = await folder.stored(name);
    const exit = ended.exitCode ?? NO_EXIT;
    if (stored.kind === 'odd') this.#not.push(`${stored.why}: it is left as it is`);
    else if (
      stored.kind === 'complete' &&
      !folder.isJoining &&
      !isStale(stored, { exit, attempt: ended.attempt }, flags)
    )
      this.#unchanged++;
    else if (await this.#store(name, ended, exit)) this.#fetched++;
    this.#show();
  }

  /** False: this one cannot be fetched. */
  async #store(name: string, ended: EndedAttempt, exit: number): Promise<boolean> {
    const { folder } = this.#context;
    const { attempt } = ended;
    try {
      await folder.store(name, { exit, attempt, log: this.#logOf(ended) });
      return true;
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      this.#not.push(`${name}: ${error.message}`);
      return false;
    }
  }

  /** Its log; nothing if it never started. */
  async *#logOf({ pod, container, startedAt, exitCode }: EndedAttempt): AsyncGenerator<Uint8Array> {
    const { job, client, flags, signal } = this.#context;
    if (startedAt === null && exitCode === null) return;
    const query = { container: flags.container ?? container ?? undefined };
    try {
      yield* client.bytes(`${podsPath(job.metadata.namespace, pod)}/log`, query, signal);
      // An aborted answer may look like one that has ended.
      signal.throwIfAborted();
    } catch (error) {
      if (!(error instanceof ApiFailure) || causeOf(error, 'ContainerNeverStarted') === undefined) throw error;
    }
  }

  #show(): void {
    const { bar, total } = this.#context;
    const done = this.#fetched + this.#unchanged + this.#not.length;
    bar.show({ done, total, text: `results (${this.#fetched} fetched, ${this.#unchanged} unchanged)` });
  }

  /** Says what has become of it; the exit code. */
  tell(shell: Shell): number {
    const { total, flags } = this.#context;
    const done = this.#fetched + this.#unchanged;
    for (const why of this.#not.slice(0, TOLD_MAX)) shell.err.write(`${why}\n`);
    if (this.#not.length > TOLD_MAX) shell.err.write(`and ${this.#not.length - TOLD_MAX} others\n`);
    shell.out.write(`${flags.folder}: ${this.#fetched} fetched, ${this.#unchanged} unchanged\n`);
    if (this.#isInterrupted) {
      shell.err.write('interrupted: the same command continues\n');
      return EXIT.interrupted;
    }
    const open = total === null ? 0 : total - done - this.#not.length;
    if (open > 0) shell.out.write(`${open} ${open === 1 ? 'index has' : 'indexes have'} no attempt that has ended\n`);
    return this.#not.length === 0 ? EXIT.ok : EXIT.failed;
  }
}

type Complete = Extract<StoredResult, { kind: 'complete' }>;

/** What is stored is not what there is now, or may not be what is wanted. */
const isStale = (stored: Complete, now: Pick<Complete, 'exit' | 'attempt'>, { resumeFailed }: ResultFlags): boolean =>
  resumeFailed ? stored.exit !== 0 : stored.exit !== now.exit || stored.attempt !== now.attempt;
