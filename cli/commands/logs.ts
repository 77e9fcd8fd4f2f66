import { setTimeout as sleep } from 'node:timers/promises';
import { indexText, shortItem } from '../../shared/domain/base/shown-index.ts';
import { padToWidth, textWidth } from '../../shared/domain/base/text-width.ts';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import { formatIndexSet, has, indexSetOf, parseStatusIndexes, size } from '../../shared/domain/base/index-set.ts';
import { ANNOTATIONS } from '../../shared/domain/spec/annotations.ts';
import { podName } from '../../shared/domain/task/pod-name.ts';
import { FailuresSchema, type Job, type Pod, JobSchema, PodSchema } from '../client/api-objects.ts';
import { ApiFailure, EXIT, Failure, usageFailure } from '../failure.ts';
import { themeFor } from '../follow/job-view.ts';
import { type KubeClient, failuresPath, jobsPath, podsPath, readAs } from '../client/kube-client.ts';
import { reach } from '../client/reach.ts';
import { indexesOfItems } from '../logs/indexes-of-items.ts';
import { readAhead } from '../logs/lines-ahead.ts';
import { LogFollower } from '../logs/log-follower.ts';
import { type PodAttempt, attemptOf, hasFailed, podSelector } from '../logs/pod-attempt.ts';
import { wantedIndexes } from '../logs/wanted-indexes.ts';
import { onOneLine } from '../render/table.ts';
import { visible } from '../render/visible.ts';
import type { Shell } from '../shell.ts';

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

type Chosen = PodAttempt & {
  /** What it works on; null: its Job has no work list. */
  readonly item: string | null;
  readonly pod: { readonly metadata: Pick<Pod['metadata'], 'namespace' | 'name'> };
  /** True if the server lists the Pod. False if it was stopped or never existed. */
  readonly isListed: boolean;
};

/** `muster logs`: prints what the tasks of a Job wrote, in index order, or with --follow all of them as lines arrive. */
export async function logs(name: string, flags: LogFlags, shell: Shell): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const { target } = client;
  const namespace = flags.namespace ?? target.namespace;
  const job = readAs(JobSchema, await client.get(jobsPath(namespace, name)), target);
  const chosen = await choose(job, flags, client);
  if (chosen.length === 0) throw new Failure(`error: ${nothingOf(name, flags)}`);
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
  const printer = new Printer(job, chosen, shell);
  const linesOf = (each: Chosen) => follower(each, client, flags).lines(stop.signal);
  try {
    if (flags.follow) await Promise.all(chosen.map(async (each) => printer.follow(each, client, flags, stop.signal)));
    else await readAhead(chosen, READ_AT_ONCE, linesOf, async (each, lines) => printer.print(each, lines));
    printer.sayWhatNeverStarted();
  } catch (error) {
    const isNone =
      error instanceof ApiFailure && error.status.code === 404 && chosen.every(({ isListed }) => !isListed);
    if (isNone) throw new Failure(`error: ${nothingOf(name, flags)}`);
    if (!interrupted) throw error;
  } finally {
    stop.abort();
    forgetInterrupts();
  }
  return interrupted ? EXIT.interrupted : printer.exitCode;
}

/** The attempts to print: the latest one of each index, or the requested one. */
async function choose(
  job: Job,
  { indexes, items: wantedItems, attempt, failed }: LogFlags,
  client: KubeClient,
): Promise<readonly Chosen[]> {
  const ofItems = wantedItems.length === 0 ? null : indexSetOf(await indexesOfItems(job, wantedItems, client));
  const wanted = indexes === null ? ofItems : await wantedIndexes(indexes, job, client);
  // The server filters by one index.
  const [only = null] = wanted !== null && size(wanted) === 1 ? wanted.edges : [];
  const query = { labelSelector: podSelector(job, only) };
  const { items } = await client.list(podsPath(job.metadata.namespace), query);
  const done = parseStatusIndexes(job.status.completedIndexes, job.spec.completions ?? 0);
  const latest = new Map<number | string, Chosen>();
  for (const listed of items) {
    const pod = readAs(PodSchema, listed, client.target);
    const read = attemptOf(pod);
    if (read === null || (attempt !== null && read.attempt !== attempt)) continue;
    if (wanted !== null && (read.index === null || !has(wanted, read.index))) continue;
    if (failed && (!hasFailed(pod) || (read.index !== null && has(done, read.index)))) continue;
    const item = pod.metadata.annotations[ANNOTATIONS.item] ?? null;
    latest.set(read.index ?? pod.metadata.name, { ...read, pod, item, isListed: true }); // attempts are listed in order
  }
  if (latest.size > 0) return [...latest.values()];
  if (attempt !== null && only !== null) return [stoppedOf(job, only, attempt)];
  const stopped = attempt === null ? await stoppedExamples(job, client) : [];
  return stopped
    .filter(({ index }) => wanted === null || has(wanted, index))
    .map((each) => stoppedOf(job, each.index, each.attempt));
}

