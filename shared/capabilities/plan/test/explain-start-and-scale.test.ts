import { describe, expect, test } from 'vitest';
import { type DumpWish, condition, failed, planAt, pod, succeeded, time, told } from './a-dump.ts';
import { NOTHING, indexed, table } from './dump-table.ts';

describe('the first sync', () => {
  table([
    [
      'starts what parallelism allows',
      5,
      { spec: { parallelism: 2, completions: 5 }, status: { startTime: null } },
      {
        counts: '2 active 0 ready 0 terminating 0 succeeded 0 failed',
        create: 'pod pod',
        conditions: '',
        requeue: null,
        events: 'Normal SuccessfulCreate, Normal SuccessfulCreate',
      },
    ],
    ['never more than is left to do', 0, { spec: { parallelism: 9, completions: 2 } }, { create: 'pod pod' }],
    ['lowest indexes first', 0, { spec: indexed(5, { parallelism: 2 }) }, { create: '0 1', completed: '' }],
    ['the deadline is the next look', 0, { spec: { activeDeadlineSeconds: 60 }, status: {} }, { requeue: 60 }],
    [
      'a Job that is born suspended',
      5,
      { spec: { suspend: true }, status: { startTime: null } },
      { ...NOTHING, conditions: 'Suspended=True JobSuspended', events: 'Normal Suspended' },
    ],
    [
      'nothing to do is done at once',
      5,
      { spec: { completions: 0 } },
      {
        ...NOTHING,
        conditions: 'SuccessCriteriaMet=True CompletionsReached, Complete=True CompletionsReached',
        events: 'Normal Completed',
      },
    ],
    [
      'nothing to do is done at once, suspended or not',
      5,
      { spec: { completions: 0, suspend: true }, status: { startTime: null } },
      { conditions: 'SuccessCriteriaMet=True CompletionsReached, Complete=True CompletionsReached' },
    ],
    ['parallelism 0 is a pause', 0, { spec: { parallelism: 0, completions: 3 } }, { ...NOTHING, conditions: '' }],
  ]);

  test('startTime is now', () => expect(planAt(5, { status: { startTime: null } }).status.startTime).toBe(time(5)));
  test('a suspended Job has none', () =>
    expect(planAt(5, { spec: { suspend: true }, status: { startTime: null } }).status.startTime).toBeUndefined());
});

describe('who does nothing', () => {
  const busy = [failed(undefined, { name: 'f' }), pod({ name: 'r' })];
  table([
    [
      'a finished Job',
      9,
      {
        status: { failed: 7, conditions: [condition('FailureTarget', 'X'), condition('Failed', 'X')] },
        pods: busy,
      },
      { ...NOTHING, conditions: 'FailureTarget=True X, Failed=True X' },
    ],
    [
      'the Job of another controller',
      9,
      { spec: { managedBy: 'example.com/other' }, status: { active: 3 }, pods: busy },
      { ...NOTHING, counts: '3 active 0 ready 0 terminating 0 succeeded 0 failed' },
    ],
    [
      'a completion mode that nobody knows',
      9,
      { spec: { completionMode: 'Sharded' }, pods: busy },
      { ...NOTHING, events: 'Warning UnknownCompletionMode' },
    ],
    [
      'a Job with all at work',
      9,
      { spec: { parallelism: 2, completions: 2 }, pods: [pod({ name: 'a' }), pod({ name: 'b', ready: false })] },
      { ...NOTHING, counts: '2 active 1 ready 0 terminating 0 succeeded 0 failed' },
    ],
  ]);
});

describe('duplicates of an index', () => {
  table([
    [
      'the best one stays: ready before not ready',
      9,
      { spec: indexed(2), pods: [pod({ index: 0 }), pod({ index: 0, name: 'twin', ready: false }), pod({ index: 1 })] },
      {
        delete: 'twin',
        create: '',
        account: '',
        counts: '2 active 2 ready 1 terminating 0 succeeded 0 failed',
        events: 'Normal SuccessfulDelete',
      },
    ],
    [
      'the best one stays: the older of equals',
      9,
      {
        spec: indexed(1),
        pods: [
          pod({ index: 0, ready: false, createdAt: 4 }),
          pod({ index: 0, name: 'old', ready: false, createdAt: 1 }),
        ],
      },
      { delete: 'p0' },
    ],
    [
      'nothing is created in a pass that deletes',
      9,
      { spec: indexed(4), pods: [pod({ index: 0 }), pod({ index: 0, name: 'twin', ready: false })] },
      { delete: 'twin', create: '' },
    ],
    [
      'Pods without an index go',
      9,
      { spec: indexed(2), pods: [pod({ name: 'none' }), pod({ name: 'bad', index: 'x' }), pod({ index: 1 })] },
      { delete: 'bad none', create: '' },
    ],
    [
      'two successes of one index count once',
      9,
      { spec: indexed(2), pods: [succeeded(0), succeeded(0, { name: 'twin' }), pod({ index: 1 })] },
      { account: 'p0 twin', completed: '0', counts: '1 active 1 ready 0 terminating 1 succeeded 0 failed' },
    ],
    [
      'a success that is counted already is not counted again',
      9,
      {
        spec: indexed(2),
        status: { succeeded: 1, completedIndexes: '0' },
        pods: [succeeded(0), pod({ index: 1 })],
      },
      { account: 'p0', counts: '1 active 1 ready 0 terminating 1 succeeded 0 failed' },
    ],
  ]);
});

