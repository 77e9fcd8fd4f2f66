import { type Job, planningSpec } from '../domain/manifests/job.ts';
import type { StoredSpec } from '../ports/job-store.ts';

/** A stored Job as the planner's input. The texts of a spec are parsed once, however many passes see it. */
export function toJob(stored: StoredSpec): Job {
  const known = JOBS.get(stored);
  if (known !== undefined) return known;
  const { identity, revision, suspendSetBy } = stored;
  const by = suspendSetBy === undefined ? {} : { suspendSetBy };
  const job = { ...identity, revision, spec: planningSpec(stored), ...by };
  JOBS.set(stored, job);
  return job;
}

/** A stored spec never changes. */
const JOBS = new WeakMap<StoredSpec, Job>();
