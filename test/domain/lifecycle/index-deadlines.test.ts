import { describe, expect, test } from 'vitest';
import { verdictText } from '../../../shared/domain/scoreboard/why.ts';
import type { Fact } from '../../../shared/domain/base/fact.ts';
import { chunksNeeded } from '../../../shared/domain/planner/chunks-needed.ts';
import {
  type Situation,
  aBoard,
  acted,
  after,
  at,
  brief,
  cancelled,
  deleted,
  ended,
  exited,
  launched,
  plan,
  recordOf,
  running,
  stripOf,
  wakeSec,
} from '../../support/a-board.ts';

// Deadlines: activeDeadlineSeconds of the Pod template, and muster.run/index-deadline. r running, L and J past its Pod's or its
// index's deadline, h held, w pending in back-off, F failed for good, b a Pod between two tasks.

const pass = (board: Situation, facts: readonly Fact[] = [], sec = 0): Situation =>
  after(board, plan(board, facts, sec));
const judged = (board: Situation, facts: readonly Fact[], sec: number) =>
  plan(board, facts, sec).ended.map(({ index, judgement }) => `${index} ${verdictText(judgement)}`);
const silent = (board: Situation): Situation => ({
  ...board,
  status: { ...board.status, alarms: [], inFlight: [], inspect: { at: at(9_999), intervalMs: 1 } },
});
const perIndex = { backoffLimit: 2 ** 31 - 1, backoffLimitPerIndex: 3 };

