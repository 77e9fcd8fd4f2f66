import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type * as z from 'zod';
import { NewerFormatError } from '../../../domain/base/newer-format.ts';
import type { EpochMs } from '../../../domain/base/time.ts';
import { TABLE } from '../../../names/table.ts';

/** A row in the SDK's form. */
export type Row = Record<string, AttributeValue>;

/** Version of the rows' layout, in each row as `v`. A row with an older one still loads; one with a newer one is left to a newer release. */
export const ROW_VERSION = 1;

/** Names of our attributes, apart from the table's keys. Short: DynamoDB charges for them. */
export const ATTRIBUTE = {
  /** {@link ROW_VERSION} */
  layout: 'v',
  /** The condition of the next write. */
  version: 'version',
  /** Token of the write that made this version: a writer recognizes its own write if its answer was lost. */
  by: 'by',
  /** The rest, packed. */
  body: 'body',
} as const;

export const text = (value: string): AttributeValue => ({ S: value });
export const number = (value: number): AttributeValue => ({ N: String(value) });
const binary = (value: Uint8Array): AttributeValue => ({ B: value });

/** The row, unless it does not exist or has expired: DynamoDB removes it only days later (aws.md 2.5). */
export function alive(row: Row | undefined, now: EpochMs): Row | null {
  if (row === undefined) return null;
  const ttl = row[TABLE.ttl]?.N;
  if (ttl !== undefined && now >= Number(ttl) * 1000) return null;
  const layout = numberIn(row, ATTRIBUTE.layout);
  if (layout > ROW_VERSION) throw new NewerFormatError(nameOf(row), layout, ROW_VERSION);
  return row;
}

/** A row that this version of Muster did not write. */
class RowError extends Error {
  override readonly name = 'RowError';

  constructor(row: Row, what: string) {
    super(`${nameOf(row)} ${what}`);
  }
}

const nameOf = (row: Row): string => `row ${row[TABLE.partitionKey]?.S ?? '?'} ${row[TABLE.sortKey]?.S ?? '?'}`;

/** The attribute's text. Throws if it is missing. */
export function textIn(row: Row, attribute: string): string {
  const value = row[attribute]?.S;
  if (value === undefined) throw new RowError(row, `has no text ${attribute}`);
  return value;
}

/** The attribute's number. Throws if it is missing. */
export function numberIn(row: Row, attribute: string): number {
  const value = row[attribute]?.N;
  if (value === undefined) throw new RowError(row, `has no number ${attribute}`);
  return Number(value);
}

const PLAIN = 0;
const DEFLATED = 1;
/** Below this, a row stays under 1 KB anyway, and DynamoDB charges by whole KB: compressing would only cost time. */
const DEFLATE_FROM_BYTES = 700;

/** A body as stored: one byte for the encoding, then the bytes, deflated if that is shorter. */
export function packed(body: Uint8Array): AttributeValue {
  const deflated = body.length < DEFLATE_FROM_BYTES ? null : deflateRawSync(body);
  return deflated === null || deflated.length >= body.length
    ? binary(Buffer.concat([Buffer.of(PLAIN), body]))
    : binary(Buffer.concat([Buffer.of(DEFLATED), deflated]));
}

/** The body that {@link packed} was given. */
export function bodyIn(row: Row): Uint8Array {
  const value = row[ATTRIBUTE.body]?.B;
  const how = value?.[0];
  if (value === undefined || (how !== PLAIN && how !== DEFLATED)) throw new RowError(row, 'has no readable body');
  const rest = value.subarray(1);
  return how === PLAIN ? rest : inflateRawSync(rest, { maxOutputLength: INFLATED_MAX_BYTES });
}

/** Far above any body of ours; a damaged one must not fill the memory. */
const INFLATED_MAX_BYTES = 64 * 1024 * 1024;

export const packedJson = (value: unknown): AttributeValue => packed(Buffer.from(JSON.stringify(value)));

/** The value that {@link packedJson} was given, parsed by `schema`. */
export const jsonIn = <S extends z.ZodType>(row: Row, schema: S): z.output<S> =>
  schema.parse(JSON.parse(Buffer.from(bodyIn(row)).toString('utf8')));
