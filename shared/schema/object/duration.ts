const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h)/g;
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;

/**
 * Reads `90s`, `5m`, `1h30m`, `250ms` as Go does, and a bare number as seconds. Returns milliseconds, possibly 0; null
 * if it is not a duration.
 */
export function parseDuration(text: string): number | null {
  const given = /^\d+(?:\.\d+)?$/.test(text) ? `${text}s` : text;
  if (!WHOLE.test(given)) return null;
  let ms = 0;
  for (const [, number, unit] of given.matchAll(PART)) ms += Number(number) * (UNIT_MS[unit ?? ''] ?? 0);
  return Math.ceil(ms);
}
