import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  IDLE_PACE,
  type PaceState,
  RIGHT_LIFE_MS,
  claimsWindow,
  cutBack,
  horizonMs,
  leaseRights,
  rateInForce,
  refusedRetryMs,
} from '../../../shared/domain/base/pace.ts';
import { at } from '../../support/a-board.ts';

// Rights to call, in milliseconds after `at(0)`. Fargate's RunTask bucket has no burst beyond its rate (aws.md 1.4).

const ms = (offset: number) => at(offset / 1000);
const free = (offset: number): PaceState => ({ nextFreeAt: ms(offset), cut: null, recent: null });

describe('one leaser', () => {
  type Row = readonly [
    freeMs: number,
    nowMs: number,
    wanted: number,
    rate: number,
    horizonMs: number,
    rights: readonly number[],
    freeAfterMs: number,
    because: string,
  ];
  test.each<Row>([
    [1_000, 900, 3, 10, 5_000, [1_000, 1_104, 1_208], 1_312, 'evenly spaced, a little below the rate'],
    [1_300, 1_000, 2, 10, 5_000, [1_300, 1_404], 1_508, 'behind those that were given out'],
    [
      300,
      9_000,
      2,
      10,
      5_000,
      [9_020, 9_124],
      9_228,
      'unused time is not saved up, and the first right is not due yet',
    ],
    [100, 0, 9, 2, 1_200, [100, 620, 1_140], 1_660, 'none beyond the horizon'],
    [9_000, 0, 9, 2, 1_000, [], 9_000, 'none at all when it is full'],
    [700, 0, 9, 10, 1_000, [], 700, 'none if there are fewer than of half a second, and more are wanted'],
    [700, 0, 2, 10, 1_000, [700, 804], 908, 'but all if no more are wanted'],
    [700, 500, 0, 10, 1_000, [], 700, 'none is wanted'],
    [0, 500, 0, 10, 1_000, [], 0, 'none is wanted, and nothing changes'],
  ])(
    'free at %i, at %i: %i wanted, %i a second, up to %i → %o, free at %i: %s',
    (freeAt, now, wanted, rate, horizon, rights, freeAfter) => {
      const lease = leaseRights(free(freeAt), ms(now), wanted, rate, horizon);
      expect(lease.rights).toEqual(rights.map(ms));
      expect(lease.state).toEqual(free(freeAfter));
    },
  );
});

/**
 * Who requests rights, when, and how many. A call is made some time after its moment, and skipped if it is too late.
 */
const asks = fc.array(
  fc.record({
    afterMs: fc.nat(400),
    skewMs: fc.integer({ min: -3_000, max: 3_000 }),
    wanted: fc.nat(40),
    lateMs: fc.array(fc.nat(2 * RIGHT_LIFE_MS), { minLength: 40, maxLength: 40 }),
  }),
  { minLength: 1, maxLength: 60 },
);
const rate = fc.integer({ min: 1, max: 100 });

test('several leasers, whose calls are late: never more than the rate in any second, never before now, never beyond the horizon', () => {
  fc.assert(
    fc.property(asks, rate, fc.integer({ min: 0, max: 10_000 }), (turns, ratePerSec, horizon) => {
      let state = IDLE_PACE;
      let elapsedMs = 10_000;
      const calls: number[] = [];
      for (const { afterMs, skewMs, wanted, lateMs } of turns) {
        elapsedMs += afterMs;
        const now = at((elapsedMs + skewMs) / 1000);
        const lease = leaseRights(state, now, wanted, ratePerSec, horizon);
        expect(lease.rights.length).toBeLessThanOrEqual(wanted);
        for (const right of lease.rights) expect(right - now).toBeGreaterThanOrEqual(0);
        for (const right of lease.rights) expect(right - now).toBeLessThanOrEqual(horizon);
        for (const [i, right] of lease.rights.entries())
          if (lateMs[i]! <= RIGHT_LIFE_MS) calls.push(right + lateMs[i]!);
        state = lease.state;
      }
      expect(mostInAnySecond(calls)).toBeLessThanOrEqual(ratePerSec);
    }),
  );
});

test('constant requests get at least 0.95 of the rate', () => {
  fc.assert(
    fc.property(rate, fc.integer({ min: 2, max: 20 }), (ratePerSec, every) => {
      let state = IDLE_PACE;
      let given = 0;
      for (let now = 0; now < 100_000; now += every * 10) {
        const lease = leaseRights(state, ms(now), 100, ratePerSec, every * 10 + 1_100);
        given += lease.rights.filter((right) => right < at(100)).length;
        state = lease.state;
      }
      expect(given).toBeGreaterThanOrEqual(0.95 * 100 * ratePerSec);
    }),
  );
});

