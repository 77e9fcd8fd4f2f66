/** Time daemons make smaller steps. */
const STEP_MIN_MS = 1_000;
const LOOK_EVERY_MS = 1_000;

export type ClockWatchOptions = {
  /** Called with how far the wall clock was set back. The caller must catch what it throws or rejects. */
  readonly onSetBack: (byMs: number) => void;
  readonly now?: () => number;
  /** Advances steadily, whatever happens to the wall clock. */
  readonly elapsedMs?: () => number;
};

/**
 * Checks once a second whether the wall clock was set back. Anything that waits for a time on that clock, such as a delayed
 * message, would otherwise wait that much longer.
 *
 * @returns a function that stops the checks
 */
export function watchClock({
  onSetBack,
  now = Date.now,
  elapsedMs = () => performance.now(),
}: ClockWatchOptions): () => void {
  let aheadMs = now() - elapsedMs();
  const timer = setInterval(() => {
    const beforeMs = aheadMs;
    aheadMs = now() - elapsedMs();
    if (beforeMs - aheadMs >= STEP_MIN_MS) onSetBack(beforeMs - aheadMs);
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
