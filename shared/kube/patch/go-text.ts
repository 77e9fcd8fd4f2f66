import { isList, isObject } from './json-value.ts';

/** Messages quote what was sent, but not all of it. */
const TEXT_LENGTH_MAX = 1_000;

/** A JSON value as Go's `%v` prints it, which upstream's messages use: `map[image:nginx ports:[80 81]]`. */
export function goText(value: unknown): string {
  const text = textOf(value, TEXT_LENGTH_MAX);
  return text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX)}...` : text;
}

/** `budget`: the longest result; the rest would be cut off, so the walk stops there, and at the same depth. */
function textOf(value: unknown, budget: number): string {
  if (isList(value)) return `[${joined(value, budget, (item, left) => textOf(item, left))}]`;
  if (isObject(value)) {
    const keys = Object.keys(value).sort();
    return `map[${joined(keys, budget, (key, left) => `${key}:${textOf(value[key], left)}`)}]`;
  }
  if (typeof value === 'string') return value;
  return value === null ? '<nil>' : (JSON.stringify(value) ?? '<nil>');
}

function joined<T>(items: readonly T[], budget: number, text: (item: T, left: number) => string): string {
  let all = '';
  for (const item of items) {
    if (all.length > budget) break;
    all += `${all === '' ? '' : ' '}${text(item, budget - all.length - 1)}`;
  }
  return all;
}

/** The type that Go's `%T` prints for a JSON value. */
export function goType(value: unknown): string {
  if (isList(value)) return '[]interface {}';
  if (isObject(value)) return 'map[string]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return value === null ? '%!s(<nil>)' : typeof value;
}
