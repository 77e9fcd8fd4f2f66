import type { EpochMs } from '../../../domain/base/time.ts';
import { type OffsetOf, firstMoment } from '../../../domain/schedulers/first-moment.ts';
import { type CronDays, daysOfMonth, daysOfWeek, matchingDays } from './cron-days.ts';
import { FIELDS, type Field, type HashOf, Unreadable, itemsOf, syntaxError } from './cron-field.ts';

/** When an expression fires. Each list ascends. */
export type FurikoCron = {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: CronDays;
  readonly months: readonly number[];
  readonly years: readonly number[];
};

export type ParsedFurikoCron =
  | { readonly kind: 'ok'; readonly cron: FurikoCron }
  | { readonly kind: 'bad'; readonly message: string };

/** Each begins with the second and ends with the year. */
const DESCRIPTORS = new Map([
  ['@yearly', '0 0 0 1 1 * *'],
  ['@annually', '0 0 0 1 1 * *'],
  ['@monthly', '0 0 0 1 * * *'],
  ['@weekly', '0 0 0 * * 0 *'],
  ['@daily', '0 0 0 * * * *'],
  ['@hourly', '0 0 * * * * *'],
]);

/**
 * Parses a cron expression of a JobConfig as furiko-io/cronexpr does in its standard format: `[second] minute hour day month weekday
 * [year]`, where six fields are those with a year. What it would ignore or misread is refused, or means what it says.
 *
 * @param hashOf what `H` stands for, see `hashOfConfig`
 */
export function parseFurikoCron(expression: string, hashOf: HashOf): ParsedFurikoCron {
  try {
    return { kind: 'ok', cron: read(expression, hashOf) };
  } catch (error) {
    if (error instanceof Unreadable) return { kind: 'bad', message: error.message };
    throw error;
  }
}

function read(expression: string, hashOf: HashOf): FurikoCron {
  const given = expression.split(/\s+/).filter((part) => part !== '');
  const [only = ''] = given;
  if (given.length === 1 && only.startsWith('@') && !DESCRIPTORS.has(only))
    throw new Unreadable(`unknown descriptor ${only}: say ${[...DESCRIPTORS.keys()].join(', ')}`);
  const parts = given.length === 1 ? (DESCRIPTORS.get(only)?.split(' ') ?? given) : given;
  if (parts.length < 5) throw new Unreadable(`missing field(s): ${count(parts.length)}, and at least 5 are needed`);
  if (parts.length > 7) throw new Unreadable(`too many fields: ${count(parts.length)}, and at most 7 are read`);
  const [second = '', minute = '', hour = '', day = '', month = '', weekday = '', year = ''] = [
    ...(parts.length === 7 ? [] : ['0']),
    ...parts,
    ...(parts.length === 5 ? ['*'] : []),
  ];
  const of = (field: Field, text: string): readonly number[] => valuesOf(text, field, hashOf);
  return {
    seconds: of(FIELDS.second, second),
    minutes: of(FIELDS.minute, minute),
    hours: of(FIELDS.hour, hour),
    days: {
      ofMonth: daysOfMonth(itemsOf(day, FIELDS.dayOfMonth, hashOf)),
      ofWeek: daysOfWeek(itemsOf(weekday, FIELDS.dayOfWeek, hashOf)),
    },
    months: of(FIELDS.month, month),
    years: of(FIELDS.year, year),
  };
}

const count = (fields: number): string => `there ${fields === 1 ? 'is 1' : `are ${String(fields)}`}`;

function valuesOf(text: string, of: Field, hashOf: HashOf): readonly number[] {
  const every = Array.from({ length: of.max - of.min + 1 }, (_, i) => of.min + i);
  const values = itemsOf(text, of, hashOf).flatMap((item) => {
    if (item.kind === 'other') throw syntaxError(of, item.text);
    return item.kind === 'any' ? every : item.values;
  });
  return [...new Set(values)].sort((a, b) => a - b);
}

/**
 * The first second after `after` at which a cron fires; null: it never does again. Where a clock is put forward, what it never shows
 * does not fire; where it is put back, what it shows twice fires twice.
 */
export function nextFurikoTime(cron: FurikoCron, offsetMs: OffsetOf, after: EpochMs): EpochMs | null {
  const from = Math.floor(after / SECOND_MS) * SECOND_MS + SECOND_MS;
  return firstMoment({ from, nextWall: (wall) => nextWall(cron, wall), offsetMs });
}

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;

/** The first matching second of a wall clock, not before `from`. */
function nextWall(cron: FurikoCron, from: number): number | null {
  const start = new Date(from);
  for (const year of cron.years) {
    if (year < start.getUTCFullYear()) continue;
    for (const month of cron.months) {
      if (Date.UTC(year, month, 1) <= from) continue;
      for (const day of matchingDays(cron.days, year, month)) {
        const midnight = Date.UTC(year, month - 1, day);
        if (midnight + DAY_MS <= from) continue;
        const second = secondOfDay(cron, Math.max(0, Math.ceil((from - midnight) / SECOND_MS)));
        if (second !== null) return midnight + second * SECOND_MS;
      }
    }
  }
  return null;
}

/** The first matching second of a day, not before second `from`. */
function secondOfDay({ hours, minutes, seconds }: FurikoCron, from: number): number | null {
  for (const hour of hours) {
    if ((hour + 1) * 3600 <= from) continue;
    for (const minute of minutes) {
      const start = hour * 3600 + minute * 60;
      const found = seconds.find((second) => start + second >= from);
      if (found !== undefined) return start + found;
    }
  }
  return null;
}
