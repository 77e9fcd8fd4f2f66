import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { invariant } from '../../../../domain/base/invariant.ts';
import { TABLE } from '../../../../names/table.ts';
import {
  OBJECT_BYTES_MAX,
  type ObjectChange,
  type ObjectKey,
  type StoredKind,
  type StoredObject,
} from '../../../../ports/object-store.ts';
import { ChangeSchema, DocumentSchema } from '../../../../store/programs/row-bodies.ts';
import { objectKey, objectSort } from '../dynamo-keys.ts';
import { readRow } from '../dynamo-read.ts';
import { ATTRIBUTE, type Row, jsonIn, numberIn, packedJson, textIn } from '../dynamo-row.ts';
import type { Table } from '../dynamo-write.ts';

/** The object with this key; null: it does not exist. */
export async function readObject(table: Table, kind: StoredKind, key: ObjectKey): Promise<StoredObject | null> {
  const row = isShortEnough(objectSort(key)) ? await readRow(table, objectKey(kind, key)) : null;
  return row === null ? null : objectIn(row);
}

/** The current namespace; null: it does not exist. */
export const readNamespace = async (table: Table, name: string): Promise<StoredObject | null> =>
  readObject(table, 'Namespace', { namespace: '', name });

/** DynamoDB takes a sort key of at most 1,024 bytes, and refuses requests with longer ones; names are shorter. */
export const isShortEnough = (sort: string): boolean => Buffer.byteLength(sort) <= 1024;

/** A value as a body, if it fits into a row. */
export function fitting(value: unknown): AttributeValue {
  const body = packedJson(value);
  const bytes = body.B?.length ?? 0;
  invariant(bytes <= OBJECT_BYTES_MAX, `an object of ${bytes} bytes does not fit into a row (${OBJECT_BYTES_MAX})`);
  return body;
}

export const objectIn = (row: Row): StoredObject => ({
  key: objectKeyIn(row),
  version: numberIn(row, ATTRIBUTE.version),
  document: jsonIn(row, DocumentSchema),
});

/** Whose row it is; a row of a later release has its key, too. */
export function objectKeyIn(row: Row): ObjectKey {
  const sort = textIn(row, TABLE.sortKey);
  const mark = sort.indexOf('!');
  return { namespace: sort.slice(0, mark), name: sort.slice(mark + 1) };
}

export function changeIn(row: Row): ObjectChange {
  const { type, key, document, labelsBefore } = jsonIn(row, ChangeSchema);
  const version = Number(textIn(row, TABLE.sortKey));
  return { type, object: { key, version, document }, ...(labelsBefore === undefined ? {} : { labelsBefore }) };
}
