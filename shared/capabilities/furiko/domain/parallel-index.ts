import type { IndexNames } from './furiko-job.ts';

/** Which index of a Job, as its author names it. */
export type ParallelIndex =
  | { readonly indexNumber: number }
  | { readonly indexKey: string }
  | { readonly matrixValues: { readonly [name: string]: string } };

/** How many indexes a Job has. Without a parallelism block it has the index 0 only. */
export function indexCount(parallelism: IndexNames | undefined): number {
  const { withCount, withKeys, withMatrix } = parallelism ?? {};
  if (withKeys !== undefined) return withKeys.length;
  if (withMatrix !== undefined) return Object.values(withMatrix).reduce((product, { length }) => product * length, 1);
  return withCount ?? 1;
}

/**
 * The index with the number `no`, 0 and up. Keys are in the order of their list. Of a matrix, the names are in byte order and
 * the first varies slowest.
 */
export function parallelIndexAt(parallelism: IndexNames | undefined, no: number): ParallelIndex {
  const { withKeys, withMatrix } = parallelism ?? {};
  if (withKeys !== undefined) return { indexKey: withKeys[no] ?? '' };
  return withMatrix === undefined ? { indexNumber: no } : { matrixValues: combinationAt(withMatrix, no) };
}

function combinationAt(matrix: NonNullable<IndexNames['withMatrix']>, no: number): { readonly [name: string]: string } {
  const chosen: (readonly [string, string])[] = [];
  let rest = no;
  // Names have ASCII characters only.
  for (const name of Object.keys(matrix).sort().reverse()) {
    const values = matrix[name] ?? [];
    chosen.push([name, values[rest % values.length] ?? '']);
    rest = Math.floor(rest / values.length);
  }
  return Object.fromEntries(chosen.reverse());
}
