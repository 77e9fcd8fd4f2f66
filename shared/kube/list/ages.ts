import type { EpochMs } from '../../domain/base/time.ts';

const MINUTE_SEC = 60;
const HOUR_SEC = 3600;
const DAY_HOURS = 24;
const YEAR_DAYS = 365;

/** Clocks of two machines may differ by this much. */
const SKEW_SEC = 1;

/**
 * A duration with two or three digits, as Kubernetes' clients show it (HumanDuration): `119s`, `2m3s`, `10m`, `3h5m`, `47h`,
 * `5d`, `2y3d`. A time further in the future than the clock skew is `<invalid>`.
 */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -SKEW_SEC) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 2 * MINUTE_SEC) return `${seconds}s`;
  const minutes = Math.floor(seconds / MINUTE_SEC);
  if (minutes < 10) return pair(minutes, 'm', seconds % MINUTE_SEC, 's');
  if (minutes < 3 * 60) return `${minutes}m`;
  const hours = Math.floor(seconds / HOUR_SEC);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 2 * DAY_HOURS) return `${hours}h`;
  const days = Math.floor(hours / DAY_HOURS);
  if (days < 8) return pair(days, 'd', hours % DAY_HOURS, 'h');
  if (days < 2 * YEAR_DAYS) return `${days}d`;
  const years = Math.floor(days / YEAR_DAYS);
  return years < 8 ? pair(years, 'y', days % YEAR_DAYS, 'd') : `${years}y`;
}

const pair = (large: number, unit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large}${unit}` : `${large}${unit}${small}${smallUnit}`;

/** The age of `time` (RFC 3339); without one, `<unknown>`. */
export function ageOf(time: string | null | undefined, now: EpochMs): string {
  const at = msOf(time);
  return at === null ? '<unknown>' : humanDuration(now - at);
}

/** A time of an object in milliseconds; null: it has none. */
export function msOf(time: string | null | undefined): number | null {
  const at = time === null || time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(at) ? null : at;
}
