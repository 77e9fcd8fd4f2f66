import type { JobStore, StoredSpec } from '../../../shared/ports/job-store.ts';
import type { Watchdog } from './watchdog.ts';

/** The same store, which says of each Job that it is new: a creation that is repeated is none. */
export const watchNewJobs = (jobs: JobStore, watchdog: Watchdog, created: (spec: StoredSpec) => void): JobStore => ({
  ...jobs,
  async createJob(spec, status) {
    const isNew = !watchdog.jobs.has(spec.identity.uid);
    const outcome = await jobs.createJob(spec, status);
    if (outcome.kind === 'created' && isNew) created(spec);
    return outcome;
  },
});
