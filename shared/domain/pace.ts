import { type EpochMs, asEpochMs } from './brand.ts';

/** The moment from which on the next right may be given out: rights are spaced evenly, so no second ever sees more than the rate. */
export type PaceState = { readonly nextFreeAt: EpochMs };

export const IDLE_PACE: PaceState = { nextFreeAt: asEpochMs(0) };

/** Rights to call at these moments, not before them, and not later than `expiresAfterMs` behind them. */
export type Lease = { readonly rights: readonly EpochMs[]; readonly state: PaceState };

/**
 * Gives out up to `wanted` rights of `ratePerSec`, none later than `horizonMs` from now. Unused time is not saved up:
 * Fargate's RunTask bucket has no burst beyond its rate (aws.md 1.4).
 */
export function leaseRights(
  state: PaceState,
  now: EpochMs,
  wanted: number,
  ratePerSec: number,
  horizonMs: number,
): Lease {
  const stepMs = 1000 / ratePerSec;
  const rights: EpochMs[] = [];
  let next = Math.max(state.nextFreeAt, now);
  while (rights.length < wanted && next <= now + horizonMs) {
    rights.push(asEpochMs(next));
    next += stepMs;
  }
  return { rights, state: { nextFreeAt: asEpochMs(next) } };
}
