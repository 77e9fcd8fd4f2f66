import { parseGoDuration } from '../../../domain/base/go-duration.ts';
import { findTimeZone } from '../../../domain/base/time-zone.ts';

/** When a CronJob fires. */
export type CronSchedule = {
  /** Set if the schedule itself names one (`TZ=`, `CRON_TZ=`); null: the CronJob's. */
  readonly timeZone: string | null;
  readonly times: CronTimes | { readonly kind: 'every'; readonly everySec: number };
};

/** Each field's values, ascending. */
export type CronTimes = {
  readonly kind: 'fields';
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: readonly number[];
  readonly months: readonly number[];
  /** 0 is Sunday; there is no 7. */
  readonly daysOfWeek: readonly number[];
  /** Unless one of the two day fields is a star, a day in either of them matches. */
  readonly eitherDay: boolean;
};

export type ParsedSchedule =
  | { readonly kind: 'ok'; readonly schedule: CronSchedule }
  | { readonly kind: 'bad'; readonly reason: string };

/** Why a schedule cannot be parsed, in the words of Kubernetes' parser. */
class Unreadable extends Error {}

/**
 * Parses a schedule as Kubernetes does: what robfig/cron's standard parser accepts, and nothing else (kubernetes-job.md 8.2).
 * No npm package accepts the same set (7 for Sunday, `L` and `#`, `5/15`, empty list items, six fields, `@every`).
 */
export function parseSchedule(text: string): ParsedSchedule {
  try {
    return { kind: 'ok', schedule: read(text) };
  } catch (error) {
    if (error instanceof Unreadable) return { kind: 'bad', reason: error.message };
    throw error;
  }
}

function read(text: string): CronSchedule {
  if (text === '') throw new Unreadable('empty spec string');
  const { timeZone, rest } = splitTimeZone(text);
  return { timeZone, times: rest.startsWith('@') ? descriptor(rest) : fields(rest) };
}

