import { describe, expect, test } from 'vitest';
import { plusMs } from '../../../shared/domain/base/time.ts';
import type { Fact } from '../../../shared/domain/base/fact.ts';
import type { Plan } from '../../../shared/domain/planner/plan.ts';
import {
  type Situation,
  aBoard,
  after,
  at,
  brief,
  ended,
  exited,
  launched,
  plan,
  recordOf,
  running,
  stripOf,
  wakeSec,
} from '../../support/a-board.ts';
import { shown } from '../../support/shown.ts';

// Back-off in passes: of the Job (6.1), of each index (6.2), of a container in its Pod (6.3). r running, . pending, b a Pod
// between two tasks, 1 pending after one failure, w pending in back-off, F failed for good.

const pass = (board: Situation, facts: readonly Fact[] = [], sec = 0): Situation =>
  after(board, plan(board, facts, sec));
const startsAt = (board: Situation, sec: number): boolean => brief(plan(board, [], sec)).includes('launch');

test('a Job in back-off over several chunks wakes at the end of the back-off, not at once', () => {
  const { job, status, stored } = aBoard('. . .', { before: 4_095, parallelism: 3 });
  const board = { job, stored, status: { ...status, backoff: { failures: 1, lastFailureAt: at(0) } } };
  for (const hand of [[0], [1], [0, 1]]) {
    const chunks = new Map([...stored].filter(([no]) => hand.includes(no)));
    expect(wakeSec(plan({ ...board, stored: chunks }, [], 4))).toBe(hand.length === 0 ? null : 10);
  }
  expect(brief(plan(board, [], 10))).toContain('launch 4095 4096 4097');
});

test('the last index that failed permanently decides, even if another has failed since', () => {
  const limits = { backoffLimit: 2 ** 31 - 1, backoffLimitPerIndex: 1, maxFailedIndexes: 0, parallelism: 3 };
  const board = aBoard('1 r r', limits);
  const claimed = pass(board, [], 0);
  const verdict = { reason: 'MaxFailedIndexesExceeded', decidedBy: 0 };
  const failed = plan(claimed, [exited(0, 1, 1, 2), exited(1, 1, 2)], 2);
  expect(failed.status?.phase).toMatchObject({ kind: 'draining', verdict });
});

