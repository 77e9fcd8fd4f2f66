import { findTimeZone, zoneOffsetMs } from '../../../domain/base/time-zone.ts';
import type { OffsetOf } from '../../../domain/schedulers/first-moment.ts';

export type ConfigTimeZone =
  | { readonly kind: 'ok'; readonly offsetMs: OffsetOf }
  | { readonly kind: 'bad'; readonly message: string };

const MINUTE_MS = 60_000;
const FIXED = /^(?:UTC|GMT)(?<sign>[+-])(?<hours>\d{1,2})(?::?(?<minutes>\d{2}))?$/;

/**
 * The clock by which a JobConfig's schedule is read: a zone's name, or `UTC` or `GMT` with an offset such as `+8`, `-08`, `+5:30`,
 * `-03:30`, or `+0800`. Left out, empty, or `Local`: UTC.
 */
export function configTimeZone(text = ''): ConfigTimeZone {
  const fixed = FIXED.exec(text)?.groups;
  if (fixed !== undefined) {
    const [hours, minutes] = [Number(fixed['hours']), Number(fixed['minutes'] ?? 0)];
    if (hours > 23 || minutes > 59) return bad(text);
    const offsetMs = (fixed['sign'] === '-' ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
    return { kind: 'ok', offsetMs: () => offsetMs };
  }
  if (findTimeZone(text).kind === 'unknown') return bad(text);
  const name = text === '' || text === 'Local' ? 'UTC' : text;
  return { kind: 'ok', offsetMs: (at) => zoneOffsetMs(name, at) };
}

const bad = (text: string): ConfigTimeZone => ({
  kind: 'bad',
  message: `unknown time zone ${JSON.stringify(text)}: say the name of one, such as Asia/Singapore, or an offset, such as UTC+8 or GMT-03:30`,
});
