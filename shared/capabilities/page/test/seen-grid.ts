/** The answer of `jobs/NAME/grid`. */
export type GridAnswer = {
  readonly cursor: string;
  readonly complete: boolean;
  readonly completions: number;
  readonly indexed: boolean;
  readonly states: readonly string[];
  readonly chunks: readonly { readonly first: number; readonly count: number; readonly cells: string }[];
};

/** The words of all cells, as a client has them after these answers. */
export function seenGrid(...answers: readonly GridAnswer[]): readonly string[] {
  let cells: string[] = [];
  for (const { complete, completions, states, chunks } of answers) {
    if (complete) cells = Array.from({ length: completions }, () => 'nothing');
    for (const { first, count, cells: text } of chunks) {
      const bytes = Buffer.from(text, 'base64');
      for (let nth = 0; nth < count; nth++) {
        const byte = bytes[nth >> 1] ?? 0;
        cells[first + nth] = states[nth % 2 === 0 ? byte & 15 : byte >> 4] ?? 'unknown';
      }
    }
  }
  return cells;
}
