import type { GridAnswer } from './answers.ts';

/** What each index of a Job is doing: a number for each, which names one of the states. */
export type Cells = {
  readonly states: readonly string[];
  readonly of: Uint8Array;
  /** Up to where the server's answers are in it. */
  readonly cursor: string;
};

/**
 * Cells with an answer of the server written into them. The array of before is used again where its size has not changed: a million
 * cells are not copied every second. An answer that is complete begins anew.
 */
export function withAnswer(before: Cells | null, { cursor, complete, completions, states, chunks }: GridAnswer): Cells {
  const isSame = !complete && before?.of.length === completions && before.states.join() === states.join();
  const of = isSame ? before.of : new Uint8Array(completions);
  for (const { first, count, cells } of chunks) {
    const bytes = atob(cells);
    const end = Math.min(count, completions - first);
    for (let nth = 0; nth < end; nth++) {
      const byte = bytes.charCodeAt(nth >> 1);
      of[first + nth] = nth % 2 === 0 ? byte & 15 : byte >> 4;
    }
  }
  return { states, of, cursor };
}

/** How many cells are in each state. */
export function countCells({ states, of }: Cells): ReadonlyMap<string, number> {
  const counts = new Uint32Array(16);
  for (const state of of) counts[state] = (counts[state] ?? 0) + 1;
  return new Map(states.map((state, nth) => [state, counts[nth] ?? 0]));
}

/** The first indexes in one of some states. */
export function indexesIn({ states, of }: Cells, wanted: ReadonlySet<string>, max: number): readonly number[] {
  const numbers = new Set(states.flatMap((state, nth) => (wanted.has(state) ? [nth] : [])));
  const found: number[] = [];
  for (let index = 0; index < of.length && found.length < max; index++)
    if (numbers.has(of[index] ?? -1)) found.push(index);
  return found;
}
