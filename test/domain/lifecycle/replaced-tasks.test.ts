import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../shared/domain/base/fact.ts';
import type { JobSpec } from '../../../shared/domain/manifests/job.ts';
import { podChanges } from '../../../shared/domain/scoreboard/journal.ts';
import { REPLACED_TASKS_MAX } from '../../../shared/domain/base/timing.ts';
import {
  type Situation,
  at,
  aBoard,
  after,
  arnOf,
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
import { conditionsOf, shown } from '../../support/shown.ts';

// Pods that a user deletes (kubernetes-job.md 3 step 8, 6.4): with podReplacementPolicy TerminatingOrFailed they have failed at
// once and are replaced at once, while the old task is still stopping; with Failed, or a podFailurePolicy, only when they have
// ended. S succeeded, r running, c claimed, l launched, b a Pod between two tasks, D its Pod was deleted.

const atOnce = { podReplacementPolicy: 'TerminatingOrFailed', backoffLimit: 6 } as const;
const pass = (board: Situation, facts: readonly Fact[] = [], sec = 0): Situation =>
  after(board, plan(board, facts, sec));
/** The back-off of 10 s after the failure is over at 10 s. */
const LATER = 10;

describe('the pass that learns of a deletion asks the task to stop', () => {
  const stopsOf = (board: Situation, facts: readonly Fact[], sec = 0) =>
    plan(board, facts, sec).actions.filter(({ kind }) => kind === 'stop' || kind === 'stopTask');
  const stop = (index: number, nonce = 0) => ({
    kind: 'stop',
    row: 0,
    attempts: [{ index, attempt: 1, nonce }],
    podDeleted: true,
  });

  test('for its Pod was deleted, whether it runs or is claimed', () => {
    expect(stopsOf(aBoard('r r', {}), [deleted(0)])).toEqual([stop(0)]);
    expect(stopsOf(aBoard('c r', {}), [deleted(0)])).toEqual([stop(0)]);
  });

  test('also between two stop rounds', () => {
    const board = pass(aBoard('r r', {}), [deleted(0)]);
    expect(stopsOf(board, [deleted(1)], 3)).toEqual([stop(1)]);
    expect(stopsOf(board, [], 29)).toEqual([]);
    expect(stopsOf(board, [], 30)).toEqual([stop(0)]);
  });

  test('by its ARN if it is replaced at once', () => {
    const replaced = { kind: 'stopTask', taskArn: arnOf(0), podDeleted: true };
    expect(stopsOf(aBoard('r S', atOnce), [deleted(0)])).toEqual([replaced]);
    const board = pass(aBoard('r r', { ...atOnce, parallelism: 2 }), [deleted(0)]);
    expect(stopsOf(board, [deleted(1)], 3)).toEqual([{ ...replaced, taskArn: arnOf(1) }]);
  });

  test('separately from stops for other reasons', () => {
    expect(stopsOf(aBoard('r r r r', { parallelism: 2 }), [deleted(0)])).toEqual([
      { kind: 'stop', row: 0, attempts: [{ index: 3, attempt: 1, nonce: 0 }] },
      stop(0),
    ]);
  });
});

describe('the state of a deleted Pod', () => {
  const ignoring: Partial<JobSpec> = {
    ...atOnce,
    podFailurePolicy: { rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [1] } }] },
  };
  test.each<
    readonly [
      strip: string,
      wish: Partial<JobSpec>,
      task: boolean,
      board: string,
      failed: number,
      lingers: number,
      because: string,
    ]
  >([
    ['r S', atOnce, true, '1 S', 1, 1, 'failed, and its task still stops'],
    ['l S', atOnce, true, '1 S', 1, 1, 'so is one that has not started yet'],
    ['c S', atOnce, false, 'c S', 0, 0, 'of a claim nobody knows whether it has a task: it is waited for'],
    ['r S', atOnce, false, 'D S', 0, 0, 'so it is where the task is not known'],
    ['b S', { ...atOnce, restartPolicy: 'OnFailure' }, false, '1 S', 1, 0, 'between two tasks it has none'],
    ['r S', { podReplacementPolicy: 'Failed' }, true, 'D S', 0, 0, 'policy Failed: it has not ended yet'],
    [
      'b S',
      { podReplacementPolicy: 'Failed', restartPolicy: 'OnFailure' },
      false,
      '1 S',
      1,
      0,
      'but has where there is no task',
    ],
    ['r S', ignoring, true, 'D S', 0, 0, 'with a podFailurePolicy it is judged when it has ended'],
    [
      'r S',
      { ...atOnce, backoffLimitPerIndex: 0, backoffLimit: 99 },
      true,
      'F S',
      1,
      1,
      'its index may have had its last attempt',
    ],
    ['S S', atOnce, true, 'S S', 0, 0, 'what has succeeded stays so'],
    ['R r', { ...atOnce, parallelism: 1 }, true, 'R r', 0, 0, 'Pods that are already stopping do not change'],
  ])('%s %o, task known %s → %s, %i failed, %i lingers: %s', (strip, wish, task, expected, failed, lingers) => {
    const next = pass(aBoard(strip, wish), [deleted(0, 0, 1, 0, task)]);
    expect(
      stripOf(next)
        .replace('C', 'D')
        .replace('c', strip.startsWith('c') ? 'c' : 'r'),
    ).toBe(strip.startsWith('c') ? expected.replace('c', 'D') : expected);
    expect(next.status.failed).toBe(failed);
    expect(next.status.replacedTasks).toHaveLength(lingers);
  });
});

