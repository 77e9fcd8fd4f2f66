import { type EpochMs, asEpochMs, later, plusMs, soonest } from '../../../domain/base/time.ts';
import type { NextSlot } from '../../../domain/schedulers/next-slot.ts';
import type { OffsetOf } from '../../../domain/schedulers/first-moment.ts';
import { configTimeZone } from './config-time-zone.ts';
import { hashOfConfig } from './cron-field.ts';
import { type FurikoCron, nextFurikoTime, parseFurikoCron } from './furiko-cron.ts';
import type { ConfigSchedule } from './job-config.ts';

/** When a JobConfig fires. */
export type ConfigSlots =
  | {
      readonly kind: 'slots';
      /** The first one after a moment, within the constraints. */
      readonly next: NextSlot;
      /** No slot up to here is looked at. */
      readonly from: EpochMs;
      /** How far the clock of its zone is ahead of UTC. */
      readonly offsetMs: OffsetOf;
    }
  /** It has no schedule, or is disabled. */
  | { readonly kind: 'none' }
  | { readonly kind: 'bad'; readonly message: string };

/** The slots of a schedule: those of each of its expressions; of those on one second, one. */
export function configSlots(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  schedule: ConfigSchedule | undefined,
): ConfigSlots {
  if (schedule?.cron === undefined || schedule.disabled === true) return { kind: 'none' };
  const { expression, expressions, timezone } = schedule.cron;
  const zone = configTimeZone(timezone);
  if (zone.kind === 'bad') return zone;
  const crons: FurikoCron[] = [];
  for (const text of expressions ?? (expression === undefined ? [] : [expression])) {
    const parsed = parseFurikoCron(text, hashOfConfig(namespace, name));
    if (parsed.kind === 'bad') return { kind: 'bad', message: `${JSON.stringify(text)}: ${parsed.message}` };
    crons.push(parsed.cron);
  }
  const notAfter = timeOf(schedule.constraints?.notAfter) ?? Number.POSITIVE_INFINITY;
  const next: NextSlot = (after) => {
    const slot = crons.map((cron) => nextFurikoTime(cron, zone.offsetMs, after)).reduce(soonest, null);
    return slot === null || slot > notAfter ? null : slot;
  };
  return { kind: 'slots', next, from: fromOf(schedule), offsetMs: zone.offsetMs };
}

/** A slot at `notBefore` fires; one at `lastUpdated` is of the schedule before. */
function fromOf({ constraints, lastUpdated }: ConfigSchedule): EpochMs {
  const updated = timeOf(lastUpdated) ?? asEpochMs(0);
  const notBefore = timeOf(constraints?.notBefore);
  return notBefore === null ? updated : later(updated, plusMs(notBefore, -1));
}

const timeOf = (text: string | undefined): EpochMs | null => {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? null : asEpochMs(at);
};

/** What was missed for longer is not made up for, as Furiko's `maxDowntimeThresholdSeconds`. */
export const DOWNTIME_MAX_MS = 300_000;
/** As Furiko's `maxMissedSchedules`. */
const MISSED_MAX = 5;
/** A Job that starts so late is not late. */
const ON_TIME_MS = 60_000;

export type DueSlots = {
  /** They get a Job now, oldest first. */
  readonly due: readonly EpochMs[];
  /** Slots that never get one, because they were missed. */
  readonly skipped: number;
  /** Some were missed for too long to be counted. */
  readonly tooLate: boolean;
  readonly next: EpochMs | null;
};

/**
 * The slots that are due: those that were missed, {@link MISSED_MAX} at most, oldest first, and the one whose time is now. The limit
 * is for those that were missed: it never stands against one that is on time.
 *
 * @param since nobody has looked at any slot after it
 */
export function dueSlots(next: NextSlot, since: EpochMs, now: EpochMs): DueSlots {
  const limit = plusMs(now, -DOWNTIME_MAX_MS);
  const first = next(since);
  const tooLate = first !== null && first <= limit;
  const all: EpochMs[] = [];
  let slot = tooLate ? next(limit) : first;
  for (; slot !== null && slot <= now; slot = next(slot)) all.push(slot);
  const newest = all.at(-1);
  const onTime = newest !== undefined && now - newest <= ON_TIME_MS ? [newest] : [];
  const missed = all.slice(0, all.length - onTime.length);
  const skipped = Math.max(0, missed.length - MISSED_MAX);
  return { due: [...missed.slice(0, MISSED_MAX), ...onTime], skipped, tooLate, next: slot };
}
