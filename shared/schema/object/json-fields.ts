import * as z from 'zod';

/** Go's JSON takes null for an absent field. */
export const opt = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined);

const some = z.unknown().optional();
/** Fields of these names, with any content. */
export const known = <const K extends string>(...names: readonly K[]): Record<K, typeof some> => {
  const fields = {} as Record<K, typeof some>;
  for (const name of names) fields[name] = some;
  return fields;
};

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Whether Go's `time.Parse` accepts the time: RFC 3339, on an existing day. */
const isTime = (value: string): boolean => {
  const [whole, year, month, day] = RFC_3339.exec(value) ?? [];
  if (whole === undefined || Number.isNaN(Date.parse(whole))) return false;
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
};

export const time = opt(z.stringFormat('time', isTime));
/** A time in the form that Go writes: UTC, without fractions of a second. */
export const plainTime = time.transform((value) =>
  value === undefined ? undefined : `${new Date(value).toISOString().slice(0, 19)}Z`,
);

export const text = opt(z.string());
export const int32 = opt(z.int32());
/** The largest number that JSON.stringify writes as an int64, because numbers beyond 2^53 are rounded. */
const INT64_MAX = 2 ** 63 - 1024;
/** A 64-bit integer, with JavaScript's precision. */
const anInt64 = z
  .number()
  .refine((value) => Number.isInteger(value) && Math.abs(value) <= 2 ** 63)
  .transform((value) => Math.max(-INT64_MAX, Math.min(INT64_MAX, value)));
export const int64 = opt(anInt64);
export const int64s = opt(z.array(anInt64));
export const flag = opt(z.boolean());
export const texts = opt(z.array(z.string()));
export const textMap = opt(
  z.record(
    z.string(),
    z
      .string()
      .nullable()
      .transform((value) => value ?? ''),
  ),
);
/** Bytes by key, in base64. Go takes it with line breaks, and writes it without. */
export const bytesMap = opt(
  z.record(
    z.string(),
    z
      .stringFormat('base64', (text) => illegalByteOf(text) === null)
      .nullable()
      .transform((text) => (text === null ? '' : btoa(atob(text)))),
  ),
);

/** Where a text is no base64, as Go's decoder says it; null: it is. */
export function illegalByteOf(text: string): number | null {
  const stray = /[^A-Za-z0-9+/\r\n]/.exec(text)?.index ?? text.length;
  const chars = text.slice(0, stray).replace(/[\r\n]/g, '').length;
  const rest = text.slice(stray).replace(/[\r\n]/g, '');
  const open = chars % 4;
  if (rest === '') return open === 0 ? null : stray - open;
  if (rest === '='.repeat(4 - open) && open >= 2) return null;
  return rest.startsWith('=') && open >= 2 ? text.length : stray;
}

/** A quantity may be written as a number. */
export const quantities = opt(z.record(z.string(), z.union([z.string(), z.number()]).transform(String)));
