import { xxhash64 } from './xxhash64.ts';

/** The hash from which a field's `H` is computed; its name is one of {@link FIELDS}. */
export type HashOf = (field: string) => bigint;

/** As Furiko hashes by default (`cronHashFields`): two fields of one JobConfig do not move together. */
export const hashOfConfig =
  (namespace: string, name: string): HashOf =>
  (field) =>
    xxhash64(`${namespace}/${name}:${field}`);

/** Why an expression cannot be read. */
export class Unreadable extends Error {}

export type Field = {
  /** In messages, and in what is hashed. */
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** `H` alone is at most this: there is no 31st in every month. */
  readonly hashMax: number;
  readonly names: ReadonlyMap<string, number>;
};

const field = (name: string, min: number, max: number, names: readonly string[] = []): Field => ({
  name,
  min,
  max,
  hashMax: name === 'day-of-month' ? 28 : name === 'day-of-week' ? 6 : max,
  names: new Map(names.flatMap((each, i) => [each, each.slice(0, 3)].map((word) => [word, min + i] as const))),
});

/** Each field of an expression; the day of the week has 7 for Sunday, too. */
export const FIELDS = {
  second: field('second', 0, 59),
  minute: field('minute', 0, 59),
  hour: field('hour', 0, 23),
  dayOfMonth: field('day-of-month', 1, 31),
  month: field(
    'month',
    1,
    12,
    'january february march april may june july august september october november december'.split(' '),
  ),
  dayOfWeek: field('day-of-week', 0, 7, 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')),
  year: field('year', 1970, 2099),
} as const;

/** An item of a field's list. */
export type FieldItem =
  | { readonly kind: 'any' }
  | { readonly kind: 'values'; readonly values: readonly number[] }
  /** Only days have such: `L`, `LW`, `15W`, `5L`, `5#3`. */
  | { readonly kind: 'other'; readonly text: string };

/** The items of a field; those that are empty do not count. */
export function itemsOf(text: string, of: Field, hashOf: HashOf): readonly FieldItem[] {
  const items = text.split(',').filter((item) => item !== '');
  if (items.length === 0) throw new Unreadable(`${of.name} field: missing directive`);
  return items.map((item) => itemOf(item, of, hashOf));
}

const RANGE = /^(?<low>[a-z0-9]+)(?:-(?<high>[a-z0-9]+))?(?:\/(?<step>\d+))?$/;
const STAR = /^\*?\/(?<step>\d+)$/;
const HASH = /^h(?:\((?<low>[a-z0-9]+)-(?<high>[a-z0-9]+)\))?(?:\/(?<step>\d+))?$/;

function itemOf(item: string, of: Field, hashOf: HashOf): FieldItem {
  const text = item.toLowerCase();
  if (/^(?:\*{1,2}|\?{1,2})$/.test(text)) return { kind: 'any' };
  const hashed = HASH.exec(text)?.groups;
  if (hashed !== undefined) return values(hashedValues(hashed, of, item, hashOf));
  const star = STAR.exec(text)?.groups;
  if (star !== undefined) return values(from(of.min, topOf(of), stepOf(star['step'], of, item)));
  const { low: lowText = '', high: highText, step: stepText } = RANGE.exec(text)?.groups ?? {};
  const low = valueOf(lowText, of);
  const high = highText === undefined ? null : valueOf(highText, of);
  if (low === null || (highText !== undefined && high === null)) return { kind: 'other', text };
  if (stepText === undefined && high === null) return values([low]);
  const last = high === null ? topOf(of) : sundayLast(low, high, of);
  if (low > last) throw beyond(low, last, item);
  return values(from(low, last, stepText === undefined ? 1 : stepOf(stepText, of, item)));
}

const values = (all: readonly number[]): FieldItem => ({ kind: 'values', values: all });

/** Of all days, Sunday is meant once. */
const topOf = ({ max, hashMax, name }: Field): number => (name === 'day-of-week' ? hashMax : max);

/** `fri-sun`, as `5-7`: a week may end with Sunday. */
const sundayLast = (low: number, high: number, { name }: Field): number =>
  name === 'day-of-week' && high === 0 && low > 0 ? 7 : high;

/** A number or a name of a field; null: it is none. */
export function valueOf(text: string, { min, max, names }: Field): number | null {
  const named = names.get(text);
  if (named !== undefined) return named;
  if (!/^\d{1,4}$/.test(text) || (text.length > 2 && max < 1000)) return null;
  const value = Number(text);
  return value >= min && value <= max ? value : null;
}

function stepOf(text: string | undefined, { name, max }: Field, item: string): number {
  const step = Number(text);
  if (step < 1 || step > max)
    throw new Unreadable(`invalid interval ${item}: the step of ${name} is from 1 to ${String(max)}`);
  return step;
}

/** `H`, `H/5`, `H(5-20)`, `H(5-20)/5`. */
function hashedValues(
  { low: lowText, high: highText, step: stepText }: { readonly [part: string]: string | undefined },
  of: Field,
  item: string,
  hashOf: HashOf,
): readonly number[] {
  const low = lowText === undefined ? of.min : valueOf(lowText, of);
  const high = highText === undefined ? null : valueOf(highText, of);
  if (low === null || (highText !== undefined && high === null)) throw syntaxError(of, item);
  const last = high === null ? null : sundayLast(low, high, of);
  if (last !== null && low > last) throw beyond(low, last, item);
  const offset = (size: number): number => remainder(hashOf(of.name), size);
  if (stepText === undefined) return [low + offset((last ?? of.hashMax) - low + 1)];
  const step = stepOf(stepText, of, item);
  if (last === null) {
    // Upstream counts from 0 in every field: a first of the month that is a 0th would never come, so the next one is taken.
    return from(offset(step), topOf(of), step).filter((value) => value >= of.min);
  }
  if (step > last - low + 1)
    throw new Unreadable(`invalid interval ${item}: ${String(low)}-${String(last)} has fewer than ${String(step)}`);
  return from(low + offset(step), last, step);
}

/** Go takes the sign of the dividend; a negative remainder counts from the end. */
function remainder(hash: bigint, size: number): number {
  const rest = Number(BigInt.asIntN(64, hash) % BigInt(size));
  return rest < 0 ? rest + size : rest;
}

function from(first: number, last: number, step: number): readonly number[] {
  const all: number[] = [];
  for (let value = first; value <= last; value += step) all.push(value);
  return all;
}

const beyond = (low: number, high: number, item: string): Unreadable =>
  new Unreadable(`beginning of range (${String(low)}) beyond end of range (${String(high)}): ${item}`);

/** What no field reads. */
export const syntaxError = ({ name }: Field, item: string): Unreadable =>
  new Unreadable(`syntax error in ${name} field: '${item}'`);
