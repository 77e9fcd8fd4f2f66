/** A seeded generator (mulberry32): the same seed and stream give the same numbers on every machine. */
export class Random {
  #state: number;

  /** Streams of one seed are independent: what one of them is asked for shifts none of the others. */
  constructor(seed: number, stream = '') {
    this.#state = ((seed * 2654435761) ^ hashOf(stream)) >>> 0;
  }

  /** 0 ≤ x < 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }
}

/** FNV-1a; the empty text gives 0. */
function hashOf(text: string): number {
  let hash = text === '' ? 0 : 2166136261;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
  return hash >>> 0;
}
