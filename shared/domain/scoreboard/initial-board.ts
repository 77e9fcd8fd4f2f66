import { type IndexSet, intersect, intervalsWithin, size } from '../base/index-set.ts';
import type { SuccessRule } from '../manifests/success-rules.ts';
import type { IndexSelection } from '../manifests/selection.ts';
import { CHUNK_INDEXES, type Chunk, type ChunkSummary, STATES, emptyChunk, freshSummary } from './board.ts';

// What no item holds yet is as the spec has it at first: inherited indexes have succeeded without an attempt, excluded ones
// never run, and all others are fresh.

/** Chunk `no` of a Job before anything has happened in it. */
export function initialChunk({ inherited, excluded }: IndexSelection, no: number): Chunk {
  const chunk = emptyChunk();
  for (const [set, state] of [
    [inherited, SUCCEEDED],
    [excluded, EXCLUDED],
  ] as const)
    for (const [first, after] of offsetsIn(set, no, CHUNK_INDEXES)) chunk.states.fill(state, first, after);
  return chunk;
}

/** The summary of its first `length` records. */
export function initialSummary(selection: IndexSelection, no: number, length: number): ChunkSummary {
  const fresh = freshSummary(length);
  const succeeded = countIn(selection.inherited, no, length);
  const excluded = countIn(selection.excluded, no, length);
  if (succeeded + excluded === 0) return fresh;
  const firstPending = initialChunk(selection, no).states.subarray(0, length).indexOf(PENDING);
  const pending = length - succeeded - excluded;
  return { ...fresh, pending, succeeded, excluded, firstPending: firstPending === -1 ? length : firstPending };
}

/** By rule of the success policy: how many of the indexes in its list are inherited. */
export const initialHits = (rules: readonly SuccessRule[], { inherited }: IndexSelection): readonly number[] =>
  inherited.edges.length === 0
    ? []
    : rules.map(({ indexes }) => (indexes === null ? 0 : size(intersect(indexes, inherited))));

const PENDING = STATES.indexOf('pending');
const SUCCEEDED = STATES.indexOf('succeeded');
const EXCLUDED = STATES.indexOf('excluded');

const countIn = (set: IndexSet, no: number, length: number): number =>
  offsetsIn(set, no, length).reduce((sum, [first, after]) => sum + after - first, 0);

function offsetsIn(set: IndexSet, no: number, length: number): readonly (readonly [number, number])[] {
  const start = no * CHUNK_INDEXES;
  return intervalsWithin(set, start, start + length).map(([first, after]) => [first - start, after - start]);
}
