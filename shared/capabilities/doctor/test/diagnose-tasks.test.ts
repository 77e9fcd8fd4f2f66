import { describe, expect, test } from 'vitest';
import { type ActiveAttempt, type ProbedTask, diagnoseTasks } from '../domain/diagnose-tasks.ts';
import type { TaskArn } from '../../../domain/base/ids.ts';
import type { LaunchSlot } from '../../../domain/scoreboard/launch-row.ts';
import type { Verdict } from '../../../domain/scoreboard/status.ts';
import { WorkingBoard } from '../../../domain/scoreboard/working-board.ts';
import type { TaskView } from '../../../domain/task/task.ts';
import { type Wish, aBoard, arnOf, at } from '../../../../test/support/a-board.ts';

// Where the board and ECS disagree, `sec` seconds into the test: r running, l launched, c claimed, S succeeded, . pending.

const MINUTE_SEC = 60;
const verdict: Verdict = { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null };

const slotOf = (index: number, slot: object = {}): LaunchSlot =>
  ({ index, attempt: 1, nonce: 0, state: 'launched', since: at(0), taskArn: arnOf(index), ...slot }) as LaunchSlot;
const attemptOf = (index: number, state: ActiveAttempt['state'], slot: LaunchSlot | null = slotOf(index)) => {
  return { id: { index, attempt: 1, nonce: 0 }, state, slot };
};
const viewOf = (index: number, stage: TaskView['stage'], view: Partial<TaskView> = {}): TaskView => ({
  arn: arnOf(index),
  job: 'job' as TaskView['job'],
  id: { index, attempt: 1, nonce: 0 },
  version: 1,
  stage,
  ending: null,
  times: { createdAt: at(0), startedAt: null, stoppedAt: null },
  privateIp: null,
  ...view,
});

type Read = {
  readonly attempts?: readonly ActiveAttempt[];
  readonly views?: readonly TaskView[];
  readonly missing?: readonly TaskArn[];
  readonly live?: readonly TaskArn[];
  readonly moreLive?: boolean;
};

function found(strip: string, sec: number, read: Read, wish: Wish = {}) {
  const { status, stored } = aBoard(strip, { status: { inspect: { at: at(sec), intervalMs: 1 } }, ...wish });
  const task: ProbedTask = {
    attempts: read.attempts ?? [],
    tasks: new Map((read.views ?? []).map((view) => [view.arn, view])),
    missing: new Set(read.missing ?? []),
    live: read.live ?? [],
    moreLive: read.moreLive ?? false,
  };
  const compared = { now: at(sec), status, board: new WorkingBoard(status, stored), itemOf: () => null };
  return diagnoseTasks('job/default/work', compared, task);
}
const brief = (...args: Parameters<typeof found>): readonly string[] =>
  found(...args).map(
    ({ severity, kind, since }) => `${severity} ${kind}${since === null ? '' : ` ${(since - at(0)) / 1000}`}`,
  );

/** One attempt of index 0, what ECS says of its task, and what is found. */
type Row = readonly [
  because: string,
  sec: number,
  state: ActiveAttempt['state'],
  slot: LaunchSlot | null,
  view: TaskView | null,
  expected: readonly string[],
];
const ranFor = (stage: TaskView['stage'], sec: number | null): TaskView => {
  const moment = sec === null ? null : at(sec);
  return viewOf(0, stage, { times: { createdAt: at(0), startedAt: moment, stoppedAt: moment } });
};

