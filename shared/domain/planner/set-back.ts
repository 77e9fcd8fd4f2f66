import { type EpochMs, plusMs, soonest } from '../base/time.ts';
import { unreachable } from '../base/invariant.ts';
import { SUMMARY_FIELDS } from '../scoreboard/board.ts';
import type { Phase, Status } from '../scoreboard/status.ts';
import { ANNOUNCE_WAIT_MAX_MS, CLOCKS_APART_MAX_MS, type Timing } from '../base/timing.ts';

/**
 * STATUS as seen by a pass whose clock says `clock`. A clock slightly behind the last commit's is late, and the Job's time
 * stands still for that long. A clock that is further behind is believed: it was set back, or the one before was wrong. Then
 * everything that has started started now at the latest, and every wait ends after its full length from now at the latest, so
 * no Job waits for as long as a clock was wrong. What is stored about indexes does not change; see `isDue` (backoff.ts).
 */
export function withinClock(status: Status, clock: EpochMs, timing: Timing): Status {
  if (status.now <= plusMs(clock, CLOCKS_APART_MAX_MS)) return status;
  const here: Here = {
    clock,
    timing,
    begun: (at) => soonest(at, clock) ?? clock,
    within: (at, waitMs) => soonest(at, plusMs(clock, waitMs)) ?? clock,
  };
  const seen: Record<string, unknown> = { ...status };
  for (const [name, setBack] of Object.entries<SetBack<unknown>>(FIELDS)) seen[name] = setBack(seen[name], here);
  return seen as Status;
}

/** The clock as it is now, and what has begun, or is waited for, by it. */
type Here = {
  readonly clock: EpochMs;
  readonly timing: Timing;
  readonly begun: (at: EpochMs) => EpochMs;
  readonly within: (at: EpochMs, waitMs: number) => EpochMs;
};
/** What a value becomes. */
type SetBack<T> = { of(value: T, here: Here): T }['of'];

const same = <T>(value: T): T => value;
/** The same for what may not be there. */
const ifThere =
  <T>(setBack: SetBack<T>): SetBack<T | null> =>
  (value, here) =>
    value === null ? null : setBack(value, here);

/** What becomes of each field of STATUS. */
const FIELDS: { readonly [K in keyof Status]: SetBack<Status[K]> } = {
  version: same,
  revision: same,
  phase: (phase, { begun }) => phaseBegun(phase, begun),
  startTime: ifThere((at, { begun }) => begun(at)),
  resumedAt: same,
  endedSuspendedSince: same,
  size: same,
  // Their times are lower bounds: they make the pass load the chunk, which has the exact ones.
  chunks: (chunks, { clock }) => chunks.map((chunk) => ({ ...chunk, ...SUMMARY_FIELDS.setBack(chunk, clock) })),
  failed: same,
  restarts: same,
  ruleHits: same,
  replacedTasks: (tasks, { begun }) => tasks.map((attempt) => ({ ...attempt, since: begun(attempt.since) })),
  backoff: ({ lastFailureAt, ...backoff }, { begun }) => ({
    ...backoff,
    lastFailureAt: lastFailureAt === null ? null : begun(lastFailureAt),
  }),
  inFlight: (claims, { timing, within }) =>
    claims.map((claim) => ({ ...claim, dueAt: within(claim.dueAt, timing.resendMs) })),
  stopRound: ifThere((round, { begun }) => ({ ...round, startedAt: begun(round.startedAt) })),
  inspect: ifThere((inspect, { within }) => ({ ...inspect, at: within(inspect.at, inspect.intervalMs) })),
  alarms: () => [], // they were set by another clock; whatever is due is requested again
  now: (_, { clock }) => clock,
  waitReason: same,
  // What is stored about indexes does not change.
  journal: same,
  events: same,
  relabelled: same,
  published: (published, { begun }) => ({ ...published, at: begun(published.at) }),
  unannounced: ifThere((told, { within }) => ({ ...told, dueAt: within(told.dueAt, ANNOUNCE_WAIT_MAX_MS) })),
  upstreams: same,
  isAwaited: same,
  achieved: ifThere((achieved, { begun }) => ({ ...achieved, since: begun(achieved.since) })),
  gang: ifThere((gang, { begun }) => ({ ...gang, since: gang.since === null ? null : begun(gang.since) })),
};

function phaseBegun(phase: Phase, begun: (at: EpochMs) => EpochMs): Phase {
  switch (phase.kind) {
    case 'running':
      return phase;
    case 'suspended':
    case 'regrouping':
    case 'draining':
    case 'terminating':
    case 'purging':
      return { ...phase, since: begun(phase.since) };
    case 'finished':
    case 'deleted':
      return { ...phase, since: begun(phase.since), at: begun(phase.at) };
    default:
      return unreachable(phase);
  }
}
