import { claimsWindow } from '../base/pace.ts';
import type { AttemptId } from '../base/fact.ts';
import { type EpochMs, plusMs } from '../base/time.ts';
import { CLAIMS_IN_FLIGHT_MAX, type Timing } from '../base/timing.ts';
import { isStopped } from '../scoreboard/board.ts';
import { LAUNCH_ROW_INDEXES } from '../scoreboard/launch-row.ts';
import type { WorkingBoard } from '../scoreboard/working-board.ts';
import { type Claim, type Phase, type Status, isShrunk } from '../scoreboard/status.ts';
import { gangAfter } from '../scoreboard/gang.ts';
import type { Advanced } from './advance-phase.ts';
import { countsOf } from './apply-facts.ts';
import { type LaunchLimits, type Launches, noLaunches, planLaunches } from './launches.ts';
import { startsNothing } from './success-policy.ts';
import type { Pass } from './pass.ts';
import { type Stops, planStops } from './stops.ts';

/** What this pass starts, stops, sends again, and looks up; the board is as the commit will store it. */
export type Attempts = Advanced & {
  readonly launches: Launches;
  readonly stops: Stops;
  readonly resent: Resent;
  readonly inspection: Inspection;
  /** Attempts that live, or may: active ones with or without a task, and replaced ones that are still stopping. */
  readonly living: number;
  readonly gang: Status['gang'];
};

/** First starts and surplus, then stops, then claims to send again: each sees the board as the one before left it. */
export function planAttempts(pass: Pass, advanced: Advanced): Attempts {
  const { job, status, now, timing, rules } = pass;
  const { board, folded, counts, phase, managesAttempts } = advanced;
  const launches = managesAttempts
    ? planLaunches(board, job.spec, counts, folded, now, timing, limitsOf(pass, advanced), pass.upstreams.gate)
    : noLaunches(folded.inFlight);
  const { inFlight } = launches;
  const stopRound = phase.kind === status.phase.kind ? status.stopRound : null;
  const completions = isShrunk(job.spec, board.size) ? (job.spec.completions ?? undefined) : undefined;
  const stops = planStops(board, phase, { ...folded, stopRound, inFlight }, now, timing, completions);
  const resent = resend(board, phase, inFlight, now, timing);
  const after = countsOf(job.spec, board, rules.besideBoard);
  const { starting, running, waiting } = after.all;
  const withTask = starting + running + folded.replacedTasks.length;
  const inspection = planInspection(status, withTask, launches.launch.length > 0, now, timing);
  const phases = { before: status.phase, after: phase, isAchieved: advanced.achieved !== null };
  const gang = gangAfter(job.spec, status.gang, phases, after.within, launches.launch.length > 0, now);
  return { ...advanced, launches, stops, resent, inspection, living: withTask + waiting, gang };
}

const limitsOf = (
  { job, rules: { limits }, timing: { launchesPerSec } }: Pass,
  { achieved }: Pick<Advanced, 'achieved'>,
): LaunchLimits => ({
  ...limits,
  ...(launchesPerSec === undefined ? {} : pacedLimits(launchesPerSec, limits.claimsMax, job.spec.startTimeoutSec)),
  ...(startsNothing(job.spec, achieved) ? { placesMax: 0 } : {}),
});

/** Under a launch limit each claim is answered at another time: those that fill a launch row are claimed together. */
function pacedLimits(launchesPerSec: number, most: number, startTimeoutSec: number | null) {
  const claimsMax = claimsWindow(launchesPerSec, Math.min(most, CLAIMS_IN_FLIGHT_MAX), startTimeoutSec);
  return { claimsMax, claimsAtOnce: Math.min(LAUNCH_ROW_INDEXES, Math.ceil(claimsMax / 2)) };
}

export type Resent = {
  /** All unanswered claims, with the time when each is due again. */
  readonly inFlight: readonly Claim[];
  readonly launch: readonly AttemptId[];
};

/** Unanswered claims are sent again; the stop rounds handle those that the board wants to end. */
function resend(board: WorkingBoard, phase: Phase, inFlight: readonly Claim[], now: EpochMs, timing: Timing): Resent {
  const launch: AttemptId[] = [];
  const claims = inFlight.map((claim) => {
    if (claim.dueAt > now) return claim;
    const record = board.record(claim.index);
    if (record === null && phase.kind === 'running') return claim; // the next pass loads its chunk
    if (phase.kind === 'running' && record !== null && !isStopped(record)) {
      launch.push({ index: claim.index, attempt: claim.attempt, nonce: claim.nonce });
    }
    return { ...claim, dueAt: plusMs(now, timing.resendMs) };
  });
  return { inFlight: claims, launch };
}

export type Inspection = { readonly state: Status['inspect']; readonly isDue: boolean };

/**
 * Active attempts are looked up at growing intervals; the first is short again whenever something was started. One look-up
 * covers all of them, so it happens less often the more there are: otherwise, 100,000 starting attempts would be read and
 * described over and over.
 */
function planInspection(
  { inspect }: Status,
  attempts: number,
  launched: boolean,
  now: EpochMs,
  timing: Timing,
): Inspection {
  if (attempts === 0) return { state: null, isDue: false };
  const firstMs = Math.max(timing.inspectFirstMs, attempts * INSPECT_MS_EACH);
  const first = { at: plusMs(now, firstMs), intervalMs: firstMs };
  if (inspect === null) return { state: first, isDue: false };
  if (now < inspect.at) {
    const soon = launched && inspect.intervalMs > firstMs && first.at < inspect.at;
    return { state: soon ? first : inspect, isDue: false };
  }
  const intervalMs = Math.max(firstMs, Math.min(inspect.intervalMs * 2, timing.inspectMaxMs));
  return { state: { at: plusMs(now, intervalMs), intervalMs }, isDue: true };
}

/** A million attempts are looked up every 34 minutes at most, within the hour that ECS remembers. */
const INSPECT_MS_EACH = 2;
