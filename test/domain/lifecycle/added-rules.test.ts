import { describe, expect, test } from 'vitest';
import { verdictText, whyText } from '../../../shared/domain/scoreboard/why.ts';
import type { Fact } from '../../../shared/domain/base/fact.ts';
import { chunksNeeded } from '../../../shared/domain/planner/chunks-needed.ts';
import {
  type Situation,
  aBoard,
  after,
  at,
  brief,
  cancelled,
  ended,
  exited,
  launched,
  plan,
  recordOf,
  refused,
  running,
  stripOf,
  wakeSec,
} from '../../support/a-board.ts';

// The rules that batch/v1 has no field for, in passes. r running, c claimed, l launched, . pending, 1 pending after one failure,
// w pending in back-off, b a Pod between two tasks, D being stopped because its Pod is deleted, F failed for good.

const pass = (board: Situation, facts: readonly Fact[] = [], sec = 0): Situation =>
  after(board, plan(board, facts, sec));
const startsAt = (board: Situation, sec: number): boolean => brief(plan(board, [], sec)).includes('launch');
const perIndex = { backoffLimit: 2 ** 31 - 1, backoffLimitPerIndex: 3, parallelism: 3 };
/** An attempt that never ran. */
const unplaced = (index: number, sec: number, attempt = 1, nonce = 0): Fact =>
  ended(index, 'Unplaced', sec, attempt, nonce);

describe('a constant delay', () => {
  test('follows each failure, from the end of the attempt', () => {
    let now = pass(aBoard('r', { ...perIndex, retryDelaySec: 40 }), [exited(0, 1, 3)], 4);
    for (const [attempt, sec] of [
      [2, 43],
      [3, 90],
    ] as const) {
      expect(wakeSec(plan({ ...now, status: { ...now.status, alarms: [] } }, [], sec - 1))).toBe(sec);
      expect(startsAt(now, sec - 1)).toBe(false);
      now = pass(pass(now, [], sec), [exited(0, 1, sec + 7, attempt)], sec + 7);
    }
  });

  test('of nothing lets the index start at once, and follows losses, too', () => {
    expect(startsAt(pass(aBoard('r', { ...perIndex, retryDelaySec: 0 }), [exited(0, 1)]), 0)).toBe(false);
    expect(stripOf(pass(aBoard('r', { ...perIndex, retryDelaySec: 0 }), [exited(0, 1)]))).toBe('c');
    const lost = pass(aBoard('r', { ...perIndex, retryDelaySec: 40 }), [ended(0, 'Spot', 3)], 3);
    expect([startsAt(lost, 42), startsAt(lost, 43)]).toEqual([false, true]);
    const often = aBoard('r', { ...perIndex, retryDelaySec: 5 });
    often.stored.get(0)?.extras.set(0, { ...recordOf(often, 0), spot: 3 });
    const doubled = pass(often, [ended(0, 'Spot')]);
    expect([startsAt(doubled, 39), startsAt(doubled, 40)]).toEqual([false, true]);
  });

  test('that is longer than any other wait is not taken for a wrong clock’s', () => {
    const board = pass(aBoard('r', { ...perIndex, retryDelaySec: 86_400 }), [exited(0, 1)]);
    expect([startsAt(board, 5), startsAt(board, 86_399), startsAt(board, 86_400)]).toEqual([false, false, true]);
    const other = { ...board, job: { ...board.job, spec: { ...board.job.spec, retryDelaySec: null } } };
    expect(startsAt(other, 5)).toBe(true);
  });
});

