/** Thrown when too many writers compete for too long. Nothing was written. The caller may try again later. */
export class Busy extends Error {
  override readonly name = 'Busy';
  /** When to try again. */
  readonly retryAfterSec = 1;
}
