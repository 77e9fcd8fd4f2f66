import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../shared/domain/base/fact.ts';
import type { Verdict } from '../../../shared/domain/scoreboard/status.ts';
import { freshStatus, requestDeletion } from '../../../shared/domain/scoreboard/status.ts';
import {
  type Wish,
  aBoard,
  after,
  at,
  brief,
  cancelled,
  ended,
  launched,
  plan,
  recordOf,
  refused,
  rejected,
  running,
  stripOf,
  wakeSec,
} from '../../support/a-board.ts';

// A strip is a Job: S succeeded, r running, l launched, c claimed, . pending, 3 pending after three failures, w waiting
// until 10 s, R and C asked to stop. It is Indexed with parallelism 2 and backoffLimit 6 unless the row says otherwise.

const FAILED: Verdict = {
  kind: 'failed',
  reason: 'BackoffLimitExceeded',
  message: 'Job has reached the specified backoff limit',
  decidedBy: null,
};
const COMPLETE: Verdict = {
  kind: 'complete',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
  decidedBy: null,
};

type Row = readonly [strip: string, wish: Wish, facts: readonly Fact[], expected: string, because: string];

function table(rows: readonly Row[]): void {
  for (const [strip, wish, facts, expected, because] of rows) {
    test(`${strip} → ${expected}: ${because}`, () => {
      expect(brief(plan(aBoard(strip, wish), facts))).toBe(expected);
    });
  }
}

describe('which attempts exist', () => {
  table([
    ['. . . .', {}, [], 'running, launch 0 1', 'fills up to parallelism, lowest index first'],
    ['S c . .', {}, [], 'running, launch 2', 'a claim takes up a place'],
    ['S l r .', {}, [], 'nothing changes', 'so do what is launched and what runs'],
    ['r . . .', { parallelism: 9 }, [], 'running, launch 1 2 3', 'never more than there are indexes'],
    ['. . . .', { parallelism: 0 }, [], 'nothing changes', 'parallelism 0 starts nothing'],
    ['S r S .', {}, [], 'running, launch 3', 'what has succeeded frees its place'],
    ['r r . .', {}, [ended(0, 'Completed')], 'running, launch 2', 'in the same pass that counts it'],
    ['2 S r .', {}, [], 'running, launch 0#3', 'a retry is a new attempt of the same index'],
    ['w . r .', {}, [], 'running', 'an index that waits holds its place'],
    ['w . r .', { parallelism: 3 }, [], 'running, launch 1', 'the next one has a place of its own'],
    ['w S r S', {}, [], 'running', 'and nothing else takes its place'],
    ['R r . .', {}, [], 'running, stop 0', 'what is being stopped still takes up a place'],
  ]);

  test('a waiting index starts when its time has come', () => {
    const waiting = aBoard('w S r S');
    expect(brief(plan(waiting, [], 9))).toBe('running');
    expect(brief(plan(waiting, [], 10))).toBe('running, launch 0#2');
  });

  test('a pass that leaves an index waiting requests a wake-up for its time', () => {
    const board = aBoard('w . S S', { parallelism: 3 });
    const first = plan(board);
    expect(brief(first)).toBe('running, launch 1');
    expect(wakeSec(first)).toBe(10);
  });
});

describe('a NonIndexed Job counts slots, not names', () => {
  const nonIndexed = { completionMode: 'NonIndexed' as const };
  table([
    ['. . .', { ...nonIndexed, completions: 3 }, [], 'running, launch 0 1', 'with completions: a slot for each'],
    ['1 S S', { ...nonIndexed, completions: 3 }, [], 'running, launch 0#2', 'a retry takes the slot that failed'],
    ['S S S', { ...nonIndexed, completions: 3 }, [], 'finished CompletionsReached', 'done when all have succeeded'],
    [
      '. .',
      { ...nonIndexed, completions: null },
      [],
      'running, launch 0 1',
      'a work queue has as many slots as may run',
    ],
    [
      'S r',
      { ...nonIndexed, completions: null },
      [],
      'nothing changes',
      'once one has succeeded nothing is started any more',
    ],
    ['1 r', { ...nonIndexed, completions: null }, [], 'running, launch 0#2', 'a failure before is made good'],
    [
      'S r',
      { ...nonIndexed, completions: null },
      [ended(1, 'Completed')],
      'finished CompletionsReached',
      'done when none is left',
    ],
    [
      'S r',
      { ...nonIndexed, completions: null },
      [ended(1, 'Error')],
      'finished CompletionsReached',
      'whatever became of the others',
    ],
    [
      '. .',
      { ...nonIndexed, completions: null, parallelism: 3 },
      [],
      'running, launch 0 1 2',
      'more parallelism, more slots',
    ],
  ]);
});

