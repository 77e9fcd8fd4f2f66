import { describe, expect, test } from 'vitest';
import { indexSetOf, parseStatusIndexes } from '../../../shared/domain/base/index-set.ts';
import { CHUNK_INDEXES, freshSummary } from '../../../shared/domain/scoreboard/board.ts';
import { chunksForSettled } from '../../../shared/domain/scoreboard/settled-indexes.ts';
import { type Phase, type Verdict, podCount } from '../../../shared/domain/scoreboard/status.ts';
import { WorkingBoard } from '../../../shared/domain/scoreboard/working-board.ts';
import { EVERY_INDEX } from '../../../shared/domain/manifests/selection.ts';
import {
  type IndexGate,
  OPEN_GATE,
  type UpstreamBoard,
  closedIn,
  indexGate,
  openPending,
} from '../../../shared/domain/upstreams/index-gate.ts';
import { type Wish, aBoard, at } from '../../support/a-board.ts';

const complete: Verdict = { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null };
const finished: Phase = { kind: 'finished', verdict: complete, since: at(1), at: at(1) };

/** A Job whose indexes are awaited, with the chunks alone that a pass reads. */
function upstream(strip: string, perIndex = 1, wish: Wish = {}): UpstreamBoard {
  const { status, stored } = aBoard(strip, wish);
  const read = new Map(chunksForSettled(status, ['succeeded']).map((no) => [no, stored.get(no)!]));
  return {
    dependency: { name: 'map', perIndex },
    seen: { status, board: new WorkingBoard(status, read) },
    isGone: false,
  };
}
const absent: UpstreamBoard = { dependency: { name: 'map', perIndex: 1 }, seen: null, isGone: false };

/** Which indexes are open: `+ - -`. */
const shown = (gate: IndexGate, size: number): string =>
  Array.from({ length: size }, (_, index) => (gate.isOpen(index) ? '+' : '-')).join(' ');

describe('an index is open', () => {
  test.each<[because: string, upstreams: readonly UpstreamBoard[], size: number, open: string]>([
    ['when its own there has succeeded', [upstream('S r . S F')], 5, '+ - - + -'],
    ['also where that was inherited, and never where it is excluded', [upstream('I x S')], 3, '+ - +'],
    ['when all are', [upstream('S S S')], 3, '+ + +'],
    ['when its three have', [upstream('SSS SrS SSS', 3)], 3, '+ - +'],
    ['when those that are left have: the last has fewer', [upstream('SSS S.S SS', 3)], 3, '+ - +'],
    ['but not before all of those', [upstream('SSS SSS S.', 3)], 3, '+ + -'],
    ['with one of one left', [upstream('SSS SSS S', 3)], 3, '+ + +'],
    ['when it has in every Job', [upstream('S S . S'), upstream('S . S S')], 4, '+ - - +'],
    ['in every Job, by different numbers', [upstream('S S .'), upstream('SS SS SS', 2)], 3, '+ + -'],
    ['not while one of the Jobs does not exist', [upstream('S S'), absent], 2, '- -'],
    ['not if there is none such there', [upstream('S S')], 4, '+ + - -'],
  ])('%s', (_, upstreams, size, open) => {
    const gate = indexGate(upstreams, size);
    expect(shown(gate, size)).toBe(open);
    expect(gate.openIn(0)).toBe(open.split('+').length - 1);
  });

  test('whatever it is, without such a Job', () => {
    expect(indexGate([], 3)).toBe(OPEN_GATE);
    expect([OPEN_GATE.isOpen(7), OPEN_GATE.isFinal]).toEqual([true, true]);
  });

  test.each([1, 3])('on a board of two chunks, %i for each', (perIndex) => {
    const strip = `${'S'.repeat(4_500)}r${'S'.repeat(499)}`;
    const dependents = Math.ceil(5_000 / perIndex);
    const waiting = upstream(strip, perIndex);
    const gate = indexGate([waiting], dependents);
    const closed = Math.floor(4_500 / perIndex);
    const open = Array.from({ length: dependents }, (_, index) => index).filter((index) => !gate.isOpen(index));
    expect(open).toEqual([closed]);
    // The first chunk is all alike, so it was not read.
    expect([waiting.seen?.board.chunk(0), gate.openIn(0)]).toEqual([
      undefined,
      Math.min(dependents, CHUNK_INDEXES) - (closed < CHUNK_INDEXES ? 1 : 0),
    ]);
    const inSecond = dependents > CHUNK_INDEXES ? dependents - CHUNK_INDEXES - 1 : 0;
    expect(gate.openIn(1)).toBe(inSecond);
  });
});

describe('nothing opens any more', () => {
  test.each<[because: string, upstreams: readonly UpstreamBoard[], isFinal: boolean]>([
    ['once the Job is over', [upstream('S F', 1, { phase: finished })], true],
    ['not while it runs', [upstream('S F')], false],
    ['nor while its last tasks stop', [upstream('S F', 1, { phase: { ...finished, kind: 'draining' } })], false],
    ['nor before it exists', [absent], false],
    ['when it is gone', [{ ...absent, isGone: true }], true],
    ['when all are over', [upstream('S F', 1, { phase: finished }), upstream('S .')], false],
  ])('%s', (_, upstreams, isFinal) => {
    expect(indexGate(upstreams, 2).isFinal).toBe(isFinal);
  });
});

