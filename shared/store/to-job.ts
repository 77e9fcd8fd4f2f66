import { type Job, planningSpec } from '../domain/spec/job.ts';
import type { StoredSpec } from '../ports/job-store.ts';

/** A stored Job as the planner's input. */
export const toJob = ({ identity, revision, manifest }: StoredSpec): Job => ({
  ...identity,
  revision,
  spec: planningSpec(manifest),
});