describe('an attempt', () => {
  const launching = slotOf(0, { state: 'launching', since: at(0) });
  test.each<Row>([
    ['claimed, and nothing is known of a task', 9_999, 'claimed', null, null, []],
    ['launched, but no slot names its task', 1, 'launched', null, null, ['warning TaskUnknown']],
    ['running, but no slot names its task', 1, 'running', launching, null, ['warning TaskUnknown']],
    ['the slot is of another attempt', 1, 'launched', slotOf(0, { attempt: 2 }), null, ['warning TaskUnknown']],
    ['the slot is of another task of it', 1, 'launched', slotOf(0, { nonce: 1 }), null, ['warning TaskUnknown']],
    ['RunTask has not answered', 10 * MINUTE_SEC, 'claimed', launching, null, []],
    ['it has not for long', 10 * MINUTE_SEC + 0.001, 'claimed', launching, null, ['warning LaunchUnanswered 0']],
    ['it has not for an hour', 60 * MINUTE_SEC, 'claimed', launching, null, ['warning LaunchUnanswered 0']],
    ['nor for more', 60 * MINUTE_SEC + 0.001, 'claimed', launching, null, ['error LaunchUnanswered 0']],
    ['the other attempt is launching', 9_999, 'claimed', slotOf(0, { state: 'launching', attempt: 2 }), null, []],
    ['ECS said nothing of it', 9_999, 'running', slotOf(0), null, []],
    ['both say running', 9_999, 'running', slotOf(0), ranFor('running', 1), []],
    ['it has begun to run just now', 61, 'launched', slotOf(0), ranFor('running', 1), []],
    ['it runs, unseen', 61.001, 'launched', slotOf(0), ranFor('running', 1), ['warning StartUnseen 1']],
    ['it runs, since when is unknown', 1, 'claimed', slotOf(0), ranFor('running', null), ['warning StartUnseen']],
    ['it has ended just now', 61, 'running', slotOf(0), ranFor('stopped', 1), []],
    ['it has ended, unseen', 61.001, 'running', slotOf(0), ranFor('stopped', 1), ['warning EndUnseen 1']],
    ['it has ended, when is unknown', 1, 'running', slotOf(0), ranFor('stopped', null), ['warning EndUnseen']],
    ['it starts', 15 * MINUTE_SEC, 'launched', slotOf(0), ranFor('starting', null), []],
    ['slowly', 15 * MINUTE_SEC + 0.001, 'launched', slotOf(0), ranFor('starting', null), ['warning StartsSlowly 0']],
    ['very slowly', 999_999, 'launched', slotOf(0), ranFor('starting', null), ['warning StartsSlowly 0']],
    ['it is being stopped', 9_999, 'running', slotOf(0), ranFor('stopping', 1), []],
  ])('%s (%d s)', (_, sec, state, slot, view, expected) => {
    const read = { attempts: [attemptOf(0, state, slot)], views: view === null ? [] : [view] };
    expect(brief('r.', sec, read)).toEqual(expected);
  });

  test.each([
    [2 * MINUTE_SEC, []],
    [2 * MINUTE_SEC + 0.001, ['warning TaskMissing 0']],
  ])('that ECS does not know, after %d s: %j', (sec, expected) => {
    expect(brief('r.', sec, { attempts: [attemptOf(0, 'running')], missing: [arnOf(0)] })).toEqual(expected);
  });
});