describe('how a Job ends', () => {
  table([
    ['S S S', {}, [], 'finished CompletionsReached', 'every index has succeeded'],
    ['', {}, [], 'finished CompletionsReached', 'completions 0 is reached at once'],
    ['S S r', {}, [ended(2, 'Completed')], 'finished CompletionsReached', 'the last success ends it'],
    ['S S r', {}, [ended(2, 'Error')], 'running', 'a failure within the limit does not'],
    [
      'r . .',
      { backoffLimit: 0 },
      [ended(0, 'Error')],
      'finished BackoffLimitExceeded',
      'backoffLimit 0: the first failure ends it',
    ],
    [
      '1 r .',
      { backoffLimit: 1 },
      [ended(1, 'Error')],
      'finished BackoffLimitExceeded',
      'more failures than the limit',
    ],
    ['1 r .', { backoffLimit: 2 }, [ended(1, 'Error')], 'running', 'as many as the limit are allowed'],
    ['2 r .', { backoffLimit: 1 }, [], 'draining BackoffLimitExceeded, stop 1', 'what still runs is stopped first'],
    [
      'r r',
      { backoffLimit: 0 },
      [ended(0, 'Completed'), ended(1, 'Error')],
      'finished BackoffLimitExceeded',
      'failure beats success in one pass',
    ],
    [
      'S r',
      { backoffLimit: 0 },
      [ended(1, 'Infrastructure')],
      'running, launch 1#2',
      'lost infrastructure spends nothing',
    ],
    ['c r', {}, [rejected(0)], 'draining LaunchRefused, stop 1', 'a launch that will never be accepted'],
    ['S S S', { suspend: true }, [], 'finished CompletionsReached', 'completion is looked at before suspend'],
  ]);

  table([
    [
      'S S S',
      { phase: { kind: 'finished', verdict: FAILED, since: at(0), at: at(0) } },
      [],
      'nothing changes',
      'a verdict never changes',
    ],
    [
      'r . .',
      { phase: { kind: 'draining', verdict: FAILED, since: at(0) } },
      [ended(0, 'Stopped')],
      'finished BackoffLimitExceeded',
      'over when the last has stopped',
    ],
    [
      'r S S',
      { phase: { kind: 'draining', verdict: FAILED, since: at(0) } },
      [ended(0, 'Completed')],
      'finished BackoffLimitExceeded',
      'SuccessCriteriaMet never follows',
    ],
    [
      'c . .',
      { phase: { kind: 'draining', verdict: FAILED, since: at(0) } },
      [],
      'draining BackoffLimitExceeded, stop 0',
      'not while a claim is unanswered',
    ],
    [
      'c . .',
      { phase: { kind: 'draining', verdict: FAILED, since: at(0) } },
      [cancelled(0)],
      'finished BackoffLimitExceeded',
      'but once it is cancelled',
    ],
    [
      '. . .',
      { phase: { kind: 'draining', verdict: FAILED, since: at(0) } },
      [],
      'finished BackoffLimitExceeded',
      'nothing is started',
    ],
  ]);

  test.each([
    ['failed', FAILED, 1],
    ['complete', COMPLETE, 0],
  ] as const)('what still ran when the Job was %s', (_, verdict, failed) => {
    const draining = aBoard('S r', { phase: { kind: 'draining', verdict, since: at(0) } });
    expect(plan(draining, [ended(1, 'Stopped')]).status).toMatchObject({
      failed,
      phase: { kind: 'finished', verdict },
    });
  });
});

