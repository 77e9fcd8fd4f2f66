import { describe, expect, test } from 'vitest';
import { type DumpWish, condition, failed, planAt, pod, pods, succeeded, time, told } from './a-dump.ts';

// What upstream's controller does in one sync with such a Job and such Pods (kubernetes-job.md 3 to 7).

type Row = readonly [because: string, sec: number, wish: DumpWish, expected: Partial<ReturnType<typeof told>>];
const table = (rows: readonly Row[]): void => {
  test.each(rows)('%s', (_, sec, wish, expected) => expect(told(planAt(sec, wish))).toMatchObject(expected));
};

const indexed = (completions: number, more: DumpWish['spec'] = {}) => ({
  completionMode: 'Indexed',
  completions,
  parallelism: completions,
  ...more,
});
const queue = { parallelism: 3 };
const NOTHING = { create: '', delete: '', account: '', requeue: null, events: '' };

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

describe('back-off of the Job', () => {
  const f = (name: string, finishedAt: number) => failed(undefined, { name, finishedAt });
  const s = (name: string, finishedAt: number) => succeeded(undefined, { name, finishedAt });
  const spec = { parallelism: 1, completions: 5 };
  table([
    ['10 s after the first', 103, { spec, pods: [f('a', 100)] }, { create: 'pod+7s', requeue: 7, account: 'a' }],
    ['exactly 10 s after', 110, { spec, pods: [f('a', 100)] }, { create: 'pod', requeue: null }],
    ['20 s after the second', 103, { spec, pods: [f('a', 90), f('b', 100)] }, { create: 'pod+17s', requeue: 17 }],
    ['a success makes it forget', 103, { spec, pods: [f('a', 90), s('b', 95)] }, { create: 'pod', requeue: null }],
    ['but not what came after it', 103, { spec, pods: [f('a', 90), s('b', 95), f('c', 100)] }, { create: 'pod+7s' }],
    [
      'ten minutes at most',
      100,
      { spec: { ...spec, backoffLimit: 99 }, pods: pods(20, (no) => f(`f${no}`, 100)) },
      { create: 'pod+600s', requeue: 600 },
    ],
    [
      'what is accounted already holds nothing back',
      103,
      { spec, status: { failed: 1 }, pods: [failed(undefined, { name: 'a', finishedAt: 100, finalizer: false })] },
      { create: 'pod', account: '', counts: '1 active 0 ready 0 terminating 0 succeeded 1 failed' },
    ],
    [
      'with indexes too; what runs stays active meanwhile',
      103,
      { spec: indexed(3), pods: [pod({ index: 0 }), failed(1, { finishedAt: 100 })] },
      {
        create: '1+7s 2+7s',
        requeue: 7,
        account: 'p1',
        counts: '1 active 1 ready 0 terminating 0 succeeded 1 failed',
      },
    ],
    [
      'the deadline may come first',
      103,
      { spec: { ...spec, activeDeadlineSeconds: 105 }, pods: [f('a', 100)] },
      { create: 'pod+7s', requeue: 2 },
    ],
  ]);

  table([
    [
      'as many failures as the limit',
      200,
      { spec: { ...spec, backoffLimit: 1 }, pods: [f('a', 1)] },
      { conditions: '' },
    ],
    [
      'one more, with those counted before',
      200,
      { spec: { ...spec, backoffLimit: 1 }, status: { failed: 1 }, pods: [f('a', 1)] },
      {
        conditions: 'FailureTarget=True BackoffLimitExceeded, Failed=True BackoffLimitExceeded',
        counts: '0 active 0 ready 0 terminating 0 succeeded 2 failed',
      },
    ],
    [
      'what runs then is stopped and counted',
      200,
      { spec: { ...spec, parallelism: 2, backoffLimit: 0 }, pods: [f('a', 1), pod({ name: 'r' })] },
      {
        conditions: 'FailureTarget=True BackoffLimitExceeded',
        counts: '0 active 0 ready 1 terminating 0 succeeded 2 failed',
        delete: 'r',
        account: 'a r',
        events: 'Normal SuccessfulDelete',
      },
    ],
  ]);
});

