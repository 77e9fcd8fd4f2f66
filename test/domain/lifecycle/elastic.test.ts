import { describe, expect, test } from 'vitest';
import { CHUNK_INDEXES } from '../../../shared/domain/scoreboard/board.ts';
import {
  type Situation,
  aBoard,
  after,
  at,
  brief,
  deleted,
  ended,
  exited,
  plan,
  recordOf,
  stripOf,
} from '../../support/a-board.ts';
import { conditionsOf, shown } from '../../support/shown.ts';

// An Indexed Job whose completions and parallelism change together (KEP-3715). S succeeded, r running, c claimed, b a Pod
// between two tasks, . pending, R asked to stop, 1 pending after one failure, F failed for good.

const resized = (board: Situation, completions: number, parallelism = completions): Situation => ({
  ...board,
  job: {
    ...board.job,
    revision: board.job.revision + 1,
    spec: { ...board.job.spec, completions, parallelism },
  },
});
const pass = (board: Situation, facts: Parameters<typeof plan>[1] = [], sec = 0): Situation =>
  after(board, plan(board, facts, sec));

describe('grow', () => {
  test.each<readonly [strip: string, to: number, expected: string, because: string]>([
    ['r r', 4, 'running, launch 2 3', 'new indexes are started'],
    ['S S r', 5, 'running, launch 3 4', 'beside those that are left'],
    ['1 r', 3, 'running, launch 0#2 2', 'and those that are tried again'],
    ['r r', 2, 'running', 'nothing has changed but the revision'],
  ])('%s to %i → %s: %s', (strip, to, expected) => {
    expect(brief(plan(resized(aBoard(strip), to)))).toBe(expected);
  });

  test('a Job that shrinks to one index keeps everything that it has achieved', () => {
    const grown = pass(resized(aBoard('S S r', { parallelism: 3 }), 5), [exited(2, 0)]);
    expect(conditionsOf(grown)).toBe('');
    expect(stripOf(grown)).toBe('S S S c c');
  });
});

describe('shrink', () => {
  test.each<readonly [strip: string, to: readonly [number, number], expected: string, because: string]>([
    ['r r r r', [2, 2], 'running, stop 2 3', 'those beyond are stopped'],
    ['. . r r', [2, 2], 'running, stop 2 3', 'before any other is started'],
    ['r c S r', [3, 3], 'running, stop 3', 'those beyond first, whatever they have come to'],
    ['c r r r', [3, 1], 'running, stop 0 2 3', 'then those that have come least far'],
    ['S S r r', [2, 2], 'draining CompletionsReached, stop 2 3', 'all that is left of it has succeeded'],
    ['S . r S', [3, 2], 'running, launch 1', 'successes beyond do not count'],
    ['S S . S', [3, 3], 'running, launch 2', 'not towards completions'],
    ['S S S S', [2, 2], 'finished CompletionsReached', 'it is done'],
    ['r r r r', [0, 0], 'draining CompletionsReached, stop 0 1 2 3', 'to zero: nothing is over while a task runs'],
    ['. . . .', [0, 0], 'finished CompletionsReached', 'to zero: it is done'],
    ['1 1 . S', [0, 0], 'finished CompletionsReached', 'to zero, whatever there was'],
  ])('%s to %o → %s: %s', (strip, [completions, parallelism], expected) => {
    expect(brief(plan(resized(aBoard(strip, { parallelism: 4 }), completions, parallelism)))).toBe(expected);
  });

  test('a stopped Pod beyond completions does not count, however it ends', () => {
    const board = pass(resized(aBoard('r r r r r', { parallelism: 5, backoffLimit: 0 }), 1));
    const next = pass(
      board,
      [ended(1, 'Stopped', 1), exited(2, 1, 1), ended(3, 'Spot', 1), ended(4, 'OOMKilled', 1)],
      1,
    );
    expect(stripOf(next)).toBe('r . . . .');
    expect(shown(next)).toMatchObject({ active: 1, terminating: 0 });
    expect(shown(next).failed).toBeUndefined();
  });

  test('a success beyond completions is kept, and shown again when the Job grows', () => {
    const board = pass(resized(aBoard('r r r r', { parallelism: 4 }), 2));
    const small = pass(board, [ended(2, 'Stopped', 1), exited(3, 0, 1)], 1);
    expect(shown(small).succeeded).toBeUndefined();
    expect(shown(small).completedIndexes).toBeUndefined();
    const large = resized(small, 4);
    expect(brief(plan(large, [], 2))).toBe('running, launch 2#2');
    expect(shown(pass(large, [], 2))).toMatchObject({ succeeded: 1, completedIndexes: '3' });
  });

  test('a Pod between two tasks beyond completions ends at once, and does not count', () => {
    const next = pass(resized(aBoard('r b', { restartPolicy: 'OnFailure', parallelism: 2 }), 1));
    expect(stripOf(next)).toBe('r .');
    expect(next.status).toMatchObject({ failed: 0, restarts: 0 });
  });

  test('a Pod beyond completions that a user deletes does not count', () => {
    const board = pass(resized(aBoard('r r', { podReplacementPolicy: 'TerminatingOrFailed' }), 1));
    const next = pass(pass(board, [deleted(1)]), [ended(1, 'Stopped', 1)], 1);
    expect(next.status).toMatchObject({ failed: 0, replacedTasks: [] });
    expect(stripOf(next)).toBe('r .');
  });

  test('failed indexes beyond completions are not in failedIndexes', () => {
    const perIndex = { backoffLimit: 99, backoffLimitPerIndex: 0, maxFailedIndexes: 0 };
    const board = resized(aBoard('S S F', perIndex), 2);
    expect(brief(plan(board))).toBe('finished CompletionsReached');
    expect(shown(pass(board)).failedIndexes).toBe('');
  });

  test('attempt numbers continue', () => {
    const board = pass(pass(resized(aBoard('r r'), 1)), [ended(1, 'Stopped', 1)], 1);
    expect(recordOf(pass(resized(board, 2), [], 2), 1)).toMatchObject({ state: 'claimed', attempt: 2 });
  });

  test('a finished Job does not reopen when it grows', () => {
    const done = pass(aBoard('S S'), [], 1);
    expect(brief(plan(resized(done, 4), [], 2))).toBe('finished CompletionsReached');
  });
});

