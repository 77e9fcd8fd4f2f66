import { type Job, planningSpec } from '../domain/spec/job.ts';
import type { StoredSpec } from '../ports/job-store.ts';

/** A stored Job as the planner's input. The texts of a spec are parsed once, however many passes see it. */
export function toJob(stored: StoredSpec): Job {
  const known = JOBS.get(stored);
  if (known !== undefined) return known;
  const job = { ...stored.identity, revision: stored.revision, spec: planningSpec(stored) };
  JOBS.set(stored, job);
  return job;
}

/** A stored spec never changes. */
const JOBS = new WeakMap<StoredSpec, Job>();
