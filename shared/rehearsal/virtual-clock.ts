import { type EpochMs, later, plusMs } from '../domain/brand.ts';
import type { Clock } from '../ports/clock.ts';

type Entry = { readonly at: EpochMs; readonly nth: number; readonly happen: () => void };

/**
 * Time that stands still until it is moved to the next thing on its agenda: hours pass in no time. What is due at one
 * moment happens in the order in which it was put down (a binary heap).
 */
export class VirtualClock implements Clock {
  readonly #heap: Entry[] = [];
  #now: EpochMs;
  #added = 0;

  constructor(start: EpochMs) {
    this.#now = start;
  }

  now(): EpochMs {
    return this.#now;
  }

  async sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.at(plusMs(this.#now, Math.ceil(ms)), resolve); // clocks tell whole milliseconds
    });
  }

  /** Calls `happen` when time has come to `moment`; what is past is due at once. */
  at(moment: EpochMs, happen: () => void): void {
    const entry = { at: later(moment, this.#now), nth: this.#added++, happen };
    let hole = this.#heap.length;
    this.#heap.push(entry);
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = this.#heap[parent];
      if (above === undefined || !isBefore(entry, above)) break;
      this.#heap[hole] = above;
      hole = parent;
    }
    this.#heap[hole] = entry;
  }

  /** When the next thing is due; null: there is none. */
  soonest(): EpochMs | null {
    return this.#heap[0]?.at ?? null;
  }

  /** Lets time go on; it never goes back. */
  moveTo(moment: EpochMs): void {
    this.#now = later(moment, this.#now);
  }

  /** Does all that is due now, what becomes due by it included. */
  doDue(): void {
    for (let happen = this.#takeDue(); happen !== null; happen = this.#takeDue()) happen();
  }

  #takeDue(): (() => void) | null {
    const first = this.#heap[0];
    if (first === undefined || first.at > this.#now) return null;
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) this.#sink(last);
    return first.happen;
  }

  /** Puts `entry` where the top was, and lets it sink to its place. */
  #sink(entry: Entry): void {
    let hole = 0;
    for (;;) {
      const [left, right] = [this.#heap[2 * hole + 1], this.#heap[2 * hole + 2]];
      if (left === undefined) break;
      const [child, at] = right !== undefined && isBefore(right, left) ? [right, 2 * hole + 2] : [left, 2 * hole + 1];
      if (!isBefore(child, entry)) break;
      this.#heap[hole] = child;
      hole = at;
    }
    this.#heap[hole] = entry;
  }
}

const isBefore = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.nth < b.nth);