describe('TerminatingOrFailed', () => {
  test('the replacement starts next to the old task, as soon as the back-off allows', () => {
    const board = pass(aBoard('r', atOnce), [deleted(0)]);
    expect(brief(plan(board, [], LATER - 1))).not.toContain('launch');
    expect(brief(plan(board, [], LATER))).toContain('launch 0#2');
    expect(shown(pass(board, [], LATER))).toMatchObject({ active: 1, terminating: 1, failed: 1 });
  });

  test('it does not use up parallelism', () => {
    const board = pass(aBoard('r r . .', atOnce), [deleted(0)]);
    expect(brief(plan(board, [], LATER))).toContain('launch 0#2');
    expect(stripOf(pass(board, [], LATER))).toBe('c r . .');
  });

  test('its end is recorded and does not count again, however it ends', () => {
    for (const cause of ['Stopped', 'Completed', 'Error', 'Spot', 'Infrastructure'] as const) {
      const board = pass(aBoard('r', atOnce), [deleted(0)]);
      const next = plan(board, [ended(0, cause, 5)], 5);
      expect(next.status).toMatchObject({ failed: 1, replacedTasks: [] });
      expect(next.ended).toMatchObject([{ index: 0, attempt: 1, judgement: { as: 'failed' } }]);
      expect(stripOf(after(board, next))).toBe('1');
    }
  });

  test('its Pod is being deleted until it has ended, whatever becomes of its index', () => {
    const told = (board: Situation, facts: readonly Fact[], sec: number) =>
      podChanges(plan(board, facts, sec).status?.journal ?? board.status.journal, board.status.journal.nextSeq);
    for (const wish of [atOnce, { ...atOnce, backoffLimitPerIndex: 0, backoffLimit: 99 }]) {
      const running = aBoard('r .', wish);
      expect(told(running, [deleted(0)], 0)).toContainEqual({ index: 0, attempt: 1, state: 'stopping' });
      const counted = pass(running, [deleted(0)]);
      for (const board of [counted, pass(counted, [], LATER)])
        expect(told(board, [ended(0, 'Stopped', 20)], 20)).toContainEqual({ index: 0, attempt: 1, state: 'gone' });
    }
  });

  test('it lingers since its launch, as far as that is known', () => {
    const since = (fact: object) =>
      pass(aBoard('r', atOnce), [{ ...deleted(0, 7), ...fact } as Fact], 7).status.replacedTasks.map(
        (each) => each.since,
      );
    expect([since({}), since({ launchedAt: at(3) })]).toEqual([[at(7)], [at(3)]]);
  });

  test('its record says that its index was given up, unless a later attempt was', () => {
    const limited = { ...atOnce, backoffLimitPerIndex: 0, backoffLimit: 99 };
    const givenUp = pass(aBoard('r', limited), [deleted(0)]);
    expect(plan(givenUp, [ended(0, 'Stopped', 5)], 5).ended).toMatchObject([{ judgement: { as: 'failedForGood' } }]);
    const twice = pass(aBoard('r', { ...limited, backoffLimitPerIndex: 1 }), [deleted(0)]);
    const later = pass(pass(twice, [], LATER), [running(0, 2), exited(0, 1, 20, 2)], 20);
    expect(stripOf(later)).toBe('F');
    expect(plan(later, [ended(0, 'Stopped', 30)], 30).ended).toMatchObject([
      { attempt: 1, judgement: { as: 'failed' } },
    ]);
  });

  test('the terminal condition waits for it', () => {
    const gone = pass(aBoard('r', atOnce), [deleted(0)]);
    const again = pass(pass(gone, [], LATER), [running(0, 2)], 11);
    const complete = pass(again, [exited(0, 0, 20, 2)], 20);
    expect(conditionsOf(complete)).toBe('SuccessCriteriaMet');
    expect(shown(complete)).toMatchObject({ terminating: 1, succeeded: 1, failed: 1 });
    const over = pass(complete, [ended(0, 'Stopped', 30)], 30);
    expect(conditionsOf(over)).toBe('SuccessCriteriaMet Complete');
    expect(shown(over)).toMatchObject({ terminating: 0, succeeded: 1, failed: 1 });
  });

  test('so does Failed', () => {
    const failing = pass(aBoard('r .', { ...atOnce, backoffLimit: 0 }), [deleted(0)]);
    expect(conditionsOf(failing)).toBe('FailureTarget');
    expect(conditionsOf(pass(failing, [ended(0, 'Stopped', 5)], 5))).toBe('FailureTarget Failed');
  });

  test('and a resume', () => {
    const board = pass(aBoard('r .', atOnce), [deleted(0)]);
    const suspend = (to: boolean, from: Situation) => ({
      ...from,
      job: { ...from.job, spec: { ...from.job.spec, suspend: to } },
    });
    const suspended = pass(suspend(true, board), [], 1);
    const resumed = pass(suspend(false, suspended), [], 2);
    expect(conditionsOf(resumed)).toBe('Suspended');
    expect(conditionsOf(pass(resumed, [ended(0, 'Stopped', 5)], 5))).toBe('Suspended=False');
  });

  test('it is asked to stop until it has stopped, and looked up', () => {
    const board = pass(aBoard('r', { ...atOnce, parallelism: 0 }), [deleted(0)]);
    const stops = (sec: number) => plan(board, [], sec).actions.filter(({ kind }) => kind === 'stopTask');
    expect(stops(30)).toEqual([{ kind: 'stopTask', taskArn: arnOf(0), podDeleted: true }]);
    expect(stops(29)).toEqual([]);
    expect(wakeSec(plan({ ...board, status: { ...board.status, alarms: [] } }, [], 1))).toBe(30);
    expect(plan(board, [], 300).actions.map(({ kind }) => kind)).toContain('inspect');
  });

  test('a late RUNNING of it starts nothing and counts nothing', () => {
    const board = pass(pass(aBoard('l', atOnce), [deleted(0)]), [], LATER);
    const next = pass(board, [running(0)], 11);
    expect(recordOf(next, 0)).toMatchObject({ state: 'claimed', attempt: 2 });
    expect(next.status).toMatchObject({ failed: 1, replacedTasks: [{ index: 0, attempt: 1 }] });
  });

  test('deleted twice, failed once', () => {
    const board = pass(aBoard('r', atOnce), [deleted(0), deleted(0)]);
    expect(pass(board, [deleted(0, 1)], 1).status).toMatchObject({ failed: 1, replacedTasks: [{ index: 0 }] });
  });

  test('an end in the same batch takes precedence', () => {
    expect(stripOf(pass(aBoard('r .', atOnce), [deleted(0), exited(0, 0)]))).toBe('S c');
  });

  test('beyond 500 that still stop a replacement waits', () => {
    const replacedTasks = Array.from({ length: REPLACED_TASKS_MAX }, (_, i) => ({
      index: 9 + i,
      attempt: 1,
      nonce: 0,
      taskArn: arnOf(9 + i),
      since: at(0),
    }));
    const board = pass(aBoard('r', { ...atOnce, status: { replacedTasks } } as Parameters<typeof aBoard>[1]), [
      deleted(0),
    ]);
    expect(stripOf(board)).toBe('D');
    expect(board.status).toMatchObject({ failed: 0 });
    expect(pass(board, [ended(0, 'Stopped', 5)], 5).status.failed).toBe(1);
  });
});

