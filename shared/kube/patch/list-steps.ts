import { isObject, own } from './json-value.ts';
import { type Shape, keyValue } from './kind-fields.ts';

export type ItemsShape = Extract<Shape, { readonly kind: 'set' | 'keyed' }>;

/** The step of a FieldSet to a list's item, or why there is none (structured-merge-diff's words). */
export function stepTo(shape: ItemsShape, item: unknown): { readonly step: string } | { readonly fieldError: string } {
  if (shape.kind === 'set') {
    if (item === null) return { fieldError: "associative list without keys has an element that's an explicit null" };
    if (Array.isArray(item)) return { fieldError: 'not supported: associative list with lists as elements' };
    if (isObject(item)) return { fieldError: "associative list without keys has an element that's a map type" };
    return { step: `v:${JSON.stringify(item)}` };
  }
  if (item === null) return { fieldError: 'associative list with keys may not have a null element' };
  if (!isObject(item)) return { fieldError: 'associative list with keys may not have non-map elements' };
  const values: [string, unknown][] = [];
  for (const key of shape.keys) {
    const value = keyValue(own(item, key), key);
    if (value === undefined) {
      const fieldError = `associative list with keys has an element that omits key field ${JSON.stringify(key)} (and doesn't have default value)`;
      return { fieldError };
    }
    values.push([key, value]);
  }
  return { step: `k:${JSON.stringify(Object.fromEntries(values))}` };
}

/** A list's items by their steps, in the order of the list. Items without a step are omitted. */
export function itemsByStep(shape: ItemsShape, list: readonly unknown[]): ReadonlyMap<string, readonly unknown[]> {
  const items = new Map<string, unknown[]>();
  for (const item of list) {
    const found = stepTo(shape, item);
    if ('fieldError' in found) continue;
    const twins = items.get(found.step);
    if (twins === undefined) items.set(found.step, [item]);
    else twins.push(item);
  }
  return items;
}
