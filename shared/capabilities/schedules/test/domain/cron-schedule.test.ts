import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSchedule } from '../../domain/cron-schedule.ts';
import { draws } from '../../../../../test/verify/draws.ts';

const times = (text: string) => {
  const parsed = parseSchedule(text);
  if (parsed.kind === 'bad') throw new Error(parsed.reason);
  return parsed.schedule.times;
};

const fields = (text: string) => {
  const all = times(text);
  if (all.kind !== 'fields') throw new Error('not fields');
  return all;
};

const upTo = (from: number, to: number, step = 1): number[] => {
  const out: number[] = [];
  for (let value = from; value <= to; value += step) out.push(value);
  return out;
};

describe('schedules that Kubernetes accepts', () => {
  it.each<[string, readonly number[]]>([
    ['*', upTo(0, 59)],
    ['?', upTo(0, 59)],
    ['0', [0]],
    ['59', [59]],
    ['05', [5]],
    ['+5', [5]],
    ['1-5', upTo(1, 5)],
    ['5-5', [5]],
    ['1,3,5', [1, 3, 5]],
    ['5,3,3', [3, 5]],
    ['1-10/3', [1, 4, 7, 10]],
    ['*/15', [0, 15, 30, 45]],
    ['?/15', [0, 15, 30, 45]],
    ['5/15', [5, 20, 35, 50]],
    ['59/1', [59]],
    ['*/61', [0]],
    ['*/1', upTo(0, 59)],
    ['1-3,50-52/2', [1, 2, 3, 50, 52]],
    ['*,7', upTo(0, 59)],
    // Unusual schedules that are accepted anyway.
    ['1,,2', [1, 2]],
    [',', []],
    ['*-5', upTo(0, 59)],
    ['*-x-y', upTo(0, 59)],
    ['*-5/30', [0, 30]],
  ])('minutes %s', (minute, values) => {
    expect(fields(`${minute} 1 2 3 4`).minutes).toEqual(values);
  });

  it.each<[string, keyof ReturnType<typeof fields>, readonly number[]]>([
    ['0 22-23 * * *', 'hours', [22, 23]],
    ['0 0 1,31 * *', 'daysOfMonth', [1, 31]],
    ['0 0 31 2 *', 'daysOfMonth', [31]],
    ['0 0 * 1-12/4 *', 'months', [1, 5, 9]],
    ['0 0 * jan-mar *', 'months', [1, 2, 3]],
    ['0 0 * DEC,nOv *', 'months', [11, 12]],
    ['0 0 * 2-may *', 'months', [2, 3, 4, 5]],
    ['0 0 * * mon-fri', 'daysOfWeek', upTo(1, 5)],
    ['0 0 * * Sun,SAT', 'daysOfWeek', [0, 6]],
    ['0 0 * * 0-6', 'daysOfWeek', upTo(0, 6)],
    ['0 0 * * tue/2', 'daysOfWeek', [2, 4, 6]],
  ])('%s: %s', (schedule, field, values) => {
    expect(fields(schedule)[field]).toEqual(values);
  });

  it.each([
    ['@yearly', '0 0 1 1 *'],
    ['@annually', '0 0 1 1 *'],
    ['@monthly', '0 0 1 * *'],
    ['@weekly', '0 0 * * 0'],
    ['@daily', '0 0 * * *'],
    ['@midnight', '0 0 * * *'],
    ['@hourly', '0 * * * *'],
    ['\t0  0\u00a0* *\u3000* \n', '0 0 * * *'],
  ])('%j means %s', (text, meant) => {
    expect(times(text)).toEqual(times(meant));
  });

  it.each([
    ['@every 1h', 3600],
    ['@every 1h30m10s', 5410],
    ['@every 90s', 90],
    ['@every 1.5h', 5400],
    ['@every .5m', 30],
    ['@every 2500ms', 2],
    ['@every 1ms', 1],
    ['@every 0', 1],
    ['@every -1h', 1],
    ['@every +5m', 300],
    ['@every 3000000\u00b5s', 3],
    ['@every 4000000\u03bcs5000000us6000000000ns', 15],
  ])('%s: every %d s', (text, everySec) => {
    expect(times(text)).toEqual({ kind: 'every', everySec });
  });

  it.each([
    ['TZ=UTC 0 5 * * *', 'UTC'],
    ['CRON_TZ=America/New_York  @daily', 'America/New_York'],
    ['TZ= 0 5 * * *', ''],
  ])('%s names a zone', (text, timeZone) => {
    expect(parseSchedule(text)).toMatchObject({ kind: 'ok', schedule: { timeZone } });
  });

  it.each([
    ['0 0 1 * 1', true],
    ['0 0 * * 1', false],
    ['0 0 1 * ?', false],
    ['0 0 */2 * 1', true],
    ['0 0 */1 * 1', false],
    ['0 0 *,3 * 1', false],
  ])('%s: either day %s', (text, eitherDay) => {
    expect(fields(text).eitherDay).toBe(eitherDay);
  });
});