describe('back-off', () => {
  test.each([
    [[1], 10],
    [[1, 2], 20],
    [[1, 2, 3], 40],
    [[1, 2, 3, 4, 5, 6], 320],
    [[1, 2, 3, 4, 5, 6, 7], 600],
    [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 600],
  ])('after failures at %o nothing is started for %i s', (failures, heldSec) => {
    const board = aBoard('r . .', {
      parallelism: 3,
      backoffLimit: 99,
      status: { failed: failures.length - 1, backoff: { failures: failures.length - 1, lastFailureAt: at(0) } },
    });
    const last = failures.length;
    const first = plan(board, [ended(0, 'Error', last)], last);
    expect(brief(first)).toBe('running');
    const held = after(board, first);
    expect(brief(plan(held, [], last + heldSec - 1))).not.toContain('launch');
    expect(brief(plan(held, [], last + heldSec))).toContain('launch 0#2 1 2');
  });

  test('an end that another clock dates in the future is one of now, for the wait and in the history', () => {
    const board = aBoard('r . .', { parallelism: 3, backoffLimit: 99 });
    const first = plan(board, [ended(0, 'Error', 3 * 3_600)], 5);
    expect(first.ended.map(({ times }) => times.stoppedAt)).toEqual([at(5)]);
    const held = after(board, first);
    expect(brief(plan(held, [], 14))).not.toContain('launch');
    expect(brief(plan(held, [], 15))).toContain('launch 0#2 1 2');
  });

  test('a success lets the others start at once', () => {
    const board = aBoard('r r . .', { status: { backoff: { failures: 5, lastFailureAt: at(0) } } });
    expect(brief(plan(board, [ended(0, 'Completed', 1)], 1))).toBe('running, launch 2');
  });

  test('a pass requests a wake-up at the end of the back-off', () => {
    const board = aBoard('r . .', { status: { published: { version: 5, seq: 0, at: at(4) } } });
    const first = plan(board, [ended(0, 'Error', 4)], 4);
    expect(wakeSec(first)).toBe(5); // to publish; then
    expect(wakeSec(plan(after(board, first), [], 5))).toBe(14);
  });
});

describe('suspend and resume', () => {
  const suspended = { phase: { kind: 'suspended', since: at(0) }, suspend: true } as const;

  test('a Job that is created suspended starts nothing and has no start time', () => {
    const { job, stored } = aBoard('. . .', { suspend: true });
    const fresh = { job, stored, status: { ...freshStatus(job, at(0)), published: { version: 1, seq: 0, at: at(0) } } };
    expect(fresh.status.phase.kind).toBe('suspended');
    expect(plan(fresh, [], 5).status?.startTime ?? null).toBeNull();
    expect(brief(plan(fresh, [], 5))).not.toContain('launch');
  });

  table([
    ['r c .', { suspend: true }, [], 'suspended, stop 0 1', 'everything active is asked to stop'],
    ['r . .', suspended, [], 'suspended, stop 0', 'and nothing is started'],
    ['r . .', suspended, [ended(0, 'Stopped')], 'suspended', 'what was stopped is pending again'],
    ['S S r', suspended, [ended(2, 'Completed')], 'finished CompletionsReached', 'it may still complete'],
    ['r . .', { ...suspended, suspend: false }, [], 'suspended, stop 0', 'no resume while something is active'],
    [
      'r . .',
      { ...suspended, suspend: false },
      [ended(0, 'Stopped')],
      'running, launch 0#2 1',
      'but when the last has stopped',
    ],
    ['. . .', { ...suspended, suspend: false }, [], 'running, launch 0 1', 'or when nothing was active'],
  ]);

  test('Pods that a suspend stops do not count; those that end by themselves do', () => {
    const board = aBoard('r r r r', { ...suspended, parallelism: 4 });
    const next = plan(board, [ended(0, 'Stopped'), ended(1, 'Error'), ended(2, 'Completed'), ended(3, 'Spot')]);
    expect(next.status?.failed).toBe(1);
    expect(stripOf(after(board, next))).toBe('. 1 S .');
  });

  test('a resume sets a new start time', () => {
    const board = aBoard('. . .', { ...suspended, suspend: false });
    expect(plan(board, [], 70).status).toMatchObject({ startTime: at(70), resumedAt: at(70) });
    expect(plan(aBoard('. . .'), [], 70).status).toMatchObject({ startTime: at(0), resumedAt: null });
  });
});

