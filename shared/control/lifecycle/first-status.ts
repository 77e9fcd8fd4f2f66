import { withJobEvents } from '../../domain/events/job-events.ts';
import { planFirstPods } from '../../domain/planner/first-pods.ts';
import { type JobMetric, creationMetrics, passMetrics } from '../../domain/planner/job-metrics.ts';
import { ANNOUNCED_RULES, OWN_RULES } from '../../domain/planner/plan-rules.ts';
import { type Status, freshStatus } from '../../domain/scoreboard/status.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import { toJob } from '../../store/to-job.ts';
import { isAnnounced, noted } from '../process/announced-jobs.ts';
import type { Deps } from '../process/deps.ts';

/** What a new Job is stored with, and what is counted once it is. */
export function firstStatus(
  spec: StoredSpec,
  deps: Pick<Deps, 'clock' | 'settings'>,
): { readonly status: Status; readonly metrics: readonly JobMetric[] } {
  const { timing, firstPodsMax = 0 } = deps.settings;
  const { manifest } = spec;
  const job = toJob(spec);
  const fresh = noted(manifest, null, withJobEvents(null, freshStatus(job, deps.clock.now()), job), deps);
  const rules = isAnnounced(manifest, deps) ? ANNOUNCED_RULES : OWN_RULES;
  const plan = planFirstPods(job, fresh, timing, rules, firstPodsMax);
  const created = creationMetrics(manifest.spec.managedBy);
  if (plan === null) return { status: fresh, metrics: created };
  return { status: plan.status, metrics: [...created, ...passMetrics({ job, before: fresh, plan, facts: [] })] };
}