describe('a throttle', () => {
  const inForce = (state: PaceState, now: number): number => rateInForce(state, ms(now), 20);

  test('halves the rate, which grows back in ten seconds', () => {
    const state = cutBack(IDLE_PACE, ms(1_000))!;
    const seen = [1_000, 3_000, 6_000, 10_999, 11_000, 60_000].map((now) => inForce(state, now));
    expect(seen.map((each) => Math.round(each * 10) / 10)).toEqual([10, 12, 15, 20, 20, 20]);
  });

  test('spaces the rights that are granted after it', () => {
    const state = { ...cutBack(IDLE_PACE, ms(1_000))!, nextFreeAt: ms(2_000) };
    expect(leaseRights(state, ms(1_000), 3, 10, 5_000).rights).toEqual([2_000, 2_208, 2_416].map(ms));
  });

  test('right after another counts once; a later one halves the rate that has grown back', () => {
    const once = cutBack(IDLE_PACE, ms(1_000))!;
    expect(cutBack(once, ms(2_999))).toBeNull();
    expect(inForce(cutBack(once, ms(3_000))!, 3_000)).toBeCloseTo(6);
  });

  test('leaves some rate, however often it comes', () => {
    let state = IDLE_PACE;
    for (let now = 0; now < 100_000; now += 2_000) state = cutBack(state, ms(now)) ?? state;
    expect(inForce(state, 98_000)).toBeGreaterThanOrEqual(1);
  });
});

test('the first claims of a Job look further ahead than those of a Job with many unanswered claims', () => {
  const horizon = (ahead: number): number => horizonMs({ namespace: 'default', ahead }, IDLE_PACE, at(0));
  expect(horizon(0)).toBe(horizon(9));
  expect(horizon(9) - horizon(10)).toBeGreaterThanOrEqual(1_000);
  expect(horizon(10)).toBe(horizon(499));
});

test.each([
  [null, null, 500],
  [0.5, null, 20],
  [20, null, 80],
  [18.3, null, 74],
  [1_000, null, 500],
  [null, 1, 500],
  [20, 900, 38],
  [2, 900, 4],
  [20, 3, 30],
  [20, 1, 20],
  [2, 5, 4],
  [0.1, 3, 1],
])(
  'with %s launches per second and a start timeout of %s s, a Job has up to %i unanswered claims',
  (launchesPerSec, startTimeoutSec, claims) => {
    expect(claimsWindow(launchesPerSec, 500, startTimeoutSec)).toBe(claims);
  },
);

test('a refused launch is retried less and less often', () => {
  expect([0, 1, 2, 3, 4, 90].map(refusedRetryMs)).toEqual([10_000, 20_000, 40_000, 80_000, 80_000, 80_000]);
});

/** The most moments in any window of one second, its end excluded; a tenth of a millisecond is for the rounding of 10^12 ms. */
function mostInAnySecond(moments: readonly number[]): number {
  const sorted = [...moments].sort((a, b) => a - b);
  let most = 0;
  let from = 0;
  for (const [i, moment] of sorted.entries()) {
    while (moment - sorted[from]! >= 999.9) from++;
    most = Math.max(most, i - from + 1);
  }
  return most;
}

describe('a row written by a machine with a wrong clock', () => {
  const hourMs = 3_600_000;
  test('does not keep the others waiting for its time', () => {
    expect(leaseRights(free(hourMs), ms(0), 2, 10, 2_000).rights).toEqual([ms(20), ms(124)]);
  });

  test('is still waited for if a low rate with a cut explains it', () => {
    // One launch per ten seconds, cut by a throttle to a twentieth: the next may be 208 seconds away.
    expect(leaseRights(free(211_000), ms(0), 1, 0.1, 4_000).rights).toEqual([]);
  });

  test('does not cut the rate for hours', () => {
    const state: PaceState = { nextFreeAt: ms(0), cut: { share: 0.05, at: ms(hourMs) }, recent: null };
    expect(rateInForce(state, ms(0), 20)).toBe(20);
    expect(cutBack(state, ms(0))).toEqual({ ...state, cut: { share: 0.5, at: ms(0) } });
  });
});
