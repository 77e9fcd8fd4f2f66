import { describe, expect, it } from 'vitest';
import { asEpochMs } from '../../../../domain/base/time.ts';
import { configTimeZone } from '../../domain/config-time-zone.ts';
import { type HashOf, hashOfConfig } from '../../domain/cron-field.ts';
import { nextFurikoTime, parseFurikoCron } from '../../domain/furiko-cron.ts';
import { xxhash64 } from '../../domain/xxhash64.ts';

const NONE: HashOf = () => 0n;

function parsed(expression: string, hashOf: HashOf = NONE) {
  const read = parseFurikoCron(expression, hashOf);
  if (read.kind === 'bad') throw new Error(read.message);
  return read.cron;
}

/** The next moments, as the zone's clock shows them: with its offset, if it is not UTC. */
function times(expression: string, after: string, count = 1, { zone = '', hashOf = NONE } = {}): readonly string[] {
  const cron = parsed(expression, hashOf);
  const clock = configTimeZone(zone);
  if (clock.kind === 'bad') throw new Error(clock.message);
  const found: string[] = [];
  let at = asEpochMs(Date.parse(after.includes('T') ? after : `${after.replace(' ', 'T')}Z`));
  while (found.length < count) {
    const next = nextFurikoTime(cron, clock.offsetMs, at);
    if (next === null) return [...found, 'never'];
    const hours = clock.offsetMs(next) / 3_600_000;
    const wall = new Date(next + hours * 3_600_000).toISOString().slice(0, 19);
    const sign = hours < 0 ? '-' : '+';
    found.push(zone === '' ? wall.replace('T', ' ') : `${wall}${sign}${String(Math.abs(hours)).padStart(2, '0')}:00`);
    at = next;
  }
  return found;
}

describe('xxhash64', () => {
  it.each([
    // The vectors of the specification's sanity checks and of cespare/xxhash.
    ['', 0xef46db3751d8e999n],
    ['a', 0xd24ec4f1a98c6e5bn],
    ['as', 0x1c330fb2d66be179n],
    ['asd', 0x631c37ce72a97393n],
    ['asdf', 0x415872f599cea71en],
    ['Call me Ishmael. Some years ago--never mind how long precisely-', 0x02a2e85470d6fd96n],
    // Those of furiko-io/cronexpr.
    ['myid1', 316181436714908099n],
    ['myid2', 8964299977724969587n],
    ['myid3', 12738036773875955645n],
  ])('%j', (text, hash) => {
    expect(xxhash64(text)).toBe(hash);
  });
});

