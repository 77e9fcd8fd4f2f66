/** A stored row whose bytes are not what Muster writes: something has damaged them. Only its key is known for sure. */
export class UnreadableRow extends Error {
  override readonly name = 'UnreadableRow';
  readonly key: string;
  /** What its owner can do, a sentence's end. */
  readonly advice: string;

  /**
   * @param place the file or table that it is in
   * @param cause why it cannot be decoded
   */
  constructor(key: string, place: string, advice: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`row ${key} of ${place} cannot be decoded (${why.slice(0, WHY_CHARS_MAX)}): ${advice}`, { cause });
    this.key = key;
    this.advice = advice;
  }
}

/** A parser may cite what it has read. */
const WHY_CHARS_MAX = 200;

/** How many rows an error names (KEP-3926). */
const UNREADABLE_MAX = 100;

/** The rows that an error, or what has caused it, is about; none: it is about something else. */
export function unreadableRows(error: unknown): readonly UnreadableRow[] {
  if (error instanceof UnreadableRow) return [error];
  if (error instanceof AggregateError) return error.errors.flatMap(unreadableRows);
  return error instanceof Error ? unreadableRows(error.cause) : [];
}

/**
 * The values of those that were read, as far as their rows could be. What could not goes to `unreadable`.
 *
 * @throws any other failure
 */
export function readable<T>(settled: readonly PromiseSettledResult<T>[], unreadable: UnreadableRow[]): readonly T[] {
  return settled.flatMap((each) => {
    if (each.status === 'fulfilled') return [each.value];
    const rows = unreadableRows(each.reason);
    if (rows.length === 0) throw each.reason;
    unreadable.push(...rows);
    return [];
  });
}

/** Throws what was found unreadable, the first of them. */
export function throwUnreadable(rows: readonly UnreadableRow[]): void {
  if (rows.length > 0) throw new AggregateError(rows.slice(0, UNREADABLE_MAX), rows[0]?.message);
}

/** What was read; null: its row cannot be decoded, and goes to `unreadable`. */
export function ifReadable<T>(read: () => T, unreadable: UnreadableRow[] = []): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnreadableRow)) throw error;
    unreadable.push(error);
    return null;
  }
}
