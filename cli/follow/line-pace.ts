/** The longer it lasts, the rarer are its lines: ten hours have some 400. */
const PAUSE_PART = 1 / 50;

/**
 * How long to wait before the next line of something that lasts.
 *
 * @param leastMs the shortest pause
 * @param lastsMs how long it has lasted
 */
export const pauseBetweenLinesMs = (leastMs: number, lastsMs: number): number =>
  Math.max(leastMs, lastsMs * PAUSE_PART);
