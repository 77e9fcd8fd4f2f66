import type { Parallelism } from '../domain/furiko-job.ts';

/** A column of the work list that a Job's keys or matrix make. */
export type IndexColumn = {
  /** The variable of the template: `task.index_key`, or `task.index_matrix.os`. */
  readonly variable: string;
  readonly name: string;
  readonly values: readonly string[];
};

const KEY = 'index_key';
const MATRIX = 'index_matrix_';

/**
 * The work list of a Job, whose items are all combinations: in the order of the names' bytes, the first varies slowest. Empty: it
 * has none, since its indexes are numbers.
 */
export function indexColumns({ withKeys, withMatrix }: Partial<Parallelism>): readonly IndexColumn[] {
  if (withKeys !== undefined) return [{ variable: `task.${KEY}`, name: KEY, values: withKeys }];
  const taken = new Set<string>();
  return Object.keys(withMatrix ?? {})
    .sort()
    .map((name) => {
      const column = freeName(MATRIX + name.replaceAll(/[^A-Za-z0-9_]/g, '_'), taken);
      taken.add(column);
      return { variable: `task.index_matrix.${name}`, name: column, values: withMatrix?.[name] ?? [] };
    });
}

/** `a-b` and `a_b` would have the same variable in a task. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  let number = 2;
  let free = name;
  while (taken.has(free)) free = `${name}_${number++}`;
  return free;
}
