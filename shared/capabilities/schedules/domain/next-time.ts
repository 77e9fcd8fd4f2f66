import { type EpochMs, asEpochMs, plusMs } from '../../../domain/base/time.ts';
import { zoneOffsetMs } from '../../../domain/base/time-zone.ts';
import type { CronSchedule, CronTimes } from './cron-schedule.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * The first moment after `after` at which a schedule fires; null: none within five years (kubernetes-job.md 8.2).
 *
 * A schedule of fields fires at every moment at which the zone's clock shows a matching minute. Where the clock is put forward, it
 * never shows some minutes, so they do not fire; where it is put back, it shows some twice, and both fire.
 *
 * @param zone a known time zone
 */
export function nextTime({ times }: CronSchedule, zone: string, after: EpochMs): EpochMs | null {
  if (times.kind === 'every') return asEpochMs((Math.floor(after / 1000) + times.everySec) * 1000);
  return firstMoment({
    from: Math.floor(after / MINUTE_MS) * MINUTE_MS + MINUTE_MS,
    nextWall: (from) => nextWall(times, from),
    offsetMs: (at) => zoneOffsetMs(zone, at),
  });
}

/** How far a wall clock is ahead of UTC at a moment. */
export type OffsetOf = (at: number) => number;

/**
 * The first moment, not before `from`, at which a wall clock shows what matches.
 *
 * @param nextWall the first match that is not before what the wall clock shows; both are written as the moment at which UTC shows
 * the same. null: there is none
 */
export function firstMoment(search: {
  readonly from: number;
  readonly nextWall: (from: number) => number | null;
  readonly offsetMs: OffsetOf;
}): EpochMs | null {
  let at = search.from;
  for (;;) {
    const offsetMs = search.offsetMs(at);
    const wall = search.nextWall(at + offsetMs);
    const moment = wall === null ? null : wall - offsetMs;
    const change = changeOfClock(search.offsetMs, at, plusMs(asEpochMs(at), FAR_MS));
    // Also where the match is far, or none is left: a clock that is put back shows again what it has shown.
    if (change !== null && (moment === null || moment >= change)) at = change;
    else if (moment === null) return null;
    else if (moment - at <= FAR_MS) return asEpochMs(moment);
    else at = moment - NEAR_MS; // the clock may be changed on the way there
  }
}

/** No zone has ever moved by more than a day, nor changed its clock twice in so short a time. */
const FAR_MS = 3 * DAY_MS;
const NEAR_MS = 2 * DAY_MS;

/** The first minute, after `from` and not after `to`, from which on the zone has another offset; null: it is the same all the time. */
function changeOfClock(offsetOf: OffsetOf, from: number, to: number): number | null {
  const before = offsetOf(from);
  if (offsetOf(to) === before) return null;
  let [same, other] = [from, to];
  while (other - same > MINUTE_MS) {
    const middle = Math.floor((same + other) / 2 / MINUTE_MS) * MINUTE_MS;
    if (offsetOf(middle) === before) same = middle;
    else other = middle;
  }
  return other;
}

const YEARS_MAX = 5;

/** The first matching minute of a wall clock, not before `from`. */
function nextWall(times: CronTimes, from: number): number | null {
  const lastYear = new Date(from).getUTCFullYear() + YEARS_MAX;
  let day = Math.floor(from / DAY_MS) * DAY_MS;
  for (;;) {
    const date = new Date(day);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    if (year > lastYear) return null;
    if (!times.months.includes(month + 1)) {
      day = Date.UTC(year, month + 1, 1);
      continue;
    }
    const minute = isOnDay(times, date) ? minuteOfDay(times, Math.max(0, Math.ceil((from - day) / MINUTE_MS))) : null;
    if (minute !== null) return day + minute * MINUTE_MS;
    day += DAY_MS;
  }
}

function isOnDay({ daysOfMonth, daysOfWeek, eitherDay }: CronTimes, date: Date): boolean {
  const [ofMonth, ofWeek] = [daysOfMonth.includes(date.getUTCDate()), daysOfWeek.includes(date.getUTCDay())];
  return eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
}

/** The first matching minute of a day, not before minute `from`. */
function minuteOfDay({ hours, minutes }: CronTimes, from: number): number | null {
  for (const hour of hours) for (const minute of minutes) if (hour * 60 + minute >= from) return hour * 60 + minute;
  return null;
}
