import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asEpochMs, plusMs } from '../../../domain/base/time.ts';
import { explainDump } from '../domain/explain-dump.ts';
import { type DumpWish, T0, aDump, condition, pod, time, told } from './a-dump.ts';
import { syncByTheLetter } from './by-the-letter.ts';
import { draws } from '../../../../test/verify/draws.ts';

// Random Jobs with random Pods, as a cluster may have them in the middle of anything: what the planner says over its board
// is what the steps of upstream's sync say over the Pods.

const chance = (of: number) => fc.integer({ min: 1, max: of }).map((drawn) => drawn === 1);
/** Nothing in one draw of `of`. */
const maybe = <T>(of: number, value: fc.Arbitrary<T>) => fc.option(value, { freq: of, nil: undefined });
const second = fc.integer({ min: 0, max: 120 });

const failureRule = fc.oneof(
  fc.record({
    action: fc.constantFrom('FailJob', 'Ignore', 'Count', 'FailIndex'),
    onExitCodes: fc.record({
      operator: fc.constantFrom('In', 'NotIn'),
      values: fc.constantFrom([1], [42], [1, 42]),
    }),
  }),
  fc.record({
    action: fc.constantFrom('FailJob', 'Ignore', 'Count'),
    onPodConditions: fc.constant([{ type: 'DisruptionTarget', status: 'True' }]),
  }),
);

const aSpec = fc.record({
  indexed: fc.boolean(),
  completions: maybe(5, fc.integer({ min: 0, max: 6 })),
  parallelism: fc.integer({ min: 0, max: 6 }),
  backoffLimit: maybe(2, fc.integer({ min: 0, max: 4 })),
  backoffLimitPerIndex: maybe(2, fc.integer({ min: 0, max: 2 })),
  maxFailedIndexes: maybe(2, fc.integer({ min: 0, max: 2 })),
  failureRules: fc.option(fc.array(failureRule, { maxLength: 2 }), { freq: 2, nil: undefined }),
  successRules: fc.option(
    fc.array(
      fc.constantFrom(
        { succeededCount: 2 },
        { succeededIndexes: '0-1' },
        { succeededIndexes: '1-3', succeededCount: 1 },
      ),
      { minLength: 1, maxLength: 2 },
    ),
    { freq: 2, nil: undefined },
  ),
  activeDeadlineSeconds: fc.option(fc.constantFrom(60, 100, 300), { freq: 2, nil: undefined }),
  suspend: chance(6),
  podReplacementPolicy: fc.constantFrom(undefined, 'TerminatingOrFailed', 'Failed'),
  onFailure: chance(6),
});

const aPod = fc.record({
  index: fc.integer({ min: 0, max: 7 }),
  phase: fc.constantFrom('Pending', 'Running', 'Running', 'Succeeded', 'Failed', 'Failed'),
  ready: fc.boolean(),
  exitCode: fc.constantFrom(1, 42),
  finishedAt: second,
  createdAt: second,
  deleted: maybe(2, second),
  finalizer: chance(8).map((without) => !without),
  failures: fc.integer({ min: 0, max: 2 }),
  ignored: fc.integer({ min: 0, max: 1 }),
  restarts: fc.constantFrom(0, 0, 0, 1, 3),
  scheduled: chance(5).map((without) => !without),
  disrupted: chance(4),
});

const aStatus = fc.record({
  started: chance(5).map((not) => !not),
  failed: fc.integer({ min: 0, max: 3 }),
  succeeded: fc.integer({ min: 0, max: 3 }),
  completed: fc.constantFrom('', '', '0', '1,2', '0-2', '5'),
  failedIndexes: fc.constantFrom('', '', '3', '4'),
  interim: fc.constantFrom(
    '' as const,
    '' as const,
    '' as const,
    'FailureTarget' as const,
    'SuccessCriteriaMet' as const,
    'Suspended' as const,
  ),
  uncounted: fc.array(fc.constantFrom(0, 1, 99), { maxLength: 2 }),
  uncountedSuccesses: fc.array(fc.constantFrom(2, 3, 98), { maxLength: 2 }),
});

