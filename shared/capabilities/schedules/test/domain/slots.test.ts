import { describe, expect, test } from 'vitest';
import { type EpochMs, asEpochMs, asTime } from '../../../../domain/base/time.ts';
import { backfillJob, jobOfSlot, slotJitterMs, startOfDay } from '../../domain/job-of-slot.ts';
import { timeInZone } from '../../../../domain/schedulers/wall-time.ts';
import { type Slots, countedFrom, slotsBetween, slotsOf } from '../../domain/slots.ts';
import { slotsAfter } from '../../../../domain/schedulers/next-slot.ts';

const at = (text: string): EpochMs => asEpochMs(Date.parse(text));

function known(schedule: string, timeZone?: string): Extract<Slots, { kind: 'slots' }> {
  const slots = slotsOf({ schedule, timeZone });
  if (slots.kind === 'none') throw new Error(slots.reason);
  return slots;
}

describe('the next slots', () => {
  test.each([
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z', '03-28T02:30:00+01:00 03-30T02:30:00+02:00'],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-25T00:00:00Z', '10-25T02:30:00+02:00 10-25T02:30:00+01:00'],
    ['30 2 * * *', undefined, '2026-03-29T02:30:00Z', '03-30T02:30:00Z 03-31T02:30:00Z'],
    ['TZ=America/New_York 0 9 * * *', undefined, '2026-03-07T12:00:00Z', '03-07T09:00:00-05:00 03-08T09:00:00-04:00'],
    ['0 0 31 2 *', undefined, '2026-03-07T12:00:00Z', ''],
  ])('%s in %s after %s', (schedule, timeZone, after, expected) => {
    const { next, zone } = known(schedule, timeZone);
    const texts = slotsAfter(next, at(after), 2).map((slot) => timeInZone(zone, slot).slice(5));
    expect(texts.join(' ')).toBe(expected);
  });

  test.each([
    ['x', undefined, 'UnparseableSchedule', 'unparseable schedule: "x"'],
    ['* * * * *', 'Nowhere/City', 'UnknownTimeZone', 'invalid timeZone: "Nowhere/City": unknown time zone'],
    ['x', 'Nowhere/City', 'UnknownTimeZone', 'invalid timeZone: "Nowhere/City": unknown time zone'],
  ])('%s in %s: none, %s', (schedule, timeZone, event, reason) => {
    expect(slotsOf({ schedule, timeZone })).toEqual({
      kind: 'none',
      event,
      reason: expect.stringContaining(reason) as string,
    });
  });
});

describe('@every counts from the last slot', () => {
  test.each([
    ['@every 90m', '2026-01-01T00:10:00Z', '2026-01-01T05:00:00Z', '2026-01-01T06:10:00Z'],
    ['@every 90m', '2026-01-01T00:10:00Z', '2026-01-01T04:40:00Z', '2026-01-01T06:10:00Z'],
    ['@every 90m', '2026-01-01T05:00:00Z', '2026-01-01T05:00:00Z', '2026-01-01T06:30:00Z'],
    ['@hourly', '2026-01-01T00:10:00Z', '2026-01-01T05:20:00Z', '2026-01-01T06:00:00Z'],
  ])('%s since %s, after %s', (schedule, since, after, expected) => {
    const slots = known(schedule);
    const from = countedFrom(slots.schedule, at(since), at(after));
    expect(slotsAfter(slots.next, from, 1).map(asTime)).toEqual([expected]);
  });
});

describe('the slots of a range: its start is in it, its end is not', () => {
  const { next } = known('0 3 * * *', 'Europe/Berlin');
  test.each([
    ['2026-01-01T02:00:00Z', '2026-01-03T02:00:00Z', 9, ['2026-01-01T02:00:00Z', '2026-01-02T02:00:00Z']],
    ['2026-01-01T02:00:01Z', '2026-01-03T02:00:01Z', 2, ['2026-01-02T02:00:00Z', '2026-01-03T02:00:00Z']],
    ['2026-01-01T02:00:01Z', '2026-01-03T02:00:01Z', 1, null],
    ['2026-01-01T03:00:00Z', '2026-01-01T03:00:00Z', 9, []],
  ])('%s to %s, at most %i', (from, to, max, expected) => {
    expect(slotsBetween(next, at(from), at(to), max)?.map(asTime) ?? null).toEqual(expected);
  });
});

test.each([
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z'],
  ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00:00Z'],
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00Z'],
  ['Pacific/Auckland', '2026-01-01', '2025-12-31T11:00:00Z'],
  ['UTC', '2026-02-29', null],
  ['UTC', '2026-1-1', null],
])('in %s the day %s starts at %s', (zone, day, expected) => {
  const start = startOfDay(zone, day);
  expect(start === null ? null : asTime(start)).toBe(expected);
});

describe("a slot's Job", () => {
  const cron = {
    metadata: { name: 'report', namespace: 'team' },
    spec: {
      timeZone: 'Asia/Kolkata',
      jobTemplate: { metadata: { labels: { app: 'x' }, annotations: { a: 'b' } }, spec: { suspend: true } },
    },
  };
  const slot = at('2026-01-01T03:00:00Z');
  const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'report', uid: 'u' };
  const common = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: 'report-29453940',
      namespace: 'team',
      annotations: { a: 'b', 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T08:30:00+05:30' },
    },
    spec: { suspend: true },
  };

  test('the scheduler controls what it creates', () => {
    const ownerReferences = [{ ...owner, controller: true, blockOwnerDeletion: true }];
    const metadata = { ...common.metadata, labels: { app: 'x' }, ownerReferences };
    expect(jobOfSlot(cron, 'u', slot)).toEqual({ ...common, metadata });
  });

  test('what a user adds for the past is owned and labeled, and nobody controls it', () => {
    const labels = { app: 'x', 'muster.run/backfill-of': 'report' };
    const metadata = { ...common.metadata, labels, ownerReferences: [owner] };
    expect(backfillJob(cron, 'u', slot)).toEqual({ ...common, metadata });
  });

  test('its jitter is below the limit, and its own', () => {
    const hash = (text: string): string => (text === `u/${slot}/jitter` ? '0000ea61ff' : '00000000');
    expect(slotJitterMs(60, 'u', slot, hash)).toBe(1);
    expect(slotJitterMs(61, 'u', slot, hash)).toBe(60_001);
    expect(slotJitterMs(0, 'u', slot, hash)).toBe(0);
  });
});
