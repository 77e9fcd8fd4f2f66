import { describe, expect, it } from 'vitest';
import { asEpochMs } from '../../../../domain/base/time.ts';
import { nextTime } from '../../domain/next-time.ts';
import { parseSchedule } from '../../domain/cron-schedule.ts';

/** The next `count` moments, in UTC to the minute (or the second, if one is not a minute). */
function times(schedule: string, zone: string, after: string, count = 3): readonly string[] {
  const parsed = parseSchedule(schedule);
  if (parsed.kind === 'bad') throw new Error(parsed.reason);
  const found: string[] = [];
  let at = asEpochMs(Date.parse(after));
  while (found.length < count) {
    const next = nextTime(parsed.schedule, zone, at);
    if (next === null) return [...found, 'never'];
    found.push(new Date(next).toISOString().replace(/(:00)?\.000Z$/, ''));
    at = next;
  }
  return found;
}

describe('the next time of a schedule', () => {
  it.each([
    ['* * * * *', '2026-01-01T00:00:00Z', ['2026-01-01T00:01', '2026-01-01T00:02', '2026-01-01T00:03']],
    ['* * * * *', '2026-01-01T00:00:59.999Z', ['2026-01-01T00:01', '2026-01-01T00:02', '2026-01-01T00:03']],
    ['*/20 9-10 * * *', '2026-01-01T09:30:00Z', ['2026-01-01T09:40', '2026-01-01T10:00', '2026-01-01T10:20']],
    ['59 23 31 12 *', '2026-01-01T00:00:00Z', ['2026-12-31T23:59', '2027-12-31T23:59', '2028-12-31T23:59']],
    ['0 0 29 2 *', '2026-01-01T00:00:00Z', ['2028-02-29T00:00', '2032-02-29T00:00', '2036-02-29T00:00']],
    ['0 9 * * mon-fri', '2026-01-02T12:00:00Z', ['2026-01-05T09:00', '2026-01-06T09:00', '2026-01-07T09:00']],
    // Either of the two day fields, where none is a star; both, where one is.
    ['0 0 13 * 5', '2026-02-01T00:00:00Z', ['2026-02-06T00:00', '2026-02-13T00:00', '2026-02-20T00:00']],
    ['0 0 */1 * 5', '2026-02-01T00:00:00Z', ['2026-02-06T00:00', '2026-02-13T00:00', '2026-02-20T00:00']],
    ['@every 90s', '2026-01-01T00:00:00.700Z', ['2026-01-01T00:01:30', '2026-01-01T00:03', '2026-01-01T00:04:30']],
    ['@hourly', '2026-01-01T23:59:59Z', ['2026-01-02T00:00', '2026-01-02T01:00', '2026-01-02T02:00']],
  ])('%s after %s', (schedule, after, expected) => {
    expect(times(schedule, 'UTC', after)).toEqual(expected);
  });

  it.each(['0 0 31 2 *', '0 0 30 feb *', ', * * * *', '0 0 31 4,6,9,11 *'])('%s never fires', (schedule) => {
    expect(times(schedule, 'Europe/Berlin', '2026-01-01T00:00:00Z')).toEqual(['never']);
  });
});

describe('where the clock is put forward, what it does not show does not fire', () => {
  it.each([
    // Berlin: 2026-03-29, 02:00 becomes 03:00
    ['30 2 * * *', 'Europe/Berlin', '2026-03-27T12:00:00Z', ['2026-03-28T01:30', '2026-03-30T00:30']],
    ['0 3 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', ['2026-03-29T01:00', '2026-03-30T01:00']],
    ['*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:15:00Z', ['2026-03-29T00:30', '2026-03-29T01:00']],
    // New York: 2026-03-08, 02:00 becomes 03:00
    ['30 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z', ['2026-03-09T06:30', '2026-03-10T06:30']],
    ['59 1 * * *', 'America/New_York', '2026-03-07T12:00:00Z', ['2026-03-08T06:59', '2026-03-09T05:59']],
    // Lord Howe: 2026-10-04, 02:00 becomes 02:30
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-02T12:00:00Z', ['2026-10-02T15:45', '2026-10-04T15:15']],
    ['45 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00:00Z', ['2026-10-03T15:45', '2026-10-04T15:45']],
    // Kubernetes counts in hours from 01:00 here, and misses this one.
    ['15 3 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00:00Z', ['2026-10-03T16:15', '2026-10-04T16:15']],
  ])('%s in %s after %s', (schedule, zone, after, expected) => {
    expect(times(schedule, zone, after, 2)).toEqual(expected);
  });
});