describe('Failed', () => {
  const whenEnded = { podReplacementPolicy: 'Failed' } as const;

  test('it is terminating, uses up parallelism, and is replaced when it has ended', () => {
    const board = pass(aBoard('r . .', { ...whenEnded, parallelism: 1 }), [deleted(0)]);
    expect(shown(board)).toMatchObject({ ready: 0, terminating: 1 });
    expect(shown(board).failed).toBeUndefined();
    expect(brief(plan(board, [], 9))).not.toContain('launch');
    const over = pass(board, [ended(0, 'Stopped', 9)], 9);
    expect(shown(over)).toMatchObject({ failed: 1, terminating: 0 });
    expect(brief(plan(over, [], 19))).toContain('launch 0#2');
  });

  test.each([
    ['Completed', 'S'],
    ['Error', '1'],
    ['Stopped', '1'],
  ] as const)('it counts by how it ended: %s → %s', (cause, expected) => {
    const board = pass(aBoard('r', { ...whenEnded, parallelism: 1 }), [deleted(0)]);
    expect(stripOf(pass(board, [ended(0, cause, 5)], 5))).toBe(expected);
  });

  test('a podFailurePolicy checks its exit code then', () => {
    const podFailurePolicy = { rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [143] } }] } as const;
    const board = pass(aBoard('r', { ...whenEnded, podFailurePolicy }), [deleted(0)]);
    expect(pass(board, [exited(0, 143, 5)], 5).status.failed).toBe(0);
    expect(pass(board, [exited(0, 1, 5)], 5).status.failed).toBe(1);
  });

  test('a claim that is withdrawn for the deletion counts as failed', () => {
    const board = pass(aBoard('c', whenEnded), [deleted(0, 0, 1, 0, false)]);
    expect(pass(board, [cancelled(0)], 1).status.failed).toBe(1);
    expect(pass(aBoard('c', whenEnded), [cancelled(0)], 1).status.failed).toBe(0);
  });
});
