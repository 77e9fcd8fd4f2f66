/**
 * A cycle, as names from a Job along what each waits for, back to that Job.
 *
 * @param from the Job that waits for `first`
 * @param waitsFor what the others wait for, down to `from`
 */
export function pathBack(from: string, first: string, waitsFor: ReadonlyMap<string, string>): readonly string[] {
  const path = [from, first];
  for (let next = waitsFor.get(first); next !== undefined && next !== from; next = waitsFor.get(next)) path.push(next);
  return [...path, from];
}

/** A cycle for people. */
export const cycleText = (path: readonly string[]): string =>
  `these Jobs would wait for one another for ever: ${path.join(' → ')}`;
