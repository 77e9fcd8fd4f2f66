import type { FieldType, KindTable, ObjectType } from '../../schema/kinds/kind-table.ts';
import { type FieldSet, LEAF, branch, difference } from './field-set.ts';
import { type JsonObject, isObject, own, without } from '../patch/json-value.ts';
import { fieldsByName, shapeOf, typeNamed } from '../patch/kind-fields.ts';

/** What the server sets and no manager owns (upstream's stripMeta, and the fields of a deletion). */
const OF_THE_SERVER = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
];

const UNTRACKED: FieldSet = branch(false, [
  ['f:metadata', { has: true, under: new Map(OF_THE_SERVER.map((name) => [`f:${name}`, LEAF])) }],
]);

/** The set without the fields that no manager may own. */
export const tracked = (set: FieldSet): FieldSet => difference(set, UNTRACKED);

/** The part of an object at a path that managers share: all but its type, and what is written at another path. */
export const shared = (object: JsonObject, subresource?: string): JsonObject =>
  without(object, ['apiVersion', 'kind', keptAt(subresource)]);

/** What is not written at this path: the spec at `status`, the status elsewhere. */
export const keptAt = (subresource: string | undefined): 'spec' | 'status' =>
  subresource === 'status' ? 'spec' : 'status';

/** The object without its managedFields. */
export const withoutEntries = (object: JsonObject): JsonObject => withoutMetadata(object, ['managedFields']);

/** The object without what a client cannot change anyway. */
export const withoutServerFields = (object: JsonObject): JsonObject => withoutMetadata(object, OF_THE_SERVER);

function withoutMetadata(object: JsonObject, keys: readonly string[]): JsonObject {
  const metadata = own(object, 'metadata');
  if (!isObject(metadata) || !keys.some((key) => Object.hasOwn(metadata, key))) return object;
  const entries = Object.entries(object);
  return Object.fromEntries(entries.map(([key, value]) => [key, key === 'metadata' ? without(metadata, keys) : value]));
}

/**
 * What exists before anything is set: Go's structs that are not pointers, and its lists without `omitempty`. This is why no
 * manager owns `spec` or `spec.template.spec.containers` themselves.
 */
export function emptyObject(table: KindTable, type: string): JsonObject {
  const of = typeNamed(table, type);
  return of === null ? {} : structs(table, of);
}

function structs(table: KindTable, of: ObjectType): JsonObject {
  return Object.fromEntries(
    [...fieldsByName(table, of)].flatMap(([name, field]): (readonly [string, unknown])[] => {
      if (field.required !== true && !['metadata', 'spec', 'status'].includes(name)) return [];
      return emptyValue(table, field.type).map((value) => [name, value]);
    }),
  );
}

function emptyValue(table: KindTable, type: FieldType): readonly unknown[] {
  const shape = shapeOf(table, type);
  if (shape.kind === 'struct') return [structs(table, shape.of)];
  return type.is === 'list' ? [null] : [];
}
