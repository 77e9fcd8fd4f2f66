import { setTimeout as sleep } from 'node:timers/promises';
import { PodSchema } from '../client/api-objects.ts';
import { UnreachableFailure } from '../shell/failure.ts';
import { type KubeClient, readAs } from '../client/kube-client.ts';
import { lineParts } from './line-parts.ts';

export type FollowOptions = {
  /** null: the first container */
  readonly container: string | null;
  /** null: all lines */
  readonly tailLines: number | null;
  readonly follow: boolean;
};

const SPACE = 0x20;
const LOOK_AGAIN_MS = 1_000;
/** Consecutive tries that end without a line. */
const TRIES_MAX = 30;

/**
 * The bytes of one Pod's log. Servers end a followed log after some minutes, Lambda after fifteen. The follower then
 * continues where it stopped: it requests lines with their times and skips those of the last moment that it already
 * printed. What goes on within a line is requested again from its beginning.
 */
export class LogFollower {
  readonly #client: KubeClient;
  /** The Pod's path. */
  readonly #path: string;
  readonly #wish: FollowOptions;
  #last: { readonly time: string; readonly lines: number } | null = null;
  /** Bytes of the last line that were passed on. */
  #lineBytes = 0;

  constructor(client: KubeClient, path: string, wanted: FollowOptions) {
    this.#client = client;
    this.#path = path;
    this.#wish = wanted;
  }

  async *bytes(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { follow } = this.#wish;
    if (!follow) {
      yield* this.#client.bytes(`${this.#path}/log`, this.#query(), signal);
      return;
    }
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      // Checked before the lines are read, so that everything printed before the end is included.
      const over = await this.#isOver();
      try {
        for await (const part of this.#newParts(signal)) {
          tries = 0;
          yield part;
        }
        if (over) return;
      } catch (error) {
        if (!(error instanceof UnreachableFailure) || signal.aborted) throw error;
      }
      if (signal.aborted) return;
      await sleep(LOOK_AGAIN_MS, undefined, { signal });
    }
  }

  async *#newParts(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const before = this.#last;
    const bytesBefore = this.#lineBytes;
    let seen = 0; // lines of the last moment, among those that come now
    let skip = 0; // bytes of this line that were passed on before
    for await (const part of lineParts(this.#client.bytes(`${this.#path}/log`, this.#query(), signal))) {
      let { bytes } = part;
      if (part.isStart) {
        const space = bytes.indexOf(SPACE);
        const time = Buffer.from(bytes.subarray(0, space)).toString();
        bytes = bytes.subarray(space + 1);
        const isOfMoment = time === before?.time;
        if (isOfMoment) seen++;
        const isOld = isOfMoment && seen < before.lines;
        const isLast = isOfMoment && seen === before.lines;
        skip = isOld ? Number.POSITIVE_INFINITY : isLast ? bytesBefore : 0;
        if (!isOld && !isLast) this.#last = { time, lines: time === this.#last?.time ? this.#last.lines + 1 : 1 };
        if (!isOld) this.#lineBytes = 0;
      }
      if (skip !== Number.POSITIVE_INFINITY) this.#lineBytes += bytes.length;
      const isNew = bytes.subarray(Math.min(skip, bytes.length));
      skip = Math.max(skip - bytes.length, 0);
      if (isNew.length > 0) yield isNew;
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
