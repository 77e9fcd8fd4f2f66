/**
 * Thrown when too many writers compete for a long while. Nothing was written; the caller may try again later.
 */
export class Busy extends Error {
  override readonly name = 'Busy';
  /** When to try again. */
  readonly retryAfterSec = 1;
}