describe('a kill time', () => {
  test('stops what runs, and every attempt counts as failed because of it', () => {
    const board = aBoard('r r .', { ...perIndex, killAt: at(60) });
    const before = plan({ ...board, status: { ...board.status, alarms: [] } }, [], 59);
    expect(wakeSec(before)).toBe(60);
    const killed = pass(board, [], 60);
    expect(brief(plan(board, [], 60))).toBe('draining Killed, stop 0 1');
    const over = plan(killed, [ended(0, 'Stopped', 61), ended(1, 'Stopped', 61)], 61);
    expect(over.status?.phase).toMatchObject({
      kind: 'finished',
      verdict: { kind: 'failed', reason: 'Killed', message: expect.stringMatching(/kill time, .*Z$/) as unknown },
    });
    expect(over.ended.map(({ judgement: { as, why } }) => [as, whyText(why).slice(0, 22)])).toEqual([
      ['failed', 'the Job failed: Killed'],
      ['failed', 'the Job failed: Killed'],
    ]);
  });

  test('that is ahead keeps nothing from its retry', () => {
    const board = pass(aBoard('r', { ...perIndex, killAt: at(600) }), [exited(0, 1)]);
    expect([startsAt(board, 9), startsAt(board, 10)]).toEqual([false, true]);
  });

  test('ends a suspended Job, which is woken for it', () => {
    const rests = { phase: { kind: 'suspended', since: at(0) }, suspend: true, killAt: at(60) } as const;
    const board = aBoard('. .', rests);
    expect(wakeSec(plan(board, [], 1))).toBe(60);
    expect(brief(plan(board, [], 60))).toBe('finished Killed');
  });
});

describe('a start time', () => {
  const waiting = {
    phase: { kind: 'suspended', since: at(0) },
    status: { startTime: null },
    startAfter: at(60),
  } as const;

  test('keeps a new Job suspended until then', () => {
    const board = aBoard('. .', waiting);
    expect([brief(plan(board, [], 59)), wakeSec(plan(board, [], 59))]).toEqual(['suspended', 60]);
    const started = pass(board, [], 60);
    expect(started.status).toMatchObject({ phase: { kind: 'running' }, startTime: at(60) });
    expect(stripOf(started)).toBe('c c');
  });

  test('suspends one that has not started, and no other', () => {
    const fresh = aBoard('. .', { ...waiting, phase: { kind: 'running' } });
    expect(brief(plan(fresh, [], 1))).toBe('suspended');
    expect(brief(plan(aBoard('r .', { startAfter: at(60) }), [], 1))).toContain('running');
    const resumed = aBoard('. .', { ...waiting, status: { startTime: at(0) } });
    expect(brief(plan(resumed, [], 1))).toContain('running, launch 0 1');
  });

  test('starts nothing that its user has suspended', () => {
    const board = aBoard('. .', { ...waiting, suspend: true });
    expect([brief(plan(board, [], 60)), wakeSec(plan(board, [], 1))]).toEqual(['nothing changes', null]);
  });
});

