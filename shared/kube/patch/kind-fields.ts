import type { Field, FieldType, KindTable, ObjectType, Scalar } from '../../schema/kinds/kind-table.ts';

/** A key of list items that may be omitted because it has a default (OpenAPI's `default` of ContainerPort and ServicePort). */
const KEY_DEFAULTS: ReadonlyMap<string, unknown> = new Map([['protocol', 'TCP']]);

/** How managers share a value: as one leaf, or by its contents. */
export type Shape =
  | { readonly kind: 'scalar'; readonly is: Scalar }
  /** Owned as a whole. */
  | { readonly kind: 'atomic'; readonly is: 'object' | 'map' | 'list' | 'anything' }
  | { readonly kind: 'struct'; readonly of: ObjectType }
  | { readonly kind: 'map'; readonly of: FieldType }
  | { readonly kind: 'set'; readonly of: FieldType }
  /** `keys` in alphabetical order. */
  | { readonly kind: 'keyed'; readonly of: FieldType; readonly keys: readonly string[] };

const ANYTHING: Shape = { kind: 'atomic', is: 'anything' };

/** The shape of a field's value. A type that is not in the table is a leaf with any value. */
export function shapeOf(table: KindTable, type: FieldType): Shape {
  switch (type.is) {
    case 'object': {
      const of = typeNamed(table, type.of);
      if (of === null) return ANYTHING;
      return of.atomic === true ? { kind: 'atomic', is: 'object' } : { kind: 'struct', of };
    }
    case 'map':
      return type.atomic === true ? { kind: 'atomic', is: 'map' } : { kind: 'map', of: type.of };
    case 'list':
      if (type.apply === 'atomic') return { kind: 'atomic', is: 'list' };
      if (type.apply === 'set') return { kind: 'set', of: type.of };
      return { kind: 'keyed', of: type.of, keys: type.apply.length === 1 ? type.apply : [...type.apply].sort() };
    case 'fieldsV1':
      return ANYTHING;
    case 'string':
    case 'bool':
    case 'int32':
    case 'int64':
    case 'bytes':
    case 'quantity':
    case 'time':
    case 'microTime':
    case 'intOrString':
      return { kind: 'scalar', is: type.is };
  }
}

export const typeNamed = (table: KindTable, name: string): ObjectType | null =>
  Object.hasOwn(table, name) ? (table[name] ?? null) : null;

/** The field with the JSON name `name`; fields of embedded structs count as the type's own. null: there is none. */
export const fieldNamed = (table: KindTable, type: ObjectType, name: string): Field | null =>
  fieldsByName(table, type).get(name) ?? null;

/** By type, because every request reads it; the table never changes. */
const known = new WeakMap<ObjectType, ReadonlyMap<string, Field>>();

export function fieldsByName(table: KindTable, type: ObjectType): ReadonlyMap<string, Field> {
  const found = known.get(type);
  if (found !== undefined) return found;
  const fields = new Map(
    Object.entries(type.fields).flatMap(([name, field]): (readonly [string, Field])[] => {
      const embedded = field.inline === true && field.type.is === 'object' ? typeNamed(table, field.type.of) : null;
      return embedded === null ? [[name, field]] : [...fieldsByName(table, embedded)];
    }),
  );
  known.set(type, fields);
  return fields;
}

/** The value of a list item's key, or its default if omitted; undefined: neither. */
export const keyValue = (value: unknown, key: string): unknown => (value === undefined ? KEY_DEFAULTS.get(key) : value);
