import type { JobUid } from '../domain/brand.ts';
import type { AttemptId } from '../domain/fact.ts';
import type { JobCreation, StoredSpec } from '../ports/job-store.ts';

/** What a user may do to a Job. Each commits first, then tells the feed and wakes the Job, so that it is seen at once. */
export type JobChanges = {
  /**
   * `taken`: the namespace has a Job of that name. `noNamespace`, `terminating`: there is no such namespace,
   * or not for long. Nothing was stored then.
   */
  create(spec: StoredSpec): Promise<{ readonly kind: JobCreation }>;
  /** Asks the task of an active attempt to stop; its Pod is gone once it has. */
  deletePod(uid: JobUid, id: AttemptId): Promise<void>;
  /** Marks a Job deleted: users see it no more, its name is free, its tasks are being stopped. */
  remove(uid: JobUid): Promise<{ readonly kind: 'deleted' | 'gone' }>;
};
