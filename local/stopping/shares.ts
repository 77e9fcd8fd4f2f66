/** How soon `muster local` ends after the first signal, whatever it does. */
export const STOP_MS = 5_000;

/** How long each part of a stop may take, in milliseconds. */
export type Shares = {
  /** for passes, sweeps, and listeners that are under way: what they do not finish, the next runtime does */
  readonly drainMs: number;
  /** for tasks, between SIGTERM and SIGKILL */
  readonly graceMs: number;
  /** for killed tasks to be gone */
  readonly goneMs: number;
};

/**
 * Divides what is left of a stop: most of it is for tasks, which may have something to save. A fifth is nobody's: the store is
 * closed then. Pure.
 */
export function sharesOf(leftMs: number): Shares {
  const ms = Math.max(leftMs, 0);
  return { drainMs: ms * 0.1, graceMs: ms * 0.6, goneMs: ms * 0.1 };
}
