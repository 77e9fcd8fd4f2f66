import { type EpochMs, plusMs } from '../domain/brand.ts';
import type { Clock } from '../ports/clock.ts';
import type { Gate } from './gate.ts';

/** Something that happens in one numeric order: rows without gaps, which can be read for some time. */
export type NumberedFeed<R> = {
  /** Number of the newest row, 0 for none. */
  head(): Promise<number>;
  /** Rows above `after`, ascending. `expired`: some of them are gone already. */
  read(
    after: number,
    limit: number,
  ): Promise<{ readonly kind: 'rows'; readonly rows: readonly R[] } | { readonly kind: 'expired' }>;
  numberOf(row: R): number;
  /** How many objects the row tells of. */
  sizeOf(row: R): number;
};

/** What a watch waits for. */
export type Wait<R> = {
  readonly until: number;
  /** The client has gone. */
  readonly isCancelled: () => boolean;
  /** The row may have something to tell. */
  readonly concerns: (row: R) => boolean;
};

/** A feed as the watches of one process follow it: one reader looks for all of them, and only while somebody waits. */
export type Tail<R> = NumberedFeed<R> & {
  /**
   * Resolves when a row behind `after` is of concern, when `until` has come, or when the client has gone. Nothing is read
   * for it, so any number of those who wait costs what one costs.
   */
  awaitNews(after: number, wait: Wait<R>): Promise<News>;
  /** What watches read for themselves goes through it: a thousand that begin at once must not be in everybody's way. */
  readonly gate: Gate;
};

export type News = {
  /** The number up to which no row is of concern. */
  readonly at: number;
  /** There is something to read behind it. */
  readonly isThere: boolean;
};

export type TailOptions = {
  readonly clock: Clock;
  /** How often the reader looks when nobody rings. */
  readonly pollMs: number;
  readonly gate: Gate;
  /** Is given what rings: this process has appended a row. */
  readonly onNews: (ring: () => void) => void;
};

type Waiter<R> = Wait<R> & {
  /** The number up to which no row is of concern. */
  at: number;
  readonly resolve: (news: News) => void;
  readonly reject: (error: unknown) => void;
};

const ROWS_PER_READ = 100;
/** Rows are held for those who come a little late; a watch that is further behind reads for itself. */
const HELD_OBJECTS_MAX = 2000;
const HELD_MS = 10_000;
/** A store that cannot be read for a moment must not make every client list anew. */
const FAILURES_MAX = 3;

/** Follows `feed` for any number of watches. One a process and feed. */
export function createTail<R>(feed: NumberedFeed<R>, options: TailOptions): Tail<R> {
  const window = new Window(feed);
  const reader = new Reader(feed, window, options);
  const { gate } = options;
  return {
    ...feed,
    gate,
    head: async () => gate(async () => feed.head()),
    async read(after, limit) {
      const rows = window.after(after);
      return rows === null || rows.length === 0
        ? gate(async () => feed.read(after, limit))
        : { kind: 'rows', rows: rows.slice(0, limit) };
    },
    awaitNews: async (after, wait) => reader.awaitNews(after, wait),
  };
}

/** Looks at the feed for all who wait, and only while somebody does. */
class Reader<R> {
  readonly #feed: NumberedFeed<R>;
  readonly #window: Window<R>;
  readonly #options: TailOptions;
  readonly #bell: Bell;
  readonly #waiters = new Set<Waiter<R>>();
  #isRunning = false;