describe('a live task', () => {
  const live = (index: number, view: Partial<TaskView> = {}, stage: TaskView['stage'] = 'running'): Read => {
    const seen = viewOf(index, stage, view);
    return { views: [seen], live: [seen.arn], attempts: [attemptOf(0, 'running')] };
  };
  const STRANGER = ['warning StrangerTask 0'];
  test.each<readonly [string, string, Read, Wish, readonly string[]]>([
    ['of a current attempt', 'r.', live(0), {}, []],
    ['of another attempt', 'r.', live(0, { id: { index: 0, attempt: 2, nonce: 0 } }), {}, STRANGER],
    ['of another launch', 'r.', live(0, { id: { index: 0, attempt: 1, nonce: 1 } }), {}, STRANGER],
    ['next to the one that its slot names', 'r.', live(0, { arn: arnOf(7) }), {}, STRANGER],
    [
      'of an attempt whose slot is of a later one',
      'r.',
      { ...live(0), attempts: [attemptOf(0, 'claimed', slotOf(0, { attempt: 2, taskArn: arnOf(0, 2) }))] },
      {},
      [],
    ],
    [
      'of an attempt whose slot is of its next launch',
      'r.',
      { ...live(0), attempts: [attemptOf(0, 'claimed', slotOf(0, { nonce: 1, taskArn: arnOf(0, 1, 1) }))] },
      {},
      [],
    ],
    ['of an index that does not run', 'r.', live(1), {}, STRANGER],
    ['beyond the board', 'r.', live(2), {}, STRANGER],
    [
      'of a Job that is over',
      'r',
      live(0),
      { phase: { kind: 'finished', verdict, since: at(0), at: at(0) } },
      STRANGER,
    ],
    ['that is being stopped', 'r.', live(1, {}, 'stopping'), {}, []],
    ['that has stopped', 'r.', live(1, {}, 'stopped'), {}, []],
    [
      'that nobody knows since when',
      'r.',
      live(1, { times: { createdAt: null, startedAt: null, stoppedAt: null } }),
      {},
      ['warning StrangerTask'],
    ],
    [
      'of an attempt that was replaced',
      'r.',
      live(1),
      {
        status: {
          inspect: { at: at(60), intervalMs: 1 },
          replacedTasks: [{ index: 1, attempt: 1, nonce: 0, taskArn: arnOf(1), since: at(0) }],
        },
      },
      [],
    ],
  ])('%s', (_, strip, read, wish, expected) => {
    expect(brief(strip, MINUTE_SEC, read, wish)).toEqual(expected);
  });

  test('of an index whose chunk was not read may be wanted', () => {
    const { status } = aBoard('r.');
    const [view] = live(1).views ?? [];
    if (view === undefined) throw new Error('no view');
    const task = {
      ...live(1),
      attempts: [attemptOf(0, 'running')],
      tasks: new Map([[view.arn, view]]),
      missing: new Set<TaskArn>(),
    };
    const compared = { now: at(MINUTE_SEC), status, board: new WorkingBoard(status, new Map()), itemOf: () => null };
    expect(diagnoseTasks('job/default/work', compared, { ...task, live: [view.arn], moreLive: false })).toEqual([]);
  });

  test.each([
    [MINUTE_SEC - 0.001, []],
    [MINUTE_SEC, STRANGER],
    [75 * MINUTE_SEC, STRANGER],
    [75 * MINUTE_SEC + 0.001, ['error StrangerTask 0']],
  ])('that no attempt needs, after %d s: %j', (sec, expected) => {
    expect(brief('r.', sec, live(1))).toEqual(expected);
  });
});

test.each([
  [100, 'warning', 'No action needed: the sweep looks up these tasks at 2027-01-15T08:01:40Z.'],
  [280, 'warning', 'No action needed: the sweep looks up these tasks at 2027-01-15T08:01:40Z.'],
  [280.001, 'error', 'The sweep should have looked up these tasks, but has not: check its log and the dead letters.'],
])('what the look-up at 100 s repairs, after %d s: %s', (sec, severity, remedy) => {
  const read = { attempts: [attemptOf(1, 'running', null), attemptOf(0, 'running', null)] };
  const [finding, ...others] = found('rr', sec, read, { status: { inspect: { at: at(100), intervalMs: 1 } } });
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ severity, remedy, what: expect.stringMatching(/^2 indexes \(0,1\): /) as string });
  expect(found('rr', sec, read, { status: { inspect: null } })).toMatchObject([{ severity: 'error' }]);
});

test('the oldest of several counts', () => {
  const attempts = [20, 10, 30].map((sec, index) => attemptOf(index, 'running', slotOf(index, { since: at(sec) })));
  expect(brief('rrr', 999, { attempts, missing: [0, 1, 2].map((index) => arnOf(index)) })).toEqual([
    'warning TaskMissing 10',
  ]);
});

test.each<readonly [string, Read, readonly string[]]>([
  ['rlc.', { attempts: [0, 1, 2].map((index) => attemptOf(index, 'claimed', null)) }, []],
  [
    'rlc.',
    { attempts: [0, 1].map((index) => attemptOf(index, 'claimed', null)), live: [arnOf(5)] },
    ['2 of 3 active attempts and 1 live tasks were checked'],
  ],
  [
    'c.',
    { attempts: [attemptOf(0, 'claimed', null)], moreLive: true },
    ['1 of 1 active attempts and 0 of more live tasks were checked'],
  ],
])('of %s, what was not checked is said: %#', (strip, read, expected) => {
  expect(found(strip, 1, read).map(({ what }) => what)).toEqual(expected);
});
