import { describe, expect, test } from 'vitest';
import { condition, failed, planAt, pod, pods, succeeded, time, told } from './a-dump.ts';
import { indexed, table } from './dump-table.ts';

describe('finalizers that go without a count', () => {
  const conditions = [condition('SuccessCriteriaMet', 'SuccessPolicy')];
  const spec = indexed(2, { podReplacementPolicy: 'Failed', successPolicy: { rules: [{ succeededCount: 1 }] } });
  table([
    [
      'what a success policy stops',
      9,
      { spec, pods: [succeeded(0), pod({ index: 1 })] },
      { delete: 'p1', account: 'p0', release: 'p1' },
    ],
    [
      'what still terminates of a Job that succeeds already',
      9,
      { spec, status: { succeeded: 1, completedIndexes: '0', conditions }, pods: [pod({ index: 1, deleted: 5 })] },
      { delete: '', account: '', release: 'p1', counts: '0 active 0 ready 1 terminating 1 succeeded 0 failed' },
    ],
    [
      'what a suspend deletes',
      9,
      { spec: { suspend: true, completions: 3 }, pods: [pod({ name: 'a' }), pod({ name: 'b', finalizer: false })] },
      { delete: 'a b', release: 'a' },
    ],
    [
      'what is too much',
      9,
      { spec: { parallelism: 1, completions: 3 }, pods: [pod({ name: 'a' }), pod({ name: 'b', ready: false })] },
      { delete: 'b', release: 'b' },
    ],
    [
      'not of what a failing Job stops: that counts',
      9,
      { spec: { backoffLimit: 0 }, pods: [failed(undefined, { name: 'f' }), pod({ name: 'a' })] },
      { delete: 'a', account: 'a f', release: '' },
    ],
  ]);
});

describe('uncounted UIDs', () => {
  table([
    [
      'move to the counters when their Pod is gone or has lost its finalizer',
      200,
      {
        spec: { completions: 9, backoffLimit: 9 },
        status: {
          failed: 1,
          succeeded: 1,
          uncountedTerminatedPods: { succeeded: ['uid-s'], failed: ['uid-vanished', 'uid-f'] },
        },
        pods: [
          succeeded(undefined, { name: 's', finalizer: false }),
          failed(undefined, { name: 'f', finalizer: true }),
          pod({ name: 'a' }),
        ],
      },
      {
        uncounted: '',
        counts: '1 active 1 ready 0 terminating 2 succeeded 3 failed',
        account: 'f',
      },
    ],
    [
      'count towards the limit',
      200,
      { spec: { backoffLimit: 0 }, status: { uncountedTerminatedPods: { failed: ['uid-vanished'] } } },
      { conditions: 'FailureTarget=True BackoffLimitExceeded, Failed=True BackoffLimitExceeded', uncounted: '' },
    ],
    [
      'a Pod that was noted as failed stays so, though it has succeeded since',
      200,
      {
        spec: { completions: 9, backoffLimit: 9 },
        status: { uncountedTerminatedPods: { failed: ['uid-s'] } },
        pods: [succeeded(undefined, { name: 's' }), pod({ name: 'a' })],
      },
      { counts: '1 active 1 ready 0 terminating 0 succeeded 1 failed', account: 's', uncounted: '' },
    ],
  ]);
});

describe('limits of one sync', () => {
  const many = (count: number) => pods(count, (no) => succeeded(undefined, { name: `p${no}` }));
  const manyIndexes = (count: number) => pods(count, (no) => succeeded(no));

  test.each([
    ['a work queue', { parallelism: 1, completions: 600 }, many(600), ''],
    ['indexes', indexed(600), manyIndexes(600), '0-499'],
  ])('600 finished Pods, %s: 500 are accounted, and there is no verdict yet', (_, spec, all, completed) => {
    const plan = planAt(9, { spec, pods: all });
    expect(plan.account).toHaveLength(500);
    expect(told(plan)).toMatchObject({
      conditions: 'SuccessCriteriaMet=True CompletionsReached',
      counts: '0 active 0 ready 0 terminating 500 succeeded 0 failed',
      completed,
      create: '',
      events: '',
    });
  });

  test('the next pass has the rest', () => {
    const interim = condition('SuccessCriteriaMet', 'CompletionsReached');
    const rest = pods(100, (no) => succeeded(no + 500));
    const status = { succeeded: 500, completedIndexes: '0-499', conditions: [interim] };
    expect(told(planAt(9, { spec: indexed(600), status, pods: rest }))).toMatchObject({
      conditions: 'SuccessCriteriaMet=True CompletionsReached, Complete=True CompletionsReached',
      completed: '0-599',
    });
  });

  test('exactly 500 are the limit, too: no verdict yet', () => {
    const verdict = (count: number) => told(planAt(9, { spec: { completions: count }, pods: many(count) })).conditions;
    expect(verdict(500)).toBe('SuccessCriteriaMet=True CompletionsReached');
    expect(verdict(499)).toContain('Complete=True');
  });

  test('without caps all are accounted at once', () => {
    const plan = planAt(9, { spec: indexed(600), pods: manyIndexes(600) }, { caps: false });
    expect(plan.account).toHaveLength(600);
    expect(told(plan).conditions).toContain('Complete=True');
  });

  test('500 Pods are created at once, or all', () => {
    const spec = { parallelism: 700, completions: 700 };
    expect(planAt(0, { spec }).create).toHaveLength(500);
    expect(planAt(0, { spec }, { caps: false }).create).toHaveLength(700);
    expect(planAt(0, { spec }).status.active).toBe(500);
  });

  test('500 Pods are deleted at once when there are too many', () => {
    const running = pods(700, (no) => pod({ name: `p${no}` }));
    expect(planAt(0, { spec: { parallelism: 0, completions: 700 }, pods: running }).delete).toHaveLength(500);
  });

  test('a verdict stops all of them, and counts 500', () => {
    const running = pods(700, (no) => pod({ name: `p${no}` }));
    const spec = { parallelism: 700, completions: 700, activeDeadlineSeconds: 1 };
    const plan = planAt(9, { spec, pods: running });
    expect(plan.delete).toHaveLength(700);
    expect(plan.account).toHaveLength(500);
    expect(told(plan).counts).toBe('0 active 0 ready 700 terminating 0 succeeded 500 failed');
  });
});

describe('a Job that is being deleted', () => {
  const metadata = { deletionTimestamp: time(5), finalizers: ['foregroundDeletion'] };
  table([
    [
      'what ended is counted; nothing is created or deleted any more',
      200,
      {
        metadata,
        spec: { parallelism: 3, completions: 9 },
        pods: [failed(undefined, { name: 'f' }), succeeded(undefined, { name: 's' }), pod({ name: 'a' })],
      },
      {
        create: '',
        delete: '',
        conditions: '',
        counts: '1 active 1 ready 0 terminating 1 succeeded 1 failed',
      },
    ],
    [
      'it may still complete',
      200,
      { metadata, pods: [succeeded(undefined, { name: 's' })] },
      { conditions: 'SuccessCriteriaMet=True CompletionsReached, Complete=True CompletionsReached' },
    ],
    [
      'finalizers go, also of what still runs: that never counts',
      200,
      {
        metadata,
        spec: { parallelism: 3, completions: 9 },
        pods: [failed(undefined, { name: 'f' }), pod({ name: 'a' }), pod({ name: 'b', finalizer: false })],
      },
      { account: 'f', release: 'a', counts: '2 active 2 ready 0 terminating 0 succeeded 1 failed' },
    ],
    ['it is not suspended any more', 200, { metadata, spec: { suspend: true } }, { conditions: '', events: '' }],
  ]);
});
