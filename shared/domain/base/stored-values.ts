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
export const writeSec = (w: Writer, sec: number, from: EpochMs): void => w.zigzag(sec - Math.floor(from / 1000));
export const readSec = (r: Reader, from: EpochMs): number => safe(Math.floor(from / 1000) + r.zigzag());

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

type Codes<W extends string> = { readonly code: (word: W) => number; readonly word: (code: number) => W };

/** A word for each code and back; the compiler checks that no word is missing. */
export function codes<W extends string>(table: Readonly<Record<W, number>>): Codes<W> {
  const wordOf = new Map(Object.entries<number>(table).map(([word, code]) => [code, word as W]));
  return {
    code: (word) => table[word],
    word(code) {
      const word = wordOf.get(code);
      if (word === undefined) throw new DecodeError(`code ${code} is not known`);
      return word;
    },
  };
}

export const NUMBER: Codec<number, unknown> = { write: (w, value) => w.varint(value), read: (r) => r.varint() };
export const TEXT: Codec<string, unknown> = { write: (w, value) => w.text(value), read: (r) => r.text() };
export const SEC: Codec<number> = { write: writeSec, read: readSec };
export const TIME_OR_NULL: Codec<EpochMs | null> = { write: writeTimeOrNull, read: readTimeOrNull };
