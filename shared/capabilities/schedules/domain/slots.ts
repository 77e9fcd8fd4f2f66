import { type EpochMs, asEpochMs } from '../../../domain/base/time.ts';
import { findTimeZone } from '../../../domain/base/time-zone.ts';
import { type CronSchedule, parseSchedule } from './cron-schedule.ts';
import type { NextSlot } from '../../../domain/schedulers/next-slot.ts';
import { nextTime } from './next-time.ts';

/** When a CronJob fires. */
export type Slots =
  | {
      readonly kind: 'slots';
      /** A known time zone. */
      readonly zone: string;
      readonly schedule: CronSchedule;
      /** The first one after a moment. */
      readonly next: NextSlot;
    }
  /** The scheduler stops here, and says so: the reason of its Event, and the message. */
  | { readonly kind: 'none'; readonly event: 'UnknownTimeZone' | 'UnparseableSchedule'; readonly reason: string };

/** The slots of a schedule in a zone, as the scheduler finds them. */
export function slotsOf({
  schedule: text,
  timeZone,
}: {
  readonly schedule: string;
  readonly timeZone?: string | undefined;
}): Slots {
  const found = timeZone === undefined ? null : findTimeZone(timeZone);
  if (found?.kind === 'unknown')
    return none('UnknownTimeZone', `invalid timeZone: ${JSON.stringify(timeZone)}: ${found.reason}`);
  const parsed = parseSchedule(text);
  if (parsed.kind === 'bad')
    return none('UnparseableSchedule', `unparseable schedule: ${JSON.stringify(text)} : ${parsed.reason}`);
  const { schedule } = parsed;
  const zone = zoneOf(schedule, timeZone);
  return { kind: 'slots', zone, schedule, next: (after) => nextTime(schedule, zone, after) };
}

type None = Extract<Slots, { kind: 'none' }>;
const none = (event: None['event'], reason: string): None => ({ kind: 'none', event, reason });

/** The zone by whose clock a schedule is read: the CronJob's, that of the schedule itself, or UTC. */
function zoneOf(schedule: CronSchedule, timeZone: string | undefined): string {
  const named = timeZone ?? schedule.timeZone ?? 'UTC';
  return named === '' || named === 'Local' ? 'UTC' : named;
}

/**
 * The moment to count from: `@every 90m` counts from the last slot (`since`), however long ago that was; any other schedule from
 * `after`. The result is not later than `after`, and no slot lies between the two.
 */
export function countedFrom({ times }: CronSchedule, since: EpochMs, after: EpochMs): EpochMs {
  if (times.kind !== 'every' || since >= after) return after;
  const everyMs = times.everySec * 1000;
  const from = Math.floor(since / 1000) * 1000;
  return asEpochMs(from + Math.floor((after - from) / everyMs) * everyMs);
}

/** The slots from `from` on and before `to`; null: more than `max`. */
export function slotsBetween(next: NextSlot, from: EpochMs, to: EpochMs, max: number): readonly EpochMs[] | null {
  const slots: EpochMs[] = [];
  for (let slot = next(asEpochMs(from - 1)); slot !== null && slot < to; slot = next(slot)) {
    if (slots.length === max) return null;
    slots.push(slot);
  }
  return slots;
}