describe('activeDeadlineSeconds of a Pod', () => {
  const LATE = 'it ran longer than 30 s (DeadlineExceeded)';
  const timed = { ...perIndex, podDeadlineSec: 30, parallelism: 2 };
  const ran = (wish = {}): Situation => pass(pass(aBoard('. .', { ...timed, ...wish })), [running(0), launched(1)], 1);

  test('begins when its first task runs, by its own time, and the Job is woken when it is over', () => {
    const board = ran();
    expect([recordOf(board, 0).ranSec, recordOf(board, 1).ranSec]).toEqual([at(0) / 1000, null]);
    expect(board.status.chunks[0]?.runningSince).toBe(at(0) / 1000);
    expect(wakeSec(plan(silent(board), [], 2))).toBe(31);
    // An event that comes late says when the task started.
    const late = pass(pass(aBoard('. .', timed)), [running(0)], 500);
    expect(recordOf(late, 0).ranSec).toBe(at(0) / 1000);
    expect(stripOf(pass(late, [], 501))).toBe('L c');
  });

  test('loads only chunks that are due', () => {
    const large = pass(pass(aBoard('. .', { ...timed, before: 4_094 })), [running(4_094)], 1);
    const needed = (sec: number) => chunksNeeded(large.job, { ...large.status, inFlight: [] }, [], at(sec));
    expect([needed(30), needed(31)]).toEqual([[], [0]]);
  });

  test('does not end before its time because the clock is behind that of ECS', () => {
    const board = pass(pass(aBoard('. .', timed)), [running(0), launched(1)], 1);
    const behind = pass(board, [{ ...running(1), at: at(33) }], 32);
    expect([stripOf(behind), recordOf(behind, 1).ranSec]).toEqual(['L r', at(33) / 1000]);
  });

  test('stops what runs longer: it counts as failed, its Pod stays, and its index is tried again', () => {
    const board = ran();
    expect(brief(plan(board, [], 30))).not.toContain('stop');
    expect(brief(plan(board, [], 31))).toContain('stop 0');
    const stopping = pass(board, [], 31);
    expect(stripOf(stopping)).toBe('L l');
    expect(judged(stopping, [ended(0, 'Stopped', 33)], 33)).toEqual([`0 failed: ${LATE}`]);
    const failed = plan(stopping, [ended(0, 'Stopped', 33)], 33);
    expect(failed.ended[0]?.gone).toBeUndefined();
    expect([failed.status?.failed, stripOf(after(stopping, failed))]).toEqual([1, 'w l']);
  });

  test('counts lost infrastructure, too, but not what ended by itself before it was stopped', () => {
    const stopping = pass(ran(), [], 31);
    expect(judged(stopping, [ended(0, 'Infrastructure', 33)], 33)).toEqual([`0 failed: ${LATE}`]);
    expect(judged(stopping, [exited(0, 0, 32)], 32)).toEqual(['0 succeeded: exit code 0']);
    expect(judged(stopping, [exited(0, 7, 32)], 32)).toEqual(['0 failed: exit code 7']);
  });

  test('lets a podFailurePolicy decide, which sees no disruption', () => {
    const rule = (action: 'Ignore' | 'FailIndex', of: object) => ({
      podFailurePolicy: { rules: [{ action, ...of }] },
    });
    const disrupted = pass(
      ran(rule('Ignore', { onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] })),
      [],
      31,
    );
    expect(judged(disrupted, [ended(0, 'Stopped', 33)], 33)).toEqual([`0 failed: ${LATE}`]);
    const coded = pass(ran(rule('FailIndex', { onExitCodes: { operator: 'In', values: [1] } })), [], 31);
    expect(judged(coded, [ended(0, 'Stopped', 33)], 33)[0]).toMatch(/^0 failedForGood: podFailurePolicy rule 0/);
  });

  test('covers all tasks of a Pod, and the time between two', () => {
    const board = pass(ran({ restartPolicy: 'OnFailure' }), [exited(0, 1, 9)], 9);
    expect(stripOf(pass(board, [], 9))).toBe('c l');
    const again = pass(pass(board, [], 9), [{ ...running(0, 1, 1), at: at(10) }], 10);
    expect(recordOf(again, 0).ranSec).toBe(at(0) / 1000);
    expect(brief(plan(again, [], 31))).toContain('stop 0.1');
    const unseen = pass(pass(aBoard('. .', { ...timed, restartPolicy: 'OnFailure' })), [exited(0, 1, 9)], 9);
    expect(recordOf(unseen, 0).ranSec).toBe(at(0) / 1000);
    const crashed = aBoard('b .', { ...timed, restartPolicy: 'OnFailure' });
    crashed.stored.get(0)?.extras.set(0, { ...recordOf(crashed, 0), ranSec: at(0) / 1000 });
    const since = {
      ...crashed,
      status: { ...crashed.status, chunks: crashed.status.chunks.map((c) => ({ ...c, runningSince: at(0) / 1000 })) },
    };
    expect(judged(since, [], 31)).toEqual([`0 failed: ${LATE}`]);
  });

  test('uses up the last try of an index', () => {
    const over = pass(pass(ran({ backoffLimitPerIndex: 0 }), [], 31), [ended(0, 'Stopped', 33)], 33);
    expect(stripOf(over)).toBe('F l');
  });

  test('a user deletes a Pod that is past it: it is gone, and counts once', () => {
    const stopping = pass(pass(ran(), [], 31), [deleted(0, 32)], 32);
    expect(recordOf(stopping, 0)).toMatchObject({ late: 'attempt', podDeleted: true });
    const { ended: ends } = plan(stopping, [ended(0, 'Stopped', 33)], 33);
    expect(ends).toMatchObject([
      { gone: true, judgement: { as: 'failed', why: { kind: 'pastDeadline', of: 'attempt', sec: 30 } } },
    ]);
  });

  test('is nobody’s while the Job rests', () => {
    const board = ran();
    const rests = pass({ ...board, job: { ...board.job, spec: { ...board.job.spec, suspend: true } } }, [], 5);
    expect(recordOf(pass(rests, [], 40), 0).late).toBeNull();
    expect(judged(rests, [ended(0, 'Stopped', 41)], 41)).toEqual(['0 released: the Job was suspended']);
  });

  test('that a wrong clock has begun is over after its full length', () => {
    const future = pass(pass(aBoard('. .', timed)), [{ ...running(0), at: at(5_000) }], 5_000);
    const back = pass(future, [], 10);
    expect(back.status.chunks[0]?.runningSince).toBe(at(10) / 1000);
    expect([stripOf(pass(back, [], 40)), stripOf(pass(back, [], 41))]).toEqual(['r c', 'L c']);
  });

  test('is recorded by no other Job', () => {
    const board = pass(pass(aBoard('. .', perIndex)), [running(0), running(1)], 1);
    expect([recordOf(board, 0).ranSec, board.status.chunks[0]?.runningSince]).toEqual([null, null]);
  });
});

