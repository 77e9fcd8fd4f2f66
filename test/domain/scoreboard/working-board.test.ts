import { describe, expect, test } from 'vitest';
import { WorkingBoard } from '../../../shared/domain/scoreboard/working-board.ts';
import { InvariantError } from '../../../shared/domain/base/invariant.ts';
import type { Step } from '../../../shared/domain/scoreboard/transition.ts';
import { type Wish, aBoard, at, recount } from '../../support/a-board.ts';

// The part of a board that a pass has loaded: S succeeded, r running, l launched, c claimed, . pending, w waiting until 10 s, b
// a Pod between two tasks that waits until 10 s, R asked to stop, D its Pod was deleted.

const boardOf = (strip: string, wish?: Wish): WorkingBoard => {
  const { status, stored } = aBoard(strip, wish);
  return new WorkingBoard(status, stored);
};

/** Never later than the real moment; earlier does no harm. */
const isBound = (bound: number | null, real: number | null): boolean =>
  real === null || (bound !== null && bound <= real);

const clock = (sec: number) => ({ now: at(sec), retryDelaySec: 0 });

describe('a summary agrees with its chunk', () => {
  const rows: readonly (readonly [strip: string, step: Step, because: string])[] = [
    ['S . .', { op: 'claim' }, 'one more is starting'],
    ['S c .', { op: 'launched' }, 'it still is'],
    ['S l .', { op: 'running' }, 'it runs'],
    ['S r .', { op: 'stopping' }, 'it is to end'],
    ['S R .', { op: 'succeeded' }, 'it has ended, and nothing is to end any more'],
    ['S r .', { op: 'failed', notBefore: null }, 'it is pending before all others'],
    ['S r .', { op: 'failed', notBefore: at(7) }, 'it may start at 7 s'],
    ['S r .', { op: 'ignored', notBefore: at(7) }, 'so it may where its failure does not count'],
    ['S r .', { op: 'podDeleted' }, 'it is to end, since its Pod was deleted'],
    ['S D .', { op: 'stopping' }, 'it was to end already'],
    ['S D .', { op: 'failed', notBefore: null }, 'and has'],
    ['S r .', { op: 'restart', notBefore: null }, 'its Pod waits for a task'],
    ['S r .', { op: 'unstarted', notBefore: at(7), since: at(3) }, 'until 7 s'],
    ['S b .', { op: 'relaunch' }, 'it has waited long enough'],
    ['S b .', { op: 'released' }, 'its Pod has gone'],
    ['S b .', { op: 'failed', notBefore: null }, 'or has failed'],
    ['S r .', { op: 'failedForGood' }, 'it is not tried again'],
    ['S r .', { op: 'lost', notBefore: null }, 'it may start at once'],
    ['S r .', { op: 'lost', notBefore: at(7) }, 'it may start at 7 s'],
    ['S r w', { op: 'lostToSpot', notBefore: at(7) }, 'sooner than the other'],
    ['S r w', { op: 'lostToSpot', notBefore: at(20) }, 'later than the other'],
    ['S R .', { op: 'released' }, 'nothing is to end any more'],
    ['S c .', { op: 'renonce' }, 'nothing is shown of it'],
  ];
  test.each(rows)('%s, %o: %s', (strip, step) => {
    const board = boardOf(strip);
    const attempt = (board.record(1)?.attempt ?? 0) + Number(step.op === 'claim');
    board.apply({ ...step, index: 1, attempt });
    const { version: _, firstPending, ...told } = board.summaries()[0]!;
    const { firstPending: first, ...counted } = recount(board.chunk(0)!, 3);
    expect({ ...told, soonestDue: null }).toEqual({ ...counted, soonestDue: null });
    expect(isBound(told.soonestDue, counted.soonestDue)).toBe(true);
    expect(firstPending).toBeLessThanOrEqual(first);
    expect(board.transitions).toEqual([{ ...step, index: 1, attempt }]);
  });
});