describe('of each index (backoffLimitPerIndex)', () => {
  const perIndex = { backoffLimit: 2 ** 31 - 1, backoffLimitPerIndex: 20, parallelism: 3 };

  test.each([
    [1, 10],
    [2, 20],
    [3, 40],
    [6, 320],
    [7, 600],
    [9, 600],
  ])('failure no. %i delays it by %i s', (nth, heldSec) => {
    const board = aBoard('r', perIndex);
    const chunk = board.stored.get(0)!;
    chunk.extras.set(0, { ...recordOf(board, 0), failures: nth - 1 });
    const next = pass(board, [exited(0, 1, 5)], 5);
    expect(startsAt(next, 5 + heldSec - 1)).toBe(false);
    expect(startsAt(next, 5 + heldSec)).toBe(true);
  });

  test('ignored failures prolong the back-off, but do not count against the limit', () => {
    const podFailurePolicy = { rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [42] } }] } as const;
    const board = aBoard('r', { ...perIndex, backoffLimitPerIndex: 1, podFailurePolicy });
    let now = pass(board, [exited(0, 42, 0)], 0);
    for (const [attempt, sec] of [
      [2, 10],
      [3, 30],
      [4, 70],
    ] as const) {
      expect(startsAt(now, sec - 1)).toBe(false);
      now = pass(pass(now, [], sec), [exited(0, 42, sec, attempt)], sec);
    }
    expect(recordOf(now, 0)).toMatchObject({ state: 'pending', failures: 0, ignored: 4 });
    expect(now.status.failed).toBe(0);
  });

  test('an index in back-off delays no other index', () => {
    const board = pass(aBoard('r r . .', { ...perIndex, parallelism: 2 }), [exited(0, 1)]);
    expect(stripOf(board)).toBe('w r . .'); // but keeps its place
    expect(stripOf(pass(board, [exited(1, 0, 3)], 3))).toBe('w S c .');
  });

  test('a success of another index does not shorten it', () => {
    const board = pass(aBoard('r r', perIndex), [exited(0, 1)]);
    expect(startsAt(pass(board, [exited(1, 0, 3)], 3), 9)).toBe(false);
  });

  test.each([
    [0, 'F .', 'the first failure is the last'],
    [1, 'w .', 'one may be made good'],
  ])('limit %i → %s: %s', (backoffLimitPerIndex, expected) => {
    const board = aBoard('r .', { ...perIndex, backoffLimitPerIndex, parallelism: 1 });
    expect(stripOf(pass(board, [exited(0, 1)], 0)).replace('c', '.')).toBe(expected);
  });

  test('limit 1: the second failure is the last', () => {
    const board = pass(aBoard('r', { ...perIndex, backoffLimitPerIndex: 1 }), [exited(0, 1)]);
    const again = pass(pass(board, [], 10), [exited(0, 1, 11, 2)], 11);
    expect(stripOf(again)).toBe('F');
    expect(again.status.phase).toMatchObject({ kind: 'finished', verdict: { reason: 'FailedIndexes', decidedBy: 0 } });
    expect(again.status.failed).toBe(2);
  });

  test('the pass requests a wake-up for the first end of a back-off', () => {
    const quiet = (board: Situation): Situation => ({ ...board, status: { ...board.status, alarms: [] } });
    const board = pass(aBoard('r r', perIndex), [exited(0, 1, 3), exited(1, 1, 1)], 3);
    expect(wakeSec(plan(quiet(board), [], 4))).toBe(11);
  });

  test('failures of all indexes do not add up', () => {
    const board = aBoard('r r r', { ...perIndex, backoffLimitPerIndex: 1 });
    expect(pass(board, [exited(0, 1), exited(1, 1), exited(2, 1)]).status).toMatchObject({
      failed: 3,
      phase: { kind: 'running' },
    });
  });
});

