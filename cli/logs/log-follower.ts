import { setTimeout as sleep } from 'node:timers/promises';
import { PodSchema } from '../client/api-objects.ts';
import { UnreachableFailure } from '../failure.ts';
import { type KubeClient, readAs } from '../client/kube-client.ts';

export type FollowOptions = {
  /** null: the first container */
  readonly container: string | null;
  /** null: all lines */
  readonly tailLines: number | null;
  readonly follow: boolean;
};

const LOOK_AGAIN_MS = 1_000;
/** Consecutive tries that end without a line. */
const TRIES_MAX = 30;

/**
 * The lines of one Pod's log. Servers end a followed log after some minutes, Lambda after fifteen. The follower then
 * continues where it stopped: it requests lines with their times and skips those of the last moment that it already
 * printed.
 */
export class LogFollower {
  readonly #client: KubeClient;
  /** The Pod's path. */
  readonly #path: string;
  readonly #wish: FollowOptions;
  #last: { readonly time: string; readonly lines: number } | null = null;

  constructor(client: KubeClient, path: string, wanted: FollowOptions) {
    this.#client = client;
    this.#path = path;
    this.#wish = wanted;
  }

  async *lines(signal: AbortSignal): AsyncGenerator<string> {
    const { follow } = this.#wish;
    if (!follow) {
      yield* this.#client.lines(`${this.#path}/log`, this.#query(), signal);
      return;
    }
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      // Checked before the lines are read, so that everything printed before the end is included.
      const over = await this.#isOver();
      try {
        for await (const line of this.#newLines(signal)) {
          tries = 0;
          yield line;
        }
        if (over) return;
      } catch (error) {
        if (!(error instanceof UnreachableFailure) || signal.aborted) throw error;
      }
      if (signal.aborted) return;
      await sleep(LOOK_AGAIN_MS, undefined, { signal });
    }
  }

  async *#newLines(signal: AbortSignal): AsyncGenerator<string> {
    let skip = this.#last?.lines ?? 0;
    for await (const line of this.#client.lines(`${this.#path}/log`, this.#query(), signal)) {
      const space = line.indexOf(' ');
      const time = line.slice(0, space);
      const isKnown = time === this.#last?.time;
      if (isKnown && skip > 0) {
        skip--;
        continue;
      }
      this.#last = { time, lines: isKnown ? (this.#last?.lines ?? 0) + 1 : 1 };
      yield line.slice(space + 1);
    }
  }

  #query() {
    const { container, tailLines, follow } = this.#wish;
    return {
      container: container ?? undefined,
      tailLines: this.#last === null ? (tailLines ?? undefined) : undefined,
      ...(follow ? { follow, timestamps: true, sinceTime: this.#last?.time } : {}),
    };
  }

  async #isOver(): Promise<boolean> {
    const { status } = readAs(PodSchema, await this.#client.get(this.#path), this.#client.target);
    return status.phase === 'Succeeded' || status.phase === 'Failed';
  }
}
