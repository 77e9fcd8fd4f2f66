import { describe, expect, test } from 'vitest';
import { type EpochMs, asEpochMs } from '../../../shared/domain/base/time.ts';
import { planAlarm, withCheck } from '../../../shared/domain/planner/plan-wakes.ts';

const at = (sec: number): EpochMs => asEpochMs(1_800_000_000_000 + sec * 1_000);
const plan = (alarms: readonly number[], wakeAt: number | null, checkAt: number | null = null) => {
  const planned = planAlarm(
    alarms.map(at),
    wakeAt === null ? null : at(wakeAt),
    checkAt === null ? null : at(checkAt),
    at(0),
  );
  const secOf = (each: EpochMs): number => (each - at(0)) / 1_000;
  return { alarms: planned.alarms.map(secOf), send: planned.send === null ? null : secOf(planned.send) };
};

describe('a wake-up', () => {
  test.each([
    ['is sent if there is none', [], 60, { alarms: [60], send: 60 }],
    ['is not sent if one in flight comes as soon', [50], 60, { alarms: [50], send: null }],
    ['is sent if it comes before those in flight', [50], 40, { alarms: [40, 50], send: 40 }],
    ['forgets those that have come', [-5, 0, 50], 60, { alarms: [50], send: null }],
    ['is not wanted', [50], null, { alarms: [50], send: null }],
  ])('%s', (_, alarms, wakeAt, planned) => {
    expect(plan(alarms, wakeAt)).toEqual(planned);
  });

  test('that is due in a second does not rely on an alarm that may have no message', () => {
    expect(plan([0.7, 300], 1)).toEqual({ alarms: [0.7, 1, 300], send: 1 });
  });

  test('that is due in a second is sent once', () => {
    expect(plan([0.7, 1, 300], 1)).toEqual({ alarms: [0.7, 1, 300], send: null });
  });
});

test('a publication is checked by the sweep, without a message', () => {
  expect(plan([], null, 60)).toEqual({ alarms: [60], send: null });
  expect(plan([50], null, 60)).toEqual({ alarms: [50], send: null });
});

test('the publication of an end is checked before what comes later', () => {
  const checked = (alarms: readonly number[], checkAt: number | null) =>
    withCheck(alarms.map(at), checkAt === null ? null : at(checkAt)).map((each) => (each - at(0)) / 1_000);
  expect(checked([3_600], 60)).toEqual([60, 3_600]);
  expect(checked([50, 3_600], 60)).toEqual([50, 3_600]);
  expect(checked([], 60)).toEqual([60]);
  expect(checked([3_600], null)).toEqual([3_600]);
  expect(checked([61, 62, 63, 64, 65, 66, 67, 68], 60)).toHaveLength(8);
});
