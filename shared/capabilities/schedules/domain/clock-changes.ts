import { type EpochMs, asEpochMs } from '../../../domain/base/time.ts';
import { zoneOffsetMs } from '../../../domain/base/time-zone.ts';
import { slotsBetween, type Slots } from './slots.ts';
import { nextTime } from './next-time.ts';

/** A change of a zone's clock, and what it does to a schedule. */
export type ClockChange = {
  /** The first moment of the new clock. */
  readonly at: EpochMs;
  /** How far the clock is put forward; negative: back. */
  readonly byMs: number;
  /** Times of the schedule, `02:30`, that the clock never shows, or shows twice: they do not fire, or fire twice. */
  readonly times: readonly string[];
};

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** As many as a day has. */
const TIMES_MAX = 1_440;

/** The changes of the clock of a schedule's zone from `from` on and before `to`. */
export function clockChanges(
  { zone, schedule }: Extract<Slots, { readonly kind: 'slots' }>,
  from: EpochMs,
  to: EpochMs,
): readonly ClockChange[] {
  const changes: ClockChange[] = [];
  for (let day: number = from; day < to; day += DAY_MS) {
    const until = Math.min(day + DAY_MS, to);
    const [before, after] = [zoneOffsetMs(zone, day), zoneOffsetMs(zone, until)];
    if (before === after) continue;
    const at = firstMinute(day, until, (minute) => zoneOffsetMs(zone, minute) !== before);
    const [start, end] = [at + Math.min(before, after), at + Math.max(before, after)];
    // A wall clock is a clock of UTC that shows the same.
    const next = (wall: EpochMs): EpochMs | null => nextTime(schedule, 'UTC', wall);
    const walls =
      schedule.times.kind === 'every' ? [] : (slotsBetween(next, asEpochMs(start), asEpochMs(end), TIMES_MAX) ?? []);
    changes.push({
      at: asEpochMs(at),
      byMs: after - before,
      times: walls.map((wall) => new Date(wall).toISOString().slice(11, 16)),
    });
  }
  return changes;
}

/** The first whole minute after `from`, and not after `to`, for which it holds; it holds for `to`. */
function firstMinute(from: number, to: number, holds: (minute: number) => boolean): number {
  let [not, yes] = [Math.floor(from / MINUTE_MS), Math.ceil(to / MINUTE_MS)];
  while (yes - not > 1) {
    const middle = Math.floor((not + yes) / 2);
    if (holds(middle * MINUTE_MS)) yes = middle;
    else not = middle;
  }
  return yes * MINUTE_MS;
}
