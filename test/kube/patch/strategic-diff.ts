import type { KindTable, ObjectType } from '../../../shared/schema/kinds/kind-table.ts';
import type { Json } from './a-job.ts';

/**
 * The strategic merge patch that kubectl computes from two objects: changes by key, deletions, and the order of every list that
 * differs.
 */
export function strategicDiff(table: KindTable, type: string, one: Json, other: Json): Json {
  const patch: Json = {};
  for (const key of Object.keys(one)) if (!Object.hasOwn(other, key)) patch[key] = null;
  for (const [key, value] of Object.entries(other)) {
    const before = Object.hasOwn(one, key) ? one[key] : undefined;
    if (JSON.stringify(before) === JSON.stringify(value)) continue;
    const field = fieldOf(table, table[type], key)?.type;
    if (before === undefined) patch[key] = value;
    else if (field?.is === 'object') patch[key] = strategicDiff(table, field.of, before as Json, value as Json);
    else if (field?.is === 'map') patch[key] = strategicDiff(table, '', before as Json, value as Json);
    else if (field?.is === 'list' && field.patch !== 'replace') {
      const item = field.of.is === 'object' ? field.of.of : '';
      Object.assign(patch, listDiff(table, item, key, field.patch, before as unknown[], value as unknown[]));
    } else patch[key] = value;
  }
  return patch;
}

function listDiff(
  table: KindTable,
  type: string,
  field: string,
  patch: 'merge' | { readonly key: string; readonly retainKeys?: true },
  one: unknown[],
  other: unknown[],
): Json {
  if (patch === 'merge') {
    const gone = one.filter((value) => !other.includes(value));
    const added = other.filter((value) => !one.includes(value));
    return {
      [`$setElementOrder/${field}`]: other,
      ...(gone.length > 0 ? { [`$deleteFromPrimitiveList/${field}`]: gone } : {}),
      ...(added.length > 0 ? { [field]: added } : {}),
    };
  }
  const { key } = patch;
  const find = (list: unknown[], item: unknown) => (list as Json[]).find((each) => each[key] === (item as Json)[key]);
  const changed = (other as Json[]).flatMap((item) => {
    const before = find(one, item);
    if (before === undefined) return [item];
    const inner = strategicDiff(table, type, before, item);
    const retain = patch.retainKeys === true ? { $retainKeys: Object.keys(item) } : {};
    return Object.keys(inner).length === 0 ? [] : [{ ...inner, ...retain, [key]: item[key] }];
  });
  const gone = (one as Json[]).filter((item) => find(other, item) === undefined);
  const items = [...changed, ...gone.map((item) => ({ [key]: item[key], $patch: 'delete' }))];
  return {
    [`$setElementOrder/${field}`]: (other as Json[]).map((item) => ({ [key]: item[key] })),
    ...(items.length > 0 ? { [field]: items } : {}),
  };
}

function fieldOf(
  table: KindTable,
  type: ObjectType | undefined,
  name: string,
): ObjectType['fields'][string] | undefined {
  if (type === undefined) return undefined;
  if (Object.hasOwn(type.fields, name)) return type.fields[name];
  for (const { inline, type: inner } of Object.values(type.fields)) {
    if (inline === true && inner.is === 'object') {
      const found = fieldOf(table, table[inner.of], name);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