describe('after an elastic shrink', () => {
  table([
    [
      'Pods out of range go, and completed indexes with them',
      9,
      {
        spec: indexed(3),
        status: { succeeded: 3, completedIndexes: '0,4,6' },
        pods: [1, 2, 3, 5].map((index) => pod({ index })),
      },
      {
        delete: 'p3 p5',
        completed: '0',
        counts: '2 active 2 ready 2 terminating 1 succeeded 0 failed',
        create: '',
      },
    ],
    [
      'what ended out of range counts for nothing',
      9,
      { spec: indexed(2, { backoffLimit: 0 }), pods: [pod({ index: 0 }), pod({ index: 1 }), failed(2), succeeded(3)] },
      { conditions: '', completed: '', counts: '2 active 2 ready 0 terminating 0 succeeded 0 failed' },
    ],
    [
      'it may be done by that',
      9,
      { spec: indexed(2), status: { succeeded: 3, completedIndexes: '0-2' } },
      {
        conditions: 'SuccessCriteriaMet=True CompletionsReached, Complete=True CompletionsReached',
        completed: '0,1',
        counts: '0 active 0 ready 0 terminating 2 succeeded 0 failed',
      },
    ],
    [
      'growing opens new indexes',
      9,
      { spec: indexed(4), status: { succeeded: 2, completedIndexes: '0,1' } },
      { create: '2 3' },
    ],
  ]);
});

describe('scale-down picks the worst', () => {
  const two = { parallelism: 1, completions: 9 };
  const worse = (wish: Parameters<typeof pod>[0]): DumpWish => ({
    spec: two,
    pods: [pod({ name: 'good', createdAt: 5 }), pod({ name: 'worse', createdAt: 5, ...wish })],
  });
  table([
    ['without a node', 9, worse({ phase: 'Pending', scheduled: false }), { delete: 'worse', account: '' }],
    ['pending', 9, worse({ phase: 'Pending' }), { delete: 'worse' }],
    ['not ready', 9, worse({ ready: false }), { delete: 'worse' }],
    ['restarted', 9, worse({ restarts: 3 }), { delete: 'worse' }],
    ['newer', 9, worse({ createdAt: 6 }), { delete: 'worse' }],
    [
      'and counts nothing as failed',
      9,
      worse({ createdAt: 6 }),
      { counts: '1 active 1 ready 1 terminating 0 succeeded 0 failed', conditions: '' },
    ],
  ]);
});

describe('TerminatingOrFailed against Failed', () => {
  const deleted = [pod({ name: 'a' }), pod({ name: 'gone', deleted: 100 })];
  const spec = { parallelism: 2, completions: 4 };
  table([
    [
      'TerminatingOrFailed: failed at once, replaced after back-off from when it was deleted',
      104,
      { spec, pods: deleted },
      {
        counts: '1 active 1 ready 1 terminating 0 succeeded 1 failed',
        account: 'gone',
        create: 'pod+6s',
        requeue: 6,
      },
    ],
    [
      'TerminatingOrFailed: replaced while it still ends',
      110,
      { spec, pods: deleted },
      { account: 'gone', create: 'pod', counts: '2 active 1 ready 1 terminating 0 succeeded 1 failed' },
    ],
    [
      'Failed: neither counted nor replaced before it has ended',
      200,
      { spec: { ...spec, podReplacementPolicy: 'Failed' }, pods: deleted },
      { ...NOTHING, counts: '1 active 1 ready 1 terminating 0 succeeded 0 failed' },
    ],
    [
      'a failure policy means Failed',
      200,
      { spec: { ...spec, podFailurePolicy: { rules: [] } }, pods: deleted },
      { ...NOTHING, counts: '1 active 1 ready 1 terminating 0 succeeded 0 failed' },
    ],
    [
      'Failed: an index is not started beside its Pod that ends',
      200,
      {
        spec: indexed(3, { podReplacementPolicy: 'Failed' }),
        pods: [pod({ index: 0, deleted: 100 }), pod({ index: 1 })],
      },
      { create: '2', account: '' },
    ],
    [
      'Failed: once it has ended it counts',
      200,
      {
        spec: { ...spec, podReplacementPolicy: 'Failed' },
        pods: [failed(undefined, { name: 'f', deleted: 100, finishedAt: 110 })],
      },
      { account: 'f', create: 'pod pod', counts: '2 active 0 ready 0 terminating 0 succeeded 1 failed' },
    ],
    [
      'succeeded though deleted: a success',
      200,
      { pods: [succeeded(undefined, { name: 's', deleted: 100 })] },
      { account: 's', counts: '0 active 0 ready 0 terminating 1 succeeded 0 failed' },
    ],
  ]);
});

