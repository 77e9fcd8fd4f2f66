import { expect, test } from 'vitest';
import { nextSlots } from '../../../../../ui/model/month.ts';
import type { JobConfig } from '../../../../../ui/model/objects.ts';

const at = Date.parse('2026-11-28T20:00:00Z');
const config = (schedule: JobConfig['spec']['schedule']): JobConfig => ({
  metadata: { name: 'ci', namespace: 'team' },
  spec: schedule === undefined ? {} : { schedule },
});

test('the next slot of a JobConfig is found in the browser, by the clock of its zone', () => {
  const berlin = config({ cron: { expression: '30 3 * * *', timezone: 'Europe/Berlin' } });
  expect(nextSlots('JobConfig', berlin, at, 1)).toEqual({ slots: [Date.parse('2026-11-29T02:30:00Z')], why: '' });
});

test('a place that its name chooses is the same each time', () => {
  const hashed = config({ cron: { expression: 'H H * * *' } });
  const [first, second] = nextSlots('JobConfig', hashed, at, 2).slots;
  expect((second ?? 0) - (first ?? 0)).toBe(24 * 3_600_000);
});

test('without a slot there is a reason', () => {
  const why = (schedule: JobConfig['spec']['schedule']) => nextSlots('JobConfig', config(schedule), at, 1).why;
  expect([why(undefined), why({ cron: { expression: '@daily' }, disabled: true })]).toEqual([
    'no schedule',
    'disabled',
  ]);
  expect(why({ cron: { expression: 'nonsense' } })).toContain('nonsense');
});
