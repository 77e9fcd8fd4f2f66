import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { indexSetOf, isSubset, parseStatusIndexes, size } from '../../shared/domain/index-set.ts';
import type { Rehearsal } from '../../shared/rehearsal/rehearse.ts';
import { aManifest, play } from './a-rehearsal.ts';

const COMPLETIONS_MAX = 8;
const codes = fc.constantFrom(0, 1, 3, 42);
const seconds = fc.constantFrom('0s', '1s', '7s', '30s', '5m');

const failureRules = fc.array(
  fc.oneof(
    fc.record({
      action: fc.constantFrom('FailJob', 'Ignore', 'Count'),
      onExitCodes: fc.record({ operator: fc.constantFrom('In', 'NotIn'), values: fc.constantFrom([3], [42], [3, 42]) }),
    }),
    fc.record({
      action: fc.constantFrom('FailJob', 'Ignore', 'Count'),
      onPodConditions: fc.constant([{ type: 'DisruptionTarget', status: 'True' }]),
    }),
  ),
  { maxLength: 2 },
);

/** What is drawn beyond what a Job of that mode may have is left out by {@link manifestOf}. */
const wish = fc.record({
  mode: fc.constantFrom('Indexed', 'Indexed', 'NonIndexed', 'WorkQueue'),
  completions: fc.integer({ min: 0, max: COMPLETIONS_MAX }),
  parallelism: fc.integer({ min: 1, max: COMPLETIONS_MAX }),
  backoffLimit: fc.constantFrom(0, 1, 3, 6, 20),
  perIndex: fc.option(fc.integer({ min: 0, max: 2 })),
  maxFailed: fc.option(fc.integer({ min: 0, max: 3 })),
  failureRules: fc.option(failureRules),
  successCount: fc.option(fc.integer({ min: 0, max: COMPLETIONS_MAX })),
  deadlineSec: fc.option(fc.constantFrom(1, 10, 60, 3_600)),
  replacement: fc.constantFrom('Failed', 'TerminatingOrFailed'),
  restartPolicy: fc.constantFrom('Never', 'Never', 'OnFailure'),
  suspend: fc.boolean(),
});
type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never;

const rule = fc.record({
  index: fc.oneof(fc.constant('*'), fc.integer({ min: 0, max: COMPLETIONS_MAX - 1 })),
  attempt: fc.oneof(fc.constant('*'), fc.integer({ min: 0, max: 2 })),
  run: seconds,
  how: fc.oneof(
    codes.map((exitCode) => ({ exitCode })),
    fc
      .constantFrom('SpotInterruption', 'OutOfMemory', 'TaskFailedToStart', 'InfrastructureHealth', 'never')
      .map((end) => ({ end })),
  ),
});

const at = fc.integer({ min: 0, max: 400 }).map((sec) => `${sec}s`);
const act = fc.oneof(
  fc.record({ at, patch: fc.record({ spec: fc.record({ suspend: fc.boolean() }) }) }),
  fc.record({
    at,
    patch: fc.record({ spec: fc.record({ parallelism: fc.integer({ min: 1, max: COMPLETIONS_MAX }) }) }),
  }),
  fc.record({ at, deletePod: fc.record({ index: fc.integer({ min: 0, max: COMPLETIONS_MAX - 1 }) }) }),
  fc.record({ at, delete: fc.constant(true) }),
);

const script = fc.record({
  attempts: fc.array(
    rule.map(({ how, ...rest }) => ({ ...rest, ...how })),
    { maxLength: 5 },
  ),
  user: fc.array(act, { maxLength: 3 }),
  limits: fc.record(
    {
      launchesPerSecond: fc.constantFrom(1, 3, 20),
      startDelay: seconds,
      stopDelay: fc.constantFrom('0s', '2s', '45s'),
    },
    { requiredKeys: [] },
  ),
});

function manifestOf(given: Wish) {
  const { mode, perIndex, maxFailed, failureRules: rules, successCount, restartPolicy } = given;
  const isIndexed = mode === 'Indexed';
  const hasRules = rules !== null && restartPolicy === 'Never';
  return aManifest(
    {
      parallelism: given.parallelism,
      completionMode: isIndexed ? 'Indexed' : 'NonIndexed',
      backoffLimit: given.backoffLimit,
      suspend: given.suspend,
      podReplacementPolicy: hasRules ? 'Failed' : given.replacement,
      ...(mode === 'WorkQueue' ? {} : { completions: given.completions }),
      ...(isIndexed && perIndex !== null && restartPolicy === 'Never' ? { backoffLimitPerIndex: perIndex } : {}),
      ...(isIndexed && perIndex !== null && restartPolicy === 'Never' && maxFailed !== null
        ? { maxFailedIndexes: Math.min(maxFailed, given.completions) }
        : {}),
      ...(hasRules ? { podFailurePolicy: { rules } } : {}),
      ...(isIndexed && successCount !== null
        ? { successPolicy: { rules: [{ succeededCount: Math.min(successCount, given.completions) }] } }
        : {}),
      ...(given.deadlineSec === null ? {} : { activeDeadlineSeconds: given.deadlineSec }),
    },
    { restartPolicy },
  );
}

