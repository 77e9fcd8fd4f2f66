import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type IndexSet, has, isSubset, parseStatusIndexes, size } from '../../../domain/base/index-set.ts';
import type { Simulation } from '../world/simulate-job.ts';
import type { JobStatus } from '../world/timeline.ts';
import { aManifest, play } from './a-simulation.ts';
import { draws } from '../../../../test/verify/draws.ts';

const COMPLETIONS_MAX = 8;
/** Some Jobs are tried again for ever; what they do in six hours they do for ever. */
const HORIZON_MS = 6 * 3_600_000;
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

const hasRules = ({ failureRules: rules, restartPolicy }: Wish): boolean => rules !== null && restartPolicy === 'Never';

function manifestOf(given: Wish) {
  const { mode, perIndex, maxFailed, failureRules: rules, successCount, restartPolicy } = given;
  const isIndexed = mode === 'Indexed';
  return aManifest(
    {
      parallelism: given.parallelism,
      completionMode: isIndexed ? 'Indexed' : 'NonIndexed',
      backoffLimit: given.backoffLimit,
      suspend: given.suspend,
      podReplacementPolicy: hasRules(given) ? 'Failed' : given.replacement,
      ...(mode === 'WorkQueue' ? {} : { completions: given.completions }),
      ...(isIndexed && perIndex !== null && restartPolicy === 'Never' ? { backoffLimitPerIndex: perIndex } : {}),
      ...(isIndexed && perIndex !== null && restartPolicy === 'Never' && maxFailed !== null
        ? { maxFailedIndexes: Math.min(maxFailed, given.completions) }
        : {}),
      ...(hasRules(given) ? { podFailurePolicy: { rules } } : {}),
      ...(isIndexed && successCount !== null
        ? { successPolicy: { rules: [{ succeededCount: Math.min(successCount, given.completions) }] } }
        : {}),
      ...(given.deadlineSec === null ? {} : { activeDeadlineSeconds: given.deadlineSec }),
    },
    { restartPolicy },
  );
}

const holds = (status: JobStatus, type: string): boolean =>
  status.conditions?.some((each) => each.type === type && each.status === 'True') === true;

/** The indexes of the Pods that these events say were created. */
const createdIn = (events: Simulation['report']['timeline'][number]['events']): readonly number[] =>
  events.flatMap(({ reason, message }) => {
    const [, index] = /^Created pod: work-(\d+)-\w+$/.exec(message) ?? [];
    return reason === 'SuccessfulCreate' && index !== undefined ? [Number(index)] : [];
  });

/** What of G1 to G6 of the design does not hold, as far as a user can see it, at any entry of the timeline. */
function brokenInTimeline({ report, manifest }: Simulation, isIndexed: boolean, parallelismMax: number) {
  const broken: string[] = [];
  const most = manifest.spec.completions ?? 0;
  const doneIn = (status: JobStatus): IndexSet => parseStatusIndexes(status.completedIndexes ?? '', most);
  for (const [i, { status, events, atSec }] of report.timeline.entries()) {
    const before = report.timeline[i - 1];
    const demand = (guarantee: string, ok: boolean): void => {
      if (!ok) broken.push(`${guarantee} at ${atSec}: ${JSON.stringify(status)}`);
    };
    const { active = 0, succeeded = 0, failed = 0, ready = 0, terminating } = status;
    const [complete, fails] = [holds(status, 'Complete'), holds(status, 'Failed')];
    if (before !== undefined) {
      const doneBefore = doneIn(before.status);
      const again = createdIn(events).filter((index) => isIndexed && has(doneBefore, index));
      demand('time', atSec >= before.atSec);
      demand('G1', isSubset(doneBefore, doneIn(status)) && again.length === 0);
      demand('G5', succeeded >= (before.status.succeeded ?? 0) && failed >= (before.status.failed ?? 0));
      demand(
        'G6',
        LASTING.every((type) => !holds(before.status, type) || holds(status, type)),
      );
    }
    demand('G2', ready <= active && (!isIndexed || succeeded === size(doneIn(status))));
    demand('G3', active <= parallelismMax);
    demand('G6', !(holds(status, 'SuccessCriteriaMet') && holds(status, 'FailureTarget')));
    demand('G6', (!complete || holds(status, 'SuccessCriteriaMet')) && (!fails || holds(status, 'FailureTarget')));
    const alive = report.attempts.some(({ endSec }) => endSec === null || endSec > atSec);
    demand('G6', !(complete || fails) || (active === 0 && terminating === 0 && !alive));
  }
  return broken;
}

const LASTING = ['SuccessCriteriaMet', 'FailureTarget', 'Complete', 'Failed'];

/** What tasks came to that was not counted so (G2, G5), and tasks of one index that ran at once (G4). */
function brokenInTasks({ report, judgements, end }: Simulation, given: Wish): readonly string[] {
  const { attempts, final } = report;
  const broken: string[] = [];
  const oneAtATime = given.replacement === 'Failed' || hasRules(given);
  for (const [i, task] of attempts.entries()) {
    const former = attempts[i - 1];
    if (former?.index !== task.index || !oneAtATime || task.startSec === null) continue;
    if (former.endSec === null || former.endSec > task.startSec) broken.push(`G4: ${JSON.stringify([former, task])}`);
    if (given.mode === 'Indexed' && former.cause === 'Completed') broken.push(`G1: ${JSON.stringify([former, task])}`);
  }
  const count = (...as: readonly string[]): number =>
    judgements.filter((judgement) => judgement !== null && as.includes(judgement.as)).length;
  // Pods between two tasks, and those that were replaced while they stopped, count without a task's end.
  const allSeen = given.restartPolicy === 'Never' && given.replacement === 'Failed' && count('unstarted') === 0;
  if (!allSeen || end.kind === 'deleted') return broken;
  // Where a Job fails, its Pods that wait for their launch fail with it, and never get a task.
  const created = report.timeline.flatMap(({ events }) => events.filter(({ reason }) => reason === 'SuccessfulCreate'));
  const untried = holds(final, 'Failed') ? created.length - attempts.length : 0;
  const [failed, known] = [final.failed ?? 0, count('failed', 'failedForGood')];
  if (failed < known || failed > known + untried) broken.push(`G5: ${JSON.stringify(final)}`);
  if ((final.succeeded ?? 0) !== count('succeeded')) broken.push(`G2: ${JSON.stringify(final)}`);
  return broken;
}

test('random Jobs with random fates keep G1 to G6 at every moment of their timeline, and end or say why not', async () => {
  await fc.assert(
    fc.asyncProperty(wish, script, async (given, told) => {
      const simulation = await play(manifestOf(given), told, { horizonMs: HORIZON_MS });
      const parallelisms = told.user.flatMap((each) =>
        'patch' in each && 'parallelism' in each.patch.spec ? [each.patch.spec.parallelism] : [],
      );
      const { end } = simulation;
      const broken = [
        ...brokenInTimeline(simulation, given.mode === 'Indexed', Math.max(given.parallelism, ...parallelisms)),
        ...brokenInTasks(simulation, given),
        ...(end.kind === 'endless' && end.waitsFor.startsWith('nothing') ? [`G8: ${end.waitsFor}`] : []),
      ];
      expect(broken).toEqual([]);
    }),
    { numRuns: draws(150) },
  );
  expect.hasAssertions();
});
