import { type EpochMs, plusMs, soonest } from './brand.ts';
import { unreachable } from './invariant.ts';
import type { Phase, Status } from './status.ts';
import { CLOCKS_APART_MAX_MS, type Timing } from './timing.ts';

/**
 * STATUS as a pass goes by it whose clock says `clock`. A clock that is a little behind the last commit's is late, and the Job's
 * time stands still for that long. One that is further behind is believed: it was set back, or the one before was wrong.
 * What has begun then began now at the latest, and what is waited for comes after its own full wait at the latest: no Job
 * waits for as long as a clock was wrong. What is stored of the indexes is not touched; see `isDue` (backoff.ts).
 */
export function withinClock(status: Status, clock: EpochMs, timing: Timing): Status {
  if (status.now <= plusMs(clock, CLOCKS_APART_MAX_MS)) return status;
  const begun = (at: EpochMs): EpochMs => soonest(at, clock) ?? clock;
  const within = (at: EpochMs, waitMs: number): EpochMs => soonest(at, plusMs(clock, waitMs)) ?? clock;
  const { backoff, stopRound, inspect, published, startTime } = status;
  const { lastFailureAt } = backoff;
  return {
    ...status,
    phase: phaseBegun(status.phase, begun),
    startTime: startTime === null ? null : begun(startTime),
    // A lower bound: with it the chunk is looked at, which finds out.
    chunks: status.chunks.map((chunk) =>
      chunk.soonestDue === null ? chunk : { ...chunk, soonestDue: begun(chunk.soonestDue) },
    ),
    lingering: status.lingering.map((attempt) => ({ ...attempt, since: begun(attempt.since) })),
    backoff: { ...backoff, lastFailureAt: lastFailureAt === null ? null : begun(lastFailureAt) },
    inFlight: status.inFlight.map((claim) => ({ ...claim, dueAt: within(claim.dueAt, timing.resendMs) })),
    stopRound: stopRound === null ? null : { ...stopRound, startedAt: begun(stopRound.startedAt) },
    inspect: inspect === null ? null : { ...inspect, at: within(inspect.at, inspect.intervalMs) },
    alarms: [], // they ring by another clock; what is due is asked for again
    now: clock,
    published: { ...published, at: begun(published.at) },
  };
}

function phaseBegun(phase: Phase, begun: (at: EpochMs) => EpochMs): Phase {
  switch (phase.kind) {
    case 'running':
      return phase;
    case 'suspended':
    case 'draining':
    case 'terminating':
    case 'deleting':
      return { ...phase, since: begun(phase.since) };
    case 'finished':
    case 'deleted':
      return { ...phase, since: begun(phase.since), at: begun(phase.at) };
    default:
      return unreachable(phase);
  }
}
