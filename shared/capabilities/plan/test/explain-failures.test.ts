import { describe, expect, test } from 'vitest';
import { type DumpWish, condition, failed, planAt, pod, pods, succeeded } from './a-dump.ts';
import { NOTHING, indexed, table } from './dump-table.ts';

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
