import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../shared/domain/base/fact.ts';
import { indexSetOf } from '../../../shared/domain/base/index-set.ts';
import { waitsOf } from '../../../shared/domain/pending/waits.ts';
import { WorkingBoard } from '../../../shared/domain/scoreboard/working-board.ts';
import {
  type Situation,
  aBoard,
  after,
  at,
  brief,
  cancelled,
  deleted,
  ended,
  exited,
  plan,
  recordOf,
  running,
  stripOf,
  wakeSec,
} from '../../support/a-board.ts';

// Indexes that belong together, in passes. r running, c claimed, . pending, w pending in back-off, S succeeded.

const GANG = { gang: { timeoutSec: 60, restartsMax: 2 }, parallelism: 3 };
const pass = (board: Situation, facts: readonly Fact[] = [], sec = 0): Situation =>
  after(board, plan(board, facts, sec));
/** With the state that a pass over it leaves. */
const fresh = (strip: string, spec: Parameters<typeof aBoard>[1] = {}): Situation =>
  aBoard(strip, { ...GANG, ...spec });
const stopped = (index: number, sec: number): Fact => ended(index, 'Stopped', sec);
const gangOf = ({ status: { gang } }: Situation) => gang;

/** All claimed at 0, and two of three running. */
const twoOfThree = (): Situation => pass(pass(fresh('. . .')), [running(0), running(2)], 5);

describe('all of them run', () => {
  test('when the last one does, and not before', () => {
    const claimed = pass(fresh('. . .'));
    expect(gangOf(claimed)).toEqual({ restarts: 0, since: at(0), isReady: false });
    expect(gangOf(twoOfThree())).toEqual({ restarts: 0, since: at(0), isReady: false });
    expect(gangOf(pass(twoOfThree(), [running(1)], 50))).toEqual({ restarts: 0, since: null, isReady: true });
  });

  test('until one ends, however it ends', () => {
    const all = pass(twoOfThree(), [running(1)], 50);
    for (const fact of [exited(1, 0, 70), exited(1, 1, 70), ended(1, 'Spot', 70)])
      expect(gangOf(pass(all, [fact], 70))?.isReady).toBe(false);
    expect(gangOf(pass(all, [deleted(1, 70)], 70))?.isReady).toBe(false);
  });

  test('without those that this Job does not run', () => {
    const selection = { inherited: indexSetOf([0]), excluded: indexSetOf([2]) };
    const board = pass(fresh('S . x', { selection }), [], 0);
    expect(gangOf(pass(board, [running(1)], 5))).toEqual({ restarts: 0, since: null, isReady: true });
  });

  test('no other Job keeps anything about it', () => {
    expect(pass(aBoard('. . .')).status.gang).toBeNull();
  });
});

describe('one does not run in time', () => {
  test('all are stopped, and start again when nothing is left', () => {
    const board = twoOfThree();
    expect(wakeSec(plan({ ...board, status: { ...board.status, alarms: [], inFlight: [] } }, [], 59))).toBe(60);
    expect(pass(board, [], 59).status.phase.kind).toBe('running');
    const late = plan(board, [], 60);
    expect(brief(late)).toBe('regrouping, stop 0 1 2');
    const stopping = after(board, late);
    expect(gangOf(stopping)).toEqual({ restarts: 1, since: null, isReady: false });
    expect(stopping.status.events.at(-1)).toMatchObject({
      type: 'Warning',
      reason: 'GangTimeout',
      message:
        '2 of 3 indexes ran within 60 s; index 1 did not: ECS has not accepted its task; all are stopped and start again',
    });
    const half = pass(stopping, [stopped(0, 61), stopped(2, 61)], 61);
    expect([half.status.phase.kind, stripOf(half)]).toEqual(['regrouping', '. c .']);
    const again = pass(half, [cancelled(1)], 62);
    const started = pass(again, [], 63);
    expect([started.status.phase.kind, stripOf(started)]).toEqual(['running', 'c c c']);
    expect(gangOf(started)).toMatchObject({ restarts: 1, since: started.status.now });
  });

  test('none of the user’s attempts is spent, not even by one that failed when the others were stopped', () => {
    const stopping = pass(twoOfThree(), [], 60);
    const torn = plan(stopping, [exited(0, 1, 61), stopped(2, 61)], 61);
    expect(torn.ended.map(({ judgement }) => judgement)).toEqual([
      { as: 'released', why: { kind: 'regrouped', message: expect.stringMatching(/^2 of 3 indexes ran/) as unknown } },
      { as: 'released', why: { kind: 'regrouped', message: expect.any(String) as unknown } },
    ]);
    const board = after(stopping, torn);
    expect([board.status.failed, recordOf(board, 0).failures]).toEqual([0, 0]);
    const finished = pass(stopping, [exited(0, 0, 61)], 61);
    expect(recordOf(finished, 0).state).toBe('succeeded');
  });

  test('nor by a Pod that its user has deleted before it had a task', () => {
    const deletedOne = pass(twoOfThree(), [deleted(1, 10)], 10);
    const stopping = pass(deletedOne, [], 60);
    expect(stopping.status.phase.kind).toBe('regrouping');
    const board = pass(stopping, [cancelled(1)], 62);
    expect([board.status.failed, recordOf(board, 1).failures, recordOf(board, 1).state]).toEqual([0, 0, 'pending']);
  });

  test('too often: the Job fails, and says which', () => {
    const board = twoOfThree();
    const often = { ...board, status: { ...board.status, gang: { restarts: 2, since: at(0), isReady: false } } };
    const failed = plan(often, [], 60);
    expect(failed.status?.phase).toMatchObject({
      kind: 'draining',
      verdict: {
        reason: 'GangTimeout',
        message: '2 of 3 indexes ran within 60 s; index 1 did not: ECS has not accepted its task (try 3 of 3)',
      },
    });
    expect(failed.status?.gang).toEqual({ restarts: 2, since: null, isReady: false });
  });

  test('one that runs by then is in time, however late its fact comes', () => {
    expect(pass(twoOfThree(), [running(1)], 70).status.phase.kind).toBe('running');
  });

  test('a suspended Job is not late', () => {
    const rests = pass(twoOfThree(), [], 10);
    const suspended = { ...rests, job: { ...rests.job, spec: { ...rests.job.spec, suspend: true } } };
    expect(pass(suspended, [], 60).status).toMatchObject({
      phase: { kind: 'suspended' },
      gang: { restarts: 0, since: null },
    });
  });
});

