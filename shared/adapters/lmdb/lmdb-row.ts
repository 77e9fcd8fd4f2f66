import type * as z from 'zod';
import { NewerFormatError, isNewerFormat } from '../../domain/base/newer-format.ts';
import { type EpochMs, type EpochSec, toTtl } from '../../domain/base/time.ts';
import { UnreadableRow } from '../../domain/base/unreadable-row.ts';

/** One row: the version that the next write depends on, the end of its life, and the rest. */
export type Row = {
  /** 0 in rows whose writes depend on nothing. */
  readonly version: number;
  /** From this second on the row counts as absent; null: it stays. */
  readonly ttl: EpochSec | null;
  readonly body: Uint8Array;
  /** Where it was read. */
  readonly from?: RowPlace;
};

type RowPlace = { readonly key: string; readonly path: string };

/** A row as it is written; without `ttl` it keeps the end of life that it has. */
export type RowWrite = Omit<Row, 'ttl' | 'from'> & { readonly ttl?: EpochSec | null };

/** The body of a row that says all by its key and version. */
export const EMPTY = Buffer.alloc(0);

/** Layout of a row, its first byte. */
const LAYOUT = 1;
const TTL_AT = 1;
const VERSION_AT = 5;
const BODY_AT = 13;

/** Bytes: layout (1), ttl in seconds or 0 (4), version (8), then the body. */
export function encodeRow({ version, ttl, body }: Row): Buffer {
  const bytes = Buffer.allocUnsafe(BODY_AT + body.length);
  bytes.writeUInt8(LAYOUT, 0);
  bytes.writeUInt32BE(ttl ?? 0, TTL_AT);
  bytes.writeDoubleBE(version, VERSION_AT);
  bytes.set(body, BODY_AT);
  return bytes;
}

/**
 * The row that {@link encodeRow} was given. Its body is a view of `bytes`.
 *
 * @param key named in the error
 * @throws NewerFormatError for a layout of a later release; Error for bytes that are no row
 */
export function decodeRow(key: string, bytes: Buffer): Row {
  const layout = bytes[0];
  if (layout !== undefined && layout > LAYOUT) throw new NewerFormatError(`row ${key}`, layout, LAYOUT);
  if (layout !== LAYOUT || bytes.length < BODY_AT)
    throw new Error(`row ${key} has layout ${layout}; this version of Muster knows ${LAYOUT}`);
  const ttl = bytes.readUInt32BE(TTL_AT);
  return {
    version: bytes.readDoubleBE(VERSION_AT),
    ttl: ttl === 0 ? null : (ttl as EpochSec),
    body: bytes.subarray(BODY_AT),
  };
}

export const isExpired = ({ ttl }: Row, now: EpochMs): boolean => ttl !== null && now >= ttl * 1000;

/** A value as a row of JSON. */
export const jsonRow = (value: unknown, version = 0, expireAt?: EpochMs): RowWrite => ({
  version,
  body: Buffer.from(JSON.stringify(value)),
  ...(expireAt === undefined ? {} : { ttl: toTtl(expireAt) }),
});

/** The value that {@link jsonRow} was given, as `schema` knows it. */
export const jsonIn = <S extends z.ZodType>(row: Row, schema: S): z.output<S> =>
  decoded(row, (body) =>
    schema.parse(JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'))),
  );

/**
 * What a row's body says.
 *
 * @throws NewerFormatError for a body of a later release; UnreadableRow for one that `decode` cannot read
 */
export function decoded<T>({ body, from }: Row, decode: (body: Uint8Array) => T): T {
  try {
    return decode(body);
  } catch (error) {
    throw from === undefined || isNewerFormat(error) ? error : unreadable(from, error);
  }
}

/** That a row cannot be decoded, and what its owner can do. */
export const unreadable = ({ key, path }: RowPlace, cause: unknown): UnreadableRow =>
  new UnreadableRow(
    key,
    path,
    `put a copy of the file in its place, or stop Muster and start it once with --discard-row '${key}'`,
    cause,
  );