describe('the tests of furiko-io/cronexpr', () => {
  it.each([
    ['* * * * * * *', '2013-01-01 00:00:00', '2013-01-01 00:00:01'],
    ['* * * * * * *', '2013-02-28 23:59:59', '2013-03-01 00:00:00'],
    ['*/5 * * * * * *', '2013-01-01 00:00:59', '2013-01-01 00:01:00'],
    ['* * * * *', '2016-02-28 23:59:00', '2016-02-29 00:00:00'],
    ['17-43/5 * * * *', '2013-01-01 00:30:00', '2013-01-01 00:32:00'],
    ['17-43/5 * * * *', '2013-01-01 00:50:00', '2013-01-01 01:17:00'],
    ['15-30/4,55 * * * *', '2013-01-01 00:16:00', '2013-01-01 00:19:00'],
    ['15-30/4,55 * * * *', '2012-12-31 23:55:00', '2013-01-01 00:15:00'],
    ['0 0 * * MON', '2013-01-28 00:00:00', '2013-02-04 00:00:00'],
    ['0 0 * * friday', '2013-12-30 00:30:00', '2014-01-03 00:00:00'],
    ['0 0 * * 6,7', '2013-01-28 00:00:00', '2013-02-02 00:00:00'],
    ['0 0 * * 5-7', '2013-01-01 00:00:00', '2013-01-04 00:00:00'],
    ['0 0 * * 6#5', '2013-09-02 00:00:00', '2013-11-30 00:00:00'],
    ['0 0 14W * *', '2013-03-31 00:00:00', '2013-04-15 00:00:00'],
    ['0 0 14W * *', '2013-08-31 00:00:00', '2013-09-13 00:00:00'],
    ['0 0 30W * *', '2013-03-02 00:00:00', '2013-03-29 00:00:00'],
    ['0 0 30W * *', '2013-06-02 00:00:00', '2013-06-28 00:00:00'],
    ['0 0 30W * *', '2013-09-02 00:00:00', '2013-09-30 00:00:00'],
    ['0 0 30W * *', '2013-11-02 00:00:00', '2013-11-29 00:00:00'],
    ['0 0 L * *', '2014-02-01 00:00:00', '2014-02-28 00:00:00'],
    ['0 0 L * *', '2016-02-15 00:00:00', '2016-02-29 00:00:00'],
    ['0 0 LW * *', '2013-11-02 00:00:00', '2013-11-29 00:00:00'],
    ['0 0 LW * *', '2014-08-15 00:00:00', '2014-08-29 00:00:00'],
    ['0 0 * 04 * *', '2013-09-02 00:00:00', '2014-04-01 00:00:00'],
    ['* * * * * 1980', '2013-08-31 00:00:00', 'never'],
    ['* * * * * 2050', '2013-08-31 00:00:00', '2050-01-01 00:00:00'],
    ['0 0 11 ? * 2 *', '2020-12-12 00:00:00', '2020-12-15 11:00:00'],
  ])('%s after %s is %s', (expression, after, next) => {
    expect(times(expression, after)).toEqual([next]);
  });

  it.each([
    ['20-10 * * * *', 'beginning of range (20) beyond end of range (10): 20-10'],
    ['1-60 * * * *', "syntax error in minute field: '1-60'"],
    ['* 10-5 * * *', 'beginning of range (10) beyond end of range (5): 10-5'],
    ['* 10-24 * * *', "syntax error in hour field: '10-24'"],
    ['* * 0-10 * *', "syntax error in day-of-month field: '0-10'"],
    ['* * * 0-11 *', "syntax error in month field: '0-11'"],
    ['* * * * 1-8', "syntax error in day-of-week field: '1-8'"],
    ['* * * * 5-2', 'beginning of range (5) beyond end of range (2): 5-2'],
  ])('refuses %s', (expression, message) => {
    expect(parseFurikoCron(expression, NONE)).toEqual({ kind: 'bad', message });
  });

  it('gives several times in a row', () => {
    expect(times('0 0 * * 6#5', '2013-09-02 08:44:30', 5)).toEqual(
      ['2013-11-30', '2014-03-29', '2014-05-31', '2014-08-30', '2014-11-29'].map((day) => `${day} 00:00:00`),
    );
  });

  it.each([
    ['0 H * ? * * *', 'myid1', '00:59:00'],
    ['0 H * ? * * *', 'myid2', '00:07:00'],
    ['0 0 H ? * * *', 'myid1', '11:00:00'],
    ['0 0 H ? * * *', 'myid2', '19:00:00'],
    ['H H H ? * * *', 'myid1', '11:59:59'],
    ['H H H ? * * *', 'myid2', '19:07:07'],
    ['H H(0-7) * * *', 'myid1', '03:59:00'],
    ['H H(0-7) * * *', 'myid3', '05:49:00'],
    ['0 H/5 * ? * * *', 'myid1', '00:04:00'],
    ['0 H/5 * ? * * *', 'myid2', '00:02:00'],
    ['0 H/7 * ? * * *', 'myid2', '00:03:00'],
    ['H H/5 * ? * * *', 'myid1', '00:04:59'],
    ['0 H(5-20) * ? * * *', 'myid1', '00:08:00'],
    ['0 H(5-20) * ? * * *', 'myid3', '00:18:00'],
    ['0 H(5-20)/5 * ? * * *', 'myid1', '00:09:00'],
    ['0 H(5-20)/5 * ? * * *', 'myid2', '00:07:00'],
  ])('hash: %s of %s is at %s', (expression, id, time) => {
    expect(times(expression, '2021-09-01 00:00:00', 1, { hashOf: () => xxhash64(id) })).toEqual([`2021-09-01 ${time}`]);
  });

  it.each([
    ['0 0 0 H * * *', 'myid1', '2021-09-01', '2021-09-28'],
    ['0 0 0 H * * *', 'myid2', '2021-09-01', '2021-09-04'],
    ['0 0 0 ? H * *', 'myid1', '2021-01-01', '2021-12-01'],
    ['0 0 0 ? * H *', 'myid1', '2021-09-01', '2021-09-04'],
    ['0 0 0 ? * H *', 'myid2', '2021-09-01', '2021-09-08'],
    ['0 0 0 ? * * H', 'myid1', '2015-01-01', '2019-01-01'],
  ])('hash of days: %s of %s after %s is %s', (expression, id, after, day) => {
    expect(times(expression, `${after} 00:00:00`, 1, { hashOf: () => xxhash64(id) })).toEqual([`${day} 00:00:00`]);
  });

  it.each([
    ['H H H ? * * *', 'myid1', '07:36:44'],
    ['H H H ? * * *', 'myid2', '04:43:56'],
    ['H H/5 * ? * * *', 'myid1', '00:01:44'],
    ['H H/5 * ? * * *', 'myid2', '00:03:56'],
  ])('hash with fields: %s of %s is at %s', (expression, id, time) => {
    const hashOf: HashOf = (field) => xxhash64(`${id}:${field}`);
    expect(times(expression, '2021-09-01 00:00:00', 1, { hashOf })).toEqual([`2021-09-01 ${time}`]);
  });

  it.each([
    [
      'spring: 2:02 does not exist',
      '2 2 * * *',
      '2019-03-09T09:00:00Z',
      ['2019-03-09T02:02:00-08:00', '2019-03-11T02:02:00-07:00'],
    ],
    ['spring: 4:00', '0 4 * * *', '2019-03-09T13:00:00Z', ['2019-03-10T04:00:00-07:00', '2019-03-11T04:00:00-07:00']],
    [
      'autumn: 1:30 twice',
      '30 1 * * *',
      '2019-11-03T07:00:00Z',
      ['2019-11-03T01:30:00-07:00', '2019-11-03T01:30:00-08:00', '2019-11-04T01:30:00-08:00'],
    ],
  ])('Los Angeles, %s', (_, expression, after, expected) => {
    expect(times(expression, after, expected.length, { zone: 'America/Los_Angeles' })).toEqual(expected);
  });

  it('São Paulo and Santiago change their clocks at midnight', () => {
    const paulo = { zone: 'America/Sao_Paulo' };
    expect(times('50 10 * ? * * *', '2018-02-17T22:12:00-02:00', 3, paulo)).toEqual([
      '2018-02-17T23:10:50-02:00',
      '2018-02-17T23:10:50-03:00',
      '2018-02-18T00:10:50-03:00',
    ]);
    expect(times('50 10 * ? * * *', '2018-11-03T23:12:00-03:00', 2, paulo)).toEqual([
      '2018-11-04T01:10:50-02:00',
      '2018-11-04T02:10:50-02:00',
    ]);
    expect(times('0 0 ? * *', '2021-09-03T00:00:00-04:00', 2, { zone: 'America/Santiago' })).toEqual([
      '2021-09-04T00:00:00-04:00',
      '2021-09-06T00:00:00-03:00',
    ]);
  });
});

