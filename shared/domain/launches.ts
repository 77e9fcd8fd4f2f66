import { backoffEndsAt } from './backoff.ts';
import { CHUNK_INDEXES, isStopped } from './board.ts';
import { type EpochMs, later, plusMs, soonest } from './brand.ts';
import type { Draft } from './draft.ts';
import type { AttemptId } from './fact.ts';
import type { IndexRecord } from './index-record.ts';
import type { JobSpec } from './job.ts';
import { type Claim, type Status, type Tally, podCount } from './status.ts';
import { CLAIMS_IN_FLIGHT_MAX, type Timing } from './timing.ts';

export type Launches = {
  readonly inFlight: readonly Claim[];
  readonly launch: readonly AttemptId[];
  readonly stop: readonly AttemptId[];
  /** Pending indexes whose turn it is, but whose back-off (or the Job's) is not over. */
  readonly held: readonly Held[];
  readonly wakeAt: EpochMs | null;
  /** There was more to do than the chunks at hand, or one pass, allowed. */
  readonly again: boolean;
};

export type Held = { readonly index: number; readonly until: EpochMs };

/** How much one pass takes on, and whom it gives up first; a cluster's controller has limits of its own. */
export type LaunchLimits = {
  /** Unanswered claims. */
  readonly claimsMax: number;
  /** Places that are filled, or held by an index in back-off. */
  readonly placesMax: number;
  readonly stopsMax: number;
  /** Who is given up first: the smaller number; null: who has come least far, highest index first. */
  readonly rankOf: ((index: number) => number) | null;
};

export const OWN_LIMITS: LaunchLimits = {
  claimsMax: CLAIMS_IN_FLIGHT_MAX,
  placesMax: Number.MAX_SAFE_INTEGER,
  stopsMax: Number.MAX_SAFE_INTEGER,
  rankOf: null,
};

/** The Job as {@link wanted} sees it: the whole board, and the part of it that counts. */
export type Counts = { readonly all: Tally; readonly within: Tally };

/** How many attempts ought to be active, and how that differs from those that are (kubernetes-job.md section 5). */
export function wanted(
  spec: JobSpec,
  { all, within }: Counts,
): { readonly start: number; readonly surplus: number; readonly outOfRange: number } {
  const pods = podCount(all);
  const target =
    spec.completions === null
      ? within.succeeded > 0
        ? pods
        : spec.parallelism
      : Math.max(0, Math.min(spec.parallelism, spec.completions - within.succeeded));
  const staying = pods - all.stopping;
  const outOfRange = staying - (podCount(within) - within.stopping);
  return { start: Math.max(0, target - pods), surplus: Math.max(outOfRange, staying - target, 0), outOfRange };
}

/**
 * Starts and surplus of a running Job: claims pending indexes, lowest first, up to parallelism; marks surplus attempts
 * for stopping, those of indexes that the Job has no more first, then those that have come least far. Never both in one
 * pass. Pods that wait for their next task get it when they have waited long enough: they have their place already.
 */
