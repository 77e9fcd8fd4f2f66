import { themeFor } from '../render/theme.ts';
import { endOf } from '../client/job-end.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { indexText, shortItem } from '../../shared/domain/base/shown-index.ts';
import { padToWidth, textWidth } from '../../shared/domain/base/text-width.ts';
import {
  type IndexSet,
  NO_INDEXES,
  formatIndexSet,
  indexSetOf,
  size,
  subtract,
} from '../../shared/domain/base/index-set.ts';
import { type Job, JobSchema, ProgressSchema } from '../client/api-objects.ts';
import { ApiFailure, EXIT, Failure, causeOf, usageFailure } from '../shell/failure.ts';
import { type KubeClient, jobsPath, podsPath, progressPath, readAs } from '../client/kube-client.ts';
import { reach } from '../client/reach.ts';
import { type ChosenLog, type LogChoice, chooseLogs, indexesOf, whyWithout } from '../logs/chosen-logs.ts';
import { indexesOfItemsWithPods } from '../logs/indexes-of-items.ts';
import { readAhead } from '../logs/read-ahead.ts';
import { endsLine, lineParts } from '../logs/line-parts.ts';
import { LogFollower } from '../logs/log-follower.ts';
import { wantedIndexes } from '../logs/wanted-indexes.ts';
import { onOneLine } from '../text/table.ts';
import { visible } from '../text/visible.ts';
import type { Shell } from '../shell/shell.ts';

export type LogFlags = {
  /** `7` or `0-3,7`; null: all indexes */
  readonly indexes: string | null;
  /** Chooses the indexes that work on them; empty: no choice. */
  readonly items: readonly string[];
  /** null: the latest attempt */
  readonly attempt: number | null;
  /** null: the first container */
  readonly container: string | null;
  readonly follow: boolean;
  /** Selects the last failed attempt of each index that has not succeeded. */
  readonly failed: boolean;
  /** Lines from the end; null: all lines */
  readonly tailLines: number | null;
  readonly namespace: string | null;
  readonly kubeconfig: string | null;
};

/** Each followed log holds a connection, and a reader on the server. */
const FOLLOWED_MAX = 32;
/** How many logs are read concurrently without --follow: each takes a few round trips and mostly waits. */
const READ_AT_ONCE = 8;
/** How long to wait before asking again for an attempt that has not started. */
const LOOK_AGAIN_MS = 500;

/** `muster logs`: prints what the tasks of a Job wrote, in index order, or with --follow all of them as lines arrive. */
export async function logs(name: string, flags: LogFlags, shell: Shell): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const { target } = client;
  const namespace = flags.namespace ?? target.namespace;
  const job = readAs(JobSchema, await client.get(jobsPath(namespace, name)), target);
  const choice = { ...flags, wanted: await wantedOf(job, flags, client) };
  const { wanted } = choice;
  const chosen = await chooseLogs(job, choice, client);
  if (chosen.length === 0) throw new Failure(await nothingToPrint(job, choice, wanted, client));
  if (flags.follow && chosen.length > FOLLOWED_MAX)
    throw usageFailure(
      `--follow takes at most ${FOLLOWED_MAX} logs, and this is ${chosen.length}: choose some with --index`,
    );
  const stop = new AbortController();
  let interrupted = false;
  const forgetInterrupts = shell.onInterrupt(() => {
    interrupted = true;
    stop.abort();
  });
  const isOne = wanted !== null && size(wanted) === 1;
  const printer = new Printer(job, chosen, flags.failed && !isOne, shell);
  const bytesOf = (each: ChosenLog) => follower(each, client, flags).bytes(stop.signal);
  try {
    if (flags.follow) await Promise.all(chosen.map(async (each) => printer.follow(each, client, flags, stop.signal)));
    else await readAhead(chosen, READ_AT_ONCE, bytesOf, async (each, bytes) => printer.print(each, bytes));
    printer.sayWhatNeverStarted();
    const missing = wanted === null || flags.failed ? NO_INDEXES : subtract(wanted, indexesOf(chosen));
    if (missing.edges.length > 0) printer.sayMissing(await nothingToPrint(job, choice, missing, client));
  } catch (error) {
    const isNone =
      error instanceof ApiFailure && error.status.code === 404 && chosen.every(({ isListed }) => !isListed);
    if (isNone) throw new Failure(await nothingToPrint(job, choice, wanted, client));
    if (!interrupted) throw error;
  } finally {
    printer.endLine();
    stop.abort();
    forgetInterrupts();
  }
  return interrupted ? EXIT.interrupted : printer.exitCode;
}

/** The indexes that were asked for; null: all. */
async function wantedOf(job: Job, { indexes, items }: LogFlags, client: KubeClient): Promise<IndexSet | null> {
  if (indexes !== null) return wantedIndexes(indexes, job, client);
  return items.length === 0 ? null : indexSetOf(await indexesOfItemsWithPods(job, items, client));
}

/** Says why there is nothing to print. */
async function nothingToPrint(job: Job, choice: LogChoice, missing: IndexSet | null, client: KubeClient) {
  const { name, namespace } = job.metadata;
  const indexes = missing === null ? '' : ` of ${size(missing) === 1 ? 'index' : 'indexes'} ${formatIndexSet(missing)}`;
  if (choice.failed) return `error: Job ${name} has no failed attempt${indexes}`;
  const attempt = choice.attempt === null ? 'attempt' : `attempt ${choice.attempt}`;
  const nothing = `error: Job ${name} has no ${attempt}${indexes}`;
  if (missing === null || choice.attempt !== null) return `${nothing} yet`;
  const path = progressPath(namespace, name);
  const { job: now, indexes: states } = readAs(ProgressSchema, await client.get(path), client.target);
  return nothing + whyWithout(missing, states ?? {}, now.spec.completions ?? 0, endOf(now) !== null);
}