describe('the position of the cut', () => {
  // Everything has succeeded, except what the strip says; it begins two indexes before the second chunk.
  const before = CHUNK_INDEXES - 2;
  test.each<
    readonly [strip: string, completions: number, expected: string, succeeded: number, indexes: string, because: string]
  >([
    ['S S S .', before + 4, 'running, launch 4097', before + 3, '0-4096', 'not cut'],
    ['S S S .', before + 3, 'finished CompletionsReached', before + 3, '0-4096', 'within the second chunk'],
    ['S S S .', CHUNK_INDEXES, 'finished CompletionsReached', CHUNK_INDEXES, '0-4095', 'exactly between the two'],
    ['S . S S', CHUNK_INDEXES, 'running, launch 4095', CHUNK_INDEXES - 1, '0-4094', 'with one left before it'],
    ['S . S S', CHUNK_INDEXES - 1, 'finished CompletionsReached', CHUNK_INDEXES - 1, '0-4094', 'one before it'],
    ['. S S S', CHUNK_INDEXES - 1, 'running, launch 4094', CHUNK_INDEXES - 2, '0-4093', 'with one left before that'],
    ['S S S S', 1, 'finished CompletionsReached', 1, '0', 'far before it'],
    ['S S r r', CHUNK_INDEXES, 'draining CompletionsReached', CHUNK_INDEXES, '0-4095', 'with Pods behind it'],
  ])('%s, completions %i → %s, %i succeeded, %s: %s', (strip, completions, expected, succeeded, indexes) => {
    const board = resized(aBoard(strip, { before }), completions);
    expect(brief(plan(board)).split(', stop')[0]).toBe(expected);
    expect(shown(pass(board)).succeeded).toBe(succeeded);
    expect(shown(pass(board)).completedIndexes).toBe(indexes);
  });
});

test('resizing while suspended starts and stops nothing, and counts by the new size', () => {
  const board = aBoard('S . .', { suspend: true, phase: { kind: 'suspended', since: at(0) } });
  expect(brief(plan(resized(board, 5)))).toBe('suspended');
  expect(brief(plan(resized(board, 1)))).toBe('finished CompletionsReached');
});
