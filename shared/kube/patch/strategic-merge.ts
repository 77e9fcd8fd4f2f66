import type { FieldType, KindTable, ObjectType } from '../../schema/kinds/kind-table.ts';
import { type JsonObject, isList, isObject, own } from './json-value.ts';
import { goText, goType } from './go-text.ts';
import { fieldNamed, typeNamed } from './kind-fields.ts';
import type { Patched } from './patch-outcome.ts';
import { PatchError, inOrderOf, mergeKeyed, mergeScalars, withoutScalars } from './strategic-list.ts';

const PATCH = '$patch';
const RETAIN_KEYS = '$retainKeys';
const SET_ORDER = '$setElementOrder';
const DELETE_SCALARS = '$deleteFromPrimitiveList';

/**
 * Applies a strategic merge patch: a merge patch that knows which lists are merged by which key, and whose directives delete,
 * replace, and order (kubernetes/community, strategic-merge-patch.md, and apimachinery's strategicpatch). `current` does not
 * change. Recursion is as deep as the patch.
 */
export function strategicMerge(table: KindTable, type: string, current: JsonObject, patch: JsonObject): Patched {
  try {
    const document = mergeObjects(placeOf(table, { is: 'object', of: type }), current, patch);
    return { kind: 'patched', document };
  } catch (error) {
    if (error instanceof PatchError) return { kind: error.kind, message: error.message };
    throw error;
  }
}

/** Where an object is: in a struct with its fields, in a map, or in a place that the table does not know. */
type Place =
  | { readonly kind: 'struct'; readonly table: KindTable; readonly name: string; readonly of: ObjectType }
  | { readonly kind: 'map'; readonly table: KindTable; readonly of: FieldType }
  | { readonly kind: 'anything' };

const ANYTHING: Place = { kind: 'anything' };

function placeOf(table: KindTable, type: FieldType | null): Place {
  if (type?.is === 'map') return { kind: 'map', table, of: type.of };
  const of = type?.is === 'object' ? typeNamed(table, type.of) : null;
  return type?.is === 'object' && of !== null ? { kind: 'struct', table, name: type.of, of } : ANYTHING;
}

/** The type of the value under a key. null: the table does not know. */
function typeUnder(place: Place, key: string): FieldType | null {
  if (place.kind === 'anything') return null;
  if (place.kind === 'map') return place.of;
  const field = fieldNamed(place.table, place.of, key);
  if (field === null)
    throw new PatchError(
      'bad',
      `unable to find api field in struct ${place.name} for the json field ${JSON.stringify(key)}`,
    );
  return field.type;
}

