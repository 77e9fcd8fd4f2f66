/** Up to `untilSec`, a duration is shown in one unit, or in two. */
type Step = {
  readonly untilSec: number;
  readonly unit: Unit;
  readonly rest?: Unit;
};
type Unit = 's' | 'm' | 'h' | 'd' | 'y';

const SEC: Readonly<Record<Unit, number>> = { s: 1, m: 60, h: 3600, d: 86_400, y: 365 * 86_400 };

const STEPS: readonly Step[] = [
  { untilSec: 2 * SEC.m, unit: 's' },
  { untilSec: 10 * SEC.m, unit: 'm', rest: 's' },
  { untilSec: 3 * SEC.h, unit: 'm' },
  { untilSec: 8 * SEC.h, unit: 'h', rest: 'm' },
  { untilSec: 2 * SEC.d, unit: 'h' },
  { untilSec: 8 * SEC.d, unit: 'd', rest: 'h' },
  { untilSec: 2 * SEC.y, unit: 'd' },
  { untilSec: 8 * SEC.y, unit: 'y', rest: 'd' },
  { untilSec: Infinity, unit: 'y' },
];

/** Two clocks may differ slightly; a larger negative age is an error. */
const SKEW_MS = 2_000;

/** Formats a duration as kubectl does (2 to 4 figures): 119s, 2m3s, 10m, 3h5m, 47h, 5d. */
export function formatDuration(ms: number): string {
  if (Number.isNaN(ms) || ms <= -SKEW_MS) return '<invalid>';
  const sec = Math.max(Math.floor(ms / 1000), 0);
  const { unit, rest } = STEPS.find(({ untilSec }) => sec < untilSec) ?? { unit: 'y' as const, rest: undefined };
  const whole = `${Math.floor(sec / SEC[unit])}${unit}`;
  const more = rest === undefined ? 0 : Math.floor((sec % SEC[unit]) / SEC[rest]);
  return more === 0 ? whole : `${whole}${more}${rest}`;
}

/** The time since a moment; null if it never came. */
export const formatAge = (atMs: number | null, nowMs: number): string =>
  atMs === null ? '<unknown>' : formatDuration(nowMs - atMs);
