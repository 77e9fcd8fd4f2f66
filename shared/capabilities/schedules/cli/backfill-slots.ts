import { failureOf, verdictOf } from '../../../../cli/client/job-end.ts';
import { type EpochMs, asEpochMs, asTime } from '../../../domain/base/time.ts';
import { SCHEDULED_AT, slotName, startOfDay } from '../domain/job-of-slot.ts';
import { timeInZone } from '../../../domain/schedulers/wall-time.ts';
import { slotsBetween } from '../domain/slots.ts';
import type { Job } from '../../../../cli/client/api-objects.ts';
import { Failure, usageFailure } from '../../../../cli/shell/failure.ts';
import type { RangeEnd } from '../../../../cli/shell/option-values.ts';
import { onOneLine, renderTable } from '../../../../cli/text/table.ts';
import { type TimedCron, knownSlots } from './timed-cron.ts';

/** What has become of a slot. `missing`: it has no Job. `foreign`: a Job that is none of its has the name. */
export type SlotState = 'missing' | 'running' | 'complete' | 'failed' | 'deleted' | 'foreign';

export type SlotStanding = {
  readonly slot: EpochMs;
  readonly job: string;
  readonly state: SlotState;
  /** Why its Job has failed; empty: it has not. */
  readonly message: string;
  /** It has ended before this command has begun. */
  readonly isOld: boolean;
};

/** More would not be looked through by anybody. */
const SLOTS_MAX = 10_000;

export type SlotRange = { readonly from: EpochMs; readonly to: EpochMs; readonly zone: string };

/**
 * The slots of a CronJob from `from` on and before `to`. A day begins by the clock of the CronJob's zone.
 *
 * @throws Failure when the range is none, is not over, or has too many slots
 */
export function slotsOfRange(
  cron: TimedCron,
  ends: { readonly from: RangeEnd; readonly to: RangeEnd },
  nowMs: number,
): { readonly range: SlotRange; readonly slots: readonly EpochMs[] } {
  const { zone, schedule, next } = knownSlots(cron);
  if (schedule.times.kind === 'every')
    throw new Failure(
      `error: cronjob.batch/${cron.name} has no slots of the past: ${JSON.stringify(cron.schedule)} counts from its last run`,
    );
  const [from, to] = [momentOf(ends.from, zone), momentOf(ends.to, zone)];
  if (from >= to) throw usageFailure(`--to (${asTime(to)}) must be later than --from (${asTime(from)})`);
  if (to > nowMs)
    throw usageFailure(`--to (${asTime(to)}) is still to come: backfill is for the past, the schedule does the rest`);
  const slots = slotsBetween(next, from, to, SLOTS_MAX);
  if (slots === null) throw usageFailure(`there are more than ${SLOTS_MAX} slots: choose a shorter range`);
  return { range: { from, to, zone }, slots };
}

const momentOf = (end: RangeEnd, zone: string): EpochMs =>
  end.kind === 'moment' ? asEpochMs(end.atMs) : (startOfDay(zone, end.day) ?? asEpochMs(Number.NaN));

/** @param job the Job that has the slot's name; null: there is none */
export function standingOfSlot(cron: string, slot: EpochMs, job: Job | null): SlotStanding {
  const standing = { slot, job: slotName(cron, slot), message: '', isOld: false };
  if (job === null) return { ...standing, state: 'missing' };
  if (Date.parse(job.metadata.annotations[SCHEDULED_AT] ?? '') !== slot) return { ...standing, state: 'foreign' };
  const verdict = verdictOf(job);
  if (verdict === null) return { ...standing, state: 'running' };
  return { ...standing, state: verdict, message: verdict === 'failed' ? onOneLine(failureOf(job)) : '', isOld: true };
}

/** What is to be done: those that run are waited for first, so that never more run than are wanted. */
export const openSlots = (standings: readonly SlotStanding[]): readonly SlotStanding[] => [
  ...standings.filter(({ state }) => state === 'running'),
  ...standings.filter(({ state }) => state === 'missing'),
];

export function countStates(standings: readonly SlotStanding[]): Readonly<Record<SlotState, number>> {
  const counts = { missing: 0, running: 0, complete: 0, failed: 0, deleted: 0, foreign: 0 };
  for (const { state } of standings) counts[state]++;
  return counts;
}

const WORDS: Readonly<Record<SlotState, string>> = {
  complete: 'complete',
  failed: 'failed',
  deleted: 'deleted',
  running: 'running',
  missing: 'not created',
  foreign: 'taken by another Job',
};

/** `3 slots: 2 complete (1 before), 1 failed` */
export function sumText(standings: readonly SlotStanding[], words: Partial<Record<SlotState, string>> = {}): string {
  const counts = countStates(standings);
  const parts = (Object.keys(WORDS) as SlotState[])
    .filter((state) => counts[state] > 0)
    .map((state) => {
      const old = standings.filter((each) => each.state === state && each.isOld).length;
      return `${counts[state]} ${words[state] ?? WORDS[state]}${old === 0 ? '' : ` (${old} before)`}`;
    });
  return `${standings.length} ${standings.length === 1 ? 'slot' : 'slots'}: ${parts.join(', ')}`;
}

/** What a dry run shows. */
export function dryTable(standings: readonly SlotStanding[], zone: string): string {
  const would = { missing: 'would be created' };
  const rows = standings.map(({ slot, job, state }) => [
    timeInZone(zone, slot),
    job,
    state === 'missing' ? would.missing : WORDS[state],
  ]);
  return `${renderTable([zone.toUpperCase(), 'JOB', 'STATE'], rows)}${sumText(standings, would)}\n`;
}

/** What `-o json` prints. */
export const backfillObject = (
  { name, namespace }: TimedCron,
  { from, to, zone }: SlotRange,
  standings: readonly SlotStanding[],
): object => ({
  name,
  namespace,
  from: asTime(from),
  to: asTime(to),
  counts: countStates(standings),
  slots: standings.map(({ slot, job, state, message, isOld }) => ({
    scheduled: timeInZone(zone, slot),
    utc: asTime(slot),
    job,
    state,
    ...(message === '' ? {} : { message }),
    ...(isOld ? { before: true } : {}),
  })),
});
