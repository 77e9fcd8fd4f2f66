import { describe, expect, test } from 'vitest';
import { asEpochMs } from '../../../domain/base/time.ts';
import { fateOf } from '../world/fates.ts';
import { NO_SCRIPT, parseScript } from '../world/script.ts';
import { VirtualClock } from '../world/virtual-clock.ts';

const faultsOf = (document: unknown): readonly string[] => {
  const parsed = parseScript(document);
  return parsed.kind === 'ok' ? [] : parsed.errors.map(({ path, message }) => `${path}: ${message}`);
};

describe('a script is refused whole, with the path of all that is wrong', () => {
  const time = 'must be a length of time up to a year, such as 5s, 2m, 1h30m or 250ms, not';
  test.each([
    [{ atempts: [] }, ['atempts: unknown field']],
    [[], [': Invalid input: expected object, received array']],
    [{ attempts: [{ index: 1, runs: '5s' }] }, ['attempts[0].runs: unknown field']],
    [{ attempts: [{}, { run: 'soon' }] }, [`attempts[1].run: ${time} "soon"`]],
    [{ attempts: [{ run: '5 s' }] }, [`attempts[0].run: ${time} "5 s"`]],
    [{ attempts: [{ run: -1 }] }, [`attempts[0].run: ${time} -1`]],
    [{ attempts: [{ run: true }] }, ['attempts[0].run: must be a length of time such as 5s, 2m, 1h30m or 250ms']],
    [
      { attempts: [{ index: '3-1' }] },
      [
        'attempts[0].index: must be a number, ranges such as "0-3,7", or "*": non-increasing order, previous: 3, current: 1',
      ],
    ],
    [
      { attempts: [{ index: '' }] },
      ['attempts[0].index: must be a number, ranges such as "0-3,7", or "*": it is empty'],
    ],
    [
      { attempts: [{ attempt: -1 }] },
      [
        'attempts[0].attempt: must be a number, ranges such as "0-3,7", or "*": cannot convert string to integer for index: ""',
      ],
    ],
    [{ attempts: [{ exitCode: 256 }] }, ['attempts[0].exitCode: must be 0 to 255']],
    [
      { attempts: [{ exitCode: 1, exitCodes: { main: 1 } }] },
      ['attempts[0].exitCodes: give exitCode or exitCodes, not both'],
    ],
    [{ attempts: [{ exitCodes: {} }] }, ['attempts[0].exitCodes: names no container']],
    [{ attempts: [{ exitCodes: { main: 'x' } }] }, ['attempts[0].exitCodes.main: must be a whole number']],
    [
      { attempts: [{ end: 'Spot' }] },
      ['attempts[0].end: must be one of SpotInterruption, OutOfMemory, TaskFailedToStart, InfrastructureHealth, never'],
    ],
    [
      { attempts: [{ end: 'never', exitCode: 0 }] },
      ['attempts[0].exitCode: cannot be given with end: never: no program ends by itself'],
    ],
    [
      { user: [{ at: '1s' }] },
      ['user[0]: must have one of patch, deletePod, delete, hold, release, cancel and requeue'],
    ],
    [
      { user: [{ at: '1s', delete: true, patch: {} }] },
      ['user[0]: must have one of patch, deletePod, delete, hold, release, cancel and requeue, not patch and delete'],
    ],
    [{ user: [{ at: '1s', delete: false }] }, ['user[0].delete: must be true']],
    [{ user: [{ at: '1s', deletePod: { index: -1 } }] }, ['user[0].deletePod.index: must be 0 or more']],
    [{ user: [{ delete: true }] }, ['user[0].at: must be a length of time such as 5s, 2m, 1h30m or 250ms']],
    [
      { user: [{ at: 1, patch: [] }] },
      ['user[0].patch: must be a merge patch of the Job, such as {spec: {suspend: true}}'],
    ],
    [{ limits: { launchesPerSecond: 0 } }, ['limits.launchesPerSecond: must be 0.1 or more']],
    [
      { limits: { startDelay: 'x', stops: 1 }, user: [{ at: 'y', delete: true }] },
      [`user[0].at: ${time} "y"`, `limits.startDelay: ${time} "x"`, 'limits.stops: unknown field'],
    ],
  ])('%j', (document, faults) => {
    expect(faultsOf(document)).toEqual(faults);
  });
});

