import { expect, test } from 'vitest';
import type { GridAnswer } from '../../ui/model/answers.ts';
import { inLegendOrder, lookOf } from '../../ui/model/cell-looks.ts';
import { countCells, indexesIn, withAnswer } from '../../ui/model/cells.ts';

const STATES = ['waiting', 'running', 'succeeded', 'failed'];

/** Two cells in a byte, the first in the low half. */
function base64Of(cells: readonly number[]): string {
  const bytes = Array.from({ length: Math.ceil(cells.length / 2) }, (_, at) =>
    String.fromCharCode((cells[2 * at] ?? 0) | ((cells[2 * at + 1] ?? 0) << 4)),
  );
  return btoa(bytes.join(''));
}

const answer = (completions: number, complete: boolean, first: number, cells: readonly number[]): GridAnswer => ({
  cursor: `c${first}`,
  complete,
  completions,
  states: STATES,
  chunks: [{ first, count: cells.length, cells: base64Of(cells) }],
});

test('cells are read two from a byte, also an odd number of them', () => {
  const { of, cursor } = withAnswer(null, answer(5, true, 0, [0, 1, 2, 3, 2]));
  expect([[...of], cursor]).toEqual([[0, 1, 2, 3, 2], 'c0']);
});

test('an answer of what has changed is written into what is known, in the same array', () => {
  const before = withAnswer(null, answer(5, true, 0, [0, 0, 0, 0, 0]));
  const after = withAnswer(before, answer(5, false, 1, [2, 3]));
  expect([...after.of]).toEqual([0, 2, 3, 0, 0]);
  expect(after.of).toBe(before.of);
});

test('a complete answer begins anew: the Job may be another one of this name', () => {
  const before = withAnswer(null, answer(5, true, 0, [3, 3, 3, 3, 3]));
  expect([...withAnswer(before, answer(5, true, 0, [1, 1])).of]).toEqual([1, 1, 0, 0, 0]);
});

test('another size begins anew', () => {
  const before = withAnswer(null, answer(2, true, 0, [3, 3]));
  expect([...withAnswer(before, answer(3, false, 0, [1])).of]).toEqual([1, 0, 0]);
});

test('cells beyond the last index are not read', () => {
  expect([...withAnswer(null, answer(3, true, 2, [1, 2, 3])).of]).toEqual([0, 0, 1]);
});

test('states are counted, and the first indexes in some of them found', () => {
  const cells = withAnswer(null, answer(6, true, 0, [0, 3, 2, 3, 1, 3]));
  expect(Object.fromEntries(countCells(cells))).toEqual({ waiting: 1, running: 1, succeeded: 1, failed: 3 });
  expect(indexesIn(cells, new Set(['failed', 'running']), 3)).toEqual([1, 3, 4]);
});

test('a state that this page does not know is shown, last in the legend, with its name in words', () => {
  expect(lookOf('pausedByMoon')).toEqual({ colour: 'unknown', letter: '?', words: 'paused by moon' });
  expect(inLegendOrder(['waiting', 'pausedByMoon', 'running'])).toEqual(['running', 'waiting', 'pausedByMoon']);
});

test('no two states of the server look the same', () => {
  const states =
    'waiting starting running stopping retrying failed succeeded inherited excluded held cancelled failedEarly recovered';
  const looks = states.split(' ').map(lookOf);
  expect(new Set(looks.map(({ colour }) => colour)).size).toBe(13);
  expect(looks.map(({ colour }) => colour)).not.toContain('unknown');
});