describe('where the clock is put back, what it shows twice fires twice', () => {
  it.each([
    // Berlin: 2026-10-25, 03:00 becomes 02:00
    [
      '30 2 * * *',
      'Europe/Berlin',
      '2026-10-24T12:00:00Z',
      ['2026-10-25T00:30', '2026-10-25T01:30', '2026-10-26T01:30'],
    ],
    [
      '0 3 * * *',
      'Europe/Berlin',
      '2026-10-24T12:00:00Z',
      ['2026-10-25T02:00', '2026-10-26T02:00', '2026-10-27T02:00'],
    ],
    // New York: 2026-11-01, 02:00 becomes 01:00
    [
      '30 1 * * *',
      'America/New_York',
      '2026-10-31T12:00:00Z',
      ['2026-11-01T05:30', '2026-11-01T06:30', '2026-11-02T06:30'],
    ],
    [
      '0 * * * *',
      'America/New_York',
      '2026-11-01T04:30:00Z',
      ['2026-11-01T05:00', '2026-11-01T06:00', '2026-11-01T07:00'],
    ],
    // Lord Howe: 2026-04-05, 02:00 becomes 01:30
    [
      '45 1 * * *',
      'Australia/Lord_Howe',
      '2026-04-04T12:00:00Z',
      ['2026-04-04T14:45', '2026-04-04T15:15', '2026-04-05T15:15'],
    ],
    [
      '15 1 * * *',
      'Australia/Lord_Howe',
      '2026-04-04T12:00:00Z',
      ['2026-04-04T14:15', '2026-04-05T14:45', '2026-04-06T14:45'],
    ],
    // Also where the schedule does not fire again for days.
    [
      '30 2 * * 0',
      'Europe/Berlin',
      '2026-10-20T12:00:00Z',
      ['2026-10-25T00:30', '2026-10-25T01:30', '2026-11-01T01:30'],
    ],
    [
      '30 1 1 * *',
      'America/New_York',
      '2026-10-20T12:00:00Z',
      ['2026-11-01T05:30', '2026-11-01T06:30', '2026-12-01T06:30'],
    ],
    [
      '30 2 25 10 *',
      'Europe/Berlin',
      '2026-01-01T00:00:00Z',
      ['2026-10-25T00:30', '2026-10-25T01:30', '2027-10-25T00:30'],
    ],
  ])('%s in %s after %s', (schedule, zone, after, expected) => {
    expect(times(schedule, zone, after)).toEqual(expected);
  });
});

describe('every minute of a year', () => {
  it.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Asia/Kathmandu'])(
    'in %s: a schedule fires when the clock on the wall says so, and never else',
    (zone) => {
      const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
      const from = Date.parse('2026-01-01T00:00:00Z');
      const schedule = '15,45 1-3 * * *';
      const parsed = parseSchedule(schedule);
      if (parsed.kind === 'bad') throw new Error(parsed.reason);
      const expected: number[] = [];
      for (let at = from + 900_000; at < from + 366 * 86_400_000; at += 900_000)
        if (/^0[123]:(15|45)$/.test(clock.format(at))) expected.push(at);
      const found: number[] = [];
      let at = nextTime(parsed.schedule, zone, asEpochMs(from));
      while (at !== null && at < from + 366 * 86_400_000) {
        found.push(at);
        at = nextTime(parsed.schedule, zone, at);
      }
      expect(found).toEqual(expected);
    },
  );
});
