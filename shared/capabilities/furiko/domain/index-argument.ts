import type { IndexNames } from './furiko-job.ts';
import { indexCount, parallelIndexAt } from './parallel-index.ts';

export type IndexArgument =
  | { readonly kind: 'ok'; readonly index: number }
  | { readonly kind: 'bad'; readonly message: string };

/**
 * The index that a user names: its number, its key, `name=value,…` of a matrix, or one of them as the JSON that a Job's status shows
 * (`{"indexKey":"a"}`). A key that looks like a number is a key.
 */
export function parseIndexArgument(text: string, parallelism: IndexNames | undefined): IndexArgument {
  const { withKeys, withMatrix } = parallelism ?? {};
  if (text.trimStart().startsWith('{') && withKeys?.includes(text) !== true) return ofJson(text, parallelism);
  if (withKeys !== undefined) return ofKey(text, withKeys);
  if (isNumber(text)) return ofNumber(Number(text), indexCount(parallelism));
  if (withMatrix === undefined) return bad(`${shown(text)} is no index: say a number from 0 to ${last(parallelism)}`);
  return ofPairs(text, withMatrix);
}

const bad = (message: string): IndexArgument => ({ kind: 'bad', message });
const shown = (text: string): string => JSON.stringify(text);
const isNumber = (text: string): boolean => /^\d{1,9}$/.test(text);
const last = (parallelism: IndexNames | undefined): number => indexCount(parallelism) - 1;

const ofNumber = (index: number, count: number): IndexArgument =>
  index < count ? { kind: 'ok', index } : bad(`there is no index ${index}: the last one is ${count - 1}`);

function ofKey(text: string, keys: readonly string[]): IndexArgument {
  const index = keys.indexOf(text);
  if (index !== -1) return { kind: 'ok', index };
  // Of a Job with numbers as keys, another number is a mistake.
  if (isNumber(text) && !keys.some(isNumber)) return ofNumber(Number(text), keys.length);
  return bad(`there is no key ${shown(text)}: the keys are ${listed(keys)}`);
}

type Matrix = NonNullable<IndexNames['withMatrix']>;

function ofPairs(text: string, matrix: Matrix): IndexArgument {
  const form = Object.keys(matrix)
    .sort()
    .map((name) => `${name}=${matrix[name]?.[0] ?? ''}`)
    .join(',');
  const values: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, at)).trim();
    if (at === -1 || name === '') return bad(`${shown(pair)} is no name=value: say it like ${form}`);
    if (Object.hasOwn(values, name)) return bad(`${name} is said twice`);
    values[name] = pair.slice(at + 1);
  }
  return ofValues(values, matrix);
}

/** A name with one value only need not be said. */
function ofValues(values: Readonly<Record<string, string>>, matrix: Matrix): IndexArgument {
  const names = Object.keys(matrix).sort();
  const stray = Object.keys(values).find((name) => !names.includes(name));
  if (stray !== undefined) return bad(`the matrix has no ${shown(stray)}: its names are ${listed(names)}`);
  let index = 0;
  for (const name of names) {
    const choice = matrix[name] ?? [];
    const value = values[name] ?? (choice.length === 1 ? choice[0] : undefined);
    if (value === undefined) return bad(`${name} is missing: it is one of ${listed(choice)}`);
    const place = choice.indexOf(value);
    if (place === -1) return bad(`${name} is never ${shown(value)}: it is one of ${listed(choice)}`);
    index = index * choice.length + place;
  }
  return { kind: 'ok', index };
}

function ofJson(text: string, parallelism: IndexNames | undefined): IndexArgument {
  const form = JSON.stringify(parallelIndexAt(parallelism, 0));
  const given = parsed(text);
  const { withKeys, withMatrix } = parallelism ?? {};
  if (given === null) return bad(`${shown(text)} is no JSON: say it like ${form}`);
  const [[field, value] = ['', undefined], ...more] = Object.entries(given);
  if (more.length === 0 && withKeys !== undefined && field === 'indexKey' && typeof value === 'string') {
    const index = withKeys.indexOf(value);
    return index === -1
      ? bad(`there is no key ${shown(value)}: the keys are ${listed(withKeys)}`)
      : { kind: 'ok', index };
  }
  if (more.length === 0 && withMatrix !== undefined && field === 'matrixValues' && isTextMap(value))
    return ofValues(value, withMatrix);
  const isNumbered = withKeys === undefined && withMatrix === undefined && field === 'indexNumber';
  if (more.length === 0 && isNumbered && typeof value === 'number' && Number.isInteger(value) && value >= 0)
    return ofNumber(value, indexCount(parallelism));
  return bad(`${text} names no index of this Job: say it like ${form}`);
}

function parsed(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

const isTextMap = (value: unknown): value is Readonly<Record<string, string>> =>
  typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'string');

const LISTED_MAX = 10;

/** More than some help nobody. */
const listed = (names: readonly string[]): string =>
  names.slice(0, LISTED_MAX).map(shown).join(', ') +
  (names.length > LISTED_MAX ? `, and ${names.length - LISTED_MAX} more` : '');