const holds = (status: Rehearsal['report']['final'], type: string): boolean =>
  status.conditions?.some((each) => each.type === type && each.status === 'True') === true;

/** The indexes of the Pods that these events say were created. */
const createdIn = (events: Rehearsal['report']['timeline'][number]['events']): readonly number[] =>
  events.flatMap(({ reason, message }) => {
    const [, index] = /^Created pod: work-(\d+)-\w+$/.exec(message) ?? [];
    return reason === 'SuccessfulCreate' && index !== undefined ? [Number(index)] : [];
  });

/** G1 to G6 of the design, as far as a user can see them, at every entry of the timeline. */
function checkTimeline({ report, manifest }: Rehearsal, given: Wish, parallelismMax: number): void {
  const isIndexed = given.mode === 'Indexed';
  const most = manifest.spec.completions ?? 0;
  let before: Rehearsal['report']['timeline'][number] | null = null;
  for (const entry of report.timeline) {
    const { status, events, atSec } = entry;
    const where = `at ${atSec}: ${JSON.stringify(status)}`;
    const done = parseStatusIndexes(status.completedIndexes ?? '', most);
    const doneBefore = parseStatusIndexes(before?.status.completedIndexes ?? '', most);
    expect(atSec, where).toBeGreaterThanOrEqual(before?.atSec ?? 0);

    // G1: what has succeeded stays so, and is not started again
    expect(isSubset(doneBefore, done), where).toBe(true);
    if (isIndexed) {
      const restarted = createdIn(events).filter((index) => isSubset(indexSetOf([index]), doneBefore));
      expect(restarted, where).toEqual([]);
      // G2: counters equal the board
      expect(status.succeeded ?? 0, where).toBe(size(done));
    }
    expect(status.succeeded ?? 0, where).toBeGreaterThanOrEqual(before?.status.succeeded ?? 0);
    expect(status.ready, where).toBeLessThanOrEqual(status.active ?? 0);

    // G3
    expect(status.active ?? 0, where).toBeLessThanOrEqual(parallelismMax);

    // G5: no failure is taken back
    expect(status.failed ?? 0, where).toBeGreaterThanOrEqual(before?.status.failed ?? 0);

    // G6
    if (before !== null)
      for (const type of ['SuccessCriteriaMet', 'FailureTarget', 'Complete', 'Failed'])
        if (holds(before.status, type)) expect(holds(status, type), where).toBe(true);
    expect(holds(status, 'SuccessCriteriaMet') && holds(status, 'FailureTarget'), where).toBe(false);
    if (holds(status, 'Complete')) expect(holds(status, 'SuccessCriteriaMet'), where).toBe(true);
    if (holds(status, 'Failed')) expect(holds(status, 'FailureTarget'), where).toBe(true);
    if (holds(status, 'Complete') || holds(status, 'Failed')) {
      expect([status.active ?? 0, status.terminating], where).toEqual([0, 0]);
      const alive = report.attempts.filter(({ endSec }) => endSec === null || endSec > atSec);
      expect(alive, where).toEqual([]);
    }
    before = entry;
  }
}

/** What the tasks came to is what was counted. */
function checkTasks({ report, judgements, end }: Rehearsal, given: Wish): void {
  for (let slot = 0; slot < COMPLETIONS_MAX; slot++) {
    const tasks = report.attempts.filter(({ index }) => index === slot);
    // G4: one at a time, but where the user allows a second
    for (const [i, task] of tasks.entries()) {
      const former = tasks[i - 1];
      if (given.replacement === 'TerminatingOrFailed' || former === undefined || task.startSec === null) continue;
      expect(former.endSec, JSON.stringify(tasks)).toBeLessThanOrEqual(task.startSec);
    }
    if (given.mode === 'Indexed' && given.replacement === 'Failed')
      expect(tasks.filter(({ cause }) => cause === 'Completed').length, JSON.stringify(tasks)).toBeLessThanOrEqual(1);
  }
  // G5; Pods between two tasks, and those that were replaced while they stopped, count without a task's end.
  if (given.restartPolicy !== 'Never' || given.replacement !== 'Failed' || end.kind === 'deleted') return;
  const counted = judgements.filter((judgement) => judgement?.as === 'failed' || judgement?.as === 'failedForGood');
  const waited = judgements.some((judgement) => judgement?.as === 'unstarted');
  if (!waited) expect(report.final.failed ?? 0).toBe(counted.length);
  expect(report.final.succeeded ?? 0).toBe(judgements.filter((judgement) => judgement?.as === 'succeeded').length);
}

test('random Jobs with random fates keep G1 to G6 at every moment of their timeline', async () => {
  await fc.assert(
    fc.asyncProperty(wish, script, async (given, told) => {
      const rehearsal = await play(manifestOf(given), told);
      const parallelisms = told.user.flatMap((each) =>
        'patch' in each && 'parallelism' in each.patch.spec ? [each.patch.spec.parallelism] : [],
      );
      checkTimeline(rehearsal, given, Math.max(given.parallelism, ...parallelisms));
      checkTasks(rehearsal, given);
      // G8: it ends, or says what it waits for
      if (rehearsal.end.kind === 'endless') expect(rehearsal.end.waitsFor).not.toMatch(/^nothing/);
    }),
    { numRuns: 150 },
  );
});
