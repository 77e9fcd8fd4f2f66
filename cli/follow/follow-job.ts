import { verdictOf } from '../client/job-end.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { FailuresSchema, type Job, JobSchema, ProgressSchema } from '../client/api-objects.ts';
import { ApiFailure, UnreachableFailure, isUnknownPath } from '../shell/failure.ts';
import { JobState, progressOf } from './job-state.ts';
import { type KubeClient, failuresPath, jobsPath, progressPath, readAs } from '../client/kube-client.ts';
import type { JobProgress } from '../render/progress.ts';

export type Followed = {
  readonly namespace: string;
  readonly name: string;
  /** Tells this Job from another one of the same name. */
  readonly uid: string;
};

export type FollowOptions = {
  readonly client: KubeClient;
  /** Called when the server does not answer: a restarted server may have a new address. */
  readonly reconnect: () => Promise<KubeClient>;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Called when something has changed. */
  readonly onProgress: (progress: JobProgress) => void;
  /** The interval between two polls when a watch has ended or is unavailable; 1 s by default. */
  readonly lookAgainMs?: number;
  /** How often to poll progress without a change, while something waits, and to poll failures; 5 s by default. */
  readonly askAgainMs?: number;
  /** How long the server may stay silent; 60 s by default. */
  readonly giveUpMs?: number;
  /** Follows only the verdict: does not request progress or waits. */
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
 * Follows a Job until it is over, by watches, and by polling when these end. Waits for a server that is temporarily
 * unreachable.
 *
 * @throws ApiFailure when the server refuses the request
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
  /** The Job in the last watch event. */
  #job: Job | null = null;
  #state: JobState | null = null;
  /** Something has changed since the last progress request. */
  #isStale = true;
  #wake: () => void = () => undefined;
  #failuresOf = 0;
  #failuresAskedMs = Number.NEGATIVE_INFINITY;
  /** Resolves when progress requests have ended. Never rejects. */
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
   * Requests progress after each watch event, and periodically while something waits, because waiting times change. One
   * answer has everything that is shown, so a picture never mixes moments. An error here only makes the view less detailed.
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

  /** Requests failures at the first failure and again when there are more, but not on every poll. */
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

  /** The last picture shows the end. */
  async lastLook(): Promise<void> {
    if (this.#options.verdictOnly !== true) await this.#askProgress();
  }

  /** Reads the Job; null if it is not over. */
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

  /** Returns null when the watch ended for a reason that allows another try. */
  async #watchJob(): Promise<Ending | null> {
    const { namespace, name, uid } = this.#followed;
    const { signal } = this.#options;
    const resourceVersion = this.#job?.metadata.resourceVersion ?? '0';
    const query = { fieldSelector: `metadata.name=${name}`, resourceVersion, allowWatchBookmarks: true };
    try {
      for await (const { type, object } of this.#client.watch(jobsPath(namespace), query, signal)) {
        if (type === 'ERROR') return null; // the event has expired: read the Job again
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
      // If a server, or a gateway in front of it, does not allow watches, poll instead.
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

/** A retry may work: the server does not answer, or has an internal error. */
export function isPassing(error: unknown): error is UnreachableFailure | ApiFailure {
  if (error instanceof UnreachableFailure) return true;
  return error instanceof ApiFailure && (error.status.code >= 500 || error.status.code === 429);
}