describe('back-off of each index', () => {
  const spec = indexed(4, { backoffLimitPerIndex: 3 });
  table([
    [
      'each has its own time; the soonest is the next look; the failed Pods wait uncounted',
      100,
      {
        spec,
        status: { succeeded: 1, completedIndexes: '3' },
        pods: [
          failed(0, { finishedAt: 95, failures: 0 }),
          failed(1, { finishedAt: 95, failures: 1 }),
          failed(2, { finishedAt: 95, failures: 1, ignored: 1 }),
        ],
      },
      {
        create: '0+5s 1+15s 2+35s',
        requeue: 5,
        account: '',
        failedIndexes: '',
        counts: '0 active 0 ready 0 terminating 1 succeeded 0 failed',
      },
    ],
    [
      'what is ready is started; then nothing but events makes it look again',
      100,
      { spec, pods: [failed(0, { finishedAt: 95, failures: 0 }), failed(1, { finishedAt: 80, failures: 0 })] },
      {
        create: '0+5s 1 2 3',
        account: '',
        requeue: null,
        counts: '3 active 0 ready 0 terminating 0 succeeded 0 failed',
      },
    ],
    [
      'an index in back-off holds its place in parallelism',
      100,
      { spec: { ...spec, parallelism: 2 }, pods: [failed(0, { finishedAt: 95, failures: 0 })] },
      { create: '0+5s 1' },
    ],
    [
      'the failed Pod counts once its replacement is there',
      100,
      { spec, pods: [failed(0, { failures: 0 }), pod({ index: 0, name: 'again', failures: 1 })] },
      { account: 'p0', counts: '4 active 1 ready 0 terminating 0 succeeded 1 failed', create: '1 2 3' },
    ],
    [
      'of several failed Pods the last one carries the count',
      100,
      {
        spec,
        pods: [
          failed(0, { name: 'first', finishedAt: 50, failures: 0 }),
          failed(0, { name: 'last', finishedAt: 95, failures: 1 }),
        ],
      },
      { account: 'first', create: '0+15s 1 2 3' },
    ],
    [
      'a failed Pod counts at once if another Pod of its index has succeeded: no replacement follows',
      100,
      {
        spec,
        pods: [
          failed(0, { name: 'f', failures: 0 }),
          succeeded(0),
          pod({ index: 1 }),
          pod({ index: 2 }),
          pod({ index: 3 }),
        ],
      },
      { account: 'f p0', create: '', counts: '3 active 3 ready 0 terminating 1 succeeded 1 failed' },
    ],
    [
      'a failed Pod whose index the Job does not have carries nothing',
      100,
      { spec, pods: [failed(4, { failures: 0 })] },
      { account: 'p4', create: '0 1 2 3' },
    ],
    [
      'its last failure fails the index, and counts',
      100,
      {
        spec: indexed(2, { backoffLimitPerIndex: 1 }),
        pods: [failed(0, { failures: 1, finishedAt: 99 }), pod({ index: 1 })],
      },
      {
        failedIndexes: '0',
        account: 'p0',
        create: '',
        conditions: '',
        counts: '1 active 1 ready 0 terminating 0 succeeded 1 failed',
      },
    ],
    [
      'when all indexes have ended and one has failed',
      100,
      {
        spec: indexed(3, { backoffLimitPerIndex: 0 }),
        status: { succeeded: 1, completedIndexes: '0', failed: 1, failedIndexes: '1' },
        pods: [succeeded(2)],
      },
      {
        conditions: 'FailureTarget=True FailedIndexes, Failed=True FailedIndexes',
        completed: '0,2',
        failedIndexes: '1',
        counts: '0 active 0 ready 0 terminating 2 succeeded 1 failed',
      },
    ],
    [
      'more failed indexes than may be',
      100,
      {
        spec: indexed(4, { backoffLimitPerIndex: 0, maxFailedIndexes: 1 }),
        status: { failed: 1, failedIndexes: '0' },
        pods: [failed(1), pod({ index: 2 }), pod({ index: 3 })],
      },
      {
        conditions: 'FailureTarget=True MaxFailedIndexesExceeded',
        failedIndexes: '0,1',
        delete: 'p2 p3',
        account: 'p1 p2 p3',
        counts: '0 active 0 ready 2 terminating 0 succeeded 4 failed',
      },
    ],
    [
      'as many as may be',
      100,
      {
        spec: indexed(4, { backoffLimitPerIndex: 0, maxFailedIndexes: 2 }),
        status: { failed: 1, failedIndexes: '0' },
        pods: [failed(1), pod({ index: 2 }), pod({ index: 3 })],
      },
      { conditions: '', failedIndexes: '0,1', account: 'p1', delete: '' },
    ],
    [
      'the limit of the whole Job still holds, Pods that wait included',
      100,
      { spec: { ...spec, backoffLimit: 0 }, pods: [failed(0, { failures: 0 }), pod({ index: 1 })] },
      { conditions: 'FailureTarget=True BackoffLimitExceeded', account: 'p0 p1', delete: 'p1' },
    ],
  ]);
});

