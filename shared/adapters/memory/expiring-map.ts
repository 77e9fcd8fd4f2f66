import { type EpochMs, type EpochSec, toTtl } from '../../domain/base/time.ts';

/** A map whose rows disappear from every read once their time has passed, as DynamoDB's rows do behind our read filter. */
export class ExpiringMap<T> {
  readonly #rows = new Map<string, { readonly value: T; readonly ttl: EpochSec | null }>();
  readonly #now: () => EpochMs;

  constructor(now: () => EpochMs) {
    this.#now = now;
  }

  get(key: string): T | undefined {
    const row = this.#rows.get(key);
    if (row === undefined) return undefined;
    if (row.ttl === null || this.#now() < row.ttl * 1000) return row.value;
    this.#rows.delete(key);
    return undefined;
  }

  /** Stores the value; without `expireAt`, the row keeps its current end of life. */
  set(key: string, value: T, expireAt?: EpochMs): void {
    const ttl = expireAt === undefined ? (this.#rows.get(key)?.ttl ?? null) : toTtl(expireAt);
    this.#rows.set(key, { value, ttl });
  }

  /** Gives an existing row an end of life. */
  expire(key: string, at: EpochMs): void {
    const value = this.get(key);
    if (value !== undefined) this.set(key, value, at);
  }

  delete(key: string): void {
    this.#rows.delete(key);
  }

  /** Existing rows, in the order in which they were first stored. */
  entries(): readonly (readonly [string, T])[] {
    return [...this.#rows.keys()].flatMap((key) => {
      const value = this.get(key);
      return value === undefined ? [] : [[key, value] as const];
    });
  }
}