describe('a JobConfig in Berlin', () => {
  const zone = 'Europe/Berlin';
  it('skips a time that the clock does not show in spring', () => {
    expect(times('30 2 * * *', '2026-03-28T12:00:00Z', 2, { zone })).toEqual([
      '2026-03-30T02:30:00+02:00',
      '2026-03-31T02:30:00+02:00',
    ]);
    expect(times('0 */2 * * *', '2026-03-28T23:30:00Z', 2, { zone })).toEqual([
      '2026-03-29T04:00:00+02:00',
      '2026-03-29T06:00:00+02:00',
    ]);
  });
  it('fires twice at a time that the clock shows twice in autumn', () => {
    expect(times('30 2 * * *', '2026-10-24T12:00:00Z', 3, { zone })).toEqual([
      '2026-10-25T02:30:00+02:00',
      '2026-10-25T02:30:00+01:00',
      '2026-10-26T02:30:00+01:00',
    ]);
    // Also where the schedule does not fire again for days, or never.
    for (const [expression, last] of [
      ['30 2 * * sun', '2026-11-01T02:30:00+01:00'],
      ['0 30 2 25 10 * 2026', 'never'],
    ] as const)
      expect(times(expression, '2026-10-20T12:00:00Z', 3, { zone })).toEqual([
        '2026-10-25T02:30:00+02:00',
        '2026-10-25T02:30:00+01:00',
        last,
      ]);
  });
});

describe('what upstream misreads', () => {
  it.each([
    // 7 ends a week: upstream leaves the Sunday out.
    ['0 0 * * 5-7', '2026-01-03 12:00:00', '2026-01-04 00:00:00'],
    ['0 0 * * fri-sun', '2026-01-03 12:00:00', '2026-01-04 00:00:00'],
    // Upstream reads 01 as Sunday.
    ['0 0 * * 01', '2026-01-01 00:00:00', '2026-01-05 00:00:00'],
  ])('%s after %s is %s', (expression, after, next) => {
    expect(times(expression, after)).toEqual([next]);
  });
  it('never hashes to a day or a month before the first', () => {
    // Upstream begins at 0, which no month has.
    expect(parsed('0 0 H/10 * *').days.ofMonth?.days).toEqual([10, 20, 30]);
    expect(parsed('0 0 1 H/3 *').months).toEqual([3, 6, 9, 12]);
  });
  it('fires in a part of an hour that is not skipped', () => {
    // Lord Howe's clock goes from 2:00 to 2:30, and then shows 2:31.
    const [next] = times('31 2 * * *', '2019-10-05T12:00:00+10:30', 1, { zone: 'Australia/Lord_Howe' });
    expect(next).toMatch(/^2019-10-06T02:31:00/);
  });
});

