import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IDLE_PACE, leaseRights } from '../../shared/domain/pace.ts';
import { at } from '../support/a-board.ts';

// Rights to call, in milliseconds after `at(0)`. Fargate's RunTask bucket has no burst beyond its rate (aws.md 1.4).

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
    [0, 0, 3, 10, 5_000, [0, 100, 200], 300, 'evenly spaced'],
    [300, 0, 2, 10, 5_000, [300, 400], 500, 'behind those that were given out'],
    [300, 9_000, 2, 10, 5_000, [9_000, 9_100], 9_200, 'unused time is not saved up'],
    [0, 0, 9, 2, 1_000, [0, 500, 1_000], 1_500, 'none beyond the horizon'],
    [9_000, 0, 9, 2, 1_000, [], 9_000, 'none at all when it is full'],
    [700, 500, 0, 10, 1_000, [], 700, 'none is wanted'],
    [0, 500, 0, 10, 1_000, [], 500, 'none is wanted, and none is saved up'],
  ])(
    'free at %i, at %i: %i wanted, %i a second, up to %i → %o, free at %i: %s',
    (free, now, wanted, rate, horizon, rights, freeAfter) => {
      const ms = (offset: number) => at(offset / 1000);
      const lease = leaseRights({ nextFreeAt: ms(free) }, ms(now), wanted, rate, horizon);
      expect(lease.rights).toEqual(rights.map(ms));
      expect(lease.state).toEqual({ nextFreeAt: ms(freeAfter) });
    },
  );

  test('the first ever may call at once', () => {
    expect(leaseRights(IDLE_PACE, at(7), 1, 20, 1_000).rights).toEqual([at(7)]);
  });
});

/** Who asks when, and for how many: each leaser's clock is its own, up to 3 s behind or ahead. */
const asks = fc.array(
  fc.record({ afterMs: fc.nat(400), skewMs: fc.integer({ min: -3_000, max: 3_000 }), wanted: fc.nat(40) }),
  { minLength: 1, maxLength: 60 },
);
const rate = fc.oneof(fc.integer({ min: 1, max: 100 }), fc.double({ min: 0.5, max: 50, noNaN: true }));

test('several leasers: never more than the rate in any second, never before now, never beyond the horizon', () => {
  fc.assert(
    fc.property(asks, rate, fc.integer({ min: 0, max: 10_000 }), (turns, ratePerSec, horizonMs) => {
      let state = IDLE_PACE;
      let elapsedMs = 10_000;
      const all: number[] = [];
      for (const { afterMs, skewMs, wanted } of turns) {
        elapsedMs += afterMs;
        const now = at((elapsedMs + skewMs) / 1000);
        const lease = leaseRights(state, now, wanted, ratePerSec, horizonMs);
        expect(lease.rights.length).toBeLessThanOrEqual(wanted);
        for (const right of lease.rights) expect(right - now).toBeGreaterThanOrEqual(0);
        for (const right of lease.rights) expect(right - now).toBeLessThanOrEqual(horizonMs);
        all.push(...lease.rights);
        state = lease.state;
      }
      expect(mostInAnySecond(all)).toBeLessThanOrEqual(Math.ceil(ratePerSec));
    }),
  );
});

test('asked all the time, nothing of the rate is lost', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 20 }), (ratePerSec, every) => {
      let state = IDLE_PACE;
      let given = 0;
      for (let ms = 0; ms < 10_000; ms += every * 10) {
        const lease = leaseRights(state, at(ms / 1000), 100, ratePerSec, every * 10);
        given += lease.rights.filter((right) => right < at(10)).length;
        state = lease.state;
      }
      expect(given).toBeGreaterThanOrEqual(10 * ratePerSec);
      expect(given).toBeLessThanOrEqual(10 * ratePerSec + 1);
    }),
  );
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
