import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type IndexSet, indexSetOf, parseStatusIndexes } from '../../../shared/domain/base/index-set.ts';
import { CHUNK_INDEXES, emptyChunk, freshSummary, recordAt } from '../../../shared/domain/scoreboard/board.ts';
import { initialChunk, initialHits, initialSummary } from '../../../shared/domain/scoreboard/initial-board.ts';
import { chunkLength, summariesFor } from '../../../shared/domain/scoreboard/status.ts';
import { EVERY_INDEX, type IndexSelection } from '../../../shared/domain/manifests/selection.ts';
import { recount } from '../../support/a-board.ts';

const set = (text: string): IndexSet => parseStatusIndexes(text, Infinity);

test('where every index runs, all is fresh', () => {
  expect(initialChunk(EVERY_INDEX, 3)).toEqual(emptyChunk());
  expect(initialSummary(EVERY_INDEX, 3, 7)).toEqual(freshSummary(7));
});

test('inherited indexes have succeeded without an attempt, excluded ones are excluded', () => {
  const chunk = initialChunk({ inherited: set('4095-4097'), excluded: set('4099-9000') }, 1);
  const at = (offset: number) => [recordAt(chunk, offset).state, recordAt(chunk, offset).attempt];
  expect([0, 1, 2, 3, 4095].map(at)).toEqual([
    ['succeeded', 0],
    ['succeeded', 0],
    ['pending', 0],
    ['excluded', 0],
    ['excluded', 0],
  ]);
});

/** Up to 9,000 indexes, each inherited (1), excluded (2), or to run. */
const selected = fc
  .array(fc.record({ length: fc.integer({ min: 1, max: 1500 }), as: fc.nat(2) }), { maxLength: 12 })
  .map((runs) => runs.flatMap(({ length, as }) => Array.from({ length }, () => as)).slice(0, 9_000));

const selectionOf = (as: readonly number[]): IndexSelection => {
  const those = (kind: number): IndexSet => indexSetOf([...as.keys()].filter((index) => as[index] === kind));
  return { inherited: those(1), excluded: those(2) };
};

test('summaries count the records of their chunks', () => {
  fc.assert(
    fc.property(selected, (as) => {
      const selection = selectionOf(as);
      const summaries = summariesFor(as.length, [], selection);
      for (const [no, { version, ...counts }] of summaries.entries())
        expect(counts).toEqual(recount(initialChunk(selection, no), chunkLength(as.length, no)));
    }),
  );
});

test('a board that grows keeps what it has, and its new slots are as the Job has them at first', () => {
  const selection = { inherited: set('1,5000'), excluded: set('') };
  const [first, second] = summariesFor(6000, summariesFor(3, [], selection), selection);
  expect(first).toMatchObject({ pending: CHUNK_INDEXES - 1, succeeded: 1, firstPending: 0 });
  expect(second).toMatchObject({ pending: 6000 - CHUNK_INDEXES - 1, succeeded: 1 });
});

test('rules of a success policy have inherited hits', () => {
  const rules = [
    { indexes: set('0-4'), count: null },
    { indexes: null, count: 3 },
  ];
  expect(initialHits(rules, { inherited: set('3-9'), excluded: set('') })).toEqual([2, 0]);
  expect(initialHits(rules, EVERY_INDEX)).toEqual([]);
});
