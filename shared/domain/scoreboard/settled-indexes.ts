import { type IndexSet, indexSetWhere } from '../base/index-set.ts';
import { CHUNK_INDEXES, STATES, chunkOf } from './board.ts';
import { type Status, chunkLength } from './status.ts';
import type { WorkingBoard } from './working-board.ts';

/** How an index may be done with. */
export type Settled = 'succeeded' | 'failed';

/** The chunks in which some records are in one of these states and some are not: the summaries do not say which. */
export const chunksForSettled = ({ chunks, size }: Pick<Status, 'chunks' | 'size'>, states: readonly Settled[]) =>
  chunks.flatMap((summary, no) => {
    const isMixed = (state: Settled): boolean => summary[state] > 0 && summary[state] < chunkLength(size, no);
    return states.some(isMixed) ? [no] : [];
  });

/** The indexes below `completions` in this state. The chunks that {@link chunksForSettled} names must be loaded. */
export function settledIndexes(
  state: Settled,
  completions: number,
  { chunks, size }: Pick<Status, 'chunks' | 'size'>,
  board: Pick<WorkingBoard, 'chunk'>,
): IndexSet {
  const code = STATES.indexOf(state);
  return indexSetWhere(Math.min(completions, size), (index) => {
    const no = chunkOf(index);
    const count = chunks[no]?.[state] ?? 0;
    if (count === 0 || count === chunkLength(size, no)) return count > 0;
    return board.chunk(no)?.states[index % CHUNK_INDEXES] === code;
  });
}
