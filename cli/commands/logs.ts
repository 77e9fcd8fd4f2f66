import { setTimeout as sleep } from 'node:timers/promises';
import { asJobUid } from '../../shared/domain/brand.ts';
import { parseIndexesStrict, size } from '../../shared/domain/index-set.ts';
import { has } from '../../shared/domain/index-set.ts';
import { podName } from '../../shared/domain/pod-name.ts';
import { type Job, type Pod, JobSchema, PodSchema } from '../api-objects.ts';
import { ApiFailure, EXIT, Failure, usageFailure } from '../failure.ts';
import { looksFor } from '../job-view.ts';
import { type KubeClient, jobsPath, podsPath, readAs } from '../kube-client.ts';
import { reach } from '../reach.ts';
import { LogFollower } from '../log-follower.ts';
import { type PodAttempt, attemptOf, podSelector } from '../pod-attempt.ts';
import type { Shell } from '../shell.ts';

export type LogFlags = {
  /** `7` or `0-3,7`; null: all of them */
  readonly indexes: string | null;
  /** null: the latest */
  readonly attempt: number | null;
  /** null: the first */
  readonly container: string | null;
  readonly follow: boolean;
  /** Lines from the end; null: all */
  readonly tailLines: number | null;
  readonly namespace: string | null;
  readonly kubeconfig: string | null;
};

/** Each log that is followed is a connection, and a reader on the server. */
const FOLLOWED_MAX = 32;
/** An attempt that has not started yet is asked for again. */
const LOOK_AGAIN_MS = 500;

type Chosen = PodAttempt & {
  readonly pod: { readonly metadata: Pick<Pod['metadata'], 'namespace' | 'name'> };
  /** The server has listed it; else it was stopped, or there never was one. */
  readonly isListed: boolean;
};

/** `muster logs`: what the tasks of a Job have printed, in order of their indexes, or all at once as it comes. */
export async function logs(name: string, flags: LogFlags, shell: Shell): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const { target } = client;
  const namespace = flags.namespace ?? target.namespace;
  const job = readAs(JobSchema, await client.get(jobsPath(namespace, name)), target);
  const chosen = await choose(job, flags, client);
  if (chosen.length === 0) throw new Failure(`error: ${nothingOf(name, flags)}`);
  if (flags.follow && chosen.length > FOLLOWED_MAX)
    throw usageFailure(
      `that is ${chosen.length} logs, and at most ${FOLLOWED_MAX} are followed at once: choose with --index`,
    );
  const stop = new AbortController();
  let interrupted = false;
  const forgetInterrupts = shell.onInterrupt(() => {
    interrupted = true;
    stop.abort();
  });
  const printer = new Printer(job, chosen, shell);
  const printOne = async (each: Chosen) => printer.print(each, client, flags, stop.signal);
  try {
    if (flags.follow) await Promise.all(chosen.map(printOne));
    else for (const each of chosen) await printOne(each);
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

/** The attempts whose logs are meant: of each index the latest, or the one that was asked for. */
async function choose(job: Job, { indexes, attempt }: LogFlags, client: KubeClient): Promise<readonly Chosen[]> {
  const wanted = indexes === null ? null : indexSetOf(indexes, job);
  // One index is selected by the server.
  const [only = null] = wanted !== null && size(wanted) === 1 ? wanted.edges : [];
  const query = { labelSelector: podSelector(job, only) };
  const { items } = await client.list(podsPath(job.metadata.namespace), query);
  const latest = new Map<number | string, Chosen>();
  for (const item of items) {
    const pod = readAs(PodSchema, item, client.target);
    const read = attemptOf(pod);
    if (read === null || (attempt !== null && read.attempt !== attempt)) continue;
    if (wanted !== null && (read.index === null || !has(wanted, read.index))) continue;
    latest.set(read.index ?? pod.metadata.name, { ...read, pod, isListed: true }); // attempts are listed in order
  }
  if (latest.size > 0 || attempt === null || only === null) return [...latest.values()];
  return [stoppedOf(job, only, attempt)];
}

/** A Pod that was stopped is in no list; its name is known, and its log can still be read. */
function stoppedOf({ metadata, spec }: Job, index: number, attempt: number): Chosen {
  const owner = { uid: asJobUid(metadata.uid), name: metadata.name, completionMode: spec.completionMode };
  const { namespace } = metadata;
  return { index, attempt, isListed: false, pod: { metadata: { namespace, name: podName(owner, index, attempt) } } };
}

function indexSetOf(text: string, { metadata, spec }: Job) {
  if (spec.completionMode === 'NonIndexed')
    throw usageFailure(`Job ${metadata.name} is NonIndexed: its Pods have no index`);
  const parsed = parseIndexesStrict(text, spec.completions ?? 0);
  if (parsed.kind === 'invalid') throw usageFailure(`--index ${JSON.stringify(text)}: ${parsed.reason}`);
  return parsed.set;
}

function nothingOf(name: string, { indexes, attempt }: LogFlags): string {
  const index = indexes === null ? '' : ` of index ${indexes}`;
  return `Job ${name} has no ${attempt === null ? 'attempt' : `attempt ${attempt}`}${index} yet`;
}

/** Prints logs; with several, each line says which index it is of. */
class Printer {
  readonly #shell: Shell;
  readonly #prefixes: ReadonlyMap<Chosen, string>;
  exitCode: number = EXIT.ok;

  constructor({ spec }: Job, chosen: readonly Chosen[], shell: Shell) {
    this.#shell = shell;
    const { paint } = looksFor(shell.out, shell.env);
    const names = chosen.map(({ index, pod }) =>
      spec.completionMode === 'Indexed' ? String(index) : pod.metadata.name,
    );
    const width = Math.max(...names.map((name) => name.length));
    this.#prefixes = new Map(
      chosen.map((each, i) => [each, chosen.length === 1 ? '' : paint.dim(`[${(names[i] ?? '').padStart(width)}] `)]),
    );
  }

  async print(chosen: Chosen, client: KubeClient, flags: LogFlags, signal: AbortSignal): Promise<void> {
    const { namespace, name } = chosen.pod.metadata;
    const { container, tailLines, follow } = flags;
    const follower = new LogFollower(client, podsPath(namespace, name), { container, tailLines, follow });
    const prefix = this.#prefixes.get(chosen) ?? '';
    for (;;) {
      try {
        for await (const line of follower.lines(signal)) this.#shell.out.write(`${prefix}${line}\n`);
        return;
      } catch (error) {
        if (!isWaiting(error) || signal.aborted) throw error;
        if (!follow) {
          // Beside others this is no reason to stop; alone it is the answer.
          if (this.#prefixes.size === 1) throw error;
          this.#shell.err.write(`${error.message}\n`);
          this.exitCode = error.exitCode;
          return;
        }
        await sleep(LOOK_AGAIN_MS, undefined, { signal });
      }
    }
  }
}

/** The container has not started; Kubernetes has no reason of its own for that. */
const isWaiting = (error: unknown): error is ApiFailure =>
  error instanceof ApiFailure && error.status.code === 400 && error.status.message.includes('is waiting to start');
