import { type EpochMs, later } from '../base/time.ts';
import type { Timing } from '../base/timing.ts';
import type { Status } from '../scoreboard/status.ts';
import type { Job } from '../manifests/job.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import type { PlanRules } from './plan-rules.ts';
import { withinClock } from './set-back.ts';

/** What one pass is based on, from its first step to its last. */
export type Pass = {
  readonly job: Job;
  /** STATUS as it was read. */
  readonly read: Status;
  /** The same, adjusted to the pass's clock ({@link withinClock}). */
  readonly status: Status;
  readonly now: EpochMs;
  readonly timing: Timing;
  readonly rules: PlanRules;
  /** The Jobs that this one waits for. */
  readonly upstreams: Upstreams;
};

/**
 * A Job's time never runs backwards because of a clock that is slightly late: the last commit's `now` may be later than
 * `clock`.
 */
export function beginPass(
  job: Job,
  read: Status,
  clock: EpochMs,
  timing: Timing,
  rules: PlanRules,
  upstreams: Upstreams,
): Pass {
  const status = withinClock(read, clock, timing);
  const now = later(clock, status.now);
  return { job, read, status, now, timing, rules, upstreams };
}
