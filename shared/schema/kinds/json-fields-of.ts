import { invariant } from '../../domain/base/invariant.ts';
import type { Field, KindTable, ObjectType } from './kind-table.ts';

/** The type of this name. Throws if the table has none. */
export function typeOf(kinds: KindTable, name: string): ObjectType {
  const type = kinds[name];
  invariant(type !== undefined, `no type ${name} in the table of API shapes`);
  return type;
}

/** The fields of a type as in JSON, including those of embedded structs, in the table's order. */
export const jsonFieldsOf = (kinds: KindTable, name: string): readonly (readonly [string, Field])[] =>
  Object.entries(typeOf(kinds, name).fields).flatMap(([key, field]) =>
    field.inline === true && field.type.is === 'object' ? jsonFieldsOf(kinds, field.type.of) : [[key, field] as const],
  );
