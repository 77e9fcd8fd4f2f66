import type { EpochMs } from './time.ts';

type Entry<T> = { readonly at: EpochMs; readonly nth: number; readonly item: T };

/** What is to happen at which moment: the soonest first, and first come first served (a binary heap). */
export class Agenda<T> {
  readonly #heap: Entry<T>[] = [];
  #added = 0;

  add(item: T, at: EpochMs): void {
    const entry = { at, nth: this.#added++, item };
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

  /** When the next item is due; null: there is none. */
  soonest(): EpochMs | null {
    return this.#heap[0]?.at ?? null;
  }

  /** Takes the next item if it is due at `now`. */
  takeDue(now: EpochMs): T | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.at > now) return undefined;
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) this.#sink(last);
    return first.item;
  }

  /** Puts `entry` where the top was, and lets it sink to its place. */
  #sink(entry: Entry<T>): void {
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

const isBefore = <T>(a: Entry<T>, b: Entry<T>): boolean => a.at < b.at || (a.at === b.at && a.nth < b.nth);