describe('an index has failed for good', () => {
  const spec = indexed(2, { backoffLimitPerIndex: 0, maxFailedIndexes: 0 });
  const noLimit = indexed(3, { backoffLimitPerIndex: 0 });
  table([
    [
      'though another Pod of it runs',
      9,
      { spec, pods: [failed(0, { name: 'p0' }), pod({ name: 'p1', index: 0 })] },
      {
        conditions: 'FailureTarget=True MaxFailedIndexesExceeded',
        failedIndexes: '0',
        create: '',
        delete: 'p1',
        account: 'p0 p1',
      },
    ],
    [
      'though another Pod of it terminates',
      9,
      {
        spec: { ...noLimit, podReplacementPolicy: 'Failed' },
        pods: [failed(0, { name: 'p0' }), pod({ name: 'p1', index: 0, deleted: 5 })],
      },
      { conditions: '', failedIndexes: '0', create: '1 2', account: 'p0' },
    ],
    [
      'though the Job succeeds already',
      9,
      {
        spec: indexed(3, { backoffLimitPerIndex: 0, successPolicy: { rules: [{ succeededCount: 1 }] } }),
        status: { succeeded: 1, completedIndexes: '2', conditions: [condition('SuccessCriteriaMet', 'SuccessPolicy')] },
        pods: [failed(0), pod({ index: 1, deleted: 5, name: 'going' })],
      },
      { failedIndexes: '0,1', completed: '2', account: 'going p0', release: '' },
    ],
    [
      'though the Job fails already',
      9,
      {
        spec: { ...noLimit, podReplacementPolicy: 'Failed' },
        status: { conditions: [condition('FailureTarget', 'DeadlineExceeded')] },
        pods: [failed(0), pod({ index: 1, deleted: 5 })],
      },
      { failedIndexes: '0', conditions: 'FailureTarget=True DeadlineExceeded' },
    ],
    [
      'though its Pod is in the list of those that count in two steps',
      9,
      { spec: noLimit, status: { uncountedTerminatedPods: { failed: ['uid-p0'] } }, pods: [failed(0)] },
      { failedIndexes: '0', counts: '2 active 0 ready 0 terminating 0 succeeded 1 failed', create: '1 2' },
    ],
    [
      'though it has just succeeded as well: upstream lists it twice',
      9,
      { spec: noLimit, pods: [failed(0, { name: 'f' }), succeeded(0, { name: 's' })] },
      { failedIndexes: '0', completed: '0', create: '1 2', account: 'f s' },
    ],
    [
      'not because of a failure that a rule ignores',
      9,
      {
        spec: {
          ...noLimit,
          podFailurePolicy: { rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [1] } }] },
        },
        pods: [failed(0, { name: 'p0' }), pod({ name: 'p1', index: 0 })],
      },
      { failedIndexes: '', account: 'p0' },
    ],
    [
      'at once where a rule says FailIndex',
      9,
      {
        spec: indexed(3, {
          backoffLimitPerIndex: 5,
          podFailurePolicy: { rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [1] } }] },
        }),
        pods: [failed(0, { name: 'p0' }), pod({ name: 'p1', index: 0 })],
      },
      { failedIndexes: '0', account: 'p0' },
    ],
  ]);
});

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

describe('rules of a failure policy that 1.34 does not know', () => {
  const rules = (first: Record<string, unknown>) => ({
    backoffLimit: 0,
    podFailurePolicy: { rules: [first, { action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }] },
  });
  const message = 'Container main for pod ns/f failed with exit code 1 matching FailJob rule at index 1';
  test.each([
    ['an action', { action: 'Retry', onExitCodes: { operator: 'In', values: [1] } }],
    ['an operator', { action: 'Ignore', onExitCodes: { operator: 'Between', values: [0, 2] } }],
    ['an action on conditions', { action: 'Retry', onPodConditions: [{ type: 'Mine', status: 'True' }] }],
  ])('%s: the rule is skipped, and the others keep their places', (_, first) => {
    const { status } = planAt(9, {
      spec: rules(first),
      pods: [failed(undefined, { name: 'f', conditions: ['Mine'] })],
    });
    expect(status.conditions?.map(({ type, message: said }) => `${type}: ${said}`)).toEqual([
      `FailureTarget: ${message}`,
      `Failed: ${message}`,
    ]);
  });
});

