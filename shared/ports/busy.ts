/**
 * Thrown where so many write at once that a turn did not come for a long while. Nothing was written; it may be asked for
 * again after a while.
 */
export class Busy extends Error {
  override readonly name = 'Busy';
  /** When to ask again. */
  readonly retryAfterSec = 1;
}
