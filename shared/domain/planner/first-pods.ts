import { initialChunk } from '../scoreboard/initial-board.ts';
import type { Status } from '../scoreboard/status.ts';
import type { Timing } from '../base/timing.ts';
import type { Job } from '../manifests/job.ts';
import { chunksNeeded } from './chunks-needed.ts';
import { planJob } from './plan-job.ts';
import type { Plan } from './plan.ts';
import type { PlanRules } from './plan-rules.ts';

/**
 * What the first pass would decide about a new Job, if that creates Pods: STATUS is stored with them, so nobody sees a Job that
 * may start and has none. The first pass only sends their claims, which are due at once, as it would send those of a pass that
 * has died. In Kubernetes, too, only a moment lies between a Job and its first Pods.
 *
 * @param fresh the Job's status before its first pass, version 1
 * @param most how many Pods; the first pass creates the others
 * @returns the plan, whose status has the version of `fresh`; null: the first pass has other things to do
 */
export function planFirstPods(
  job: Job,
  fresh: Status,
  timing: Timing,
  rules: PlanRules,
  most: number,
): (Plan & { readonly status: Status }) | null {
  const { now } = fresh;
  const before = { ...fresh, version: fresh.version - 1 };
  const nos = chunksNeeded(job, before, [], now);
  const chunks = new Map(nos.map((no) => [no, initialChunk(job.spec.selection, no)]));
  const limits = { ...rules.limits, claimsMax: Math.min(rules.limits.claimsMax, most) };
  const plan = planJob(job, before, chunks, [], now, timing, { ...rules, limits });
  const { status } = plan;
  if (status === null || status.inFlight.length === 0) return null;
  return {
    ...plan,
    status: {
      ...status,
      alarms: fresh.alarms,
      inFlight: status.inFlight.map((claim) => ({ ...claim, dueAt: now })),
      unannounced: status.unannounced === null ? null : { ...status.unannounced, dueAt: now },
    },
  };
}