describe('suspend', () => {
  const spec = { parallelism: 3, completions: 9, suspend: true };
  const atWork = [pod({ name: 'a' }), pod({ name: 'b', ready: false }), pod({ name: 'gone', deleted: 5 })];
  table([
    [
      'what is active is deleted and counts as nothing; what terminates counts at once under TerminatingOrFailed',
      9,
      { spec, pods: atWork },
      {
        conditions: 'Suspended=True JobSuspended',
        delete: 'a b',
        account: 'gone',
        create: '',
        counts: '0 active 0 ready 3 terminating 0 succeeded 1 failed',
        events: 'Normal SuccessfulDelete, Normal SuccessfulDelete, Normal Suspended',
      },
    ],
    [
      'under Failed it does not',
      9,
      { spec: { ...spec, podReplacementPolicy: 'Failed' }, pods: atWork },
      { delete: 'a b', account: '', counts: '0 active 0 ready 3 terminating 0 succeeded 0 failed' },
    ],
    [
      'suspended before: no second event',
      9,
      { spec, status: { conditions: [condition('Suspended', 'JobSuspended', 'Job suspended')] } },
      { ...NOTHING, conditions: 'Suspended=True JobSuspended' },
    ],
    [
      'no deadline meanwhile',
      900,
      { spec: { ...spec, activeDeadlineSeconds: 60 }, pods: [pod({ name: 'a' })] },
      { conditions: 'Suspended=True JobSuspended', requeue: null },
    ],
    [
      'no deadline, but the limit of failures holds',
      900,
      {
        spec: { suspend: true, backoffLimit: 0 },
        status: { conditions: [condition('Suspended', 'JobSuspended', 'Job suspended')] },
        pods: [failed(undefined, { name: 'f' })],
      },
      {
        conditions:
          'Suspended=True JobSuspended, FailureTarget=True BackoffLimitExceeded, Failed=True BackoffLimitExceeded',
      },
    ],
    [
      'all done beats suspended',
      9,
      { spec: { completions: 1, suspend: true }, pods: [succeeded(undefined)] },
      { conditions: 'SuccessCriteriaMet=True CompletionsReached, Complete=True CompletionsReached' },
    ],
    [
      'resume',
      900,
      {
        spec: { parallelism: 1, completions: 1 },
        status: { conditions: [condition('Suspended', 'JobSuspended', 'Job suspended')] },
      },
      { conditions: 'Suspended=False JobResumed', create: 'pod', events: 'Normal SuccessfulCreate, Normal Resumed' },
    ],
  ]);

  test('resume past the deadline of the old start: 1.34 fails the Job at once', () => {
    const conditions = [condition('Suspended', 'JobSuspended', 'Job suspended')];
    const plan = planAt(900, { spec: { activeDeadlineSeconds: 60 }, status: { conditions } });
    expect(told(plan)).toMatchObject({
      conditions: 'Suspended=True JobSuspended, FailureTarget=True DeadlineExceeded, Failed=True DeadlineExceeded',
      create: '',
    });
    expect(plan.status.startTime).toBe(time(0));
  });

  test('startTime stays while it is suspended, and is now at resume', () => {
    expect(planAt(9, { spec, pods: atWork }).status.startTime).toBe(time(0));
    const conditions = [condition('Suspended', 'JobSuspended', 'Job suspended')];
    expect(planAt(900, { status: { conditions } }).status.startTime).toBe(time(900));
  });
});
