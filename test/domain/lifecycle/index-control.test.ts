import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../shared/domain/base/fact.ts';
import type { IndexAction } from '../../../shared/domain/scoreboard/index-changes.ts';
import { tally } from '../../../shared/domain/scoreboard/status.ts';
import {
  type Situation,
  aBoard,
  acted,
  after,
  brief,
  cancelled,
  deleted,
  ended,
  exited,
  plan,
  recordOf,
  running,
  stripOf,
} from '../../support/a-board.ts';

// What users do to single indexes. h held, H running and held when it comes back, X and Q running and cancelled or requeued,
// R being stopped, x given up, 1 pending after a failure.

const pass = (board: Situation, facts: readonly Fact[] = [], sec = 0): Situation =>
  after(board, plan(board, facts, sec));

const ROWS: Readonly<Record<IndexAction, readonly (readonly [strip: string, then: string, effects: string])[]>> = {
  hold: [
    ['. 1 w', 'h h h', 'done done done'],
    ['c l r b', 'H H H H', 'later later later later'],
    ['h H', 'h H', 'already already'],
    ['S F x X', 'S F x X', 'settled settled settled settled'],
    ['R D', 'H H', 'later later'],
  ],
  release: [
    ['h H', '. r', 'done done'],
    ['. r b', '. r b', 'already already already'],
    ['S F x', 'S F x', 'settled settled settled'],
  ],
  cancel: [
    ['. 1 h b', 'x x x x', 'done done done done'],
    ['c l r H', 'X X X X', 'later later later later'],
    ['X x', 'X x', 'already already'],
    ['S F I', 'S F I', 'settled settled settled'],
    ['R Q', 'X X', 'later later'],
  ],
  requeue: [
    ['c l r', 'Q Q Q', 'later later later'],
    ['b F', '. .', 'done done'],
    ['. w h R D X Q L', '. w h R D X Q L', 'already already already already already already already already'],
    ['S x I', 'S x I', 'settled settled settled'],
  ],
};

describe.each(Object.entries(ROWS))('%s', (name, rows) => {
  const action = name as IndexAction;
  test.each(rows)('%s becomes %s', (strip, then, effects) => {
    const { board, effects: found } = acted(aBoard(strip, { parallelism: 9 }), action);
    expect([stripOf(board), found.join(' ')]).toEqual([then, effects]);
    const again = acted(board, action);
    expect(stripOf(again.board)).toBe(then);
    expect(again.effects).not.toContain('done');
    expect(again.effects).not.toContain('later');
  });
});

describe('a held index', () => {
  test('is not claimed, and others are', () => {
    const { board } = acted(aBoard('.', { parallelism: 2 }), 'hold');
    expect(brief(plan(board))).toBe('nothing changes');
    const mixed = aBoard('h . h .', { parallelism: 3 });
    expect(stripOf(pass(mixed))).toBe('h c h c');
    expect(mixed.status.chunks[0]).toMatchObject({ held: 2, pending: 2, firstPending: 1 });
  });

  test('keeps its Job from its end, until it is released', () => {
    const board = pass(aBoard('h r', {}), [exited(1, 0)]);
    expect([stripOf(board), board.status.phase.kind]).toEqual(['h S', 'running']);
    const { board: released } = acted(board, 'release');
    expect(released.status.chunks[0]).toMatchObject({ held: 0, pending: 1, firstPending: 0 });
    expect(stripOf(pass(released))).toBe('c S');
  });

  test('whose attempt runs is held when it comes back, and not if it succeeds', () => {
    const { board } = acted(aBoard('r r', { backoffLimitPerIndex: 3 }), 'hold');
    const back = pass(board, [exited(0, 1), exited(1, 0)]);
    expect(stripOf(back)).toBe('h S');
    expect(recordOf(back, 0)).toMatchObject({ failures: 1, held: true });
    expect(recordOf(back, 1).held).toBe(false);
    expect(brief(plan(back, [], 100))).not.toContain('launch');
  });

  test('of a Pod between two tasks: the Pod goes on', () => {
    const { board } = acted(aBoard('b', { restartPolicy: 'OnFailure' }), 'hold');
    expect(brief(plan(board, [], 10))).toContain('launch 0.1');
  });

  test('can be held in a suspended Job', () => {
    const { board } = acted(aBoard('. .', { phase: { kind: 'suspended', since: 0 as never }, suspend: true }), 'hold');
    const resumed = { ...board, job: { ...board.job, spec: { ...board.job.spec, suspend: false } } };
    expect(brief(plan(pass(resumed), [], 1))).not.toContain('launch');
  });
});

