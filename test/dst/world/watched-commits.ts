import type { JobUid } from '../../../shared/domain/base/ids.ts';
import type { Status } from '../../../shared/domain/scoreboard/status.ts';
import type { JobStore } from '../../../shared/ports/job-store.ts';

/** The store, which says what STATUS of a Job each commit has left. */
export const watchedCommits = (jobs: JobStore, committed: (uid: JobUid, status: Status) => void): JobStore => ({
  ...jobs,
  commitPass: async (uid, status, chunks) => {
    const { kind } = await jobs.commitPass(uid, status, chunks);
    if (kind === 'committed') committed(uid, status);
    return { kind };
  },
  commitSpec: async (spec, status) => {
    const { kind } = await jobs.commitSpec(spec, status);
    if (kind === 'committed') committed(spec.identity.uid, status);
    return { kind };
  },
  commitDeletion: async (identity, status) => {
    const { kind } = await jobs.commitDeletion(identity, status);
    if (kind === 'committed') committed(identity.uid, status);
    return { kind };
  },
});
