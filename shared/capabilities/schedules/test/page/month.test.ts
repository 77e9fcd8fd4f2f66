import { expect, test } from 'vitest';
import { jobRowOf } from '../../../../../ui/model/job-row.ts';
import {
  cronDay,
  daysOf,
  jobsBySlot,
  lastWarning,
  monthLater,
  nextSlots,
  slotsWithin,
} from '../../../../../ui/model/month.ts';
import type { CronJob, KubeEvent } from '../../../../../ui/model/objects.ts';

const HOUR = 3_600_000;
const at = (text: string): number => Date.parse(text);
const cron = (schedule: string, more: Partial<CronJob['spec']> = {}): CronJob => ({
  metadata: { name: 'nightly', namespace: 'team', creationTimestamp: '2026-11-10T00:00:00Z' },
  spec: { schedule, jobTemplate: { spec: { template: { spec: { containers: [] } } } }, ...more },
});
const row = (slot: number, type: string, name = 'nightly') =>
  jobRowOf({
    metadata: { name: `${name}-${slot / 60_000}`, namespace: 'team' },
    spec: { completions: 1, template: { spec: { containers: [] } } },
    status: { active: 1, conditions: [{ type, status: 'True' }] },
  });

test('a month has whole weeks from Monday on, and each day ends where the next begins', () => {
  const days = daysOf('2026-11');
  expect([days.length, days[0]?.day, days.at(-1)?.day, days.filter(({ isIn }) => isIn).length]).toEqual([
    42,
    '2026-10-26',
    '2026-12-06',
    30,
  ]);
  expect(days.slice(1).every(({ fromMs }, nth) => days[nth]?.toMs === fromMs)).toBe(true);
  expect(daysOf('2027-02').map(({ day }) => day)).toHaveLength(28);
});

test('months go on over the year', () => {
  expect([monthLater('2026-12', 1), monthLater('2026-01', -1)]).toEqual(['2027-01', '2025-12']);
});

test('slots are those of its zone, and none is before the CronJob was made', () => {
  const berlin = cron('30 3 * * *', { timeZone: 'Europe/Berlin' });
  expect(slotsWithin(berlin, at('2026-11-09T00:00:00Z'), at('2026-11-12T00:00:00Z'))).toEqual([
    at('2026-11-10T02:30:00Z'),
    at('2026-11-11T02:30:00Z'),
  ]);
  expect(slotsWithin(cron('nonsense'), 0, 1)).toBeNull();
});

test('a day has the Jobs of its slots by their ends, the slots without one, and those to come', () => {
  const from = at('2026-11-20T00:00:00Z');
  const jobs = jobsBySlot('nightly', 'team', [
    row(from, 'Complete'),
    row(from + HOUR, 'Failed'),
    row(from + 3 * HOUR, 'Other'),
    row(from, 'Failed', 'nightly-two'),
  ]);
  const day = cronDay(cron('0 * * * *'), jobs, from, from + 24 * HOUR, from + 3.5 * HOUR);
  expect(day).toMatchObject({ complete: 1, failed: 1, running: 1, without: 1, more: false });
  expect(day?.coming).toHaveLength(20);
});

test('one that is paused has nothing to come, and a day without anything is null', () => {
  const from = at('2026-11-20T00:00:00Z');
  const paused = cron('0 * * * *', { suspend: true });
  expect(cronDay(paused, new Map(), from, from + 24 * HOUR, from - 1)).toBeNull();
  expect(nextSlots('CronJob', paused, from, 3)).toEqual({ slots: [], why: 'paused' });
});

test('the next slots, or why there are none', () => {
  expect(nextSlots('CronJob', cron('0 0 * * *'), at('2026-11-20T10:00:00Z'), 2).slots).toEqual([
    at('2026-11-21T00:00:00Z'),
    at('2026-11-22T00:00:00Z'),
  ]);
  expect(nextSlots('CronJob', cron('0 0 31 2 *'), 0, 1)).toEqual({ slots: [], why: 'it never comes' });
  expect(nextSlots('CronJob', cron('0 0 * * *', { timeZone: 'Mars/One' }), 0, 1).why).toContain('Mars/One');
});

test('a warning counts until a Job has been made since', () => {
  const event = (lastTimestamp: string, name = 'nightly'): KubeEvent => ({
    metadata: { name: lastTimestamp, namespace: 'team' },
    involvedObject: { kind: 'CronJob', name },
    lastTimestamp,
  });
  const events = [event('2026-11-20T10:00:00Z'), event('2026-11-20T11:00:00Z'), event('2026-11-20T12:00:00Z', 'other')];
  expect(lastWarning(events, 'team', 'nightly', 0)).toBe(events[1]);
  expect(lastWarning(events, 'team', 'nightly', at('2026-11-20T11:00:00Z'))).toBeNull();
  expect(lastWarning(events, 'elsewhere', 'nightly', 0)).toBeNull();
});