const aWish = fc
  .record({
    spec: aSpec,
    status: aStatus,
    deleting: chance(12),
    pods: fc.array(aPod, { maxLength: 9 }),
  })
  .map(({ spec: given, status: so, deleting, pods }): DumpWish => {
    const { indexed, failureRules, successRules, onFailure, completions, ...others } = given;
    const perIndex = indexed ? given.backoffLimitPerIndex : undefined;
    const rules = failureRules?.filter(({ action }) => action !== 'FailIndex' || perIndex !== undefined);
    return {
      spec: {
        ...others,
        completionMode: indexed ? 'Indexed' : 'NonIndexed',
        completions: completions ?? (indexed ? 4 : undefined),
        backoffLimitPerIndex: perIndex,
        maxFailedIndexes: perIndex === undefined ? undefined : given.maxFailedIndexes,
        podReplacementPolicy: rules === undefined ? given.podReplacementPolicy : undefined,
        ...(rules === undefined ? {} : { podFailurePolicy: { rules } }),
        ...(successRules === undefined || !indexed ? {} : { successPolicy: { rules: successRules } }),
        template: { spec: { restartPolicy: onFailure && rules === undefined ? 'OnFailure' : 'Never' } },
      },
      status: {
        startTime: so.started ? time(0) : undefined,
        failed: so.failed,
        succeeded: indexed ? undefined : so.succeeded,
        completedIndexes: indexed ? so.completed : undefined,
        failedIndexes: perIndex === undefined ? undefined : so.failedIndexes,
        conditions: so.interim === '' ? [] : [SET[so.interim]],
        uncountedTerminatedPods: {
          failed: noted(so.uncounted, pods, 'Failed'),
          succeeded: indexed ? [] : noted(so.uncountedSuccesses, pods, 'Succeeded'),
        },
      },
      metadata: deleting ? { deletionTimestamp: time(90) } : {},
      pods: pods.map(({ disrupted, exitCode, ready, deleted, index, ...wish }, no) =>
        pod({
          ...wish,
          name: `p${no}`,
          ...(indexed ? { index } : {}),
          ...(wish.phase === 'Failed' ? { exitCode } : {}),
          ...(deleted === undefined ? {} : { deleted }),
          ready: ready && wish.phase === 'Running',
          conditions: disrupted ? ['DisruptionTarget'] : [],
        }),
      ),
    };
  });

const SET = {
  FailureTarget: condition('FailureTarget', 'DeadlineExceeded', 'as it was', 1),
  SuccessCriteriaMet: condition('SuccessCriteriaMet', 'SuccessPolicy', 'as it was', 1),
  Suspended: condition('Suspended', 'JobSuspended', 'Job suspended', 1),
} as const;

/** Only what had ended so is noted; what is noted may be gone. */
const noted = (
  drawn: readonly number[],
  all: readonly { readonly phase: string }[],
  phase: 'Succeeded' | 'Failed',
): readonly string[] =>
  [...new Set(drawn)].filter((no) => all[no] === undefined || all[no].phase === phase).map((no) => `uid-p${no}`);

/** When the Pods of a dump ended, or began to be deleted. */
const endsOf = (wish: object): readonly number[] =>
  [...JSON.stringify(wish).matchAll(/"(finishedAt|deletionTimestamp)":"([^"]+)"/g)].map(
    ([, field, at = '']) => Date.parse(at) - (field === 'finishedAt' ? 0 : GRACE_MS),
  );
/** What a drawn Pod has from its deletion to its deletionTimestamp. */
const GRACE_MS = 30_000;

test('the planner and the letter agree', () => {
  fc.assert(
    fc.property(aWish, second, (wish, sec) => {
      const dump = aDump(wish);
      // What has happened was earlier: a clock that was set back is no matter of the letter.
      const now = asEpochMs(Math.max(plusMs(T0, sec * 1000), ...endsOf(wish)));
      const options = { caps: true };
      const [planned, letter] = [explainDump(dump, now, options), syncByTheLetter(dump, now, options)];
      expect(told(planned)).toEqual(told(letter));
      expect(planned.status.conditions ?? []).toEqual(letter.status.conditions);
      expect(planned.status.startTime).toBe(letter.status.startTime);
      expect(planned.status.completionTime).toBe(letter.status.completionTime);
    }),
    { numRuns: Number(process.env['RUNS'] ?? draws(1_000)), seed: Number(process.env['SEED'] ?? 1) },
  );
});

test('what is drawn has all that a dump may have', () => {
  const drawn = fc.sample(aWish, { numRuns: 300, seed: 1 });
  const specs = drawn.map(({ spec = {} }) => spec);
  for (const field of [
    'backoffLimit',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
    'podFailurePolicy',
    'successPolicy',
    'activeDeadlineSeconds',
    'podReplacementPolicy',
  ]) {
    const given = specs.filter((spec) => spec[field] !== undefined).length;
    expect([field, given > 20, given < 280]).toEqual([field, true, true]);
  }
  const pods = drawn.flatMap(({ pods: some = [] }) =>
    some.map(({ metadata }) => metadata as { deletionTimestamp?: string }),
  );
  expect(pods.filter(({ deletionTimestamp }) => deletionTimestamp !== undefined).length).toBeGreaterThan(100);
});