describe('the fate of a task', () => {
  const template = { containers: [{ name: 'main', image: 'm' }], initContainers: [{ name: 'fetch', image: 'm' }] };
  const script = {
    attempts: [
      { index: '0-3,7', attempt: 0, run: '5s', exitCode: 1 },
      { index: 4, attempt: '1-2', run: '1m30s', end: 'SpotInterruption' },
      { index: 5, end: 'never' },
      { index: 6, run: 0.25, end: 'OutOfMemory' },
      { index: 8, run: '3s', end: 'TaskFailedToStart' },
      { index: 9, exitCodes: { main: 3 } },
      { index: 10, exitCodes: { main: 3, fetch: 4 } },
      { index: 11, end: 'InfrastructureHealth', exitCode: 137 },
      { index: '*', run: '10s' },
    ],
    limits: { startDelay: '15s', stopDelay: '2s' },
  };
  test.each([
    // index, attempt, [startMs, runMs, cause, exitCode, container]
    [0, 0, [15_000, 5_000, 'Error', 1, 'main']],
    [7, 0, [15_000, 5_000, 'Error', 1, 'main']],
    [7, 1, [15_000, 10_000, 'Completed', 0, 'main']],
    [4, 0, [15_000, 10_000, 'Completed', 0, 'main']],
    [4, 2, [15_000, 90_000, 'Spot', null, null]],
    [5, 9, [15_000, Number.POSITIVE_INFINITY, 'Error', 143, 'main']],
    [6, 0, [15_000, 250, 'OOMKilled', 137, 'main']],
    [8, 0, [18_000, 3_000, 'StartFailed', null, null]],
    [9, 0, [15_000, 1_000, 'Error', 3, 'main']],
    [10, 0, [15_000, 1_000, 'Error', 4, 'fetch']],
    [11, 0, [15_000, 1_000, 'Infrastructure', 137, 'main']],
  ] as const)('index %i, try %i', (index, attempt, expected) => {
    const parsed = parseScript(script);
    const { startMs, runMs, stopMs, ending } = fateOf(
      parsed.kind === 'ok' ? parsed.script : NO_SCRIPT,
      { index, attempt, items: [] },
      template,
    );
    expect([startMs, runMs, ending.cause, ending.exitCode, ending.container]).toEqual(expected);
    expect(stopMs).toBe(2_000);
  });

  test('without a rule a task runs for a second and ends with 0', () => {
    expect(parseScript(null)).toEqual({ kind: 'ok', script: NO_SCRIPT });
    const { startMs, runMs, stopMs, ending } = fateOf(NO_SCRIPT, { index: 3, attempt: 1, items: [] }, template);
    expect([startMs, runMs, stopMs, ending.cause]).toEqual([0, 1_000, 0, 'Completed']);
  });
});

test('a virtual clock does what is due in order of time, then of arrival, and waits for nothing', async () => {
  const clock = new VirtualClock(asEpochMs(1_000));
  const done: string[] = [];
  const at = (ms: number, name: string): void => clock.at(asEpochMs(ms), () => done.push(name));
  for (const [ms, name] of [
    [7_000, 'e'],
    [3_000, 'b'],
    [500, 'past'],
    [3_000, 'c'],
    [5_000, 'd'],
  ] as const)
    at(ms, name);
  clock.doDue();
  expect(done).toEqual(['past']);
  expect(clock.soonest()).toBe(3_000);
  const slept = clock.sleep(2_499.4).then(() => done.push('slept'));
  clock.moveTo(asEpochMs(6_000));
  clock.moveTo(asEpochMs(4_000));
  expect(clock.now()).toBe(6_000);
  clock.doDue();
  await slept;
  expect(done).toEqual(['past', 'b', 'c', 'd', 'slept']);
  clock.moveTo(asEpochMs(7_000));
  clock.doDue();
  expect([done.at(-1), clock.soonest()]).toEqual(['e', null]);
});