export function planLaunches(
  draft: Draft,
  spec: JobSpec,
  counts: Counts,
  status: Pick<Status, 'backoff' | 'inFlight'>,
  now: EpochMs,
  timing: Timing,
  limits: LaunchLimits,
): Launches {
  const nothing = { inFlight: status.inFlight, launch: [], stop: [], held: [], wakeAt: null, again: false };
  const { start: missing, surplus } = wanted(spec, counts);
  const limit = limitOf(draft, spec);
  if (surplus > 0) {
    const victims = leastFar(draft, Math.min(surplus, limits.stopsMax), limit, limits.rankOf);
    for (const { index, attempt, state } of victims) {
      draft.apply({ op: state === 'waiting' ? 'released' : 'stopping', index, attempt });
    }
    const stop = victims
      .filter(({ state }) => state !== 'waiting')
      .map(({ index, attempt, nonce }) => ({ index, attempt, nonce })); // the bare name: a repeated RunTask is made from it
    // Pods between two tasks end here and now, without a fact that would wake us.
    return { ...nothing, stop, again: victims.length < surplus || stop.length < victims.length };
  }

  let room = limits.claimsMax - status.inFlight.length;
  const launch: AttemptId[] = [];
  const waiting = draft.waiting(Math.max(0, room), now);
  for (const index of waiting.due) {
    const record = draft.record(index);
    if (record === null) continue;
    draft.apply({ op: 'relaunch', index, attempt: record.attempt });
    launch.push({ index, attempt: record.attempt, nonce: record.nonce });
  }
  room -= launch.length;

  const start = Math.min(missing, limits.placesMax);
  const jobHeldUntil = spec.backoffLimitPerIndex === null ? backoffEndsAt(status.backoff) : null;
  const isHeld = jobHeldUntil !== null && jobHeldUntil > now;
  const found =
    start === 0 || (room <= 0 && !isHeld) ? NONE_PENDING : draft.pending(start, isHeld ? start : room, limit, now);
  const held = isHeld
    ? [
        ...found.ready.map((index) => ({ index, until: jobHeldUntil })),
        ...found.held.map(({ index, until }) => ({ index, until: later(until, jobHeldUntil) })),
      ]
    : found.held;
  for (const index of isHeld ? [] : found.ready) {
    const attempt = (draft.record(index)?.attempt ?? 0) + 1;
    draft.apply({ op: 'claim', index, attempt });
    launch.push({ index, attempt, nonce: 0 });
  }
  const claims = launch.map((id) => ({ ...id, dueAt: plusMs(now, timing.resendMs) }));
  const isShort = found.ready.length + found.held.length < start && (isHeld || found.ready.length < room);
  return {
    inFlight: [...status.inFlight, ...claims],
    launch,
    stop: [],
    held,
    wakeAt: [...held.map(({ until }) => until), waiting.nextAt].reduce(soonest, null),
    again: !isHeld && isShort && hasReadyElsewhere(draft, limit, now),
  };
}

const NONE_PENDING = { ready: [], held: [] };

/** Slots beyond completions are history of a larger Job; those of a NonIndexed Job have no number that matters. */
const limitOf = (draft: Draft, { completionMode, completions }: JobSpec): number =>
  completionMode === 'Indexed' ? Math.min(draft.size, completions ?? draft.size) : draft.size;

/** A chunk that is not at hand holds pending indexes that may be ready. */
const hasReadyElsewhere = (draft: Draft, limit: number, now: EpochMs): boolean =>
  draft
    .summaries()
    .some(
      ({ pending, soonestDue }, no) =>
        pending > 0 &&
        draft.chunk(no) === undefined &&
        no * CHUNK_INDEXES < limit &&
        (soonestDue === null || soonestDue <= now),
    );

type Victim = AttemptId & { readonly state: IndexRecord['state'] };

/**
 * Attempts to give up: those beyond the Job's indexes, then Pods between two tasks, claims, launched and running ones,
 * highest index first (active-pod rank).
 */
function leastFar(draft: Draft, count: number, limit: number, rankOf: LaunchLimits['rankOf']): readonly Victim[] {
  const staying = draft
    .scan(0, Number.MAX_SAFE_INTEGER, (record) => !isStopped(record), ['starting', 'running', 'waiting'])
    .flatMap((index): Victim[] => {
      const record = draft.record(index);
      return record === null ? [] : [{ index, attempt: record.attempt, nonce: record.nonce, state: record.state }];
    });
  const rank = ({ index, state }: Victim): number =>
    index >= limit ? -1 : rankOf === null ? FAR.indexOf(state) : rankOf(index);
  return staying.sort((a, b) => rank(a) - rank(b) || b.index - a.index).slice(0, count);
}

const FAR: readonly IndexRecord['state'][] = ['waiting', 'claimed', 'launched', 'running'];