/** Prints logs. With several, or if asked to, each line starts with its index, and its item if it has one. */
class Printer {
  readonly #shell: Shell;
  readonly #prefixes: ReadonlyMap<ChosenLog, string>;
  /** Keyed by reason. */
  readonly #neverStarted = new Map<string, readonly ChosenLog[]>();
  /** Of several logs, the one whose line has no line end yet. */
  #inLineOf: ChosenLog | null = null;
  exitCode: number = EXIT.ok;

  constructor({ spec }: Job, chosen: readonly ChosenLog[], named: boolean, shell: Shell) {
    this.#shell = shell;
    const { paint } = themeFor(shell.out, shell.env);
    const names = chosen.map(({ index, pod }) =>
      spec.completionMode === 'Indexed' ? String(index) : pod.metadata.name,
    );
    const items = chosen.map(({ item }) => (item === null ? '' : ` ${shortItem(item)}`));
    const width = Math.max(...names.map((name) => name.length));
    const itemWidth = Math.max(...items.map(textWidth));
    const prefix = (i: number): string =>
      `[${(names[i] ?? '').padStart(width)}${padToWidth(items[i] ?? '', itemWidth)}] `;
    this.#prefixes = new Map(
      chosen.map((each, i) => [each, chosen.length === 1 && !named ? '' : paint.dim(visible(prefix(i)))]),
    );
  }

  /** Prints a finished log, or notes why there is none. */
  async print(chosen: ChosenLog, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      await this.#write(chosen, bytes);
    } catch (error) {
      this.#note(chosen, error);
    }
  }

  /** Prints a log until its attempt is over. Waits for one that has not started. */
  async follow(chosen: ChosenLog, client: KubeClient, flags: LogFlags, signal: AbortSignal): Promise<void> {
    const log = follower(chosen, client, flags);
    for (;;) {
      try {
        await this.#write(chosen, log.bytes(signal));
        return;
      } catch (error) {
        if (signal.aborted) throw error;
        if (!isWithoutLog(error) || !isWaiting(error)) {
          this.#note(chosen, error);
          return;
        }
        await sleep(LOOK_AGAIN_MS, undefined, { signal });
      }
    }
  }

  /** With several logs, a missing one does not stop the others; a single missing log is the result. Throws any other error. */
  #note(chosen: ChosenLog, error: unknown): void {
    if (!isWithoutLog(error)) throw error;
    const why = causeOf(error, 'ContainerNeverStarted')?.message;
    if (why === undefined && this.#prefixes.size === 1) throw error;
    this.exitCode = error.exitCode;
    if (why === undefined) this.#shell.err.write(`${error.message}\n`);
    else this.#neverStarted.set(why, [...(this.#neverStarted.get(why) ?? []), chosen]);
  }

  /** Reports hundreds of attempts that never started for the same reason in one line. */
  sayWhatNeverStarted(): void {
    for (const [why, some] of this.#neverStarted) {
      const who = whoOf(some);
      this.#shell.err.write(`${who} never started: ${onOneLine(why)}\n`);
    }
    this.#neverStarted.clear();
  }

  /** Indexes that were asked for, and have no log. */
  sayMissing(why: string): void {
    this.exitCode = EXIT.failed;
    this.#shell.err.write(`${why}\n`);
  }

  /** One log is printed byte for byte. */
  async #write(chosen: ChosenLog, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const prefix = this.#prefixes.get(chosen) ?? '';
    const { out } = this.#shell;
    if (prefix === '') for await (const some of bytes) out.writeRaw(some);
    else
      for await (const part of lineParts(bytes)) {
        const goesOn = this.#inLineOf === chosen && !part.isStart;
        if (!goesOn) out.writeRaw(`${this.#inLineOf === null ? '' : '\n'}${prefix}`);
        out.writeRaw(part.bytes);
        this.#inLineOf = endsLine(part.bytes) ? null : chosen;
      }
  }

  /** The last of several logs may end within a line. */
  endLine(): void {
    if (this.#inLineOf !== null) this.#shell.out.writeRaw('\n');
    this.#inLineOf = null;
  }
}

function whoOf(some: readonly ChosenLog[]): string {
  const [first] = some;
  const indexes = some.flatMap(({ index }) => (index === null ? [] : [index]));
  if (indexes.length > 1) return `${indexes.length} indexes (${formatIndexSet(indexSetOf(indexes))})`;
  if (some.length > 1) return `${some.length} Pods`;
  const [index] = indexes;
  return index === undefined
    ? `Pod ${first?.pod.metadata.name}`
    : `${indexText(index, first?.item ?? null)}, attempt ${first?.attempt}`;
}

/** To the log of a Pod that is gone nothing is added. Of a failed attempt, the container that failed is the one to read. */
function follower({ pod, isListed, decisive }: ChosenLog, client: KubeClient, flags: LogFlags): LogFollower {
  const { tailLines, follow, failed } = flags;
  const { namespace, name } = pod.metadata;
  const container = flags.container ?? (failed ? decisive : null);
  return new LogFollower(client, podsPath(namespace, name), { container, tailLines, follow: follow && isListed });
}

/** The container has not started. */
const isWaiting = (error: ApiFailure): boolean => causeOf(error, 'ContainerWaiting') !== undefined;

/** The attempt has not started yet, so it has no log. */
const isWithoutLog = (error: unknown): error is ApiFailure =>
  error instanceof ApiFailure && (isWaiting(error) || causeOf(error, 'ContainerNeverStarted') !== undefined);