describe('expressions', () => {
  it.each([
    ['@hourly', '2026-01-01 00:30:00', '2026-01-01 01:00:00'],
    ['@daily', '2026-01-01 00:30:00', '2026-01-02 00:00:00'],
    ['@weekly', '2026-01-01 00:30:00', '2026-01-04 00:00:00'],
    ['@monthly', '2026-01-01 00:30:00', '2026-02-01 00:00:00'],
    ['@yearly', '2026-01-01 00:30:00', '2027-01-01 00:00:00'],
    ['@annually', '2026-01-01 00:30:00', '2027-01-01 00:00:00'],
    // Either day, if both are given.
    ['0 0 13 * 5', '2026-01-02 12:00:00', '2026-01-09 00:00:00'],
    ['0 0 13 * 5', '2026-01-09 12:00:00', '2026-01-13 00:00:00'],
    ['0 0 1W * *', '2026-07-31 12:00:00', '2026-08-03 00:00:00'],
    ['0 0 31W * *', '2026-05-30 12:00:00', '2026-07-31 00:00:00'],
    ['0 0 * * 5L', '2026-01-01 00:00:00', '2026-01-30 00:00:00'],
    ['0 0 * * sunL', '2026-01-01 00:00:00', '2026-01-25 00:00:00'],
    ['0 0 * * mon#1', '2026-01-06 00:00:00', '2026-02-02 00:00:00'],
    ['0 0 31 2 *', '2026-01-01 00:00:00', 'never'],
    ['0 0 1 jan,july * 2027', '2026-01-01 00:00:00', '2027-01-01 00:00:00'],
    ['/15 5/6 * * *', '2026-01-01 05:50:00', '2026-01-01 11:00:00'],
  ])('%s after %s is %s', (expression, after, next) => {
    expect(times(expression, after)).toEqual([next]);
  });

  it('a year of another century is none', () => {
    expect(parseFurikoCron('0 0 29 2 ? 2100', NONE).kind).toBe('bad');
  });

  it.each([
    ['', 'missing field(s): there are 0'],
    ['5', 'missing field(s): there is 1'],
    ['@every 5m', 'missing field(s): there are 2'],
    ['@reboot', 'unknown descriptor @reboot'],
    ['* * * * * * * *', 'too many fields: there are 8'],
    [', * * * *', 'minute field: missing directive'],
    ['*/0 * * * *', 'invalid interval */0'],
    ['*/60 * * * *', 'invalid interval */60'],
    ['* * 32W * *', "syntax error in day-of-month field: '32w'"],
    ['* * * * 5#6', "syntax error in day-of-week field: '5#6'"],
    ['* * * * 9L', "syntax error in day-of-week field: '9l'"],
    ['L * * * *', "syntax error in minute field: 'l'"],
    ['H(5-70) * * * *', "syntax error in minute field: 'H(5-70)'"],
    ['H(20-5) * * * *', 'beginning of range (20) beyond end of range (5): H(20-5)'],
    ['H(5-6)/10 * * * *', 'invalid interval H(5-6)/10'],
    ['* * * * * 1969', "syntax error in year field: '1969'"],
    ['-1 * * * *', "syntax error in minute field: '-1'"],
    ['0x5 * * * *', "syntax error in minute field: '0x5'"],
  ])('refuses %j', (expression, message) => {
    const read = parseFurikoCron(expression, NONE);
    expect(read.kind === 'bad' && read.message).toContain(message);
  });

  it('moves with the name of the JobConfig, each field by itself', () => {
    const one = parsed('H H * * *', hashOfConfig('default', 'nightly'));
    expect(one).toEqual(parsed('H H * * *', hashOfConfig('default', 'nightly')));
    expect(one.minutes).toEqual([Number((BigInt.asIntN(64, xxhash64('default/nightly:minute')) % 60n) + 60n) % 60]);
    expect(one).not.toEqual(parsed('H H * * *', hashOfConfig('team-a', 'nightly')));
  });
});

describe('time zones', () => {
  it.each([
    ['', 0],
    ['Local', 0],
    ['UTC', 0],
    ['Asia/Singapore', 480],
    ['UTC+8', 480],
    ['UTC+08', 480],
    ['GMT+8:00', 480],
    ['GMT+08:00', 480],
    ['UTC+0800', 480],
    ['UTC-3:30', -210],
    ['GMT-0330', -210],
    ['UTC+0', 0],
  ])('%j is %d minutes ahead', (text, minutes) => {
    const zone = configTimeZone(text);
    expect(zone.kind === 'ok' && zone.offsetMs(Date.UTC(2026, 0, 1)) / 60_000).toBe(minutes);
  });

  it.each(['Mars/Phobos', 'UTC+24', 'UTC+8:60', 'UTC8', '+08:00', 'UTC+800:00', 'utc+8', 'asia/singapore'])(
    'refuses %j',
    (text) => {
      expect(configTimeZone(text)).toMatchObject({ kind: 'bad' });
    },
  );
});
