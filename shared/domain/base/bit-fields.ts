import { DecodeError, type Reader, type Writer } from './bytes.ts';
import { type EpochMs, asEpochMs } from './time.ts';
import { type Codec, NUMBER, SEC, TIME } from './stored-values.ts';

// Records most of whose fields have their usual value: one number says which do not, a bit each, and these follow in the order of
// their bits. A field is a row of a table; what writes, reads, and compares records goes over it. A bit is never used for another
// field.

/** How a field is stored. Times count from `From`. */
export type BitField<T, From = EpochMs> = Codec<T, From> & {
  /** Its usual value, which is not stored. */
  readonly usual: T;
  /** The bit of any other value; or a bit for each, which is then all that is stored of it. */
  readonly bits: number | ReadonlyMap<unknown, number>;
  /** Whether a value is as good as the usual one; omitted: none but itself. */
  isUsual?(value: T): boolean;
  /** The moment that a value stands for, in milliseconds; omitted: it is no time. */
  timeOf?(value: T): number;
  /** The value where a clock was set back to `clock`: what has begun began now at the latest. Omitted: the same. */
  setBack?(value: T, clock: EpochMs): T;
};

/** The values of a table's fields. */
export type BitValues<Table> = { readonly [K in keyof Table]: Table[K] extends BitField<infer T, never> ? T : never };

const each = <T>(usual: T, bits: readonly (readonly [T, number])[]): BitField<T, unknown> => ({
  usual,
  bits: new Map(bits),
  write: () => undefined,
  read: () => usual,
});
/** A field that may be null. */
export const unlessNull = <T, From>(bit: number, codec: Codec<T, From>): BitField<T | null, From> => ({
  usual: null,
  bits: bit,
  write: (w, value, from) => (value === null ? undefined : codec.write(w, value, from)),
  read: (r, from) => codec.read(r, from),
});
/** A list that may be empty. */
export const unlessEmpty = <T, From>(bit: number, codec: Codec<readonly T[], From>): BitField<readonly T[], From> => ({
  usual: [],
  isUsual: (value) => value.length === 0,
  bits: bit,
  ...codec,
});

export const count = (bit: number): BitField<number, unknown> => ({ usual: 0, bits: bit, ...NUMBER });
export const flag = (bit: number): BitField<boolean, unknown> => each(false, [[true, bit]]);
/** A word, or null: a bit for each word. */
export const word = <W extends string>(bits: Readonly<Record<W, number>>): BitField<W | null, unknown> =>
  each<W | null>(null, Object.entries<number>(bits) as [W, number][]);

/** A moment that has begun, or null. */
export const time = (bit: number): BitField<EpochMs | null> => ({
  ...unlessNull(bit, TIME),
  setBack: (at, clock) => (at === null ? null : asEpochMs(Math.min(at, clock))),
});
/** The same in seconds. */
export const sec = (bit: number): BitField<number | null> => ({
  ...unlessNull(bit, SEC),
  setBack: (at, clock) => (at === null ? null : Math.min(at, Math.floor(clock / 1000))),
});

/** A time that is not before the one that times count from, or null. */
export const timeAfter = (bit: number): BitField<EpochMs | null> => ({
  ...unlessNull<EpochMs, EpochMs>(bit, {
    write: (w, at, from) => w.varint(at - from),
    read: (r, from) => asEpochMs(from + r.varint()),
  }),
  timeOf: (at) => at ?? Infinity,
});
/** The same in seconds. */
export const secAfter = (bit: number): BitField<number | null> => ({
  ...unlessNull<number, EpochMs>(bit, {
    write: (w, at, from) => w.varint(at - Math.floor(from / 1000)),
    read: (r, from) => Math.floor(from / 1000) + r.varint(),
  }),
  timeOf: (at) => (at === null ? Infinity : at * 1000),
});

type Row<From> = { readonly key: string; readonly field: BitField<unknown, From> };
/** Whose bit it is. */
type Place<From> = Row<From> & {
  /** What it says, or reads what follows. */
  read(r: Reader, from: From): unknown;
};
type Values = Readonly<Record<string, unknown>>;

