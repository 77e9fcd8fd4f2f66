import type { ObjectChange, ObjectKey, StoredKind, StoredObject } from '../../ports/object-store.ts';
import { jsonIn, versionIn } from '../rows/fields.ts';
import { type Program, get } from '../rows/program.ts';
import type { Row, RowKey } from '../rows/row.ts';
import { ChangeSchema, DocumentSchema } from './row-bodies.ts';
import { objectKey } from './row-keys.ts';

/** The object with this key; null: it does not exist. */
export function* readObject(kind: StoredKind, key: ObjectKey): Program<StoredObject | null> {
  const row = yield* get(objectKey(kind, key));
  return row === null ? null : objectIn(row);
}

export const objectIn = (row: Row): StoredObject => ({
  key: objectKeyIn(row.key),
  version: versionIn(row),
  document: jsonIn(row, DocumentSchema),
});

/** Whose row it is; a row of a later release has its key, too. */
export function objectKeyIn({ sort }: RowKey): ObjectKey {
  const mark = sort.indexOf('!');
  return { namespace: sort.slice(0, mark), name: sort.slice(mark + 1) };
}

export function changeIn(row: Row): ObjectChange {
  const { type, key, document, labelsBefore } = jsonIn(row, ChangeSchema);
  const version = Number(row.key.sort);
  return { type, object: { key, version, document }, ...(labelsBefore === undefined ? {} : { labelsBefore }) };
}
