import { type JsonObject, isList, isObject, own } from './json-value.ts';
import { goText, goType } from './go-text.ts';

/** Why a strategic merge patch cannot be applied; it ends the walk and becomes the answer. */
export class PatchError extends Error {
  readonly kind: 'bad' | 'inapplicable';
  constructor(kind: 'bad' | 'inapplicable', message: string) {
    super(message);
    this.kind = kind;
  }
}

type Items = {
  readonly merge: (current: JsonObject, patch: JsonObject) => JsonObject;
  /** What is added where nothing was. */
  readonly add: (item: JsonObject) => unknown;
  readonly unknownDirective: (directive: unknown, item: JsonObject) => PatchError;
};

/**
 * Merges lists of objects that are identified by `key`. Items of the patch are in its order, the others in theirs; where both
 * lists have an order, the current list wins, so that a new item comes before the items that it is not compared with.
 */
export function mergeKeyed(
  current: readonly unknown[],
  patch: readonly unknown[],
  key: string,
  { merge, add, unknownDirective }: Items,
): readonly unknown[] {
  const fieldError = elementError(current, patch);
  if (fieldError !== null) throw fieldError;
  const kept = new Map<string, JsonObject[]>();
  for (const item of current) {
    const { id, object } = identified(item, key);
    grouped(kept, id, object);
  }
  const before = [...kept.keys()];
  const changes: { readonly id: string; readonly object: JsonObject }[] = [];
  let replaces = false;
  for (const item of patch) {
    const object = asObject(item);
    if (!Object.hasOwn(object, '$patch')) {
      changes.push(identified(object, key));
      continue;
    }
    const directive = own(object, '$patch');
    if (directive === 'delete') kept.delete(identified(object, key).id);
    else if (directive === 'replace') replaces = true;
    else if (directive === 'merge') throw new PatchError('bad', 'merging lists cannot yet be specified in the patch');
    else throw unknownDirective(directive, object);
  }
  if (replaces) return changes.map(({ object }) => add(object));
  const merged = new Map<string, readonly unknown[]>(kept);
  for (const { id, object } of changes) {
    const [first, ...twins] = merged.get(id) ?? [];
    merged.set(id, [isObject(first) ? merge(first, object) : add(object), ...twins]);
  }
  const patched = new Set(changes.map(({ id }) => id));
  const others = [...kept.keys()].filter((id) => !patched.has(id));
  return interleaved(others, [...patched], before).flatMap((id) => merged.get(id) ?? []);
}

/** Merges lists of scalars by value, without duplicates. Those of the patch are in its order. */
export function mergeScalars(current: readonly unknown[], patch: readonly unknown[]): readonly unknown[] {
  const values = new Map([...current, ...patch].map((value) => [scalarId(value), value]));
  const patched = new Set(patch.map(scalarId));
  const before = [...new Set(current.map(scalarId))];
  const others = before.filter((id) => !patched.has(id));
  return interleaved(others, [...patched], before).map((id) => values.get(id));
}

export function withoutScalars(current: readonly unknown[], gone: readonly unknown[]): readonly unknown[] {
  const ids = new Set(gone.map(scalarId));
  return current.filter((value) => isObject(value) || isList(value) || !ids.has(scalarId(value)));
}

/**
 * Sorts a merged list by `$setElementOrder`; items that only the server has keep their position relative to those that they are
 * compared with. `key`: null for scalars.
 */
export function inOrderOf(
  merged: readonly unknown[],
  said: {
    readonly order: readonly unknown[];
    readonly changes: readonly unknown[];
    readonly before: readonly unknown[];
    readonly key: string | null;
  },
): readonly unknown[] {
  const idOf = (item: unknown): string => (said.key === null ? scalarId(item) : identified(item, said.key).id);
  const order = said.order.map(idOf);
  const changed = said.changes.filter((item) => !isObject(item) || !Object.hasOwn(item, '$patch')).map(idOf);
  if (order.length > 0 && !isWithin(changed, order)) {
    throw new PatchError(
      'bad',
      `The order in patch list:\n${goText(said.changes)}\n doesn't match $setElementOrder list:\n${goText(said.order)}\n`,
    );
  }
  const items = new Map<string, unknown[]>();
  for (const item of merged) grouped(items, idOf(item), item);
  const named = new Set(order);
  const before = [...new Set(said.before.map(idOf))];
  const others = [...new Set([...before, ...items.keys()])].filter((id) => !named.has(id) && items.has(id));
  return interleaved(
    others,
    [...named].filter((id) => items.has(id)),
    before,
  ).flatMap((id) => items.get(id) ?? []);
}

/** Whether these are in the other list, in the same order. */
function isWithin(ids: readonly string[], order: readonly string[]): boolean {
  let at = 0;
  for (const id of order) if (id === ids[at]) at++;
  return at === ids.length;
}

/** Merges two lists, each in its order: if `before` knows both heads, the earlier one comes first, otherwise `patched`. */
function interleaved(
  others: readonly string[],
  patched: readonly string[],
  before: readonly string[],
): readonly string[] {
  const places = new Map(before.map((id, place) => [id, place]));
  const all: string[] = [];
  let next = 0;
  for (const id of patched) {
    const place = places.get(id);
    for (let other = others[next]; other !== undefined; other = others[++next]) {
      const otherPlace = places.get(other);
      if (place === undefined || otherPlace === undefined || otherPlace >= place) break;
      all.push(other);
    }
    all.push(id);
  }
  return [...all, ...others.slice(next)];
}

/** Items with the same key stay together. */
function grouped<T>(groups: Map<string, T[]>, id: string, item: T): void {
  const group = groups.get(id);
  if (group === undefined) groups.set(id, [item]);
  else group.push(item);
}

/** Items of different kinds, or lists as items, cannot be merged. */
function elementError(current: readonly unknown[], patch: readonly unknown[]): PatchError | null {
  const items = [...current, ...patch];
  if (items.every(isObject)) return null;
  return isList(items[0])
    ? new PatchError('inapplicable', 'lists of lists are not supported')
    : new PatchError('bad', `list element types are not identical: ${goText([current, patch])}`);
}

const asObject = (item: unknown): JsonObject => {
  if (!isObject(item))
    throw new PatchError('bad', `expected a map[string]interface {}, but received a ${goType(item)}`);
  return item;
};

function identified(item: unknown, key: string): { readonly id: string; readonly object: JsonObject } {
  const object = asObject(item);
  const value = own(object, key);
  if (value === undefined || isObject(value) || isList(value)) {
    throw new PatchError('bad', `map: ${goText(object)} does not contain declared merge key: ${key}`);
  }
  return { id: scalarId(value), object };
}

/** Scalars are equal if these are. */
function scalarId(value: unknown): string {
  if (isList(value)) throw new PatchError('inapplicable', 'lists of lists are not supported');
  if (isObject(value)) throw new PatchError('bad', `list element types are not identical: ${goText(value)}`);
  return JSON.stringify(value) ?? 'null';
}