/** What goes over a table. */
export class BitFields<R extends object, From = EpochMs> {
  /** All of them with their usual values. */
  readonly usual: R;
  readonly #fields: readonly Row<From>[];
  readonly #places: readonly Place<From>[];
  readonly #known: number;
  /** The bits of fields that follow, and of times among them. */
  readonly #following: number;
  readonly #times: number;

  constructor(table: { readonly [K in keyof R]: BitField<R[K], From> }) {
    this.#fields = Object.entries<BitField<unknown, From>>(table).map(([key, field]) => ({ key, field }));
    const places: Place<From>[] = [];
    for (const { key, field } of this.#fields)
      if (typeof field.bits === 'number')
        places[nth(field.bits)] = { key, field, read: (r, from) => field.read(r, from) };
      else for (const [value, bit] of field.bits) places[nth(bit)] = { key, field, read: () => value };
    this.#places = places;
    const bitsOf = (isMeant: (place: Place<From>) => boolean): number =>
      places.reduce((all, place, at) => (isMeant(place) ? all | (1 << at) : all), 0);
    this.#known = bitsOf(() => true);
    this.#following = bitsOf(({ field: { bits } }) => typeof bits === 'number');
    this.#times = bitsOf(({ field }) => field.timeOf !== undefined);
    // A copy of the table has its shape: an object that grows field by field becomes a slow one.
    this.usual = this.#filled(table, ({ usual }) => usual);
  }

  /** Which fields do not have their usual value. */
  bitsOf(record: R): number {
    let has = 0;
    for (const { key, field } of this.#fields) {
      const value = (record as Values)[key];
      if (value === field.usual || field.isUsual?.(value) === true) continue;
      has |= typeof field.bits === 'number' ? field.bits : (field.bits.get(value) ?? 0);
    }
    return has;
  }

  /** Writes the fields whose bits `has` holds; times count from `from`. */
  write(w: Writer, record: R, has: number, from: From): void {
    for (let rest = has & this.#following; rest !== 0; rest &= rest - 1) {
      const { key, field } = this.#at(rest);
      field.write(w, (record as Values)[key], from);
    }
  }

  /** Reads the fields whose bits `has` holds into a record that has the usual values. Throws {@link DecodeError} for a bit of no field. */
  readInto(r: Reader, record: R, has: number, from: From): void {
    this.check(has);
    for (let rest = has; rest !== 0; rest &= rest - 1) {
      const place = this.#at(rest);
      (record as Record<string, unknown>)[place.key] = place.read(r, from);
    }
  }

  /** Throws {@link DecodeError} for a bit of no field. */
  check(has: number): void {
    if (has >= 2 ** 31 || (has & ~this.#known) !== 0) throw new DecodeError('a field that is not known');
  }

  /** The earliest of the times that its fields stand for, in milliseconds; Infinity: there is none. */
  earliest(record: R, has: number): number {
    let earliest = Infinity;
    for (let rest = has & this.#times; rest !== 0; rest &= rest - 1) {
      const { key, field } = this.#at(rest);
      if (field.timeOf !== undefined) earliest = Math.min(earliest, field.timeOf((record as Values)[key]));
    }
    return earliest;
  }

  /** What a pass sees of them whose clock was set back to `clock`. */
  setBack(record: R, clock: EpochMs): R {
    return this.#filled(record, (field, key) => {
      const value = (record as Values)[key];
      return field.setBack === undefined ? value : field.setBack(value, clock);
    });
  }

  /** An object of the shape of `like` whose fields are others. */
  #filled(like: object, valueOf: (field: BitField<unknown, From>, key: string) => unknown): R {
    const values: Record<string, unknown> = { ...like };
    for (const { key, field } of this.#fields) values[key] = valueOf(field, key);
    return values as R;
  }

  /** What the lowest bit says. */
  #at(bits: number): Place<From> {
    return this.#places[nth(bits & -bits)] as Place<From>;
  }
}

const nth = (bit: number): number => 31 - Math.clz32(bit);
