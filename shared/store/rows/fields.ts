import type * as z from 'zod';
import { isNewerFormat } from '../../domain/base/newer-format.ts';
import { type EpochMs, toTtl } from '../../domain/base/time.ts';
import { FIELD, type Fields, type Row, type RowKey, type Write, nameOf } from './row.ts';

/** A row that this version of Muster did not write. */
export class RowError extends Error {
  override readonly name = 'RowError';

  constructor({ key }: Pick<Row, 'key'>, what: string) {
    super(`${nameOf(key)} ${what}`);
  }
}

/** The row's fields. Throws where it cannot be read as a whole. */
export function fieldsOf(row: Row): Fields {
  if (row.fault !== undefined) throw row.fault;
  return row.fields;
}

/** That a row lacks what every row of its kind has; of an engine that can say so, with what its owner can do. */
function lacking(row: Row, what: string): Error {
  const error = new RowError(row, `has no ${what}`);
  return row.unreadable?.(error) ?? error;
}

/** The field's text. Throws if it is missing. */
export function textIn(row: Row, field: string): string {
  const value = fieldsOf(row)[field];
  if (typeof value !== 'string') throw lacking(row, `text ${field}`);
  return value;
}

/** The field's number. Throws if it is missing. */
export function numberIn(row: Row, field: string): number {
  const value = fieldsOf(row)[field];
  if (typeof value !== 'number') throw lacking(row, `number ${field}`);
  return value;
}

/** The version that the next write depends on; 0: there is no row. */
export const versionIn = (row: Row | null): number => (row === null ? 0 : numberIn(row, FIELD.version));

export const hasBody = (row: Row): boolean => FIELD.body in fieldsOf(row);

/**
 * What a row's body says.
 *
 * @throws NewerFormatError for a body of a later release; for one that `decode` cannot read, what the engine says of such rows
 */
export function decoded<T>(row: Row, decode: (body: Uint8Array) => T): T {
  const body = fieldsOf(row)[FIELD.body];
  try {
    if (!(body instanceof Uint8Array)) throw new RowError(row, 'has no readable body');
    return decode(body);
  } catch (error) {
    throw isNewerFormat(error) ? error : (row.unreadable?.(error) ?? error);
  }
}

/** A value as a body of JSON. */
export const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

/** The value that {@link json} was given, parsed by `schema`. */
export const jsonIn = <S extends z.ZodType>(row: Row, schema: S): z.output<S> =>
  decoded(row, (body) =>
    schema.parse(JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'))),
  );

/** The field that ends a row's life. */
export const until = (expireAt: EpochMs): Fields => ({ [FIELD.ttl]: toTtl(expireAt) });

/** A row of JSON that is written whole, without a condition. */
export const aPut = (key: RowKey, value: unknown, expireAt?: EpochMs): Write => ({
  kind: 'put',
  key,
  fields: { [FIELD.body]: json(value), ...(expireAt === undefined ? {} : until(expireAt)) },
});