describe('a cancelled index', () => {
  test('is stopped, counts nothing, never runs again, and its Job is complete without it', () => {
    const { board } = acted(aBoard('r S', {}), 'cancel');
    const stopping = plan(board);
    expect(brief(stopping)).toBe('running, stop 0');
    const over = plan(after(board, stopping), [ended(0, 'Stopped')]);
    expect(over.ended).toMatchObject([{ gone: true, judgement: { as: 'released', why: { kind: 'indexCancelled' } } }]);
    expect([stripOf(after(board, over)), over.status?.failed]).toEqual(['x S', 0]);
    expect(brief(over)).toBe('finished CompletionsReached');
  });

  test('whose launch was not asked for is cancelled with it', () => {
    const { board } = acted(aBoard('c S', {}), 'cancel');
    expect(brief(plan(board, [cancelled(0)]))).toBe('finished CompletionsReached');
  });

  test('that succeeds before it is stopped has succeeded', () => {
    const { board } = acted(aBoard('r S', {}), 'cancel');
    expect(stripOf(pass(board, [exited(0, 0)]))).toBe('S S');
  });

  test('that fails by itself before it is stopped counts one failure, and has not failed for good', () => {
    const { board } = acted(aBoard('r S', { backoffLimitPerIndex: 0, backoffLimit: 2 ** 31 - 1 }), 'cancel');
    const over = plan(board, [exited(0, 1)]);
    expect([stripOf(after(board, over)), over.status?.failed]).toEqual(['x S', 1]);
    expect(brief(over)).toBe('finished CompletionsReached');
    expect(over.ended[0]?.judgement).toEqual({ as: 'failed', why: { kind: 'exited', exitCode: 1 } });
  });

  test('that was being deleted counts as deleted, and is given up', () => {
    const board = pass(aBoard('r S', { podFailurePolicy: { rules: [] } }), [deleted(0)]);
    const { board: gone } = acted(board, 'cancel');
    const over = plan(gone, [ended(0, 'Stopped')]);
    expect([stripOf(after(gone, over)), over.status?.failed]).toEqual(['x S', 1]);
  });

  test('with all others ends its Job, complete, even where a success policy is not met', () => {
    const policy = { successPolicy: [{ indexes: null, count: 1 }] };
    const { board } = acted(aBoard('. .', policy), 'cancel');
    expect(brief(plan(board))).toBe('finished CompletionsReached');
  });
});

describe('a requeued index', () => {
  test('is stopped and starts over, without a failure', () => {
    const { board } = acted(aBoard('r', {}), 'requeue');
    expect(brief(plan(board))).toBe('running, stop 0');
    const { status, ended: ends } = plan(board, [ended(0, 'Stopped')]);
    expect(ends).toMatchObject([{ judgement: { as: 'released', why: { kind: 'indexRequeued' } } }]);
    expect(status?.failed).toBe(0);
    expect(stripOf(pass(board, [ended(0, 'Stopped')]))).toBe('c');
    expect(recordOf(pass(board, [ended(0, 'Stopped')]), 0)).toMatchObject({ attempt: 2, failures: 0, wish: null });
  });

  test('that is held, too, is kept', () => {
    const { board: held } = acted(aBoard('r', {}), 'hold');
    const { board } = acted(held, 'requeue');
    expect(stripOf(pass(board, [ended(0, 'Stopped')]))).toBe('h');
  });

  test('that has failed for good is tried as if it never had; what has failed stays counted', () => {
    const before = aBoard('F r', { backoffLimitPerIndex: 0, backoffLimit: 2 ** 31 - 1, maxFailedIndexes: 1 });
    const { board } = acted(before, 'requeue');
    expect(recordOf(board, 0)).toMatchObject({ state: 'pending', attempt: 1, failures: 0 });
    expect(tally(board.status.chunks)).toMatchObject({ failed: 0, pending: 1 });
    const next = pass(pass(board, [ended(1, 'Stopped')]), [running(0, 2)]);
    expect(stripOf(next)).toBe('r c');
    expect(next.status.failed).toBe(1);
    expect(stripOf(pass(next, [exited(0, 1, 0, 2)]))).toBe('F c');
    expect(pass(next, [exited(0, 1, 0, 2)]).status.failed).toBe(2);
  });
});