describe('of a container in its Pod (restartPolicy OnFailure)', () => {
  const onFailure = { restartPolicy: 'OnFailure' } as const;
  /** The nth restart fails at once, at the earliest moment. */
  function restarted(
    board: Situation,
    times: number,
  ): { readonly board: Situation; readonly waits: readonly number[] } {
    let now = board;
    let sec = 0;
    const waits: number[] = [];
    for (let nth = 0; nth < times; nth++) {
      now = pass(now, [exited(0, 1, sec, 1, nth)], sec);
      const due = ((recordOf(now, 0).notBefore ?? at(sec)) - at(0)) / 1000;
      waits.push(due - sec);
      sec = due;
      now = pass(pass(now, [], sec), [launched(0, 1, nth + 1), running(0, 1, nth + 1)], sec);
    }
    return { board: now, waits };
  }

  test('it restarts at once, then after 10 s, doubling to at most 5 min', () => {
    expect(restarted(aBoard('r', { ...onFailure, backoffLimit: 99 }), 8).waits).toEqual([
      0, 10, 20, 40, 80, 160, 300, 300,
    ]);
  });

  test('it stays the same Pod: the same attempt, always active, without a failure', () => {
    const { board } = restarted(aBoard('r', { ...onFailure, backoffLimit: 99 }), 2);
    expect(recordOf(board, 0)).toMatchObject({ state: 'running', attempt: 1, nonce: 2, restarts: 2, failures: 0 });
    const waiting = pass(board, [exited(0, 1, 20, 1, 2)], 20);
    expect(stripOf(waiting)).toBe('b');
    expect(shown(waiting)).toMatchObject({ active: 1, ready: 0, terminating: 0 });
    expect(shown(waiting).failed).toBeUndefined();
  });

  test('a launch includes the number of restarts, and so does its repetition', () => {
    let { board: now } = restarted(aBoard('r', { ...onFailure, backoffLimit: 99 }), 2);
    now = pass(now, [exited(0, 1, 20, 1, 2)], 20);
    const said = (sec: number) =>
      plan(now, [], sec).actions.flatMap((action) => (action.kind === 'launch' ? [...action.traits] : []));
    const traits = [[0, { onDemand: false, failures: 0, ignored: 0, restarts: 3 }]];
    expect(said(40)).toEqual(traits);
    now = pass(now, [], 40);
    expect(said(1000)).toEqual(traits);
  });

  test('a launch of a later Pod includes the restarts of all Pods before it', () => {
    const { board } = restarted(aBoard('r', { ...onFailure, backoffLimit: 99 }), 2);
    const traits = ({ actions }: Plan) =>
      actions.flatMap((action) => (action.kind === 'launch' ? [...action.traits.values()] : []));
    const lost = plan(board, [ended(0, 'Spot', 20, 1, 2)], 20);
    expect(brief(lost)).toContain('launch 0#2');
    expect(traits(lost)).toMatchObject([{ restarts: 2 }]);
    const second = pass(pass(after(board, lost), [running(0, 2)], 30), [exited(0, 1, 50, 2)], 50);
    expect(recordOf(second, 0)).toMatchObject({ attempt: 2, restarts: 1, earlierRestarts: 2 });
    const again = pass(pass(second, [running(0, 2, 1)], 51), [ended(0, 'Spot', 60, 2, 1)], 60);
    expect(traits(plan(again, [], 70))).toMatchObject([{ restarts: 3 }]);
  });

  test('a finished index keeps no restarts', () => {
    const { board } = restarted(aBoard('r', { ...onFailure, backoffLimit: 99 }), 2);
    const lost = pass(board, [ended(0, 'Spot', 20, 1, 2)], 20);
    expect(recordOf(pass(lost, [running(0, 2), exited(0, 0, 50, 2)], 50), 0)).toMatchObject({
      state: 'succeeded',
      restarts: 0,
      earlierRestarts: 0,
      podCreatedSec: null,
    });
  });

  test('the time at which its first task was created is recorded once, and in each of its records from then on', () => {
    const board = aBoard('r', { ...onFailure, backoffLimit: 99 });
    const madeAt = (nonce: number, sec: number): Fact => {
      const fact = exited(0, 1, sec, 1, nonce);
      return fact.kind === 'stopped'
        ? { ...fact, times: { ...fact.times, createdAt: plusMs(at(10 * nonce + 5), 999) } }
        : fact;
    };
    const madeSec = at(5) / 1000;
    const first = plan(board, [madeAt(0, 6)], 6);
    expect(first.ended).not.toHaveProperty([0, 'podCreatedSec']);
    let now = after(board, first);
    expect(recordOf(now, 0).podCreatedSec).toBe(madeSec);
    now = pass(now, [running(0, 1, 1)], 10);
    const second = plan(now, [madeAt(1, 16)], 16);
    expect(second.ended).toMatchObject([{ times: { createdAt: plusMs(at(15), 999) }, podCreatedSec: madeSec }]);
    const steps = second.status?.journal.entries.map(({ transition }) => transition) ?? [];
    const said = steps.flatMap((step) => (step.op === 'restart' ? [step.podCreatedSec] : []));
    expect(said).toEqual([madeSec, undefined]);
    now = pass(after(now, second), [], 26);
    expect(recordOf(now, 0).podCreatedSec).toBe(madeSec);
    expect(plan(now, [running(0, 1, 2), exited(0, 0, 40, 1, 2)], 40).ended).toMatchObject([{ podCreatedSec: madeSec }]);
  });

  test.each<readonly [backoffLimit: number, restarts: number, over: boolean, because: string]>([
    [0, 0, false, 'no restart'],
    [0, 1, true, 'backoffLimit 0: the first restart is one too many'],
    [1, 1, true, 'as many as the limit are too many'],
    [3, 2, false, 'fewer are not'],
    [3, 3, true, 'as many are'],
  ])('backoffLimit %i, %i restarts → failed: %s (%s)', (backoffLimit, restarts, over) => {
    const { board } = restarted(aBoard('r', { ...onFailure, backoffLimit }), restarts);
    expect(board.status.phase.kind === 'draining' || board.status.phase.kind === 'finished').toBe(over);
  });

  test('restarts of all Pods add up', () => {
    const board = pass(aBoard('r r', { ...onFailure, backoffLimit: 2 }), [exited(0, 1), exited(1, 1)]);
    expect(board.status.phase).toMatchObject({ verdict: { reason: 'BackoffLimitExceeded' } });
  });

  test('restarts of a succeeded Pod do not count', () => {
    const { board } = restarted(aBoard('r r', { ...onFailure, backoffLimit: 3 }), 2);
    expect(board.status.restarts).toBe(2);
    const done = pass(board, [exited(0, 0, 11, 1, 2), exited(1, 1, 11)], 11);
    expect(done.status).toMatchObject({ restarts: 1, phase: { kind: 'running' } });
  });

  test('the Pod between two tasks counts as failed when the Job fails', () => {
    const board = pass(aBoard('r r', { ...onFailure, backoffLimit: 0 }), [exited(0, 1)]);
    const over = pass(board, [ended(1, 'Stopped', 1)], 1);
    expect(over.status).toMatchObject({ failed: 2, restarts: 0, phase: { kind: 'finished' } });
  });

  test('and does not count when the Job is suspended', () => {
    const board = aBoard('b r', { ...onFailure, suspend: true });
    const suspended = pass(board);
    expect(stripOf(suspended)).toBe('. r');
    expect(suspended.status).toMatchObject({ failed: 0, restarts: 0 });
  });
});