describe('the deadline of an index', () => {
  const LATE = 'its index took longer than 60 s (DeadlineExceeded)';
  const timed = { ...perIndex, indexDeadlineSec: 60, parallelism: 2 };
  const claimed = (wish = {}): Situation => pass(aBoard('. .', { ...timed, ...wish }));

  test('begins with its first claim, and goes on through all its attempts', () => {
    const board = claimed();
    expect(recordOf(board, 0).launchedSec).toBe(at(0) / 1000);
    expect(wakeSec(plan(silent(board), [], 1))).toBe(61);
    const again = pass(pass(pass(board, [running(0)], 1), [exited(0, 1, 9)], 9), [], 30);
    expect(recordOf(again, 0)).toMatchObject({ attempt: 2, launchedSec: at(0) / 1000 });
    expect(recordOf(pass(aBoard('. .', perIndex)), 0).launchedSec).toBeNull();
  });

  test('stops the attempt, and the index has failed for good, whatever tries it has left', () => {
    const board = pass(claimed(), [running(0), running(1)], 1);
    expect(brief(plan(board, [], 60))).not.toContain('stop');
    const stopping = pass(board, [], 61);
    expect(stripOf(stopping)).toBe('J J');
    expect(judged(stopping, [ended(0, 'Stopped', 62)], 62)).toEqual([`0 failedForGood: ${LATE}`]);
    expect(judged(stopping, [exited(0, 7, 62)], 62)).toEqual(['0 failedForGood: exit code 7']);
    expect(judged(stopping, [exited(0, 0, 62)], 62)).toEqual(['0 succeeded: exit code 0']);
    const over = pass(stopping, [ended(0, 'Stopped', 62), ended(1, 'Stopped', 62)], 62);
    expect(over.status.phase).toMatchObject({ kind: 'finished', verdict: { reason: 'FailedIndexes' } });
  });

  test('cancels a launch that is not answered', () => {
    const stopping = pass(claimed(), [], 61);
    expect(stripOf(stopping)).toBe('J J');
    expect(judged(stopping, [{ ...cancelled(0), at: at(62) }], 62)).toEqual([`0 failedForGood: ${LATE}`]);
  });

  test('ends back-off: the index fails, and no attempt does', () => {
    const waits = pass(pass(claimed(), [running(0), running(1)], 1), [exited(0, 1, 55)], 55);
    expect(stripOf(waits)).toBe('w r');
    const over = plan(waits, [], 61);
    expect([stripOf(after(waits, over)), over.status?.failed, over.ended]).toEqual(['F J', 1, []]);
    expect(over.counted.failedIndexes).toBe(1);
  });

  test('ends an index that is held, too', () => {
    const waits = pass(pass(claimed(), [running(0), running(1)], 1), [exited(0, 1, 55)], 55);
    const { board } = acted(waits, 'hold');
    expect([stripOf(board), stripOf(pass(board, [], 61))]).toEqual(['h H', 'F H']);
    expect(recordOf(pass(board, [], 61), 1)).toMatchObject({ held: true, late: 'index' });
  });

  test('catches what was stopped for another reason when it comes back', () => {
    const board = pass(claimed(), [running(0), running(1)], 1);
    const fewer = { ...board, job: { ...board.job, spec: { ...board.job.spec, parallelism: 1 } } };
    const lowered = pass(fewer, [], 50);
    expect(stripOf(lowered)).toBe('r R');
    const back = pass(lowered, [ended(1, 'Stopped', 70)], 70);
    expect(stripOf(pass(back, [], 71))).toBe('J F');
  });

  test('is forgotten when the index has succeeded', () => {
    const done = pass(pass(claimed(), [running(0)], 1), [exited(0, 0, 5), exited(1, 0, 5)], 5);
    expect(recordOf(done, 0).launchedSec).toBeNull();
    expect(done.status.chunks[0]?.indexSince).toBeNull();
  });
});
