import { type EpochMs, asEpochMs } from '../../base/time.ts';

// Values that several annotations have: how they are read, and what they must be.

/** Parses a number of seconds above zero; null: any other text. */
export function parsePendingTimeout(text: string): number | null {
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : null;
}

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Parses a moment as RFC 3339 writes it, with `T` and an offset, on a day that exists; null: any other text. */
export function parseMoment(text: string): EpochMs | null {
  const [whole, year, month, day] = RFC_3339.exec(text) ?? [];
  if (whole === undefined) return null;
  const midnight = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const isDay = midnight.getUTCMonth() + 1 === Number(month) && midnight.getUTCDate() === Number(day);
  const at = Date.parse(whole);
  return isDay && !Number.isNaN(at) ? asEpochMs(at) : null;
}

/** Parses `true` or `false`; null: any other text. */
export const parseFlag = (text: string): boolean | null => (text === 'true' ? true : text === 'false' ? false : null);

export const SECONDS = {
  parse: parsePendingTimeout,
  rule: 'must be a whole number of seconds between 1 and 9999999, without leading zeros',
} as const;

export const MOMENT = {
  parse: parseMoment,
  rule: 'must be a time as RFC 3339 writes it, such as 2026-01-31T12:00:00Z',
} as const;

export const FLAG = { parse: parseFlag, rule: 'must be "true" or "false"' } as const;
