import { type EpochMs, plusMs, soonest } from '../base/time.ts';
import { unreachable } from '../base/invariant.ts';
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
  const begun = (at: EpochMs): EpochMs => soonest(at, clock) ?? clock;
  const within = (at: EpochMs, waitMs: number): EpochMs => soonest(at, plusMs(clock, waitMs)) ?? clock;
  const begunSec = (sec: number | null) => (sec === null ? null : Math.min(sec, Math.floor(clock / 1000)));
  const { backoff, stopRound, inspect, published, unannounced, startTime, achieved, gang } = status;
  const { lastFailureAt } = backoff;
  return {
    ...status,
    phase: phaseBegun(status.phase, begun),
    startTime: startTime === null ? null : begun(startTime),
    achieved: achieved === null ? null : { ...achieved, since: begun(achieved.since) },
    // Lower bounds: they make the pass load the chunk, which has the exact times.
    chunks: status.chunks.map((chunk) => ({
      ...chunk,
      soonestDue: chunk.soonestDue === null ? null : begun(chunk.soonestDue),
      startingSince: begunSec(chunk.startingSince),
      runningSince: begunSec(chunk.runningSince),
      indexSince: begunSec(chunk.indexSince),
    })),
    replacedTasks: status.replacedTasks.map((attempt) => ({ ...attempt, since: begun(attempt.since) })),
    backoff: { ...backoff, lastFailureAt: lastFailureAt === null ? null : begun(lastFailureAt) },
    inFlight: status.inFlight.map((claim) => ({ ...claim, dueAt: within(claim.dueAt, timing.resendMs) })),
    stopRound: stopRound === null ? null : { ...stopRound, startedAt: begun(stopRound.startedAt) },
    inspect: inspect === null ? null : { ...inspect, at: within(inspect.at, inspect.intervalMs) },
    alarms: [], // they were set by another clock; whatever is due is requested again
    now: clock,
    published: { ...published, at: begun(published.at) },
    unannounced:
      unannounced === null ? null : { ...unannounced, dueAt: within(unannounced.dueAt, ANNOUNCE_WAIT_MAX_MS) },
    gang: gang === null || gang.since === null ? gang : { ...gang, since: begun(gang.since) },
  };
}

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
