import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, JobSchema, PodSchema, WaitsSchema } from './api-objects.ts';
import { ApiFailure, UnreachableFailure } from './failure.ts';
import { JobState, verdictOf } from './job-state.ts';
import { type KubeClient, jobsPath, podsPath, readAs, waitsPath } from './kube-client.ts';
import { podSelector } from './pod-attempt.ts';
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
  /** How often it is asked why something waits, while something does; 5 s if left out. */
  readonly askWaitsMs?: number;
  /** How long nobody may answer; 60 s if left out. */
  readonly giveUpMs?: number;
  /** Only what becomes of the Job is wanted: its Pods, and why it waits, are not asked for. */
  readonly verdictOnly?: boolean;
};

export type Ending =
  /** `object` is the Job as the server sent it. */
  | { readonly kind: 'complete' | 'failed'; readonly job: Job; readonly object: unknown }
  | { readonly kind: 'deleted' }
  /** `signal` was aborted. */
  | { readonly kind: 'aborted' }
  | { readonly kind: 'unreachable'; readonly reason: string };

/**
 * Which index is at work is told by Pods, a few events an index; from here on only what has succeeded is shown, which the
 * Job itself tells, so that watching a large Job costs next to nothing.
 */
const PODS_FOLLOWED_MAX = 2_000;
const LOOK_AGAIN_MS = 1_000;
const ASK_WAITS_MS = 5_000;
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
    if (ending.kind === 'failed') await follower.lastLookAtPods();
    return ending;
  } finally {
    options.signal.removeEventListener('abort', abort);
    abort();
    await Promise.all([follower.podsFollowed, follower.waitsFollowed]);
  }
}

class Follower {
  readonly #followed: Followed;
  readonly #options: FollowOptions;
  #client: KubeClient;
  #state: JobState | null = null;
  /** Resolves when its Pods are no more followed. Never rejects. */
  podsFollowed: Promise<void> = Promise.resolve();
  /** The same of what it waits for. */
  waitsFollowed: Promise<void> = Promise.resolve();

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

  /** Follows the Pods beside the Job; what goes wrong here only makes the view poorer. */
  async #followPods(state: JobState): Promise<void> {
    while (!this.#options.signal.aborted) {
      try {
        await this.#watchPods(state, await this.#listPods(state));
      } catch (error) {
        if (!isPassing(error)) return;
      }
      await this.#pause();
    }
  }

  /** Asks why something waits, now and then: no watch tells it, for most of it is only a matter of time. */
  async #followWaits(state: JobState): Promise<void> {
    const { signal, askWaitsMs = ASK_WAITS_MS } = this.#options;
    const { namespace, name } = this.#followed;
    while (!signal.aborted) {
      await sleep(askWaitsMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted || !state.mayWait()) continue;
      const client = this.#client;
      const waits = await client.get(waitsPath(namespace, name)).catch(() => null);
      const read = WaitsSchema.safeParse(waits);
      state.hearWaits(read.success ? read.data : null);
      this.#show();
    }
  }

  /** The Pods' watch may be behind: which indexes have failed should be right in the end. */
  async lastLookAtPods(): Promise<void> {
    const { verdictOnly = false } = this.#options;
    if (!verdictOnly && this.#state !== null && hasPodsToFollow(this.#state.job))
      await this.#listPods(this.#state).catch(() => undefined);
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
    const nowMs = this.#options.now();
    if (this.#state === null) {
      this.#state = new JobState(job, nowMs);
      if (this.#options.verdictOnly !== true) this.#followMore(this.#state);
    } else this.#state.hearJob(job, nowMs);
    this.#show();
    const verdict = verdictOf(job);
    return verdict === null ? null : { kind: verdict, job, object };
  }

  #followMore(state: JobState): void {
    if (hasPodsToFollow(state.job)) this.podsFollowed = this.#followPods(state);
    this.waitsFollowed = this.#followWaits(state);
  }

  /** null: the watch has ended, for whatever reason that is no reason to give up. */
  async #watchJob(): Promise<Ending | null> {
    const { namespace, name, uid } = this.#followed;
    const { signal } = this.#options;
    const resourceVersion = this.#state?.job.metadata.resourceVersion ?? '0';
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

  async #listPods(state: JobState): Promise<string> {
    const query = { labelSelector: podSelector(state.job, null) };
    const { items, resourceVersion } = await this.#client.list(podsPath(this.#followed.namespace), query);
    state.forgetPods();
    for (const item of items) state.hearPod(readAs(PodSchema, item, this.#client.target), 'ADDED');
    this.#show();
    return resourceVersion;
  }

  async #watchPods(state: JobState, resourceVersion: string): Promise<void> {
    const query = { labelSelector: podSelector(state.job, null), resourceVersion, allowWatchBookmarks: true };
    const path = podsPath(this.#followed.namespace);
    for await (const { type, object } of this.#client.watch(path, query, this.#options.signal)) {
      if (type === 'ERROR') return;
      if (type === 'BOOKMARK') continue;
      state.hearPod(readAs(PodSchema, object, this.#client.target), type);
      this.#show();
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

const hasPodsToFollow = ({ spec }: Job): boolean =>
  spec.completionMode === 'Indexed' && (spec.completions ?? 0) <= PODS_FOLLOWED_MAX;

/** It may well work in a moment: nobody answers, or the server has trouble of its own. */
function isPassing(error: unknown): error is UnreachableFailure | ApiFailure {
  if (error instanceof UnreachableFailure) return true;
  return error instanceof ApiFailure && (error.status.code >= 500 || error.status.code === 429);
}
