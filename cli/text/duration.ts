import { parseDuration } from '../../shared/schema/object/duration.ts';

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

const DAY_MS = 86_400_000;

/**
 * Reads an age: `7d`, `1d12h`, `90m`, `0s`. A bare number is refused, since nobody would expect seconds. Returns milliseconds;
 * null if the text is not an age.
 */
export function parseAgeMs(text: string): number | null {
  const [, days = '', rest = ''] = /^(?:(\d+)d)?(.*)$/.exec(text) ?? [];
  if (days + rest === '' || /^\d+(?:\.\d+)?$/.test(rest)) return null;
  const restMs = rest === '' ? 0 : parseDuration(rest);
  return restMs === null ? null : Number(days) * DAY_MS + restMs;
}
