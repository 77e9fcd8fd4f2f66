import { type EpochMs, asEpochMs } from './time.ts';
import { DecodeError, type Reader, type Writer } from './bytes.ts';

// How STATUS stores single values. Small numbers take few bytes, so a value close to another is stored as the distance.

/** Appends a value, and reads it again. `From`: what values are stored relative to. */
export type Codec<T, From = EpochMs> = {
  write(w: Writer, value: T, from: From): void;
  read(r: Reader, from: From): T;
};

/** A time, as its distance from an earlier one, in milliseconds. */
export const writeTime = (w: Writer, at: EpochMs, from: EpochMs): void => w.zigzag(at - from);
export const readTime = (r: Reader, from: EpochMs): EpochMs => asEpochMs(safe(from + r.zigzag()));

/** The same for a time in seconds. */
const writeSec = (w: Writer, sec: number, from: EpochMs): void => w.zigzag(sec - Math.floor(from / 1000));
const readSec = (r: Reader, from: EpochMs): number => safe(Math.floor(from / 1000) + r.zigzag());

export const writeTimeOrNull = (w: Writer, at: EpochMs | null, from: EpochMs): void =>
  w.zigzagOrNull(at === null ? null : at - from);

export function readTimeOrNull(r: Reader, from: EpochMs): EpochMs | null {
  const since = r.zigzagOrNull();
  return since === null ? null : asEpochMs(safe(from + since));
}

/** A number, as its distance below another. */
export const readBelow = (r: Reader, from: number): number => notNegative(from - r.zigzag());

/** Throws {@link DecodeError} for anything but 0 and 1. */
export function readBit(r: Reader): boolean {
  const bit = r.byte();
  if (bit > 1) throw new DecodeError(`${bit} where 0 or 1 is expected`);
  return bit === 1;
}

/** Throws {@link DecodeError} for a negative number, or one above JavaScript's safe integers. */
export function notNegative(value: number): number {
  if (value < 0) throw new DecodeError(`${value} where no negative number can be`);
  return safe(value);
}

function safe(value: number): number {
  if (!Number.isSafeInteger(value)) throw new DecodeError(`${value} is out of range`);
  return value;
}

/**
 * A word, as its code; the compiler checks that no word is missing. Codes are part of the stored format: new words get new numbers,
 * old numbers are never used again.
 */
export function codes<W extends string>(table: Readonly<Record<W, number>>): Codec<W, unknown> {
  const wordOf = new Map(Object.entries<number>(table).map(([word, code]) => [code, word as W]));
  return {
    write: (w, word) => w.byte(table[word]),
    read(r) {
      const code = r.byte();
      const word = wordOf.get(code);
      if (word === undefined) throw new DecodeError(`code ${code} is not known`);
      return word;
    },
  };
}

export const NUMBER: Codec<number, unknown> = { write: (w, value) => w.varint(value), read: (r) => r.varint() };
export const TEXT: Codec<string, unknown> = { write: (w, value) => w.text(value), read: (r) => r.text() };
export const TIME: Codec<EpochMs> = { write: writeTime, read: readTime };
export const TIME_OR_NULL: Codec<EpochMs | null> = { write: writeTimeOrNull, read: readTimeOrNull };
export const SEC: Codec<number> = { write: writeSec, read: readSec };

export const list = <T, From>(item: Codec<T, From>): Codec<readonly T[], From> => ({
  write(w, items, from) {
    w.varint(items.length);
    for (const each of items) item.write(w, each, from);
  },
  read: (r, from) => Array.from({ length: r.count() }, () => item.read(r, from)),
});

/** A byte says whether there is one. */
export const orNull = <T, From>(some: Codec<T, From>): Codec<T | null, From> => ({
  write(w, value, from) {
    w.byte(value === null ? 0 : 1);
    if (value !== null) some.write(w, value, from);
  },
  read: (r, from) => (readBit(r) ? some.read(r, from) : null),
});

export type Fields<T, From> = { readonly [K in keyof T]: Codec<T[K], From> };

/** One field after the other. A loop over names is slow: not for what every Job has. */
export function record<T extends object, From>(fields: Fields<T, From>): Codec<T, From> {
  const rows = Object.entries<Codec<unknown, From>>(fields);
  return {
    write(w, value, from) {
      for (const [name, field] of rows) field.write(w, (value as Readonly<Record<string, unknown>>)[name], from);
    },
    read(r, from) {
      const values: Record<string, unknown> = {};
      for (const [name, field] of rows) values[name] = field.read(r, from);
      return values as T;
    },
  };
}
