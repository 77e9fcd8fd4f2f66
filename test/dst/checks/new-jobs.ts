import type { JobStore, StoredSpec } from '../../../shared/ports/job-store.ts';
/** The same store, which says of each Job that it is new: of a creation that is repeated, or made by two at once, one is. */
export const watchNewJobs = (jobs: JobStore, known: Set<string>, created: (spec: StoredSpec) => void): JobStore => ({
  ...jobs,
  async createJob(spec, status) {
    const outcome = await jobs.createJob(spec, status);
    const { uid } = spec.identity;
    if (outcome.kind !== 'created' || known.has(uid)) return outcome;
    known.add(uid);
    created(spec);
    return outcome;
  },
});