describe('a task that does not start', () => {
  test('keeps its Pod, which tries again after 10 s, doubling', () => {
    let now = pass(aBoard('l', { pendingTimeoutSec: 900 }), [ended(0, 'Unplaced', 0)]);
    for (const [nonce, sec, wait] of [
      [1, 10, 20],
      [2, 30, 40],
      [3, 70, 80],
    ] as const) {
      expect(stripOf(now)).toBe('b');
      expect(startsAt(now, sec - 1)).toBe(false);
      now = pass(pass(now, [], sec), [launched(0, 1, nonce), ended(0, 'Unplaced', sec, 1, nonce)], sec);
      expect(startsAt(now, sec + wait)).toBe(true);
    }
    expect(recordOf(now, 0)).toMatchObject({
      attempt: 1,
      failures: 0,
      infra: 0,
      restarts: 0,
      podCreatedSec: at(0) / 1000,
    });
    expect(now.status.failed).toBe(0);
  });

  test('because of a missing image: counts as failed when its time is up', () => {
    let now = pass(aBoard('l', { pendingTimeoutSec: 25 }), [ended(0, 'StartFailed', 0)]);
    now = pass(pass(now, [], 10), [ended(0, 'StartFailed', 12, 1, 1)], 12);
    expect(now.status.failed).toBe(0);
    now = pass(pass(now, [], 32), [ended(0, 'StartFailed', 33, 1, 2)], 33);
    expect(now.status.failed).toBe(1);
    expect(stripOf(now)).toBe('1');
  });

  test('is active, not ready', () => {
    expect(shown(pass(aBoard('l'), [ended(0, 'Unplaced', 0)]))).toMatchObject({ active: 1, ready: 0 });
  });
});

describe('of the Job (restartPolicy Never)', () => {
  test('ignored failures count for it', () => {
    const podFailurePolicy = { rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [42] } }] } as const;
    const board = pass(aBoard('r .', { parallelism: 1, podFailurePolicy }), [exited(0, 42)]);
    expect(board.status).toMatchObject({ failed: 0, backoff: { failures: 1 } });
    expect(startsAt(board, 9)).toBe(false);
    expect(startsAt(board, 10)).toBe(true);
  });

  test('restarts in place and lost infrastructure do not', () => {
    const restarted = pass(aBoard('r', { restartPolicy: 'OnFailure' }), [exited(0, 1)]);
    expect(restarted.status.backoff.failures).toBe(0);
    expect(pass(aBoard('r'), [ended(0, 'Spot')]).status.backoff.failures).toBe(0);
  });
});