describe('a start timeout', () => {
  const timed = { ...perIndex, startTimeoutSec: 30, parallelism: 2 };
  const claimed = (wish = {}): Situation => pass(aBoard('. .', { ...timed, ...wish }));
  const OVERDUE = 'it did not start within 30 s (PendingTimeout)';
  const judged = (board: Situation, facts: readonly Fact[], sec: number) =>
    plan(board, facts, sec).ended.map(({ index, judgement }) => `${index} ${verdictText(judgement)}`);

  test('begins with the claim, and the Job is woken when it is over', () => {
    const board = claimed();
    expect(recordOf(board, 0).podCreatedSec).toBe(at(0) / 1000);
    expect(board.status.chunks[0]?.startingSince).toBe(at(0) / 1000);
    const late = { ...board, status: { ...board.status, alarms: [], inspect: { at: at(99), intervalMs: 1 } } };
    expect(wakeSec(plan({ ...late, status: { ...late.status, inFlight: [] } }, [], 1))).toBe(31);
    const large = pass(aBoard('. .', { ...timed, before: 4_094 }));
    const needed = (sec: number) => chunksNeeded(large.job, { ...large.status, inFlight: [] }, [], at(sec));
    expect([needed(30), needed(31)]).toEqual([[], [0]]);
    expect(recordOf(pass(aBoard('. .', perIndex)), 0).podCreatedSec).toBeNull();
  });

  test('cancels what has no task, and stops what has one: each counts, and its index is tried again', () => {
    const board = pass(claimed(), [launched(0)], 1);
    expect(brief(plan(board, [], 30))).toBe('nothing changes');
    expect(brief(plan(board, [], 31))).toContain('stop 0 1');
    const stopping = pass(board, [], 31);
    expect(stripOf(stopping)).toBe('D D');
    const ends = [ended(0, 'Stopped', 33), { ...cancelled(1), at: at(33) }];
    expect(judged(stopping, ends, 33)).toEqual([`0 failed: ${OVERDUE}`, `1 failed: ${OVERDUE}`]);
    const next = pass(stopping, ends, 33);
    expect(next.status.failed).toBe(2);
    expect(stripOf(next)).toBe('w w');
    expect(stripOf(pass(next, [], 60))).toBe('c c');
  });

  test('counts whatever it waits for: refusals, failed starts, a look-up that finds nothing', () => {
    const waits = pass(pass(claimed(), [launched(0), refused(1, 20)], 1), [unplaced(0, 5)], 5);
    expect(stripOf(waits)).toBe('b c');
    expect(judged(waits, [], 31)).toEqual([`0 failed: ${OVERDUE}`]);
    const ended1 = pass(waits, [], 31);
    expect(stripOf(ended1)).toBe('w D');
    expect(judged(ended1, [ended(1, 'Infrastructure', 40, 1, 1)], 40)).toEqual([`1 failed: ${OVERDUE}`]);
  });

  test('has no say once the Pod runs, has run, or ends by itself', () => {
    const board = pass(claimed(), [running(0)], 1);
    expect(brief(plan(board, [running(1)], 31))).not.toContain('stop');
    expect(pass(board, [running(1)], 2).status.chunks[0]?.startingSince).toBeNull();
    const again = pass(
      pass(claimed({ restartPolicy: 'OnFailure' }), [running(0), running(1)], 1),
      [exited(0, 1, 9)],
      9,
    );
    expect(stripOf(pass(again, [], 99))).not.toContain('D');
    const stopping = pass(board, [], 31);
    expect(judged(stopping, [exited(1, 0, 32)], 32)).toEqual(['1 succeeded: exit code 0']);
    expect(judged(stopping, [exited(1, 7, 32)], 32)).toEqual(['1 failed: exit code 7']);
  });

  test('never leaves two attempts of an index, even where Pods are replaced at once', () => {
    const board = pass(claimed({ podReplacementPolicy: 'TerminatingOrFailed' }), [launched(0), launched(1)], 1);
    const stopping = plan(board, [], 31);
    expect(brief(stopping)).toBe('running, stop 0 1');
    expect(stopping.status?.replacedTasks).toEqual([]);
  });

  test('uses up the last try of an index', () => {
    const board = pass(claimed({ backoffLimitPerIndex: 0 }), [], 31);
    const over = pass(board, [cancelled(0), cancelled(1)], 32);
    expect(stripOf(over)).toBe('F F');
    expect(over.status.phase).toMatchObject({ kind: 'finished', verdict: { reason: 'FailedIndexes' } });
  });

  test('is nobody’s while the Job rests or ends', () => {
    const board = claimed();
    const rests = { ...board, job: { ...board.job, spec: { ...board.job.spec, suspend: true } } };
    const suspended = pass(rests, [], 5);
    expect(recordOf(pass(suspended, [], 40), 0).overdue).toBe(false);
    expect(judged(suspended, [cancelled(0), cancelled(1)], 40)).toEqual([]);
  });

  test('that a wrong clock has begun is over after its full length', () => {
    const future = pass(aBoard('. .', timed), [launched(0)], 5_000);
    const back = pass(future, [], 10);
    expect(back.status.chunks[0]?.startingSince).toBe(at(10) / 1000);
    expect(stripOf(pass(back, [], 40))).toBe('c c');
    expect(stripOf(pass(back, [], 41))).toBe('D D');
  });
});