describe('pending indexes', () => {
  type Row = readonly [
    strip: string,
    places: number,
    room: number,
    below: number,
    sec: number,
    ready: readonly number[],
    held: readonly number[],
    first: number,
    because: string,
  ];
  test.each<Row>([
    ['. . . .', 2, 9, 4, 0, [0, 1], [], 0, 'lowest first'],
    ['S S . r .', 9, 9, 5, 0, [2, 4], [], 2, 'what is before the first is not looked at again'],
    ['S S S S', 9, 9, 4, 0, [], [], 4, 'there is none'],
    ['w . w .', 9, 9, 4, 9, [1, 3], [0, 2], 0, 'those that wait are counted apart'],
    ['w . w .', 9, 9, 4, 10, [0, 1, 2, 3], [], 0, 'they wait no more'],
    ['w . w .', 1, 9, 4, 9, [], [0], 0, 'one that waits holds its place: none overtakes it'],
    ['w . w .', 2, 9, 4, 9, [1], [0], 0, 'as far as there are places'],
    ['S . w .', 1, 9, 4, 9, [1], [], 1, 'and no later first'],
    ['. . . .', 9, 2, 4, 0, [0, 1], [], 0, 'no more than there is room for'],
    ['w w . .', 9, 1, 4, 0, [2], [0, 1], 0, 'those that wait take up no room'],
    ['. . . .', 9, 9, 2, 0, [0, 1], [], 0, 'none beyond the limit'],
    ['S . b .', 9, 9, 4, 0, [1, 3], [], 1, 'a Pod between two tasks is not pending'],
  ])('%s, %i places, room %i, below %i at %i s → %o, held %o, from %i on: %s', (...row) => {
    const [strip, places, room, below, sec, ready, held, first] = row;
    const board = boardOf(strip);
    expect(board.pending(places, room, below, clock(sec), () => true)).toEqual({
      ready,
      inBackoff: held.map((index) => ({ index, until: at(10) })),
    });
    expect(board.summaries()[0]?.firstPending).toBe(first);
  });
});

describe('Pods between two tasks', () => {
  type Row = readonly [
    strip: string,
    room: number,
    sec: number,
    due: readonly number[],
    nextSec: number | null,
    soonestSec: number | null,
    because: string,
  ];
  test.each<Row>([
    ['b r b', 9, 9, [], 10, 10, 'they wait'],
    ['b r b', 9, 10, [0, 2], null, 10, 'they have waited long enough'],
    ['b r b', 1, 10, [0], null, 10, 'no more than there is room for'],
    ['w r .', 9, 9, [], null, 10, 'a pending index in back-off is none, but its moment is known'],
    ['w r b', 9, 10, [2], null, 10, 'nor when it is over'],
    ['r r .', 9, 0, [], null, null, 'there is none'],
  ])('%s, room %i at %i s → %o, the next at %s, due at %s: %s', (strip, room, sec, due, nextSec, soonestSec) => {
    const board = boardOf(strip);
    expect(board.waiting(room, clock(sec))).toEqual({ due, nextAt: nextSec === null ? null : at(nextSec) });
    expect(board.summaries()[0]?.soonestDue).toBe(soonestSec === null ? null : at(soonestSec));
  });
});

test('looking at Pods that wait makes the moment exact that changes only bounded', () => {
  const board = boardOf('b r b');
  for (const index of [0, 2]) board.apply({ op: 'relaunch', index, attempt: 1 });
  expect(board.summaries()[0]?.soonestDue).toBe(at(10));
  board.waiting(9, clock(9));
  expect(board.summaries()[0]?.soonestDue).toBeNull();
});

test('a new attempt keeps only the counters of the last one', () => {
  const board = boardOf('w');
  board.apply({ op: 'claim', index: 0, attempt: 2 });
  expect(board.record(0)).toMatchObject({
    state: 'claimed',
    attempt: 2,
    nonce: 0,
    notBefore: null,
    stopping: false,
    infra: 1,
  });
});

describe('an invalid step throws', () => {
  const rows: readonly (readonly [strip: string, step: Step, attempt: number])[] = [
    ['c', { op: 'claim' }, 2],
    ['S', { op: 'claim' }, 2],
    ['.', { op: 'claim' }, 2],
    ['.', { op: 'launched' }, 0],
    ['l', { op: 'launched' }, 1],
    ['r', { op: 'launched' }, 1],
    ['r', { op: 'running' }, 1],
    ['S', { op: 'failed', notBefore: null }, 1],
    ['b', { op: 'claim' }, 2],
    ['b', { op: 'running' }, 1],
    ['b', { op: 'succeeded' }, 1],
    ['b', { op: 'stopping' }, 1],
    ['r', { op: 'relaunch' }, 1],
    ['.', { op: 'released' }, 0],
    ['1', { op: 'succeeded' }, 1],
    ['r', { op: 'succeeded' }, 2],
  ];
  test.each(rows)('%s, %o of attempt %i', (strip, step, attempt) => {
    expect(() => boardOf(strip).apply({ ...step, index: 0, attempt })).toThrow(InvariantError);
  });

  test('a step on a chunk that is not loaded throws', () => {
    const { status } = aBoard('r');
    expect(() => new WorkingBoard(status, new Map()).apply({ op: 'succeeded', index: 0, attempt: 1 })).toThrow(
      InvariantError,
    );
  });
});
