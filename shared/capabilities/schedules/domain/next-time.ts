import { type EpochMs, asEpochMs } from '../../../domain/base/time.ts';
import { firstMoment } from '../../../domain/schedulers/first-moment.ts';
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
