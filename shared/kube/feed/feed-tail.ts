import { type EpochMs, plusMs } from '../../domain/base/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Gate } from './gate.ts';

/** Something that happens in one numeric order: rows without gaps, which can be read for some time. */
export type NumberedFeed<R> = {
  /** Number of the newest row; 0 if there is none. */
  head(): Promise<number>;
  /** Rows with numbers above `after`, ascending. `expired`: some of them are already gone. */
  read(
    after: number,
    limit: number,
  ): Promise<{ readonly kind: 'rows'; readonly rows: readonly R[] } | { readonly kind: 'expired' }>;
  numberOf(row: R): number;
  /** How many objects the row reports. */
  sizeOf(row: R): number;
};

/** What a watch waits for. */
export type Wait<R> = {
  readonly until: number;
  /** The client has disconnected. */
  readonly isCancelled: () => boolean;
  /** The row may have something to send. */
  readonly concerns: (row: R) => boolean;
};

/** A feed as the watches of one process follow it: one reader reads for all of them, and only while there is a watch. */
export type Tail<R> = NumberedFeed<R> & {
  /**
   * Resolves when a row after `after` is relevant, when `until` has come, or when the client has disconnected. It reads
   * nothing, so any number of waiting watches costs as much as one.
   */
  awaitRow(after: number, wait: Wait<R>): Promise<AwaitedRow>;
  /**
   * What watches read for themselves goes through this gate, so that a thousand watches that start at once do not block
   * everything else.
   */
  readonly gate: Gate;
};

export type AwaitedRow = {
  /** The number up to which no row is relevant. */
  readonly at: number;
  /** There is something to read after it. */
  readonly isThere: boolean;
};

export type TailOptions = {
  readonly clock: Clock;
  /** How often the reader reads if nothing rings. */
  readonly pollMs: number;
  readonly gate: Gate;
  /** Called with a function that rings: this process has appended a row. */
  readonly onAppend: (ring: () => void) => void;
};

type Waiter<R> = Wait<R> & {
  /** The number up to which no row is relevant. */
  at: number;
  readonly resolve: (awaited: AwaitedRow) => void;
  readonly reject: (error: unknown) => void;
};

const ROWS_PER_READ = 100;
/**
 * Rows are kept for watches that come a little late; a watch that is further behind reads for itself, and for others like it.
 */
const HELD_OBJECTS_MAX = 2000;
const HELD_MS = 60_000;
/** A short outage of the store must not make every client list again. */
const FAILURES_MAX = 3;

/** Follows `feed` for any number of watches. One per process and feed. */
export function createTail<R>(feed: NumberedFeed<R>, options: TailOptions): Tail<R> {
  const held = new HeldRows(feed);
  const reader = new Reader(feed, held, options);
  const { gate, clock } = options;
  return {
    ...feed,
    gate,
    head: async () => gate(async () => feed.head()),
    async read(after, limit) {
      const rows = held.after(after, limit);
      const at = after + rows.length;
      if (rows.length === limit || (rows.length > 0 && at === reader.at)) return { kind: 'rows', rows };
      const page = await gate(async () => feed.read(at, limit - rows.length));
      if (page.kind === 'expired') return page;
      return { kind: 'rows', rows: [...rows, ...page.rows.map((row) => held.hold(row, clock.now()))] };
    },
    awaitRow: async (after, wait) => reader.awaitRow(after, wait),
  };
}

/** Reads the feed for all waiting watches, and only while there are any. */
class Reader<R> {
  readonly #feed: NumberedFeed<R>;
  readonly #held: HeldRows<R>;
  readonly #options: TailOptions;
  readonly #bell: Bell;
  readonly #waiters = new Set<Waiter<R>>();
  #isRunning = false;
  /** Number of the newest row that it has read. */
  at = 0;

  constructor(feed: NumberedFeed<R>, held: HeldRows<R>, options: TailOptions) {
    this.#feed = feed;
    this.#held = held;
    this.#options = options;
    this.#bell = new Bell(options.clock);
    options.onAppend(() => this.#bell.ring());
  }

  async awaitRow(after: number, wait: Wait<R>): Promise<AwaitedRow> {
    if (!this.#isRunning && after > this.at) this.at = after;
    let at = after;
    for (; at < this.at; at++) {
      const row = this.#held.get(at + 1);
      if (row === undefined || wait.concerns(row)) return { at, isThere: true };
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

  /** Releases watches that have waited long enough or are gone, and drops rows that will not be requested. */
  #letGo(): void {
    const now = this.#options.clock.now();
    this.#held.dropOlderThan(plusMs(now, -HELD_MS));
    for (const waiter of this.#waiters) if (waiter.until <= now || waiter.isCancelled()) this.#release(waiter, false);
  }

  async #look(): Promise<void> {
    for (;;) {
      const page = await this.#feed.read(this.at, ROWS_PER_READ);
      if (page.kind === 'expired') {
        // This process was suspended for hours: waiting watches read for themselves and get the same answer.
        this.at = await this.#feed.head();
        for (const waiter of this.#waiters) this.#release(waiter, true);
        return;
      }
      for (const row of page.rows) {
        this.at = this.#feed.numberOf(row);
        this.#tell(this.#held.hold(row, this.#options.clock.now()));
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

/** Rows that were read a short while ago, by number: every watch gets the same object, and whatever was derived from it. */
class HeldRows<R> {
  readonly #feed: Pick<NumberedFeed<R>, 'numberOf' | 'sizeOf'>;
  /** In the order in which they were read. */
  readonly #rows = new Map<number, { readonly row: R; readonly at: EpochMs }>();
  #objects = 0;

  constructor(feed: Pick<NumberedFeed<R>, 'numberOf' | 'sizeOf'>) {
    this.#feed = feed;
  }

  get(number: number): R | undefined {
    return this.#rows.get(number)?.row;
  }

  /** The rows that follow `number`, as far as they are kept, at most `limit`. */
  after(number: number, limit: number): readonly R[] {
    const rows: R[] = [];
    for (let row = this.get(number + 1); row !== undefined && rows.length < limit; ) {
      rows.push(row);
      row = this.get(number + rows.length + 1);
    }
    return rows;
  }

  /** Keeps a row, or returns the one with its number that is already kept. */
  hold(row: R, at: EpochMs): R {
    const number = this.#feed.numberOf(row);
    const known = this.get(number);
    if (known !== undefined) return known;
    this.#rows.set(number, { row, at });
    this.#objects += this.#feed.sizeOf(row);
    for (const [oldest, { row: other }] of this.#rows) {
      if (this.#objects <= HELD_OBJECTS_MAX || oldest === number) break;
      this.#drop(oldest, other);
    }
    return row;
  }

  dropOlderThan(at: EpochMs): void {
    for (const [number, held] of this.#rows) {
      if (held.at >= at) break;
      this.#drop(number, held.row);
    }
  }

  #drop(number: number, row: R): void {
    this.#rows.delete(number);
    this.#objects -= this.#feed.sizeOf(row);
  }
}

/** A wait that can be cut short. A clock's sleep cannot, so one in progress is reused and not doubled. */
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
