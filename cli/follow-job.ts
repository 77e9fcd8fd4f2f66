import { setTimeout as sleep } from 'node:timers/promises';
import { FailuresSchema, type Job, JobSchema, ProgressSchema } from './api-objects.ts';
import { ApiFailure, UnreachableFailure } from './failure.ts';
import { JobState, progressOf, verdictOf } from './job-state.ts';
import { type KubeClient, failuresPath, jobsPath, progressPath, readAs } from './kube-client.ts';
import type { JobProgress } from './render/progress.ts';

export type Followed = {
  readonly namespace: string;
  readonly name: string;
  /** Another Job of the same name is not meant. */
  readonly uid: string;
};

export type FollowOptions = {
  readonly client: KubeClient;
  /** Asked when the server does not answer: one that was started again may have another address. */
  readonly reconnect: () => Promise<KubeClient>;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Something has changed. */
  readonly onProgress: (progress: JobProgress) => void;
  /** Between two looks, where a watch has ended or there is none; 1 s if left out. */
  readonly lookAgainMs?: number;
  /** How often it is asked how far the Job is though nothing has changed, while something waits, and what has failed; 5 s if left out. */
  readonly askAgainMs?: number;
  /** How long nobody may answer; 60 s if left out. */
  readonly giveUpMs?: number;
  /** Only what becomes of the Job is wanted: how far it is, and why it waits, are not asked for. */
  readonly verdictOnly?: boolean;
};

export type Ending =
  /** `object` is the Job as the server sent it. */
  | { readonly kind: 'complete' | 'failed'; readonly job: Job; readonly object: unknown }
  | { readonly kind: 'deleted' }
  /** `signal` was aborted. */
  | { readonly kind: 'aborted' }
  | { readonly kind: 'unreachable'; readonly reason: string };

const LOOK_AGAIN_MS = 1_000;
const ASK_AGAIN_MS = 5_000;
const GIVE_UP_MS = 60_000;

/**
 * Follows a Job until it is over, by watches, and by looking again wherever these end. A server that is away for a while
 * is waited for.
 *
 * @throws ApiFailure when the server refuses to tell
 */
export async function followJob(followed: Followed, options: FollowOptions): Promise<Ending> {
  const ended = new AbortController();
  const abort = (): void => ended.abort();
  if (options.signal.aborted) abort();
  options.signal.addEventListener('abort', abort);
  const follower = new Follower(followed, { ...options, signal: ended.signal });
  try {
    const ending = await follower.followVerdict();
    if (ending.kind === 'complete' || ending.kind === 'failed') await follower.lastLook();
    return ending;
  } finally {
    options.signal.removeEventListener('abort', abort);
    abort();
    await follower.progressFollowed;
  }
}

class Follower {
  readonly #followed: Followed;
  readonly #options: FollowOptions;
  #client: KubeClient;
  /** The Job as the watch told it last. */
  #job: Job | null = null;
  #state: JobState | null = null;
  /** Something has changed since it was asked how far the Job is. */
  #isStale = true;
  #wake: () => void = () => undefined;
  #failuresOf = 0;
  #failuresAskedMs = Number.NEGATIVE_INFINITY;
  /** Resolves when nobody asks how far the Job is any more. Never rejects. */
  progressFollowed: Promise<void> | null = null;

  constructor(followed: Followed, options: FollowOptions) {
    this.#followed = followed;
    this.#options = options;
    this.#client = options.client;
  }