/** If the server lists no Pods, because all were stopped (by a deadline, for example): one attempt for each kind of failure. */
async function stoppedExamples({ metadata: { namespace, name } }: Job, client: KubeClient) {
  const { groups } = readAs(FailuresSchema, await client.get(failuresPath(namespace, name)), client.target);
  return groups.flatMap(({ example: { index, attempt } }) => (index === undefined ? [] : [{ index, attempt }]));
}

/** No list has a stopped Pod. Its name is known, and its log can still be read. */
function stoppedOf({ metadata, spec }: Job, index: number, attempt: number): Chosen {
  const owner = { uid: asJobUid(metadata.uid), name: metadata.name, completionMode: spec.completionMode };
  const { namespace } = metadata;
  return {
    index,
    attempt,
    item: null,
    isListed: false,
    pod: { metadata: { namespace, name: podName(owner, index, attempt) } },
  };
}

function nothingOf(name: string, { indexes, attempt, failed }: LogFlags): string {
  if (failed) return `Job ${name} has no failed attempt${indexes === null ? '' : ` of index ${indexes}`}`;
  const index = indexes === null ? '' : ` of index ${indexes}`;
  return `Job ${name} has no ${attempt === null ? 'attempt' : `attempt ${attempt}`}${index} yet`;
}

/** Prints logs. With several, each line starts with its index, and its item if it has one. */
class Printer {
  readonly #shell: Shell;
  readonly #prefixes: ReadonlyMap<Chosen, string>;
  /** Keyed by reason. */
  readonly #neverStarted = new Map<string, readonly Chosen[]>();
  exitCode: number = EXIT.ok;

  constructor({ spec }: Job, chosen: readonly Chosen[], shell: Shell) {
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
    this.#prefixes = new Map(chosen.map((each, i) => [each, chosen.length === 1 ? '' : paint.dim(visible(prefix(i)))]));
  }

  /** Prints a finished log, or notes why there is none. */
  async print(chosen: Chosen, lines: AsyncIterable<string>): Promise<void> {
    try {
      await this.#write(chosen, lines);
    } catch (error) {
      this.#note(chosen, error);
    }
  }

  /** Prints a log until its attempt is over. Waits for one that has not started. */
  async follow(chosen: Chosen, client: KubeClient, flags: LogFlags, signal: AbortSignal): Promise<void> {
    const log = follower(chosen, client, flags);
    for (;;) {
      try {
        await this.#write(chosen, log.lines(signal));
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
  #note(chosen: Chosen, error: unknown): void {
    if (!isWithoutLog(error)) throw error;
    const why = / never started: ([^]*)$/.exec(error.status.message)?.[1];
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

  async #write(chosen: Chosen, lines: AsyncIterable<string>): Promise<void> {
    const prefix = this.#prefixes.get(chosen) ?? '';
    for await (const line of lines) this.#shell.out.writeRaw(`${prefix}${line}\n`);
  }
}

function whoOf(some: readonly Chosen[]): string {
  const [first] = some;
  const indexes = some.flatMap(({ index }) => (index === null ? [] : [index]));
  if (indexes.length > 1) return `${indexes.length} indexes (${formatIndexSet(indexSetOf(indexes))})`;
  if (some.length > 1) return `${some.length} Pods`;
  const [index] = indexes;
  return index === undefined
    ? `Pod ${first?.pod.metadata.name}`
    : `${indexText(index, first?.item ?? null)}, attempt ${first?.attempt}`;
}

function follower({ pod }: Chosen, client: KubeClient, { container, tailLines, follow }: LogFlags): LogFollower {
  const { namespace, name } = pod.metadata;
  return new LogFollower(client, podsPath(namespace, name), { container, tailLines, follow });
}

/** The container has not started. Kubernetes has no dedicated reason for this. */
const isWaiting = ({ status }: ApiFailure): boolean => status.message.includes('is waiting to start');

/** The attempt has not started yet, so it has no log. */
const isWithoutLog = (error: unknown): error is ApiFailure =>
  error instanceof ApiFailure &&
  error.status.code === 400 &&
  (isWaiting(error) || error.status.message.includes(' never started: '));
