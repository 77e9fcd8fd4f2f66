import { fieldPath } from './field-error.ts';

type Step = string | number;

/** More paths help nobody. */
const PATHS_MAX = 5;

/**
 * The paths at which two values differ, in the order of `next`, then of `old`; at most five.
 *
 * @param prefix the path of both values
 */
export function differences(next: unknown, old: unknown, prefix: string): readonly string[] {
  const found: string[] = [];
  compare(next, old, [], (path) => {
    if (found.length < PATHS_MAX) found.push(fieldPath(path, prefix));
    return found.length < PATHS_MAX;
  });
  return found;
}

/** `report` answers whether to go on, and so does this. */
function compare(
  next: unknown,
  old: unknown,
  path: readonly Step[],
  report: (path: readonly Step[]) => boolean,
): boolean {
  if (Array.isArray(next) && Array.isArray(old)) {
    for (let i = 0; i < Math.max(next.length, old.length); i++)
      if (!compare(next[i], old[i], [...path, i], report)) return false;
    return true;
  }
  if (!isRecord(next) || !isRecord(old)) return Object.is(next, old) || report(path);
  for (const key of new Set([...Object.keys(next), ...Object.keys(old)]))
    if (!compare(next[key], old[key], [...path, key], report)) return false;
  return true;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
