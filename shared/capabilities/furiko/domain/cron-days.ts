import { FIELDS, type FieldItem, syntaxError, valueOf } from './cron-field.ts';

/** Which days an expression means. If both parts are restricted, a day in either of them matches, as in crontab(5). */
export type CronDays = {
  /** null: every day. */
  readonly ofMonth: {
    readonly days: readonly number[];
    /** The weekday that is next to each. */
    readonly workdays: readonly number[];
    readonly isLast: boolean;
    readonly isLastWorkday: boolean;
  } | null;
  /** null: every day. 0 is Sunday; there is no 7. */
  readonly ofWeek: {
    readonly days: readonly number[];
    /** The last of its kind in a month. */
    readonly last: readonly number[];
    readonly nth: readonly { readonly day: number; readonly n: number }[];
  } | null;
};

const isAny = (items: readonly FieldItem[]): boolean => items.some(({ kind }) => kind === 'any');
const valuesIn = (items: readonly FieldItem[]): readonly number[] =>
  items.flatMap((item) => (item.kind === 'values' ? item.values : []));
const othersIn = (items: readonly FieldItem[]): readonly string[] =>
  items.flatMap((item) => (item.kind === 'other' ? [item.text] : []));

/** Days of the month, with `L`, `LW`, and `15W`. */
export function daysOfMonth(items: readonly FieldItem[]): CronDays['ofMonth'] {
  const others = othersIn(items);
  const workdays = others
    .filter((text) => text !== 'l' && text !== 'lw')
    .map((text) => {
      const day = /^(\d+)w$/.exec(text)?.[1];
      const value = day === undefined ? null : valueOf(day, FIELDS.dayOfMonth);
      if (value === null) throw syntaxError(FIELDS.dayOfMonth, text);
      return value;
    });
  if (isAny(items)) return null;
  return { days: valuesIn(items), workdays, isLast: others.includes('l'), isLastWorkday: others.includes('lw') };
}

/** Days of the week, with `5L` and `5#3`. */
export function daysOfWeek(items: readonly FieldItem[]): CronDays['ofWeek'] {
  const last: number[] = [];
  const nth: { day: number; n: number }[] = [];
  for (const text of othersIn(items)) {
    const { day = '', n } = /^(?<day>[a-z0-9]+?)(?:l|#(?<n>[1-5]))$/.exec(text)?.groups ?? {};
    const value = valueOf(day, FIELDS.dayOfWeek);
    if (value === null) throw syntaxError(FIELDS.dayOfWeek, text);
    if (n === undefined) last.push(value % 7);
    else nth.push({ day: value % 7, n: Number(n) });
  }
  return isAny(items) ? null : { days: valuesIn(items).map((day) => day % 7), last, nth };
}

/** The days of a month (1 is January) that match, ascending. */
export function matchingDays({ ofMonth, ofWeek }: CronDays, year: number, month: number): readonly number[] {
  const length = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const firstIsA = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  const weekday = (day: number): number => (firstIsA + day - 1) % 7;
  const isMeant = (day: number): boolean => {
    if (ofMonth === null && ofWeek === null) return true;
    if (ofMonth !== null && isInMonth(ofMonth, day, length, weekday)) return true;
    if (ofWeek === null) return false;
    return (
      ofWeek.days.includes(weekday(day)) ||
      (day > length - 7 && ofWeek.last.includes(weekday(day))) ||
      ofWeek.nth.some((each) => each.day === weekday(day) && each.n === Math.ceil(day / 7))
    );
  };
  return Array.from({ length }, (_, i) => i + 1).filter(isMeant);
}

function isInMonth(
  { days, workdays, isLast, isLastWorkday }: NonNullable<CronDays['ofMonth']>,
  day: number,
  length: number,
  weekday: (day: number) => number,
): boolean {
  // The nearest weekday of the same month.
  const workdayAt = (near: number): number => {
    if (weekday(near) === 6) return near === 1 ? 3 : near - 1;
    if (weekday(near) === 0) return near === length ? near - 2 : near + 1;
    return near;
  };
  return (
    days.includes(day) ||
    (isLast && day === length) ||
    (isLastWorkday && day === workdayAt(length)) ||
    workdays.some((near) => near <= length && workdayAt(near) === day)
  );
}