describe('schedules that Kubernetes refuses, in its words', () => {
  const atoi = (text: string, why = 'invalid syntax') =>
    `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: ${why}`;
  it.each([
    ['', 'empty spec string'],
    [' ', 'expected exactly 5 fields, found 0: []'],
    ['x', 'expected exactly 5 fields, found 1: [x]'],
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['0 0 * * * *', 'expected exactly 5 fields, found 6: [0 0 * * * *]'],
    [' @hourly', 'expected exactly 5 fields, found 1: [@hourly]'],
    ['*\ufeff* * * *', 'expected exactly 5 fields, found 4: [*\ufeff* * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* 24 * * *', 'end of range (24) above maximum (23): 24'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['* * 32 * *', 'end of range (32) above maximum (31): 32'],
    ['* * * 13 *', 'end of range (13) above maximum (12): 13'],
    ['* * * 0-3 *', 'beginning of range (0) below minimum (1): 0-3'],
    ['* * * * 7', 'end of range (7) above maximum (6): 7'],
    ['* * * * 7/2', 'beginning of range (7) beyond end of range (6): 7/2'],
    ['* * * * fri-mon', 'beginning of range (5) beyond end of range (1): fri-mon'],
    ['10-5 * * * *', 'beginning of range (10) beyond end of range (5): 10-5'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['-1 * * * *', atoi('')],
    ['1- * * * *', atoi('')],
    ['5/ * * * *', atoi('')],
    ['1.5 * * * *', atoi('1.5')],
    ['*/-5 * * * *', 'negative number (-5) not allowed: -5'],
    ['9223372036854775808 * * * *', atoi('9223372036854775808', 'value out of range')],
    ['x y * * *', atoi('x')],
    ['L * * * *', atoi('L')],
    ['* * L * *', atoi('L')],
    ['* * 15W * *', atoi('15W')],
    ['* * * * 5#2', atoi('5#2')],
    ['H * * * *', atoi('H')],
    ['mon * * * *', atoi('mon')],
    ['* * * january *', atoi('january')],
    ['* * * * fri/sun', atoi('sun')],
    ['* * * * monday', atoi('monday')],
    ['@reboot', 'unrecognized descriptor: @reboot'],
    ['@Hourly', 'unrecognized descriptor: @Hourly'],
    ['@hourly ', 'unrecognized descriptor: @hourly '],
    ['@every', 'unrecognized descriptor: @every'],
    ['@every ', 'failed to parse duration @every : time: invalid duration ""'],
    ['@every 5', 'failed to parse duration @every 5: time: missing unit in duration "5"'],
    ['@every 1d', 'failed to parse duration @every 1d: time: unknown unit "d" in duration "1d"'],
    ['@every  1h', 'failed to parse duration @every  1h: time: invalid duration " 1h"'],
    ['@every 9999999h', 'failed to parse duration @every 9999999h: time: invalid duration "9999999h"'],
    ['@every .s', 'failed to parse duration @every .s: time: invalid duration ".s"'],
    ['TZ=UTC', 'invalid schedule format: runtime error: slice bounds out of range [:-1]'],
    ['TZ=Mars/Base 0 0 * * *', 'provided bad location Mars/Base: unknown time zone Mars/Base'],
    ['TZ=../x 0 0 * * *', 'provided bad location ../x: time: invalid location name'],
    ['TZ=UTC ', 'expected exactly 5 fields, found 0: []'],
    ['tz=UTC 0 0 * * *', 'expected exactly 5 fields, found 6: [tz=UTC 0 0 * * *]'],
  ])('%j', (text, reason) => {
    expect(parseSchedule(text)).toEqual({ kind: 'bad', reason });
  });
});

describe('any text', () => {
  it.each([
    ['spaces within', `TZ=UTC x${' '.repeat(250_000)}x`],
    ['spaces around', `TZ=UTC ${' '.repeat(100_000)}x${' '.repeat(100_000)}`],
  ])('of a quarter of a million characters takes no longer than others: %s', (_, schedule) => {
    const parsed = parseSchedule(schedule);
    expect(parsed.kind === 'bad' ? parsed.reason : '').toContain('expected exactly 5 fields');
  });

  it('is accepted or refused with a reason', () => {
    const piece = fc.constantFrom(
      '*',
      '?',
      '5',
      '70',
      '-',
      '/',
      ',',
      ' ',
      'mon',
      '@every ',
      '1h',
      'TZ=',
      'UTC',
      '\n',
      'é',
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join('')),
    );
    const holds = () =>
      fc.assert(
        fc.property(text, (schedule) => {
          const parsed = parseSchedule(schedule);
          if (parsed.kind === 'bad') return parsed.reason !== '';
          const { times: read } = parsed.schedule;
          return read.kind === 'every' ? read.everySec >= 1 : read.months.every((month) => month >= 1 && month <= 12);
        }),
        { numRuns: draws(2000) },
      );
    expect(holds).not.toThrow();
  });
});
