import { describe, expect, test } from 'vitest';
import { Draft } from '../../shared/domain/draft.ts';
import { InvariantError } from '../../shared/domain/invariant.ts';
import type { Step } from '../../shared/domain/transition.ts';
import { type Wish, aBoard, at, recount } from '../support/a-board.ts';

// The part of a board that a pass has at hand: S succeeded, r running, l launched, c claimed, . pending, w waiting until
// 10 s, R asked to stop.

const draftOf = (strip: string, wish?: Wish): Draft => {
  const { status, stored } = aBoard(strip, wish);
  return new Draft(status, stored);
};

describe('a summary keeps step with its chunk', () => {
  const rows: readonly (readonly [strip: string, step: Step, because: string])[] = [
    ['S . .', { op: 'claim' }, 'one more is starting'],
    ['S c .', { op: 'launched' }, 'it still is'],
    ['S l .', { op: 'running' }, 'it runs'],
    ['S r .', { op: 'stopping' }, 'it is to end'],
    ['S R .', { op: 'succeeded' }, 'it has ended, and nothing is to end any more'],
    ['S r .', { op: 'failed' }, 'it is pending before all others'],
    ['S r .', { op: 'failedForGood' }, 'it is not tried again'],
    ['S r .', { op: 'lost', notBefore: null }, 'it may start at once'],
    ['S r .', { op: 'lost', notBefore: at(7) }, 'it may start at 7 s'],
    ['S r w', { op: 'lostToSpot', notBefore: at(7) }, 'sooner than the other'],
    ['S r w', { op: 'lostToSpot', notBefore: at(20) }, 'later than the other'],
    ['S R .', { op: 'released' }, 'nothing is to end any more'],
    ['S c .', { op: 'renonce' }, 'nothing is shown of it'],
  ];
  test.each(rows)('%s, %o: %s', (strip, step) => {
    const draft = draftOf(strip);
    const attempt = (draft.record(1)?.attempt ?? 0) + Number(step.op === 'claim');
    draft.apply({ ...step, index: 1, attempt });
    const { version: _, firstPending, ...told } = draft.summaries()[0]!;
    const { firstPending: first, ...counted } = recount(draft.chunk(0)!, 3);
    expect(told).toEqual(counted);
    expect(firstPending).toBeLessThanOrEqual(first);
    expect(draft.transitions).toEqual([{ ...step, index: 1, attempt }]);
  });
});

describe('pending indexes', () => {
  type Row = readonly [
    strip: string,
    limit: number,
    sec: number,
    found: readonly number[],
    first: number,
    dueSec: number | null,
    because: string,
  ];
  test.each<Row>([
    ['. . . .', 2, 0, [0, 1], 0, null, 'lowest first'],
    ['S S . r .', 9, 0, [2, 4], 2, null, 'what is before the first is not looked at again'],
    ['S S S S', 9, 0, [], 4, null, 'there is none'],
    ['w . w .', 9, 9, [1, 3], 0, 10, 'those that wait are left out'],
    ['w . w .', 9, 10, [0, 1, 2, 3], 0, null, 'they wait no more'],
    ['w . w .', 1, 9, [1], 0, 10, 'a scan that ends early knows no sooner moment'],
    ['S . w .', 1, 9, [1], 1, 10, 'and no later first'],
  ])('%s, up to %i at %i s → %o, from %i on, due at %s: %s', (strip, limit, sec, found, first, dueSec) => {
    const draft = draftOf(strip);
    expect(draft.pending(limit, at(sec))).toEqual(found);
    expect(draft.summaries()[0]).toMatchObject({
      firstPending: first,
      soonestDue: dueSec === null ? null : at(dueSec),
    });
  });
});

test('a new attempt has nothing of the last one but what counts', () => {
  const draft = draftOf('w');
  draft.apply({ op: 'claim', index: 0, attempt: 2 });
  expect(draft.record(0)).toMatchObject({
    state: 'claimed',
    attempt: 2,
    nonce: 0,
    notBefore: null,
    stopping: false,
    infra: 1,
  });
});

describe('a step that cannot follow is our own bug', () => {
  const rows: readonly (readonly [strip: string, step: Step, attempt: number])[] = [
    ['c', { op: 'claim' }, 2],
    ['S', { op: 'claim' }, 2],
    ['.', { op: 'claim' }, 2],
    ['.', { op: 'launched' }, 0],
    ['l', { op: 'launched' }, 1],
    ['r', { op: 'launched' }, 1],
    ['r', { op: 'running' }, 1],
    ['S', { op: 'failed' }, 1],
    ['1', { op: 'succeeded' }, 1],
    ['r', { op: 'succeeded' }, 2],
  ];
  test.each(rows)('%s, %o of attempt %i', (strip, step, attempt) => {
    expect(() => draftOf(strip).apply({ ...step, index: 0, attempt })).toThrow(InvariantError);
  });

  test('so is one whose chunk is not at hand', () => {
    const { status } = aBoard('r');
    expect(() => new Draft(status, new Map()).apply({ op: 'succeeded', index: 0, attempt: 1 })).toThrow(InvariantError);
  });
});