describe('of the pending indexes of a chunk that is not loaded, the gate lets start', () => {
  type Row = readonly [because: string, own: string, there: string, least: number, most: number];
  test.each<Row>([
    ['those that are open and have not begun', 'r S . . .', 'S S S . S', 2, 2],
    ['none, if all that are open have', 'r S F . .', 'S S S . .', 0, 0],
    ['one that is tried again', 'r 1 . . .', 'S S . . .', 1, 1],
    ['one that waits for its next try', 'w . .', 'S . .', 1, 1],
    ['none beside a Pod between two tasks', 'b . .', 'S . .', 0, 0],
    ['all', '. . .', 'S S S', 3, 3],
    ['none', '. . .', '. r F', 0, 0],
    ['those that are open, where an inherited one is closed', 'I I . .', '. S S .', 1, 1],
    ['excluded ones may be open', 'x . . .', 'S S . .', 1, 2],
  ])('%s: %s beside %s', (_, own, there, least, most) => {
    const letters = own.split(' ');
    const inherited = indexSetOf(letters.flatMap((letter, index) => (letter === 'I' ? [index] : [])));
    const { status } = aBoard(own);
    const gate = indexGate([upstream(there)], letters.length);
    const open = openPending(gate, 0, status.chunks[0]!, { ...EVERY_INDEX, inherited });
    expect(open).toEqual({ least, most });
  });

  test('never fewer and never more than there are, whatever the board', () => {
    const letters = ['.', 'r', 'S', 'F', '1', 'I', 'x', 'b'];
    const begun = new Set(['r', 'S', 'F', '1', 'b']);
    for (let n = 0; n < 400; n++) {
      const own = Array.from({ length: 6 }, (_, i) => letters[(n * 7 + i * i * 3 + (n >> i)) % letters.length]!);
      // What has begun is open; of the others, some are.
      const there = own.map((letter, i) => (begun.has(letter) || (n + i * 5) % 3 === 0 ? 'S' : '.'));
      const inherited = indexSetOf(own.flatMap((letter, index) => (letter === 'I' ? [index] : [])));
      const gate = indexGate([upstream(there.join(''))], own.length);
      const summary = aBoard(own.join('')).status.chunks[0]!;
      const { least, most } = openPending(gate, 0, summary, { ...EVERY_INDEX, inherited });
      const real = own.filter((letter, i) => (letter === '.' || letter === '1') && there[i] === 'S').length;
      expect([own.join(''), there.join(''), least <= real && real <= most]).toEqual([
        own.join(''),
        there.join(''),
        true,
      ]);
    }
  });

  test('all without a gate, and nothing is counted where nothing is pending', () => {
    const summary = { ...freshSummary(0), pending: 5 };
    expect(openPending(OPEN_GATE, 3, summary, EVERY_INDEX)).toEqual({ least: 5, most: 5 });
    const untouched: IndexGate = {
      ...OPEN_GATE,
      openIn: () => {
        throw new Error('it was counted');
      },
    };
    expect(openPending(untouched, 0, { ...summary, pending: 0 }, EVERY_INDEX)).toEqual({ least: 0, most: 0 });
    expect(podCount(summary)).toBe(0);
  });

  test('inherited ones of other chunks are nothing to this one', () => {
    const inherited = parseStatusIndexes('0-9', Infinity);
    const gate: IndexGate = { isOpen: () => false, openIn: () => 0, isFinal: false };
    const summary = { ...freshSummary(0), pending: 5 };
    expect(openPending(gate, 1, summary, { ...EVERY_INDEX, inherited })).toEqual({ least: 0, most: 0 });
  });
});

describe('the closed ones of a loaded chunk', () => {
  test.each<[own: string, there: string, below: number, expected: ReturnType<typeof closedIn>]>([
    ['S F . .', 'S S F .', 4, { count: 2, first: 2, isAnyOpen: false }],
    ['. . . .', 'F S . .', 4, { count: 1, first: 0, isAnyOpen: true }],
    ['1 . F .', 'S . . .', 4, { count: 0, first: null, isAnyOpen: true }],
    ['S . . .', 'S . . .', 2, { count: 1, first: 1, isAnyOpen: false }],
    ['S S x I', '. . . .', 4, { count: 0, first: null, isAnyOpen: false }],
  ])('%s beside %s, below %i', (own, there, below, expected) => {
    const { stored } = aBoard(own);
    expect(closedIn(indexGate([upstream(there)], 4), stored.get(0)!, 0, below)).toEqual(expected);
  });

  test('of the second chunk', () => {
    const { stored } = aBoard('. .', { before: CHUNK_INDEXES });
    const gate: IndexGate = { isOpen: (index) => index < CHUNK_INDEXES, openIn: () => 0, isFinal: true };
    expect(closedIn(gate, stored.get(1)!, 1, CHUNK_INDEXES + 2)).toEqual({
      count: 2,
      first: CHUNK_INDEXES,
      isAnyOpen: false,
    });
  });
});