  constructor(feed: NumberedFeed<R>, window: Window<R>, options: TailOptions) {
    this.#feed = feed;
    this.#window = window;
    this.#options = options;
    this.#bell = new Bell(options.clock);
    options.onNews(() => this.#bell.ring());
  }

  async awaitNews(after: number, wait: Wait<R>): Promise<News> {
    const window = this.#window;
    if (!this.#isRunning && after > window.end) window.restart(after);
    let at = after;
    if (at <= window.end)
      for (const row of window.after(at) ?? [null]) {
        if (row === null || wait.concerns(row)) return { at, isThere: true };
        at = this.#feed.numberOf(row);
      }
    return new Promise((resolve, reject) => {
      this.#waiters.add({ ...wait, at, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    const { clock, pollMs } = this.#options;
    this.#isRunning = true;
    for (let failures = 0; this.#waiters.size > 0; ) {
      const soonest = Math.min(...Array.from(this.#waiters, ({ until }) => until));
      await this.#bell.wait(Math.max(0, Math.min(pollMs, soonest - clock.now())));
      this.#letGo();
      if (this.#waiters.size === 0) break;
      try {
        await this.#look();
        failures = 0;
      } catch (error) {
        if (++failures >= FAILURES_MAX) this.#fail(error);
      }
    }
    this.#isRunning = false;
  }

  /** Who has waited long enough, or is not there any more, and rows that nobody is going to ask for. */
  #letGo(): void {
    const now = this.#options.clock.now();
    this.#window.dropOlderThan(plusMs(now, -HELD_MS));
    for (const waiter of this.#waiters) if (waiter.until <= now || waiter.isCancelled()) this.#release(waiter, false);
  }

  async #look(): Promise<void> {
    for (;;) {
      const page = await this.#feed.read(this.#window.end, ROWS_PER_READ);
      if (page.kind === 'expired') {
        // This process has slept for hours: who waited reads for itself, and learns the same.
        this.#window.restart(await this.#feed.head());
        for (const waiter of this.#waiters) this.#release(waiter, true);
        return;
      }
      for (const row of page.rows) {
        this.#window.push(row, this.#options.clock.now());
        this.#tell(row);
      }
      if (page.rows.length < ROWS_PER_READ) return;
    }
  }

  #tell(row: R): void {
    const number = this.#feed.numberOf(row);
    for (const waiter of this.#waiters) {
      if (number <= waiter.at) continue;
      if (waiter.concerns(row)) this.#release(waiter, true);
      else waiter.at = number;
    }
  }

  #release(waiter: Waiter<R>, isThere: boolean): void {
    this.#waiters.delete(waiter);
    waiter.resolve({ at: waiter.at, isThere });
  }

  #fail(error: unknown): void {
    for (const { reject } of this.#waiters) reject(error);
    this.#waiters.clear();
  }
}

/** The newest rows, as far as they are worth holding. */
class Window<R> {
  readonly #feed: Pick<NumberedFeed<R>, 'numberOf' | 'sizeOf'>;
  #held: { readonly row: R; readonly at: EpochMs }[] = [];
  #objects = 0;
  /** Number of the newest row that was seen. */
  end = 0;

  constructor(feed: Pick<NumberedFeed<R>, 'numberOf' | 'sizeOf'>) {
    this.#feed = feed;
  }

  restart(end: number): void {
    this.#held = [];
    this.#objects = 0;
    this.end = end;
  }

  push(row: R, at: EpochMs): void {
    this.#held.push({ row, at });
    this.#objects += this.#feed.sizeOf(row);
    this.end = this.#feed.numberOf(row);
    while (this.#objects > HELD_OBJECTS_MAX && this.#held.length > 1) this.#drop();
  }

  dropOlderThan(at: EpochMs): void {
    while ((this.#held[0]?.at ?? at) < at) this.#drop();
  }

  /** Rows behind `number`, if all of them are held; null: they are not. */
  after(number: number): readonly R[] | null {
    const missing = number - (this.end - this.#held.length);
    return missing < 0 || number > this.end ? null : this.#held.slice(missing).map(({ row }) => row);
  }

  #drop(): void {
    const dropped = this.#held.shift();
    if (dropped !== undefined) this.#objects -= this.#feed.sizeOf(dropped.row);
  }
}

/** A wait that can be cut short. A clock's cannot, so one that is under way is gone on with and not doubled. */
class Bell {
  readonly #clock: Clock;
  #hasRung = false;
  #wake: () => void = () => undefined;
  #sleep: { readonly endsAt: EpochMs; readonly over: Promise<void> } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    this.#hasRung = true;
    this.#wake();
  }

  /** Resolves after `ms` at the latest, or when it rings or has rung since the last wait. */
  async wait(ms: number): Promise<void> {
    if (!this.#hasRung) {
      const rung = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await Promise.race([rung, this.#slept(ms)]);
    }
    this.#hasRung = false;
  }

  #slept(ms: number): Promise<void> {
    const endsAt = plusMs(this.#clock.now(), ms);
    if (this.#sleep === null || this.#sleep.endsAt > endsAt) {
      this.#sleep = { endsAt, over: this.#clock.sleep(ms).then(() => this.#wokeAt(endsAt)) };
    }
    return this.#sleep.over;
  }

  #wokeAt(endsAt: EpochMs): void {
    if (this.#sleep?.endsAt === endsAt) this.#sleep = null;
  }
}
