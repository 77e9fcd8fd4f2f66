import { describe, expect, test } from 'vitest';
import { condition, failed, planAt, pod, succeeded, time } from './a-dump.ts';
import { NOTHING, indexed, queue, table } from './dump-table.ts';

describe('failure and success in one pass', () => {
  table([
    [
      'failure wins: over the last completion',
      9,
      { spec: { backoffLimit: 0 }, pods: [failed(undefined, { name: 'f' }), succeeded(undefined, { name: 's' })] },
      {
        conditions: 'FailureTarget=True BackoffLimitExceeded, Failed=True BackoffLimitExceeded',
        counts: '0 active 0 ready 0 terminating 1 succeeded 1 failed',
        account: 'f s',
        create: '',
        events: 'Warning BackoffLimitExceeded',
      },
    ],
    [
      'failure wins: over the success policy',
      9,
      {
        spec: indexed(3, { backoffLimit: 0, successPolicy: { rules: [{ succeededCount: 1 }] } }),
        pods: [succeeded(0), failed(1), pod({ index: 2 })],
      },
      {
        conditions: 'FailureTarget=True BackoffLimitExceeded',
        counts: '0 active 0 ready 1 terminating 1 succeeded 2 failed',
        completed: '0',
        delete: 'p2',
        account: 'p0 p1 p2',
        events: 'Normal SuccessfulDelete',
      },
    ],
    [
      'the deadline wins over the success policy',
      60,
      {
        spec: indexed(2, { activeDeadlineSeconds: 60, successPolicy: { rules: [{ succeededCount: 1 }] } }),
        pods: [succeeded(0), pod({ index: 1 })],
      },
      { conditions: 'FailureTarget=True DeadlineExceeded', delete: 'p1', account: 'p0 p1' },
    ],
    [
      'too many failed indexes win over the success policy',
      9,
      {
        spec: indexed(3, {
          backoffLimitPerIndex: 0,
          maxFailedIndexes: 0,
          successPolicy: { rules: [{ succeededCount: 1 }] },
        }),
        pods: [succeeded(0), failed(1), pod({ index: 2 })],
      },
      { conditions: 'FailureTarget=True MaxFailedIndexesExceeded', failedIndexes: '1', delete: 'p2' },
    ],
  ]);
});

describe('an interim condition that is set stays', () => {
  table([
    [
      'SuccessCriteriaMet, though the failures exceed the limit',
      9,
      {
        spec: indexed(3, { backoffLimit: 0, successPolicy: { rules: [{ succeededCount: 1 }] } }),
        status: {
          conditions: [condition('SuccessCriteriaMet', 'SuccessPolicy')],
          succeeded: 1,
          completedIndexes: '0',
        },
        pods: [failed(1), failed(2)],
      },
      {
        conditions: 'SuccessCriteriaMet=True SuccessPolicy, Complete=True SuccessPolicy',
        counts: '0 active 0 ready 0 terminating 1 succeeded 2 failed',
        account: 'p1 p2',
        create: '',
        events: 'Normal Completed',
      },
    ],
    [
      'SuccessCriteriaMet waits for Pods that still end',
      9,
      {
        spec: indexed(2, { podReplacementPolicy: 'Failed', successPolicy: { rules: [{ succeededCount: 1 }] } }),
        status: { conditions: [condition('SuccessCriteriaMet', 'SuccessPolicy')], succeeded: 1, completedIndexes: '0' },
        pods: [pod({ index: 1, deleted: 5, finalizer: false })],
      },
      {
        ...NOTHING,
        conditions: 'SuccessCriteriaMet=True SuccessPolicy',
        counts: '0 active 0 ready 1 terminating 1 succeeded 0 failed',
      },
    ],
    [
      'FailureTarget, though all have succeeded since',
      9,
      {
        spec: indexed(2),
        status: { conditions: [condition('FailureTarget', 'DeadlineExceeded')] },
        pods: [succeeded(0), succeeded(1)],
      },
      {
        conditions: 'FailureTarget=True DeadlineExceeded, Failed=True DeadlineExceeded',
        counts: '0 active 0 ready 0 terminating 2 succeeded 0 failed',
        completed: '0,1',
        events: 'Warning DeadlineExceeded',
      },
    ],
    [
      'FailureTarget stops a Pod that came late, and counts it',
      9,
      {
        status: { conditions: [condition('FailureTarget', 'DeadlineExceeded')], failed: 2 },
        pods: [pod({ name: 'late' })],
      },
      {
        conditions: 'FailureTarget=True DeadlineExceeded',
        counts: '0 active 0 ready 1 terminating 0 succeeded 3 failed',
        delete: 'late',
        account: 'late',
      },
    ],
  ]);

  test('with its message and its time', () => {
    const set = condition('FailureTarget', 'DeadlineExceeded', 'as it was', 3);
    const { status, events } = planAt(9, { status: { conditions: [set] } });
    expect(status.conditions?.[0]).toEqual(set);
    expect(status.conditions?.[1]).toMatchObject({ message: 'as it was', lastTransitionTime: time(9) });
    expect(events).toEqual([{ type: 'Warning', reason: 'DeadlineExceeded', message: 'as it was' }]);
    expect(status.completionTime).toBeUndefined();
  });

  test('conditions of foreign types are kept in their places', () => {
    const foreign = condition('example.com/Seen', 'Why', 'who', 1);
    const { status } = planAt(9, { status: { conditions: [foreign] }, pods: [succeeded(undefined)] });
    expect(status.conditions?.[0]).toEqual(foreign);
    expect(status.conditions?.map(({ type }) => type)).toEqual(['example.com/Seen', 'SuccessCriteriaMet', 'Complete']);
    expect(status.completionTime).toBe(time(9));
  });
});

