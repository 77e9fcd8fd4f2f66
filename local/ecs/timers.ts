/** A clock and its alarms, so that tests can control both. Times are milliseconds since 1970. */
export type Timers = {
  now(): number;
  /** Calls `run` once, `delayMs` from now. Returns a function that cancels it. */
  after(delayMs: number, run: () => void): () => void;
  /** Cancels everything, permanently. */
  close(): void;
};

export type WallTimers = Timers & {
  /** Reads the clock again; for a clock that was set forward. */
  wake(): void;
};

/**
 * Alarms on Node's own timers: one at a time, however many alarms there are. They fire when the time has elapsed, whatever
 * happens to the wall clock: a stopped task is not killed an hour late because the clock was set back.
 *
 * @param elapsedMs advances steadily; `now`, in a test that controls it
 */
export function wallTimers(
  now: () => number = Date.now,
  elapsedMs: () => number = now === Date.now ? () => performance.now() : now,
): WallTimers {
  const alarms = new AlarmHeap();
  let armed: NodeJS.Timeout | undefined;
  let armedForMs = Infinity;
  let closed = false;

  const arm = (): void => {
    const nextMs = alarms.nextAtMs();
    if (closed || nextMs === null || nextMs >= armedForMs) return;
    clearTimeout(armed);
    armedForMs = nextMs;
    armed = setTimeout(wake, Math.min(Math.max(0, nextMs - elapsedMs()), LONGEST_TIMEOUT_MS));
  };
  const wake = (): void => {
    clearTimeout(armed);
    armedForMs = Infinity;
    if (!closed) alarms.ring(elapsedMs());
    arm();
  };
  return {
    now,
    after(delayMs, run) {
      const alarm = alarms.set(elapsedMs() + delayMs, run);
      arm();
      return () => {
        alarm.run = null;
      };
    },
    wake,
    close() {
      closed = true;
      clearTimeout(armed);
    },
  };
}

/** setTimeout accepts at most 31 bits. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

type Alarm = { readonly atMs: number; readonly order: number; run: (() => void) | null };

/** A binary heap of alarms, soonest first, then in order of creation. A canceled alarm stays until its time. */
export class AlarmHeap {
  readonly #heap: Alarm[] = [];
  #set = 0;

  set(atMs: number, run: () => void): Alarm {
    const alarm: Alarm = { atMs, order: this.#set++, run };
    let hole = this.#heap.push(alarm) - 1;
    while (hole > 0) {
      const above = (hole - 1) >> 1;
      const parent = this.#heap[above];
      if (parent === undefined || !sooner(alarm, parent)) break;
      this.#heap[hole] = parent;
      hole = above;
    }
    this.#heap[hole] = alarm;
    return alarm;
  }

  nextAtMs(): number | null {
    return this.#heap[0]?.atMs ?? null;
  }

  /** Runs alarms due at `nowMs`. Alarms set meanwhile wait for the next call, so that this one ends. */
  ring(nowMs: number): void {
    const before = this.#set;
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined || first.atMs > nowMs || first.order >= before) return;
      this.#removeFirst();
      first.run?.();
    }
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    let hole = 0;
    for (;;) {
      const left = this.#heap[2 * hole + 1];
      const right = this.#heap[2 * hole + 2];
      if (left === undefined) break;
      const [child, at] = right !== undefined && sooner(right, left) ? [right, 2 * hole + 2] : [left, 2 * hole + 1];
      if (!sooner(child, last)) break;
      this.#heap[hole] = child;
      hole = at;
    }
    this.#heap[hole] = last;
  }
}

const sooner = (a: Alarm, b: Alarm): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
