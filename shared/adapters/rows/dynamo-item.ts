import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { invariant } from '../../domain/base/invariant.ts';
import { NewerFormatError } from '../../domain/base/newer-format.ts';
import { TABLE } from '../../names/table.ts';
import { RowError } from '../../store/rows/fields.ts';
import { type AlarmPlace, type Fields, type Row, type RowKey, type Value, nameOf } from '../../store/rows/row.ts';

/** A row in the SDK's form. */
export type Item = Record<string, AttributeValue>;

/** Version of the rows' layout, in each row. One with an older one still loads; one with a newer one is left to a newer release. */
export const ROW_VERSION = 1;
export const LAYOUT = 'v';

export const keyItem = ({ partition, sort }: RowKey): Item => ({
  [TABLE.partitionKey]: { S: partition },
  [TABLE.sortKey]: { S: sort },
});

export const keyIn = (item: Item): RowKey => ({
  partition: item[TABLE.partitionKey]?.S ?? '?',
  sort: item[TABLE.sortKey]?.S ?? '?',
});

export const alarmIn = (item: Item): AlarmPlace => ({ minute: Number(item[TABLE.alarms.minute]?.N), key: keyIn(item) });

export function rowIn(item: Item): Row {
  const key = keyIn(item);
  const { [TABLE.partitionKey]: _pk, [TABLE.sortKey]: _sk, [LAYOUT]: layout, ...rest } = item;
  const fault = faultOf(key, layout?.N);
  if (fault === null) return { key, fields: fieldsIn(key, rest) };
  // A row whose time has passed is none, whatever its layout.
  const { [TABLE.ttl]: ttl } = rest;
  return { key, fields: ttl === undefined ? {} : fieldsIn(key, { [TABLE.ttl]: ttl }), fault };
}

function faultOf(key: RowKey, layout: string | undefined): Error | null {
  if (layout === undefined) return new RowError({ key }, `has no number ${LAYOUT}`);
  return Number(layout) > ROW_VERSION ? new NewerFormatError(nameOf(key), Number(layout), ROW_VERSION) : null;
}

function fieldsIn(key: RowKey, item: Item): Fields {
  const fields: Record<string, Value> = {};
  for (const [name, { S, N, B }] of Object.entries(item)) {
    if (S !== undefined) fields[name] = S;
    if (N !== undefined) fields[name] = Number(N);
    // Many rows are read for their other fields.
    if (B !== undefined) Object.defineProperty(fields, name, { enumerable: true, get: () => unpacked(key, B) });
  }
  return fields;
}

/** What a row has beside its fields. */
const OWN: readonly string[] = [TABLE.partitionKey, TABLE.sortKey, LAYOUT];

/** @throws InvariantError for a field that would be taken for the row's key or its layout */
export const attributes = (fields: Fields): Item =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      invariant(!OWN.includes(name), `no field is named ${name}`);
      return [name, attribute(value)];
    }),
  );

export function attribute(value: Value): AttributeValue {
  if (typeof value === 'string') return { S: value };
  return typeof value === 'number' ? { N: String(value) } : { B: packed(value) };
}

const PLAIN = 0;
const DEFLATED = 1;
/** Below this, a row stays under 1 KB anyway, and DynamoDB charges by whole KB: compressing would only cost time. */
const DEFLATE_FROM_BYTES = 700;
/** Far above any body of ours; a damaged one must not fill the memory. */
const INFLATED_MAX_BYTES = 64 * 1024 * 1024;

/** Bodies whose stored size was asked for before they are written. */
const packedBodies = new WeakMap<Uint8Array, Uint8Array>();

/** A body as stored: one byte for the encoding, then the bytes, deflated if that is shorter. */
export function packed(body: Uint8Array): Uint8Array {
  const known = packedBodies.get(body);
  if (known !== undefined) return known;
  const deflated = body.length < DEFLATE_FROM_BYTES ? null : deflateRawSync(body);
  const stored =
    deflated === null || deflated.length >= body.length
      ? Buffer.concat([Buffer.of(PLAIN), body])
      : Buffer.concat([Buffer.of(DEFLATED), deflated]);
  packedBodies.set(body, stored);
  return stored;
}

/** The body that {@link packed} was given. */
export function unpacked(key: RowKey, stored: Uint8Array): Uint8Array {
  const [how] = stored;
  if (how !== PLAIN && how !== DEFLATED) throw new RowError({ key }, 'has no readable body');
  const rest = stored.subarray(1);
  return how === PLAIN ? rest : inflateRawSync(rest, { maxOutputLength: INFLATED_MAX_BYTES });
}