describe('failure policy', () => {
  const rule = (action: string, on: object) => ({ podFailurePolicy: { rules: [{ action, ...on }] } });
  const exit42 = { onExitCodes: { containerName: 'main', operator: 'In', values: [42] } };
  const disrupted = { onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] };
  table([
    [
      'FailJob',
      200,
      { spec: indexed(2, rule('FailJob', exit42)), pods: [failed(0, { exitCode: 42 }), pod({ index: 1 })] },
      {
        conditions: 'FailureTarget=True PodFailurePolicy',
        account: 'p0 p1',
        delete: 'p1',
        counts: '0 active 0 ready 1 terminating 0 succeeded 2 failed',
      },
    ],
    [
      'FailJob by a Pod that is accounted already',
      200,
      {
        spec: { ...rule('FailJob', exit42), backoffLimit: 9 },
        status: { failed: 1 },
        pods: [failed(undefined, { exitCode: 42, finalizer: false })],
      },
      { conditions: 'FailureTarget=True PodFailurePolicy, Failed=True PodFailurePolicy', account: '' },
    ],
    [
      'FailJob not by a Pod that still runs',
      200,
      { spec: rule('FailJob', exit42), pods: [pod({ exitCode: 42 })] },
      { ...NOTHING, conditions: '' },
    ],
    [
      'Ignore: not counted, yet back-off',
      103,
      {
        spec: { ...rule('Ignore', disrupted), backoffLimit: 0 },
        pods: [failed(undefined, { name: 'f', finishedAt: 100, conditions: ['DisruptionTarget'] })],
      },
      { conditions: '', counts: '0 active 0 ready 0 terminating 0 succeeded 0 failed', create: 'pod+7s', account: 'f' },
    ],
    [
      'FailIndex: at its first failure',
      200,
      {
        spec: indexed(2, { backoffLimitPerIndex: 5, ...rule('FailIndex', exit42) }),
        pods: [failed(0, { exitCode: 42, failures: 0 }), pod({ index: 1 })],
      },
      { failedIndexes: '0', account: 'p0', create: '', counts: '1 active 1 ready 0 terminating 0 succeeded 1 failed' },
    ],
    [
      'Ignore does not wear an index out',
      100,
      {
        spec: indexed(1, { backoffLimitPerIndex: 0, ...rule('Ignore', disrupted) }),
        pods: [failed(0, { finishedAt: 95, failures: 0, ignored: 0, conditions: ['DisruptionTarget'] })],
      },
      { failedIndexes: '', create: '0+5s', conditions: '', account: '' },
    ],
    [
      'no rule that matches: counted',
      200,
      { spec: { ...rule('Ignore', exit42), backoffLimit: 0 }, pods: [failed(undefined, { exitCode: 1 })] },
      { conditions: 'FailureTarget=True BackoffLimitExceeded, Failed=True BackoffLimitExceeded' },
    ],
  ]);

  test('the messages name container, Pod, exit code or condition, and the rule', () => {
    const message = (wish: DumpWish) => planAt(200, wish).status.conditions?.[0]?.message;
    expect(message({ spec: rule('FailJob', exit42), pods: [failed(undefined, { name: 'f', exitCode: 42 })] })).toBe(
      'Container main for pod ns/f failed with exit code 42 matching FailJob rule at index 0',
    );
    expect(
      message({
        spec: rule('FailJob', disrupted),
        pods: [failed(undefined, { name: 'f', conditions: ['DisruptionTarget'] })],
      }),
    ).toBe('Pod ns/f has condition DisruptionTarget matching FailJob rule at index 0');
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

describe('it says why', () => {
  const WAITS = 'The terminal condition waits until no Pod of it runs or terminates any more.';
  const succeeds = 'The Job succeeds: CompletionsReached, Reached expected number of succeeded pods.';
  const fails = 'The Job fails: BackoffLimitExceeded, Job has reached the specified backoff limit.';
  const CAPPED = "One sync counts 500 Pods at most; the others are the next one's.";
  const DELETED_FIRST =
    'Pods that share an index, or whose index the Job does not have, are deleted before any is created.';
  const uncounted = (name: string) =>
    `${name} is not counted yet: it stands for the failures of its index until a replacement does.`;
  const disrupted = { type: 'DisruptionTarget', status: 'True' };
  const ignoring = { rules: [{ action: 'Ignore', onPodConditions: [disrupted] }] };
  const perIndex = indexed(3, { backoffLimitPerIndex: 3 });
  const slots = (count: number) => pods(count, (no) => succeeded(undefined, { name: `p${no}` }));

  test.each<readonly [string, DumpWish, readonly string[]]>([
    ['nothing is to be said of Pods at work', { spec: indexed(1), pods: [pod({ index: 0 })] }, []],
    ['the end', { spec: indexed(1), pods: [succeeded(0)] }, [succeeds]],
    [
      'an end that waits for Pods',
      { spec: indexed(2, { backoffLimit: 0 }), pods: [failed(0), pod({ index: 1 })] },
      [fails, WAITS],
    ],
    [
      'an end that waits for a count',
      { spec: { parallelism: 1, completions: 500 }, pods: slots(500) },
      [succeeds, CAPPED],
    ],
    ['an end just below it', { spec: { parallelism: 1, completions: 499 }, pods: slots(499) }, [succeeds]],
    [
      'a suspended Job',
      { spec: indexed(1, { suspend: true }) },
      ['It is suspended: no Pod runs, and none is created.'],
    ],
    [
      'a Job that is being deleted',
      { spec: indexed(1), metadata: { deletionTimestamp: time(5), finalizers: ['foregroundDeletion'] } },
      ['It is being deleted: finalizers go, and nothing is created.'],
    ],
    [
      "a rule that ignores a failure, and the Job's back-off",
      { spec: indexed(2, { podFailurePolicy: ignoring }), pods: [failed(0, { conditions: ['DisruptionTarget'] })] },
      ['podFailurePolicy ignores the failure of p0.', 'The Job is in back-off for 1 s more.'],
    ],
    [
      'the back-off of an index',
      { spec: perIndex, pods: [failed(0, { finishedAt: 5, failures: 0 }), pod({ index: 1 }), pod({ index: 2 })] },
      [uncounted('p0'), 'One of its indexes is in back-off for 6 s more.'],
    ],
    [
      'that of several: until the first of them is over',
      {
        spec: perIndex,
        pods: [failed(0, { finishedAt: 5, failures: 0 }), failed(1, { finishedAt: 3, failures: 0 }), pod({ index: 2 })],
      },
      [uncounted('p0'), uncounted('p1'), '2 of its indexes are in back-off for 4 s more.'],
    ],
    [
      'nothing of a failed Pod that was counted before',
      { spec: perIndex, pods: [failed(0, { finalizer: false }), pod({ index: 1 }), pod({ index: 2 })] },
      [],
    ],
    [
      'Pods that should not be',
      { spec: indexed(2), pods: [pod({ index: 0 }), pod({ index: 1 }), pod({ index: 5 })] },
      [DELETED_FIRST],
    ],
    [
      'not where all Pods go anyway',
      { spec: indexed(2, { backoffLimit: 0 }), pods: [pod({ index: 0 }), failed(1), pod({ index: 5 })] },
      [fails, WAITS],
    ],
    [
      'a Pod whose replacement waits for its end',
      {
        spec: indexed(2, { podReplacementPolicy: 'Failed' }),
        pods: [pod({ index: 0, deleted: 5 }), pod({ index: 1 })],
      },
      ['Pods that are being deleted are replaced when they have ended (podReplacementPolicy Failed).'],
    ],
    [
      'not one that is replaced at once',
      { spec: indexed(2), pods: [pod({ index: 0, deleted: 5 }), pod({ index: 1 })] },
      ['The Job is in back-off for 6 s more.'],
    ],
    [
      'nor one that nobody replaces',
      {
        spec: indexed(2, { backoffLimit: 0, podReplacementPolicy: 'Failed' }),
        pods: [pod({ index: 0, deleted: 5 }), failed(1)],
      },
      [fails, WAITS],
    ],
  ])('%s', (_, wish, expected) => expect(planAt(9, wish).because).toEqual(expected));
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

describe('restartPolicy OnFailure', () => {
  const spec = (backoffLimit: number) => ({ backoffLimit, template: { spec: { restartPolicy: 'OnFailure' } } });
  const restarted = (restarts: number, phase: 'Running' | 'Pending' = 'Running') => [
    pod({ name: 'a', restarts, phase }),
  ];
  const exceeded = 'FailureTarget=True BackoffLimitExceeded';
  table([
    ['0: no restart', 9, { spec: spec(0), pods: restarted(0) }, { ...NOTHING, conditions: '' }],
    ['0: one restart', 9, { spec: spec(0), pods: restarted(1) }, { conditions: exceeded, delete: 'a', account: 'a' }],
    ['3: two restarts', 9, { spec: spec(3), pods: restarted(2) }, { conditions: '' }],
    ['3: three restarts', 9, { spec: spec(3), pods: restarted(3, 'Pending') }, { conditions: exceeded }],
    [
      'restarts of what has ended are no matter',
      9,
      {
        spec: { ...spec(3), completions: 2 },
        pods: [succeeded(undefined, { name: 's', restarts: 7 }), pod({ name: 'a' })],
      },
      { conditions: '' },
    ],
  ]);
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
