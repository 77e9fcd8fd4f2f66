import { AHEAD_MAX_MS, type RecentGrants, isFromFuture, recentAt, withGrants } from './recent-grants.ts';
import { type EpochMs, asEpochMs } from './time.ts';

/**
 * When the next right may be granted: rights are spaced evenly, so no second ever sees more than the rate. `cut`: ECS has
 * throttled us anyway, so less than the rate is granted for a while; null: not recently. `recent`: what namespaces were granted;
 * null: nothing, or the limit is not shared by namespace.
 */
export type PaceState = {
  readonly nextFreeAt: EpochMs;
  readonly cut: Cut | null;
  readonly recent: RecentGrants | null;
};

/** The share of the rate that was left at that moment; it grows back from then on. */
export type Cut = { readonly share: number; readonly at: EpochMs };

export const IDLE_PACE: PaceState = { nextFreeAt: asEpochMs(0), cut: null, recent: null };

/** Who leases rights: a namespace; null: nobody in particular. `ahead`: how many earlier claims the same Job has. */
export type Lessee = { readonly namespace: string | null; readonly ahead: number };

/** Rights to call at these moments: not before them, and at most {@link RIGHT_LIFE_MS} after them. */
export type Lease = { readonly rights: readonly EpochMs[]; readonly state: PaceState };

/** A caller that uses a right later than this has lost it; otherwise, one second could see calls of the second before. */
export const RIGHT_LIFE_MS = 38;
/** Rights are spaced this much further apart per second, so that even with late calls no second sees more than the rate. */
const LATENESS_MS = 40;
/** The first right is this far ahead, so that it can be stored before it is due. */
const LEAD_MS = 20;

/**
 * Grants up to `wanted` rights of `ratePerSec`, none later than `horizonMs` from now. Unused time is not saved up: Fargate's
 * RunTask bucket has no burst beyond its rate (aws.md 1.4).
 */
export function leaseRights(
  state: PaceState,
  now: EpochMs,
  wanted: number,
  ratePerSec: number,
  horizonMs: number,
): Lease {
  const stepMs = (1000 + LATENESS_MS) / rateInForce(state, now, ratePerSec);
  const rights: EpochMs[] = [];
  const isBelievable = state.nextFreeAt <= now + AHEAD_MAX_MS + stepMaxMs(ratePerSec);
  let next = isBelievable ? Math.max(state.nextFreeAt, now + LEAD_MS) : now + LEAD_MS;
  while (rights.length < wanted && next <= now + horizonMs) {
    rights.push(asEpochMs(next));
    next += stepMs;
  }
  const few = Math.min(wanted, Math.ceil(rateInForce(state, now, ratePerSec) * FEW_SEC));
  return rights.length === 0 || rights.length < few
    ? { rights: [], state }
    : { rights, state: { ...state, nextFreeAt: asEpochMs(next) } };
}

/** Fewer rights than those of this time are given to nobody who wants more: each caller writes what it does with its own. */
const FEW_SEC = 0.5;

/** As {@link leaseRights}, as far ahead as the lessee may look, and noted as granted to its namespace. */
export function leaseFor(lessee: Lessee, state: PaceState, now: EpochMs, wanted: number, ratePerSec: number): Lease {
  const { rights, state: next } = leaseRights(state, now, wanted, ratePerSec, horizonMs(lessee, state, now));
  if (rights.length === 0 || lessee.namespace === null) return { rights, state: next };
  return { rights, state: { ...next, recent: withGrants(state.recent, now, lessee.namespace, rights.length) } };
}

/** A throttle halves the rate, down to this share of it. */
const SHARE_MIN = 0.05;

/** The time from one right to the next. A time further ahead was written by a machine with a wrong clock and is ignored. */
const stepMaxMs = (ratePerSec: number): number => (1000 + LATENESS_MS) / (ratePerSec * SHARE_MIN);
/** A call throttled within this time after a cut was made before the cut took effect. */
const CUT_EVERY_MS = 2_000;
/** This share of the whole rate comes back per second: from half of it in ten seconds. */
const REGROWTH_PER_SEC = 0.05;

/** Calls per second that are granted now: the rate, or what a throttle has left of it. */
export function rateInForce({ cut }: PaceState, now: EpochMs, ratePerSec: number): number {
  return ratePerSec * shareInForce(cut, now);
}

function shareInForce(cut: Cut | null, now: EpochMs): number {
  if (cut === null || isFromFuture(cut.at, now)) return 1;
  return Math.min(1, cut.share + (Math.max(0, now - cut.at) / 1000) * REGROWTH_PER_SEC);
}

/** The state after ECS has throttled a call; null: the rate is already cut. */
export function cutBack(state: PaceState, now: EpochMs): PaceState | null {
  if (state.cut !== null && now < state.cut.at + CUT_EVERY_MS && !isFromFuture(state.cut.at, now)) return null;
  return { ...state, cut: { share: Math.max(SHARE_MIN, shareInForce(state.cut, now) / 2), at: now } };
}

/**
 * How far ahead rights are granted. A Job with many claims leaves room for the first claims of other Jobs, so a small Job next to
 * a large one waits for a moment, not for its turn among thousands. While several namespaces launch, the one that was granted
 * most leaves room for the others in the same way, however many Jobs it has.
 */
export function horizonMs({ namespace, ahead }: Lessee, { recent }: Pick<PaceState, 'recent'>, now: EpochMs): number {
  const isFirst = ahead < FEW_CLAIMS;
  const all = namespace === null ? [] : recentAt(recent, now);
  const own = all.find((each) => each.namespace === namespace)?.granted ?? 0;
  const most = Math.max(0, ...all.flatMap((each) => (each.namespace === namespace ? [] : [each.granted])));
  if (most === 0) return isFirst ? 4_000 : 2_000;
  const share = own / Math.max(own, most);
  return (3_000 - 2_200 * share ** 2) * (isFirst ? 1.5 : 1);
}
const FEW_CLAIMS = 10;

/**
 * The limit on unanswered claims of one Job under a launch limit: what is launched in four seconds. Launches then never wait
 * for a pass, and those of other Jobs never wait long. A Pod that must start in time has a right as soon as it is claimed, if no
 * other Job launches, and not later than half that time.
 */
export function claimsWindow(launchesPerSec: number | null, most: number, startTimeoutSec: number | null): number {
  if (launchesPerSec === null) return most;
  const window = Math.min(most, Math.max(2 * FEW_CLAIMS, Math.ceil(4 * launchesPerSec)));
  if (startTimeoutSec === null) return window;
  const inTimeSec = Math.max(PASS_SEC, Math.min(startTimeoutSec / 2, LEASED_SEC));
  return Math.min(window, Math.ceil(launchesPerSec * inTimeSec));
}
/** Longer than the next pass, with the next claims, takes to come. */
const PASS_SEC = 1;
/** Within {@link horizonMs} of every claim. */
const LEASED_SEC = 1.9;

/** The delay before a refused launch is retried: 10 s, then doubled each time, up to 80 s. */
export const refusedRetryMs = (nonce: number): number => 10_000 * 2 ** Math.min(nonce, 3);
