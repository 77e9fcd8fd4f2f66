import { zoneOffsetMs } from '../base/time-zone.ts';
import { type EpochMs, asTime } from '../base/time.ts';

/** RFC 3339 with the zone's offset, as Go writes it. */
export const timeInZone = (zone: string, at: EpochMs): string => timeWithOffset(zoneOffsetMs(zone, at), at);

/** RFC 3339 by a clock that is so much ahead of UTC, to the minute. */
export function timeWithOffset(offsetMs: number, at: EpochMs): string {
  const minutes = Math.round(offsetMs / 60_000);
  if (minutes === 0) return asTime(at);
  const two = (n: number): string => String(n).padStart(2, '0');
  const size = Math.abs(minutes);
  const wall = new Date(at + minutes * 60_000).toISOString().slice(0, 19);
  return `${wall}${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
