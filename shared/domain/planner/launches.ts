import { backoffEndsAt } from '../scoreboard/backoff.ts';
import { type ChunkSummary, CHUNK_INDEXES, isStopped } from '../scoreboard/board.ts';
import { type EpochMs, later, plusMs, soonest } from '../base/time.ts';
import type { WaitClock, WorkingBoard } from '../scoreboard/working-board.ts';
import type { AttemptId } from '../base/fact.ts';
import type { IndexRecord } from '../scoreboard/index-record.ts';
import type { JobSpec } from '../manifests/job.ts';
import { type Claim, type Status, type Tally, podCount } from '../scoreboard/status.ts';
import { CLAIMS_IN_FLIGHT_MAX, type Timing } from '../base/timing.ts';
import { type IndexGate, openPending } from '../upstreams/index-gate.ts';

export type Launches = {
  readonly inFlight: readonly Claim[];
  readonly launch: readonly AttemptId[];
  readonly stop: readonly AttemptId[];
  /** Pending indexes whose turn it is, but whose back-off (or the Job's) is not over. */
  readonly inBackoff: readonly InBackoff[];
  readonly wakeAt: EpochMs | null;
  /** There was more to do than the loaded chunks, or one pass, allowed. */
  readonly again: boolean;
};

export type InBackoff = { readonly index: number; readonly until: EpochMs };

/** How much one pass does, and what it stops first; a cluster's controller has limits of its own. */
export type LaunchLimits = {
  /** Unanswered claims. */
  readonly claimsMax: number;
  /** While some wait, so many more are claimed together, or none. */
  readonly claimsAtOnce: number;
  /** Places that are taken, or kept by an index in back-off. */
  readonly placesMax: number;
  readonly stopsMax: number;
  /** What is stopped first: the smaller number; null: the attempt that has come least far, highest index first. */
  readonly rankOf: ((index: number) => number) | null;
};

export const OWN_LIMITS: LaunchLimits = {
  claimsMax: CLAIMS_IN_FLIGHT_MAX,
  claimsAtOnce: 1,
  placesMax: Number.MAX_SAFE_INTEGER,
  stopsMax: Number.MAX_SAFE_INTEGER,
  rankOf: null,
};

/** The Job as {@link wanted} sees it: the whole board, and the part of it that counts. */
export type Counts = { readonly all: Tally; readonly within: Tally };

/** How many attempts should be active, and how that differs from those that are (kubernetes-job.md section 5). */
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
      : Math.max(0, Math.min(spec.parallelism, spec.completions - within.succeeded - within.excluded));
  const staying = pods - all.stopping;
  const outOfRange = staying - (podCount(within) - within.stopping);
  return { start: Math.max(0, target - pods), surplus: Math.max(outOfRange, staying - target, 0), outOfRange };
}

/** Nothing is started or stopped; `inFlight`: the unanswered claims. */
export const noLaunches = (inFlight: readonly Claim[]): Launches => ({
  inFlight,
  launch: [],
  stop: [],
  inBackoff: [],
  wakeAt: null,
  again: false,
});

/**
 * Starts and surplus of a running Job. Claims pending indexes, lowest first, up to parallelism; marks surplus attempts for
 * stopping: first those of indexes that the Job no longer has, then those that have come least far. One pass never does both.
 * Pods between two tasks get the next one when they have waited long enough: they already have a place.
 */
export function planLaunches(
  board: WorkingBoard,
  spec: JobSpec,
  counts: Counts,
  status: Pick<Status, 'backoff' | 'inFlight'>,
  now: EpochMs,
  timing: Timing,
  limits: LaunchLimits,
  gate: IndexGate,
): Launches {
  const { start, surplus } = wanted(spec, counts);
  const limit = limitOf(board, spec);
  if (surplus > 0) return { ...noLaunches(status.inFlight), ...giveUp(board, surplus, limit, limits) };

  const free = limits.claimsMax - status.inFlight.length;
  const room = status.inFlight.length > 0 && free < limits.claimsAtOnce ? 0 : free;
  const clock = { now, retryDelaySec: spec.retryDelaySec ?? 0 };
  const relaunched = relaunchWaiting(board, room, clock);
  const places = Math.min(start, limits.placesMax);
  const given = { places, limit, gate };
  const jobBackoffEndsAt = spec.backoffLimitPerIndex === null ? backoffEndsAt(status.backoff) : null;
  const isJobInBackoff = jobBackoffEndsAt !== null && jobBackoffEndsAt > now;
  const claimed = isJobInBackoff
    ? holdBack(board, given, jobBackoffEndsAt, clock)
    : claimPending(board, spec, given, room - relaunched.launch.length, clock);
  const launch = [...relaunched.launch, ...claimed.launch];
  return {
    inFlight: [...status.inFlight, ...launch.map((id) => ({ ...id, dueAt: plusMs(now, timing.resendMs) }))],
    launch,
    stop: [],
    inBackoff: claimed.inBackoff,
    wakeAt: [...claimed.inBackoff.map(({ until }) => until), relaunched.nextAt].reduce(soonest, null),
    again: claimed.again,
  };
}

