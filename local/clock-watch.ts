/** A step of less is what time daemons do. */
const STEP_MIN_MS = 1_000;
const LOOK_EVERY_MS = 1_000;

export type ClockWatchOptions = {
  /** The wall clock has been set back by so much. What throws or rejects is the caller's to catch. */
  readonly onSetBack: (byMs: number) => void;
  readonly now?: () => number;
  /** Goes on evenly, whatever becomes of the wall clock. */
  readonly elapsedMs?: () => number;
};

/**
 * Looks once a second whether the wall clock was set back. What waits for a moment by that clock, such as a delayed message, would
 * wait for as long as it went back.
 *
 * @returns ends it
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