describe('scale-down', () => {
  table([
    ['r r r c', { parallelism: 3 }, [], 'running, stop 3', 'claims go first'],
    ['c r l r', { parallelism: 2 }, [], 'running, stop 0 2', 'then what is launched, then what runs'],
    ['r r r r', { parallelism: 2 }, [], 'running, stop 2 3', 'the highest index first'],
    ['r r R R', { parallelism: 2 }, [], 'running, stop 2 3', 'what is being stopped is not surplus'],
    ['r r r r', { parallelism: 0 }, [], 'running, stop 0 1 2 3', 'parallelism 0 stops all'],
    ['r r R .', { parallelism: 2 }, [ended(2, 'Stopped')], 'running', 'what was stopped waits for its turn'],
    ['r S R .', { parallelism: 2 }, [ended(2, 'Stopped')], 'running, launch 2#2', 'and is started again in its turn'],
  ]);

  test('Pods that a scale-down stops do not count', () => {
    const board = aBoard('r R', { parallelism: 1 });
    const next = plan(board, [ended(1, 'Stopped')]);
    expect(next.status?.failed).toBe(0);
    expect(stripOf(after(board, next))).toBe('r .');
  });
});

describe('delete', () => {
  test('running tasks are stopped, then the rows may expire', () => {
    const board = aBoard('S r .');
    const status = requestDeletion(board.status, at(1));
    const purging = { ...board, status: status ?? board.status };
    const first = plan(purging, [], 1);
    expect(brief(first)).toBe('purging, stop 1');
    expect(first.expire).toBe(false);
    const last = plan(after(purging, first), [ended(1, 'Stopped', 2)], 2);
    expect(brief(last)).toBe('deleted');
    expect(last.expire).toBe(true);
    expect(last.status?.failed).toBe(0);
  });

  test('a finished Job is deleted in one pass, and never again', () => {
    const board = aBoard('S', { phase: { kind: 'finished', verdict: COMPLETE, since: at(0), at: at(0) } });
    const purging = { ...board, status: requestDeletion(board.status, at(1)) ?? board.status };
    const last = plan(purging, [], 1);
    expect(brief(last)).toBe('deleted');
    expect(plan(after(purging, last), [], 2).expire).toBe(false);
    expect(requestDeletion(after(purging, last).status, at(3))).toBeNull();
  });
});

describe('the same fact twice, late, or out of order', () => {
  table([
    [
      'c',
      {},
      [ended(0, 'Completed'), running(0), launched(0)],
      'finished CompletionsReached',
      'order in one batch does not matter',
    ],
    ['r', {}, [launched(0), running(0)], 'nothing changes', 'what is known changes nothing'],
    ['S S', {}, [ended(0, 'Error')], 'finished CompletionsReached', 'a settled index stays settled'],
    ['r .', {}, [ended(0, 'Error', 0, 2)], 'running, launch 1', 'an attempt that is not the current one'],
    ['r .', {}, [ended(0, 'Error', 0, 1, 1)], 'running, launch 1', 'a nonce that is not the current one'],
    ['S r', {}, [running(1, 1, 1)], 'nothing changes, stop task 1#1.1', 'a live task of another launch is stopped'],
    ['S r', {}, [running(7)], 'nothing changes, stop task 7#1.0', 'so is one of no index at all'],
    ['S r', {}, [running(0)], 'nothing changes', 'a late RUNNING of the attempt that has succeeded is none'],
  ]);

  test('a refused launch is retried with a new nonce when it is due', () => {
    const board = aBoard('c');
    const first = plan(board, [refused(0, 10)], 1);
    expect(brief(first)).toBe('running');
    const refusedOnce = after(board, first);
    expect(refusedOnce.status.waitReason).toBe('Capacity is unavailable at this time');
    expect(brief(plan(refusedOnce, [], 9))).not.toContain('launch');
    const again = plan(refusedOnce, [], 10);
    expect(brief(again)).toBe('running, launch 0.1');
    expect(plan(after(refusedOnce, again), [launched(0, 1, 1)], 11).status?.waitReason).toBeNull();
    expect(recordOf(refusedOnce, 0)).toMatchObject({ attempt: 1, nonce: 1, failures: 0 });
  });
});

test("now never runs backwards: a clock that is 3 s behind plans with the Job's own time", () => {
  const board = aBoard('r . .', { status: { now: at(100) } });
  const next = plan(board, [ended(0, 'Completed', 97)], 97);
  expect(next.status?.now).toBe(at(100));
  expect(next.status?.inFlight.map(({ dueAt }) => dueAt)).toEqual([at(160), at(160)]);
  expect(plan(after(board, next), [launched(1)], 101).status?.now).toBe(at(101));
});

test('a pass that changes nothing commits nothing', () => {
  expect(plan(aBoard('S r r .', { status: { alarms: [at(300)] } }))).toMatchObject({
    status: null,
    folds: [],
    actions: [],
    publish: false,
  });
});
