import type { Clock } from '../../ports/clock.ts';
import type { LogPage, LogReader } from '../../ports/log-reader.ts';

/** How often a followed log is polled: less often the longer it is quiet, because all followers share one quota. */
const POLLS = { firstMs: 1_000, mostMs: 4_000 } as const;
const QUIETER = 1.5;
/** A log may show what a task has printed some time after the task has ended. */
const SETTLES_MS = 2_000;
/** Whether a task has ended is asked no more often: it reads a Job's board. */
const END_ASKED_MS = 1_000;

type Read = Awaited<ReturnType<LogReader['read']>>;
type Deps = { readonly logs: LogReader; readonly clock: Clock };
type Stream = Pick<LogPage, 'taskArn' | 'container'>;

/** What one follower sees of the look-out that all followers of its log share. */
export type LogLookout = {
  /** Reads a page, which another follower may just have read. */
  read(after: string | null): Promise<Read>;
  /**
   * Waits for news after this place, for some seconds at most. Followers that wait at the same time wait for one poll.
   *
   * @param checkEnded whether the task has ended
   * @returns whether it has: what was printed before is read after it
   */
  wait(after: string | null, checkEnded: () => Promise<boolean>): Promise<boolean>;
  /** Waits until a log has what its task, which has ended, has printed at last. */
  settle(): Promise<void>;
  /** Nobody keeps a page for this follower any more. */
  leave(): void;
};

export type LogLookouts = {
  join(stream: Stream): LogLookout;
  /** How many logs are followed. */
  readonly size: () => number;
};

/** Look-outs of one process: one for each log that is followed, however many follow it. It works only while somebody waits. */
export function createLogLookouts(deps: Deps): LogLookouts {
  const all = new Map<string, { readonly lookout: Lookout; followers: number }>();
  return {
    size: () => all.size,
    join(stream) {
      const key = JSON.stringify([stream.taskArn, stream.container]);
      const entry = all.get(key) ?? { lookout: new Lookout(stream, deps), followers: 0 };
      entry.followers++;
      all.set(key, entry);
      const { lookout } = entry;
      return {
        read: (after) => lookout.read(after),
        wait: (after, checkEnded) => lookout.wait(after, checkEnded),
        settle: () => lookout.settle(),
        leave: () => {
          if (--entry.followers === 0) all.delete(key);
        },
      };
    },
  };
}

class Lookout {
  readonly #stream: Stream;
  readonly #deps: Deps;
  readonly #polls: { readonly firstMs: number; readonly mostMs: number };
  #pollMs: number;
  #askedAt = Number.NEGATIVE_INFINITY;
  /** The page that was read last, and after which place; null: nothing was new. */
  #page: { readonly after: string | null; readonly read: Read } | null = null;
  #poll: Promise<boolean> | null = null;
  #settling: Promise<void> | null = null;
  /** Reads under way, by the place after which they read. */
  readonly #reads = new Map<string | null, Promise<Read>>();

  constructor(stream: Stream, deps: Deps) {
    this.#stream = stream;
    this.#deps = deps;
    this.#polls = deps.logs.polls ?? POLLS;
    this.#pollMs = this.#polls.firstMs;
  }

  async read(after: string | null): Promise<Read> {
    const page = this.#page;
    return page?.after === after ? page.read : this.#read(after);
  }

  async wait(after: string | null, checkEnded: () => Promise<boolean>): Promise<boolean> {
    // Somebody has read on since this follower did.
    if (this.#page?.after === after) return false;
    this.#poll ??= this.#pollOnce(checkEnded).finally(() => (this.#poll = null));
    return this.#poll;
  }

  async settle(): Promise<void> {
    this.#settling ??= this.#deps.clock.sleep(SETTLES_MS).finally(() => (this.#settling = null));
    return this.#settling;
  }

  /** Those who have waited then read at the same time, which is one read. */
  async #pollOnce(checkEnded: () => Promise<boolean>): Promise<boolean> {
    const { clock } = this.#deps;
    await clock.sleep(this.#pollMs);
    this.#pollMs = Math.min(this.#pollMs * QUIETER, this.#polls.mostMs);
    if (clock.now() - this.#askedAt < END_ASKED_MS) return false;
    const hasEnded = await checkEnded();
    this.#askedAt = clock.now();
    return hasEnded;
  }

  async #read(after: string | null): Promise<Read> {
    const underWay = this.#reads.get(after);
    if (underWay !== undefined) return underWay;
    const reading = this.#deps.logs.read({ ...this.#stream, after });
    this.#reads.set(after, reading);
    try {
      const read = await reading;
      // Where nothing was new, there may be something by now.
      this.#page = read.kind === 'lines' && read.next !== after ? { after, read } : null;
      if (read.kind === 'lines' && read.lines.length > 0) this.#pollMs = this.#polls.firstMs;
      return read;
    } finally {
      this.#reads.delete(after);
    }
  }
}
