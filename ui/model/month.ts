import { asEpochMs } from '../../shared/domain/base/time.ts';
import { slotsAfter } from '../../shared/domain/schedulers/next-slot.ts';
import { SLOTS_BY_KIND } from '../../shared/capabilities/lists/cron-slots.ts';
import type { JobRow } from './job-row.ts';
import type { CronJob, JobConfig, KubeEvent } from './objects.ts';
import { dayWords, msOf } from './time-words.ts';

/** Of a day that has more, so many slots are counted one by one. */
const SLOTS_MAX = 4_000;

/** A month, as `2026-11`. */
export const monthOf = (at: Date): string => dayWords(at).slice(0, 7);

/** The month that is `by` months later. */
export function monthLater(month: string, by: number): string {
  const [year = 1970, of = 1] = month.split('-').map(Number);
  return monthOf(new Date(year, of - 1 + by, 1));
}

/** The days of a month's weeks, from Monday on: those of its neighbours fill the first and the last week. */
export function daysOf(
  month: string,
): readonly { readonly day: string; readonly isIn: boolean; readonly fromMs: number; readonly toMs: number }[] {
  const [year = 1970, of = 1] = month.split('-').map(Number);
  const first = new Date(year, of - 1, 1);
  const before = (first.getDay() + 6) % 7;
  const days = new Date(year, of, 0).getDate();
  const cells = Math.ceil((before + days) / 7) * 7;
  return Array.from({ length: cells }, (_, nth) => {
    const at = new Date(year, of - 1, 1 - before + nth);
    return {
      day: dayWords(at),
      isIn: at.getMonth() === of - 1,
      fromMs: at.getTime(),
      toMs: new Date(year, of - 1, 2 - before + nth).getTime(),
    };
  });
}

/** What a CronJob has on a day. */
export type CronDay = {
  readonly cron: CronJob;
  /** Slots that are still to come. */
  readonly coming: readonly number[];
  /** There are more than were counted. */
  readonly more: boolean;
  readonly complete: number;
  readonly failed: number;
  readonly running: number;
  /** Slots of the past whose Job is not there: it was left out, or has been deleted since. */
  readonly without: number;
};

/** The slots of a CronJob in a time; null: it never fires. */
export function slotsWithin(cron: CronJob, fromMs: number, toMs: number): readonly number[] | null {
  const found = SLOTS_BY_KIND['CronJob']?.(cron);
  if (found === undefined || found.kind === 'none') return null;
  const createdMs = Date.parse(cron.metadata.creationTimestamp ?? '');
  const from = Math.max(fromMs, Number.isNaN(createdMs) ? fromMs : createdMs);
  if (from >= toMs) return [];
  return slotsAfter(found.next, asEpochMs(from - 1), SLOTS_MAX).filter((slot) => slot < toMs);
}

/** What each CronJob has on a day: Jobs of its slots by how they ended, and the slots to come. */
export function cronDay(
  cron: CronJob,
  jobs: ReadonlyMap<number, JobRow>,
  fromMs: number,
  toMs: number,
  nowMs: number,
): CronDay | null {
  const slots = slotsWithin(cron, fromMs, toMs) ?? [];
  const past = slots.filter((slot) => slot <= nowMs);
  const made = [...jobs].flatMap(([slot, row]) => (slot >= fromMs && slot < toMs ? [row] : []));
  const coming = cron.spec.suspend === true ? [] : slots.filter((slot) => slot > nowMs);
  const count = (state: JobRow['state']): number => made.filter((row) => row.state === state).length;
  const [complete, failed] = [count('complete'), count('failed')];
  const day = {
    cron,
    coming,
    more: slots.length === SLOTS_MAX,
    complete,
    failed,
    running: made.length - complete - failed,
    without: past.filter((slot) => !jobs.has(slot)).length,
  };
  return made.length + coming.length + day.without === 0 ? null : day;
}

/** The Jobs of a CronJob's slots, by the slot: its minute stands in the name of the Job. */
export function jobsBySlot(cron: string, namespace: string, rows: readonly JobRow[]): ReadonlyMap<number, JobRow> {
  const found = new Map<number, JobRow>();
  for (const row of rows) {
    if (row.namespace !== namespace || !row.name.startsWith(`${cron}-`)) continue;
    const minute = row.name.slice(cron.length + 1);
    if (/^\d{7,9}$/.test(minute)) found.set(Number(minute) * 60_000, row);
  }
  return found;
}

/** The next slots of an object with a schedule, and why it has none. */
export function nextSlots(
  kind: 'CronJob' | 'JobConfig',
  object: CronJob | JobConfig,
  nowMs: number,
  count: number,
): { readonly slots: readonly number[]; readonly why: string } {
  const found = SLOTS_BY_KIND[kind]?.(object);
  if (found === undefined) return { slots: [], why: 'this server has no schedules' };
  if (found.kind === 'none') return { slots: [], why: found.reason };
  if ('suspend' in object.spec && object.spec.suspend === true) return { slots: [], why: 'paused' };
  const slots = slotsAfter(found.next, asEpochMs(nowMs), count);
  return { slots, why: slots.length === 0 ? 'it never comes' : '' };
}

/** The newest warning about a CronJob, unless a Job has been made since; null: there is none. */
export function lastWarning(
  events: readonly KubeEvent[],
  namespace: string,
  name: string,
  sinceMs: number,
): KubeEvent | null {
  const atMs = ({ lastTimestamp }: KubeEvent): number => msOf(lastTimestamp) ?? 0;
  const about = events.filter(
    (event) => event.involvedObject.name === name && event.metadata.namespace === namespace && atMs(event) > sinceMs,
  );
  return about.toSorted((a, b) => atMs(b) - atMs(a))[0] ?? null;
}