  async followVerdict(): Promise<Ending> {
    const { signal, now, giveUpMs = GIVE_UP_MS } = this.#options;
    let silentSinceMs: number | null = null;
    while (!signal.aborted) {
      try {
        const ending = (await this.#look()) ?? (await this.#watchJob());
        if (ending !== null) return ending;
        silentSinceMs = null;
      } catch (error) {
        if (signal.aborted) break;
        if (!isPassing(error)) throw error;
        silentSinceMs ??= now();
        if (now() - silentSinceMs >= giveUpMs) return { kind: 'unreachable', reason: error.message };
        this.#state?.hearNothing(`${this.#client.target.server} does not answer; trying again`);
        this.#show();
        this.#client = await this.#options.reconnect().catch(() => this.#client);
      }
      await this.#pause();
    }
    return { kind: 'aborted' };
  }

  /**
   * Asks how far the Job is whenever the watch has told of a change, and now and then while something waits, for times pass.
   * One answer has all that is shown, so a picture never mixes moments. What goes wrong here only makes the view poorer.
   */
  async #followProgress(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      this.#isStale = false;
      await this.#askProgress();
      await this.#askFailures();
      await this.#untilStale();
    }
  }

  async #untilStale(): Promise<void> {
    const { signal, askAgainMs = ASK_AGAIN_MS } = this.#options;
    const deaf = new AbortController();
    const woken = new Promise<void>((resolve) => (this.#wake = resolve));
    signal.addEventListener('abort', this.#wake);
    if (!this.#isStale && !signal.aborted) {
      const mayChange = this.#state === null || this.#state.mayWait() || this.#hasUntoldFailures();
      const again = mayChange ? [sleep(askAgainMs, undefined, { signal: deaf.signal }).catch(() => undefined)] : [];
      await Promise.race([woken, ...again]);
    }
    signal.removeEventListener('abort', this.#wake);
    deaf.abort();
  }

  async #askProgress(): Promise<void> {
    const { namespace, name, uid } = this.#followed;
    const { client, now } = { client: this.#client, now: this.#options.now() };
    const answer = await client.get(progressPath(namespace, name)).catch((error: unknown) => error);
    const read = ProgressSchema.safeParse(answer);
    const told = read.success ? read.data : isUnknownPath(answer) && this.#job !== null ? progressOf(this.#job) : null;
    if (told === null || told.job.metadata.uid !== uid) return;
    if (this.#state === null) this.#state = new JobState(told, now);
    else this.#state.hearProgress(told, now);
    this.#show();
  }

  #hasUntoldFailures(): boolean {
    return this.#state !== null && this.#state.failedSoFar() !== this.#failuresOf;
  }

  /** What has failed is asked for at the first failure, and again when more has, but not again and again. */
  async #askFailures(): Promise<void> {
    const { now, askAgainMs = ASK_AGAIN_MS } = this.#options;
    if (this.#state === null || !this.#hasUntoldFailures() || now() < this.#failuresAskedMs + askAgainMs) return;
    this.#failuresAskedMs = now();
    this.#failuresOf = this.#state.failedSoFar();
    const { namespace, name } = this.#followed;
    const answer = await this.#client.get(failuresPath(namespace, name)).catch(() => null);
    const read = FailuresSchema.safeParse(answer);
    this.#state.hearFailures(read.success ? read.data : null);
    this.#show();
  }

  /** The last picture is of the end. */
  async lastLook(): Promise<void> {
    if (this.#options.verdictOnly !== true) await this.#askProgress();
  }

  /** Reads the Job; null: it is not over. */
  async #look(): Promise<Ending | null> {
    const { namespace, name } = this.#followed;
    try {
      return this.#hear(await this.#client.get(jobsPath(namespace, name)));
    } catch (error) {
      if (error instanceof ApiFailure && error.status.code === 404) return { kind: 'deleted' };
      throw error;
    }
  }

  #hear(object: unknown): Ending | null {
    const job = readAs(JobSchema, object, this.#client.target);
    if (job.metadata.uid !== this.#followed.uid) return { kind: 'deleted' };
    this.#job = job;
    this.#isStale = true;
    this.#wake();
    if (this.#options.verdictOnly !== true) this.progressFollowed ??= this.#followProgress();
    const verdict = verdictOf(job);
    return verdict === null ? null : { kind: verdict, job, object };
  }

  /** null: the watch has ended, for whatever reason that is no reason to give up. */
  async #watchJob(): Promise<Ending | null> {
    const { namespace, name, uid } = this.#followed;
    const { signal } = this.#options;
    const resourceVersion = this.#job?.metadata.resourceVersion ?? '0';
    const query = { fieldSelector: `metadata.name=${name}`, resourceVersion, allowWatchBookmarks: true };
    try {
      for await (const { type, object } of this.#client.watch(jobsPath(namespace), query, signal)) {
        if (type === 'ERROR') return null; // what was to come has expired: look anew
        if (type === 'BOOKMARK') continue;
        if (type === 'DELETED') {
          if (readAs(JobSchema, object, this.#client.target).metadata.uid === uid) return { kind: 'deleted' };
          continue;
        }
        const ending = this.#hear(object);
        if (ending !== null) return ending;
      }
      return null;
    } catch (error) {
      // A server, or a gateway before it, that does not let us watch is asked again and again instead.
      if (error instanceof ApiFailure) return null;
      throw error;
    }
  }

  #show(): void {
    if (this.#state !== null) this.#options.onProgress(this.#state.progress());
  }

  async #pause(): Promise<void> {
    const { signal, lookAgainMs = LOOK_AGAIN_MS } = this.#options;
    await sleep(lookAgainMs, undefined, { signal }).catch(() => undefined);
  }
}

/** The server is of a version that does not tell this. */
const isUnknownPath = (answer: unknown): boolean =>
  answer instanceof ApiFailure && answer.message.includes('could not find the requested resource');

/** It may well work in a moment: nobody answers, or the server has trouble of its own. */
function isPassing(error: unknown): error is UnreachableFailure | ApiFailure {
  if (error instanceof UnreachableFailure) return true;
  return error instanceof ApiFailure && (error.status.code >= 500 || error.status.code === 429);
}