describe('success policy', () => {
  const policy = (...rules: readonly object[]) => ({ successPolicy: { rules } });
  table([
    [
      'what still runs is stopped, and counts as nothing',
      9,
      {
        spec: indexed(4, policy({ succeededIndexes: '0-2', succeededCount: 2 })),
        pods: [succeeded(0), succeeded(2), pod({ index: 1 }), pod({ index: 3, ready: false })],
      },
      {
        conditions: 'SuccessCriteriaMet=True SuccessPolicy',
        completed: '0,2',
        delete: 'p1 p3',
        counts: '0 active 0 ready 2 terminating 2 succeeded 0 failed',
        events: 'Normal SuccessfulDelete, Normal SuccessfulDelete',
        requeue: null,
      },
    ],
    [
      'indexes that are not in the rule do not help',
      9,
      {
        spec: indexed(3, policy({ succeededIndexes: '0,1', succeededCount: 2 })),
        pods: [succeeded(0), succeeded(2), pod({ index: 1 })],
      },
      { conditions: '', delete: '', completed: '0,2' },
    ],
    [
      'with nothing at work it is complete at once',
      9,
      { spec: indexed(3, { ...policy({ succeededIndexes: '1' }), parallelism: 1 }), pods: [succeeded(1)] },
      { conditions: 'SuccessCriteriaMet=True SuccessPolicy, Complete=True SuccessPolicy', create: '' },
    ],
  ]);

  test('the message names the rule', () =>
    expect(
      planAt(9, { spec: indexed(2, policy({ succeededCount: 2 }, { succeededIndexes: '1' })), pods: [succeeded(1)] })
        .status.conditions?.[0]?.message,
    ).toBe('Matched rules at index 1'));
});

describe('deadline', () => {
  const spec = { activeDeadlineSeconds: 60 };
  table([
    ['one second before', 59, { spec, pods: [pod({ name: 'a' })] }, { ...NOTHING, conditions: '', requeue: 1 }],
    [
      'exactly at its second',
      60,
      { spec, pods: [pod({ name: 'a' })] },
      {
        conditions: 'FailureTarget=True DeadlineExceeded',
        delete: 'a',
        account: 'a',
        counts: '0 active 0 ready 1 terminating 0 succeeded 1 failed',
      },
    ],
    [
      'back-off limit is looked at first',
      60,
      { spec: { ...spec, backoffLimit: 0 }, pods: [failed(undefined)] },
      { conditions: 'FailureTarget=True BackoffLimitExceeded, Failed=True BackoffLimitExceeded' },
    ],
    [
      'completions are not: the deadline beats a success of the same pass',
      60,
      { spec, pods: [succeeded(undefined)] },
      {
        conditions: 'FailureTarget=True DeadlineExceeded, Failed=True DeadlineExceeded',
        counts: '0 active 0 ready 0 terminating 1 succeeded 0 failed',
      },
    ],
  ]);
});

describe('a work queue', () => {
  const s = succeeded(undefined, { name: 's' });
  table([
    ['as many as parallelism', 9, { spec: queue, pods: [pod({ name: 'a' })] }, { create: 'pod pod' }],
    [
      'after a success it starts no more, and waits for the rest',
      9,
      { spec: queue, pods: [s, pod({ name: 'a' })] },
      { ...NOTHING, account: 's', conditions: '', counts: '1 active 1 ready 0 terminating 1 succeeded 0 failed' },
    ],
    [
      'when the rest has ended it is complete, with a failure among them',
      9,
      { spec: queue, status: { succeeded: 1 }, pods: [failed(undefined, { name: 'f' })] },
      {
        conditions: 'SuccessCriteriaMet=True CompletionsReached, Complete=True CompletionsReached',
        counts: '0 active 0 ready 0 terminating 1 succeeded 1 failed',
      },
    ],
    [
      'complete waits for what terminates',
      9,
      {
        spec: { ...queue, podReplacementPolicy: 'Failed' },
        status: { succeeded: 1 },
        pods: [pod({ name: 'gone', deleted: 5, finalizer: false })],
      },
      {
        ...NOTHING,
        conditions: 'SuccessCriteriaMet=True CompletionsReached',
        counts: '0 active 0 ready 1 terminating 1 succeeded 0 failed',
      },
    ],
  ]);
});

describe('more successes than were wanted', () => {
  table([
    [
      'are counted, and a warning',
      9,
      { spec: { completions: 1 }, pods: [succeeded(undefined, { name: 'a' }), succeeded(undefined, { name: 'b' })] },
      {
        counts: '0 active 0 ready 0 terminating 2 succeeded 0 failed',
        events: 'Warning TooManySucceededPods, Normal Completed',
      },
    ],
    [
      'what still runs then is surplus',
      9,
      { spec: { completions: 1 }, pods: [succeeded(undefined, { name: 'a' }), pod({ name: 'b' })] },
      {
        delete: 'b',
        account: 'a',
        conditions: 'SuccessCriteriaMet=True CompletionsReached',
        counts: '0 active 0 ready 1 terminating 1 succeeded 0 failed',
        events: 'Normal SuccessfulDelete',
      },
    ],
  ]);
});
