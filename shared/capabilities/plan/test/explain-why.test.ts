import { describe, expect, test } from 'vitest';
import { type DumpWish, failed, planAt, pod, pods, succeeded, time } from './a-dump.ts';
import { indexed } from './dump-table.ts';

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
      'annotations of Muster’s, which change nothing',
      {
        spec: indexed(2),
        pods: [succeeded(0), pod({ index: 1 })],
        metadata: { annotations: { 'muster.run/success-percent': '50', 'muster.run/success-reason': 'Half', a: 'b' } },
      },
      ['Only Muster knows muster.run/success-percent, muster.run/success-reason: in a cluster, that changes nothing.'],
    ],
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