/** Go's `unicode.IsSpace`, which differs from JavaScript's. */
const SPACES = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** A regular expression for the end would scan from every space to the end of its run: half a minute for a text of spaces. */
function trimmed(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && SPACES.test(text.charAt(from))) from++;
  while (to > from && SPACES.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

function splitTimeZone(text: string): { readonly timeZone: string | null; readonly rest: string } {
  if (!/^(?:CRON_)?TZ=/.test(text)) return { timeZone: null, rest: text };
  const space = text.indexOf(' ');
  if (space < 0) throw new Unreadable('invalid schedule format: runtime error: slice bounds out of range [:-1]');
  const name = text.slice(text.indexOf('=') + 1, space);
  const zone = findTimeZone(name);
  if (zone.kind === 'unknown') throw new Unreadable(`provided bad location ${name}: ${zone.reason}`);
  return { timeZone: name, rest: trimmed(text.slice(space)) };
}

const DESCRIPTORS = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

function descriptor(text: string): CronSchedule['times'] {
  const meant = DESCRIPTORS.get(text);
  if (meant !== undefined) return fields(meant);
  if (!text.startsWith('@every ')) throw new Unreadable(`unrecognized descriptor: ${text}`);
  const duration = parseGoDuration(text.slice('@every '.length));
  if (duration.kind === 'bad') throw new Unreadable(`failed to parse duration ${text}: ${duration.reason}`);
  return { kind: 'every', everySec: Math.max(1, Math.floor(duration.seconds)) };
}

type Bounds = { readonly min: number; readonly max: number; readonly names: readonly string[] };

const MINUTE: Bounds = { min: 0, max: 59, names: [] };
const HOUR: Bounds = { min: 0, max: 23, names: [] };
const DAY_OF_MONTH: Bounds = { min: 1, max: 31, names: [] };
const MONTH: Bounds = { min: 1, max: 12, names: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ') };
const DAY_OF_WEEK: Bounds = { min: 0, max: 6, names: 'sun mon tue wed thu fri sat'.split(' ') };
const FIELDS = 5;

function fields(text: string): CronTimes {
  const parts = text.split(SPACES).filter((part) => part !== '');
  const [minute, hour, dayOfMonth, month, dayOfWeek] = parts;
  if (
    parts.length !== FIELDS ||
    minute === undefined ||
    hour === undefined ||
    dayOfMonth === undefined ||
    month === undefined ||
    dayOfWeek === undefined
  )
    throw new Unreadable(`expected exactly ${FIELDS} fields, found ${parts.length}: [${parts.join(' ')}]`);
  const minutes = valuesOf(minute, MINUTE);
  const hours = valuesOf(hour, HOUR);
  const daysOfMonth = valuesOf(dayOfMonth, DAY_OF_MONTH);
  const months = valuesOf(month, MONTH);
  const daysOfWeek = valuesOf(dayOfWeek, DAY_OF_WEEK);
  return {
    kind: 'fields',
    minutes: minutes.values,
    hours: hours.values,
    daysOfMonth: daysOfMonth.values,
    months: months.values,
    daysOfWeek: daysOfWeek.values,
    eitherDay: !daysOfMonth.isStar && !daysOfWeek.isStar,
  };
}

type Values = { readonly values: readonly number[]; readonly isStar: boolean };

/** Empty items of a list are skipped, so `,` alone is a field that never matches. */
function valuesOf(field: string, bounds: Bounds): Values {
  const items = [...new Set(field.split(','))].filter((item) => item !== '');
  const ranges = items.map((item) => rangeOf(item, bounds));
  return {
    values: [...new Set(ranges.flatMap(({ values }) => values))].sort((a, b) => a - b),
    isStar: ranges.some(({ isStar }) => isStar),
  };
}

/** `*`, `?`, `5`, `1-5`, each with `/step`; `5/15` means from 5 to the end. Whatever follows a star's dash is ignored. */
function rangeOf(item: string, bounds: Bounds): Values {
  const [range = '', stepText, ...slashes] = item.split('/');
  const [low = '', high, ...hyphens] = range.split('-');
  const isStar = low === '*' || low === '?';
  const start = isStar ? bounds.min : numberOf(low, bounds);
  if (!isStar && hyphens.length > 0) throw new Unreadable(`too many hyphens: ${item}`);
  const given = isStar ? bounds.max : high === undefined ? start : numberOf(high, bounds);
  if (slashes.length > 0) throw new Unreadable(`too many slashes: ${item}`);
  const step = stepText === undefined ? 1 : numberOf(stepText);
  const end = stepText !== undefined && high === undefined ? bounds.max : given;
  if (start < bounds.min) throw new Unreadable(`beginning of range (${start}) below minimum (${bounds.min}): ${item}`);
  if (end > bounds.max) throw new Unreadable(`end of range (${end}) above maximum (${bounds.max}): ${item}`);
  if (start > end) throw new Unreadable(`beginning of range (${start}) beyond end of range (${end}): ${item}`);
  if (step === 0) throw new Unreadable(`step of range should be a positive number: ${item}`);
  const values: number[] = [];
  for (let value = start; value <= end; value += step) values.push(value);
  return { values, isStar: isStar && step === 1 };
}

/** A name, if the field has names, or a number as Go's `Atoi` parses it. */
function numberOf(text: string, { min, names }: Pick<Bounds, 'min' | 'names'> = MINUTE): number {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return min + named;
  const failed = (why: string): Unreadable =>
    new Unreadable(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: ${why}`);
  if (!/^[+-]?[0-9]+$/.test(text)) throw failed('invalid syntax');
  const value = BigInt(text.replace(/^\+/, ''));
  if (BigInt.asIntN(64, value) !== value) throw failed('value out of range');
  if (value < 0n) throw new Unreadable(`negative number (${value}) not allowed: ${text}`);
  return Number(value);
}