test('what has succeeded has run', () => {
  const all = pass(twoOfThree(), [running(1)], 50);
  const fewer = pass(pass(pass(all, [exited(0, 0, 60)], 60), [exited(1, 1, 70)], 70), [], 80);
  const late = plan(fewer, [], 140);
  expect(late.status?.phase).toMatchObject({
    message: '2 of 3 indexes ran within 60 s; index 1 did not: ECS has not accepted its task',
  });
});

test('a Job that has succeeded and goes on is late for nothing', () => {
  const board = twoOfThree();
  const verdict = { kind: 'complete', reason: 'SuccessPolicy', message: 'enough', decidedBy: null } as const;
  const met = { ...board, status: { ...board.status, achieved: { verdict, since: at(20) } } };
  const job = { ...met.job, spec: { ...met.job.spec, whenAchieved: 'Continue' as const } };
  const later = pass({ ...met, job }, [], 60);
  expect([later.status.phase.kind, gangOf(later)]).toEqual(['running', { restarts: 0, since: null, isReady: false }]);
});

describe('one fails while the others run', () => {
  test('its retry must come back in time, counted from its claim', () => {
    const all = pass(twoOfThree(), [running(1)], 50);
    const broken = pass(all, [exited(1, 1, 100)], 100);
    expect([stripOf(broken), gangOf(broken)?.since]).toEqual(['r 1 r', null]);
    const retried = pass(broken, [], 110);
    expect([stripOf(retried), gangOf(retried)?.since]).toEqual(['r c r', at(110)]);
    expect(pass(retried, [], 169).status.phase.kind).toBe('running');
    expect(pass(retried, [], 170).status.phase.kind).toBe('regrouping');
    expect(gangOf(pass(retried, [running(1, 2)], 150))).toEqual({ restarts: 0, since: null, isReady: true });
  });

  test('what has succeeded is not waited for', () => {
    const all = pass(twoOfThree(), [running(1)], 50);
    const fewer = pass(pass(all, [exited(0, 0, 60)], 60), [exited(1, 1, 70)], 70);
    const retried = pass(fewer, [], 80);
    expect(gangOf(retried)?.since).toEqual(at(80));
    expect(gangOf(pass(retried, [running(1, 2)], 90))).toEqual({ restarts: 0, since: null, isReady: false });
  });
});

test('a clock that was set back does not hold up the time-out', () => {
  const board = twoOfThree();
  const wrong = { ...board.status, now: at(90_000), gang: { restarts: 0, since: at(90_000), isReady: false } };
  const believed = pass({ ...board, status: wrong }, [], 100);
  expect(wakeSec(plan({ ...believed, status: { ...believed.status, alarms: [], inFlight: [] } }, [], 101))).toBe(160);
});

test('those that run wait for the others', () => {
  const { job, status, stored } = twoOfThree();
  const waiting = { spec: job.spec, status, board: new WorkingBoard(status, stored), hasNames: true, waitedFor: [] };
  const pace = { now: at(20), perSec: null, fullPerSec: null, namespaces: 1, namesPerSec: null };
  expect(waitsOf(waiting, pace)).toContainEqual(
    expect.objectContaining({ cause: 'gang', count: 2, since: at(0), message: 'for its gang: 2 of 3 run' }),
  );
});