/** Marks surplus attempts for stopping. Pods between two tasks end at once, without a fact that would trigger a pass. */
function giveUp(
  board: WorkingBoard,
  surplus: number,
  limit: number,
  { stopsMax, rankOf }: LaunchLimits,
): Pick<Launches, 'stop' | 'again'> {
  const victims = leastFar(board, Math.min(surplus, stopsMax), limit, rankOf);
  for (const { index, attempt, state } of victims) {
    board.apply({ op: state === 'waiting' ? 'released' : 'stopping', index, attempt });
  }
  const stop = victims
    .filter(({ state }) => state !== 'waiting')
    .map(({ index, attempt, nonce }) => ({ index, attempt, nonce })); // the bare name: a repeated RunTask call is built from it
  return { stop, again: victims.length < surplus || stop.length < victims.length };
}

/** Claims Pods that have waited long enough for their next task; `nextAt`: when the next of the others will have. */
function relaunchWaiting(
  board: WorkingBoard,
  room: number,
  clock: WaitClock,
): { readonly launch: readonly AttemptId[]; readonly nextAt: EpochMs | null } {
  const { due, nextAt } = board.waiting(Math.max(0, room), clock);
  const launch: AttemptId[] = [];
  for (const index of due) {
    const record = board.record(index);
    if (record === null) continue;
    board.apply({ op: 'relaunch', index, attempt: record.attempt });
    launch.push({ index, attempt: record.attempt, nonce: record.nonce });
  }
  return { launch, nextAt };
}

type Claimed = Pick<Launches, 'launch' | 'inBackoff' | 'again'>;

/** Places for pending indexes below `limit` that the gate lets start. */
type Free = { readonly places: number; readonly limit: number; readonly gate: IndexGate };

/** While the Job is in back-off, none of its indexes starts: each waits for the later of the Job's end and its own. */
function holdBack(board: WorkingBoard, { places, limit, gate }: Free, until: EpochMs, clock: WaitClock): Claimed {
  const { ready, inBackoff } = board.pending(places, places, limit, clock, gate.isOpen);
  return {
    launch: [],
    inBackoff: [
      ...ready.map((index) => ({ index, until })),
      ...inBackoff.map((own) => ({ index: own.index, until: later(own.until, until) })),
    ],
    again: false,
  };
}

/** Claims the first pending indexes: at most `room` of those that have one of `places`. */
function claimPending(board: WorkingBoard, spec: JobSpec, free: Free, room: number, clock: WaitClock): Claimed {
  const { now } = clock;
  const { places, limit, gate } = free;
  const { ready, inBackoff } = board.pending(places, room, limit, clock, gate.isOpen);
  const created = spec.startTimeoutSec === null ? {} : { podCreatedSec: Math.floor(now / 1000) };
  const launch = ready.map((index) => {
    const attempt = (board.record(index)?.attempt ?? 0) + 1;
    board.apply({ op: 'claim', index, attempt, ...created, ...firstLaunch(board, index, spec, now) });
    return { index, attempt, nonce: 0 };
  });
  const isShort = ready.length + inBackoff.length < places && ready.length < room;
  return { launch, inBackoff, again: isShort && hasReadyElsewhere(board, spec, free, now) };
}

/** With the index's first Pod, its deadline begins. */
const firstLaunch = (board: WorkingBoard, index: number, { indexDeadlineSec }: JobSpec, now: EpochMs) =>
  indexDeadlineSec !== null && board.record(index)?.launchedSec === null ? { launchedSec: Math.floor(now / 1000) } : {};

/** Slots above completions are the history of a larger Job; in a NonIndexed Job, slot numbers do not matter. */
const limitOf = (board: WorkingBoard, { completionMode, completions }: JobSpec): number =>
  completionMode === 'Indexed' ? Math.min(board.size, completions ?? board.size) : board.size;

/** A chunk that is not loaded has pending indexes that may be ready. */
function hasReadyElsewhere(board: WorkingBoard, { selection }: JobSpec, { limit, gate }: Free, now: EpochMs): boolean {
  const mayHave = (summary: ChunkSummary, no: number): boolean => openPending(gate, no, summary, selection).most > 0;
  return board
    .summaries()
    .some(
      (summary, no) =>
        summary.pending > 0 &&
        board.chunk(no) === undefined &&
        no * CHUNK_INDEXES < limit &&
        (summary.soonestDue === null || summary.soonestDue <= now) &&
        mayHave(summary, no),
    );
}

type Victim = AttemptId & { readonly state: IndexRecord['state'] };

/**
 * Attempts to stop: those outside the Job's indexes, then Pods between two tasks, claims, launched and running ones, highest
 * index first (active-pod rank).
 */
function leastFar(
  board: WorkingBoard,
  count: number,
  limit: number,
  rankOf: LaunchLimits['rankOf'],
): readonly Victim[] {
  const staying = board
    .scan(0, Number.MAX_SAFE_INTEGER, (record) => !isStopped(record), ['starting', 'running', 'waiting'])
    .flatMap((index): Victim[] => {
      const record = board.record(index);
      return record === null ? [] : [{ index, attempt: record.attempt, nonce: record.nonce, state: record.state }];
    });
  const rank = ({ index, state }: Victim): number =>
    index >= limit ? -1 : rankOf === null ? FAR.indexOf(state) : rankOf(index);
  return staying.sort((a, b) => rank(a) - rank(b) || b.index - a.index).slice(0, count);
}

const FAR: readonly IndexRecord['state'][] = ['waiting', 'claimed', 'launched', 'running'];