function mergeObjects(place: Place, current: JsonObject, patch: JsonObject): JsonObject {
  if (Object.hasOwn(patch, PATCH)) return directed(patch);
  const merged = new Map(retained(current, patch));
  const ordered = new Set<string>();
  for (const [key, value] of Object.entries(patch)) {
    if (!key.startsWith(SET_ORDER)) continue;
    const field = fieldBehind(key, SET_ORDER, 'invalid patch format of setElementOrder list');
    ordered.add(field);
    const list = orderedList(place, field, merged.get(field), own(patch, field), value);
    if (list !== null) merged.set(field, list);
  }
  for (const [key, value] of Object.entries(patch)) {
    if (key === RETAIN_KEYS || key.startsWith(SET_ORDER) || ordered.has(key)) continue;
    if (key.startsWith(DELETE_SCALARS)) {
      const field = fieldBehind(key, DELETE_SCALARS, 'invalid patch format of primitive list');
      const list = merged.get(field);
      if (!isList(value)) throw new PatchError('bad', 'invalid patch format of primitive list');
      if (isList(list)) merged.set(field, withoutScalars(list, value));
    } else if (value === null) merged.delete(key);
    else merged.set(key, mergeValues(place, key, merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

/** The value of `$patch` in an object. */
function directed(patch: JsonObject): JsonObject {
  const directive = own(patch, PATCH);
  if (directive === 'delete') return {};
  if (directive !== 'replace') throw unknownDirective(directive, patch);
  return withoutDirectives(patch) as JsonObject;
}

const unknownDirective = (directive: unknown, patch: JsonObject): PatchError =>
  new PatchError('bad', `unknown patch type: ${goText(directive)} in map: ${goText(patch)}`);

/** What `$retainKeys` keeps: of a union's fields (a volume's sources), only the one that is set. */
function retained(current: JsonObject, patch: JsonObject): readonly (readonly [string, unknown])[] {
  const entries = Object.entries(current);
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return entries;
  const named = own(patch, RETAIN_KEYS);
  const malformed = new PatchError('bad', 'invalid patch format of retainKeys');
  if (!isList(named)) throw malformed;
  const keys = new Set(named);
  for (const [key, value] of Object.entries(patch)) {
    const directive = key === RETAIN_KEYS || key.startsWith(SET_ORDER) || key.startsWith(DELETE_SCALARS);
    if (!directive && value !== null && !keys.has(key)) throw malformed;
  }
  return entries.filter(([key]) => keys.has(key));
}

/** `env` of `$setElementOrder/env` */
function fieldBehind(key: string, directive: string, malformed: string): string {
  if (!key.startsWith(`${directive}/`)) throw new PatchError('bad', malformed);
  return key.slice(directive.length + 1);
}

function mergeValues(place: Place, key: string, current: unknown, patch: unknown): unknown {
  if (isObject(patch) && isObject(current)) {
    const type = typeUnder(place, key);
    return mergeObjects(place.kind === 'anything' ? ANYTHING : placeOf(place.table, type), current, patch);
  }
  if (isList(patch) && isList(current)) return mergeLists(place, key, current, patch);
  return withoutDirectives(patch);
}

function mergeLists(place: Place, key: string, current: readonly unknown[], patch: readonly unknown[]): unknown {
  const type = typeUnder(place, key);
  const strategy = type?.is === 'list' ? type.patch : 'replace';
  if (strategy === 'replace') return patch;
  if (strategy === 'merge') return mergeScalars(current, patch);
  const items = place.kind === 'anything' || type?.is !== 'list' ? ANYTHING : placeOf(place.table, type.of);
  return mergeKeyed(current, patch, strategy.key, {
    merge: (one, other) => mergeObjects(items, one, other),
    add: (item) => withoutDirectives(item),
    unknownDirective,
  });
}

/** A list whose items `$setElementOrder` sorts: first the patch's changes, then the order. null: there is none. */
function orderedList(place: Place, field: string, current: unknown, patch: unknown, order: unknown) {
  for (const each of [order, ...(current === undefined ? [] : [current]), ...(patch === undefined ? [] : [patch])]) {
    if (!isList(each)) throw new PatchError('bad', `expected a []interface {}, but received a ${goType(each)}`);
  }
  if (!isList(order)) return null;
  const type = typeUnder(place, field);
  const key = type?.is === 'list' && typeof type.patch === 'object' ? type.patch.key : null;
  const list = isList(current) ? current : [];
  const changes = isList(patch) ? patch : [];
  const merged = changes.length === 0 ? list : mergeLists(place, field, list, changes);
  if (current === undefined && patch === undefined) return null;
  return inOrderOf(isList(merged) ? merged : [], { order, changes, before: list, key });
}

/** A value that is used as it is: `$` directives apply to existing values, and there is none; the same for nulls. */
function withoutDirectives(value: unknown): unknown {
  if (isList(value)) {
    return value.filter((item) => !isObject(item) || !Object.hasOwn(item, PATCH)).map(withoutDirectives);
  }
  if (!isObject(value)) return value;
  if (own(value, PATCH) === 'delete') return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => inner !== null && !isDirective(key))
      .map(([key, inner]) => [key, withoutDirectives(inner)]),
  );
}

const isDirective = (key: string): boolean =>
  key === PATCH || key === RETAIN_KEYS || key.startsWith(`${SET_ORDER}/`) || key.startsWith(`${DELETE_SCALARS}/`);
