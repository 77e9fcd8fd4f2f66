import { parseDuration } from '../shared/schema/object/duration.ts';

/** setTimeout's limit, about 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Reads `90s`, `5m`, `1h30m` as Go does, and a bare number as seconds. Returns milliseconds; null if the text is not a
 * duration or is zero.
 */
export function parseDurationMs(text: string): number | null {
  const ms = parseDuration(text);
  return ms !== null && ms > 0 && ms <= LONGEST_MS ? ms : null;
}
