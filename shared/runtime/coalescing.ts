/** How passes over few facts are held back, so that a steady trickle of facts is processed in batches. */
export type Coalescing = {
  /** Such passes are this far apart. */
  readonly ms: number;
  /** After a quiet time so many may follow each other at once. */
  readonly burst: number;
};

/**
 * When the next pass over few facts may run, in milliseconds of one clock.
 *
 * @param dueAt from the pass before; 0 at first
 * @param isFull more facts are waiting, so this pass does not wait
 * @returns how long this pass waits, and `dueAt` for the next one; of two that wait, one comes after the other
 */
export function nextPass(
  { ms, burst }: Coalescing,
  dueAt: number,
  now: number,
  isFull: boolean,
): { readonly waitMs: number; readonly dueAt: number } {
  const early = (burst - 1) * ms;
  const waitMs = isFull ? 0 : Math.min(ms, Math.max(0, dueAt - early - now));
  const startsAt = now + waitMs;
  return { waitMs, dueAt: Math.min(Math.max(dueAt, startsAt), startsAt + early) + ms };
}
