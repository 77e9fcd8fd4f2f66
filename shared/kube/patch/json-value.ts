/**
 * An object of a JSON document. Its keys come from outside: read them with {@link own}, copy them with `Object.fromEntries`.
 */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Like `Array.isArray`, without `any` for its items. */
export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** A key's value, undefined if it is missing: never an inherited property, because keys may be named `constructor`. */
export const own = (object: JsonObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);

/** The object without some of its keys. */
export const without = (object: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));

/** Whether two JSON values are equal, ignoring the order of keys. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (isList(one))
    return isList(other) && one.length === other.length && one.every((item, i) => sameJson(item, other[i]));
  if (!isObject(one) || !isObject(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && sameJson(one[key], other[key]))
  );
}
