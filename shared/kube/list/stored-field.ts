/** A field of an object that any version of this program may have stored; undefined if it is not as expected. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) found = typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined;
  return found;
}

export const words = (value: unknown): string => (typeof value === 'string' ? value : '');
export const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
