import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type EpochMs, asEpochMs, asTime, plusMs } from '../../../../domain/base/time.ts';
import { slotsOf } from '../../domain/slots.ts';
import type { CronJobManifest } from '../../domain/cron-manifest.ts';
import { admitCronJob } from '../../schema/cron-admission.ts';
import { clockChanges } from '../../domain/clock-changes.ts';
import { type JobFate, type SimulatedSlot, simulateCron } from '../../domain/simulate-cron.ts';
import { cronJob } from '../cli/cron-job.ts';

const START = asEpochMs(Date.parse('2026-01-01T00:00:00Z'));
const HOUR_MS = 3_600_000;
const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

function manifest(schedule: string, spec: object, annotations: object): CronJobManifest {
  const admission = admitCronJob(cronJob('c', schedule, spec, { annotations }), {
    namespace: 'default',
    uid: '',
    nameSuffix: '',
    fieldValidation: 'Strict',
  });
  if (admission.kind !== 'ok') throw new Error(JSON.stringify(admission));
  return admission.manifest;
}

type Wish = { schedule?: string; spec?: object; annotations?: object; takes?: number | null; hours?: number } & {
  verdict?: JobFate['verdict'];
};

const play = ({ schedule = '*/10 * * * *', spec = {}, annotations = {}, takes = 60, hours = 1, verdict }: Wish) =>
  simulateCron({
    cron: manifest(schedule, spec, annotations),
    start: START,
    end: plusMs(START, hours * HOUR_MS),
    fate: { takesMs: takes === null ? null : takes * 1000, verdict: verdict ?? 'complete' },
    hash,
  });

/** `00:10 ran +60 complete` */
const shown = (each: SimulatedSlot): string => {
  const at = asTime(each.slot).slice(11, 16);
  if (each.kind === 'skipped') return `${at} ${each.reason}`;
  const { createdAt, end, besides, replaces } = each.run;
  const late = (createdAt - each.slot) / 1000;
  return [at, late === 0 ? null : `+${late}s`, end, besides === 0 ? null : `beside ${besides}`, ...replaces]
    .filter((part) => part !== null)
    .join(' ');
};
const minuteOf = (text: string): number => Date.parse(`2026-01-01T${text}:00Z`) / 60_000;

describe('what becomes of each slot', () => {
  test.each<[string, Wish, readonly string[], { mostAtOnce: number; kept: number }]>([
    [
      'in time and alone; the history keeps three',
      {},
      ['00:10 complete', '00:20 complete', '00:30 complete', '00:40 complete', '00:50 complete'],
      { mostAtOnce: 1, kept: 3 },
    ],
    [
      'Allow: they overlap',
      { takes: 1500 },
      [
        '00:10 complete',
        '00:20 complete beside 1',
        '00:30 complete beside 2',
        '00:40 running beside 2',
        '00:50 running beside 2',
      ],
      { mostAtOnce: 3, kept: 5 },
    ],
    [
      'Forbid: the most recent slot comes late, the others never',
      { takes: 1500, spec: { concurrencyPolicy: 'Forbid' } },
      [
        '00:10 complete',
        `00:20 Forbid: c-${minuteOf('00:10')} was running`,
        '00:30 +300s running',
        `00:40 Forbid: c-${minuteOf('00:30')} was running`,
        `00:50 Forbid: c-${minuteOf('00:30')} was running`,
      ],
      { mostAtOnce: 1, kept: 2 },
    ],
    [
      'Forbid with a deadline: a late slot is not made up for',
      { takes: 900, hours: 0.7, spec: { concurrencyPolicy: 'Forbid', startingDeadlineSeconds: 60 } },
      [
        '00:10 complete',
        `00:20 Forbid: c-${minuteOf('00:10')} was running`,
        '00:30 running',
        `00:40 Forbid: c-${minuteOf('00:30')} was running`,
      ],
      { mostAtOnce: 1, kept: 2 },
    ],
    [
      'Replace: the one before is deleted',
      { takes: null, hours: 0.6, spec: { concurrencyPolicy: 'Replace' } },
      ['00:10 replaced', `00:20 replaced c-${minuteOf('00:10')}`, `00:30 running c-${minuteOf('00:20')}`],
      { mostAtOnce: 1, kept: 1 },
    ],
    [
      'all of them, one after the other',
      { takes: 1200, hours: 0.6, spec: { concurrencyPolicy: 'Forbid' }, annotations: { 'muster.run/catch-up': 'all' } },
      ['00:10 complete', '00:20 +600s running', `00:30 Forbid: c-${minuteOf('00:20')} was running`],
      { mostAtOnce: 1, kept: 2 },
    ],
    [
      'failed ones have a history of their own',
      { verdict: 'failed', hours: 0.6 },
      ['00:10 failed', '00:20 failed', '00:30 failed'],
      { mostAtOnce: 1, kept: 1 },
    ],
    [
      'suspended',
      { hours: 0.5, spec: { suspend: true } },
      ['00:10 suspended', '00:20 suspended'],
      { mostAtOnce: 0, kept: 0 },
    ],
    ['never', { schedule: '0 0 31 2 *' }, [], { mostAtOnce: 0, kept: 0 }],
    ['@every', { schedule: '@every 25m' }, ['00:25 complete', '00:50 complete'], { mostAtOnce: 1, kept: 2 }],
  ])('%s', (_what, wish, slots, sums) => {
    const simulation = play(wish);
    expect(simulation?.slots.map(shown)).toEqual(slots);
    expect(simulation).toMatchObject(sums);
    expect(play(wish)).toEqual(simulation);
  });

  test('jitter delays each by its own time', () => {
    const slots = play({ annotations: { 'muster.run/jitter-seconds': '300' } })?.slots ?? [];
    const late = slots.map((each) => (each.kind === 'ran' ? each.run.createdAt - each.slot - each.run.jitterMs : null));
    expect(late).toEqual([0, 0, 0, 0, 0]);
    expect(new Set(slots.map((each) => each.kind === 'ran' && each.run.jitterMs)).size).toBeGreaterThan(1);
  });

  test('too many slots: none', () => {
    expect(play({ schedule: '* * * * *', spec: { suspend: true }, hours: 24 * 40 })).toBeNull();
  });
});

describe('changes of the clock', () => {
  test.each<[string, string, string, string, readonly unknown[]]>([
    ['30 2 * * *', 'Europe/Berlin', '2026-03-01', '2026-04-01', [['2026-03-29T01:00:00Z', 60, ['02:30']]]],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-01', '2026-11-01', [['2026-10-25T01:00:00Z', -60, ['02:30']]]],
    ['0 3 * * *', 'Europe/Berlin', '2026-03-01', '2026-04-01', [['2026-03-29T01:00:00Z', 60, []]]],
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-01', '2026-05-01', [['2026-04-04T15:00:00Z', -30, ['01:45']]]],
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-01', '2026-11-01', [['2026-10-03T15:30:00Z', 30, ['02:15']]]],
    ['@every 10m', 'America/New_York', '2026-03-01', '2026-04-01', [['2026-03-08T07:00:00Z', 60, []]]],
    ['30 2 * * *', 'UTC', '2026-01-01', '2026-12-31', []],
  ])('%s in %s from %s to %s', (schedule, timeZone, from, to, expected) => {
    const slots = slotsOf({ schedule, timeZone });
    if (slots.kind === 'none') throw new Error(slots.reason);
    const at = (day: string): EpochMs => asEpochMs(Date.parse(day));
    const changes = clockChanges(slots, at(from), at(to));
    expect(changes.map((each) => [asTime(each.at), each.byMs / 60_000, each.times])).toEqual(expected);
  });
});
