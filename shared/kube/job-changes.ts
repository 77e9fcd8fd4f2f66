import type { JobUid } from '../domain/brand.ts';
import type { AttemptId } from '../domain/fact.ts';
import type { Status } from '../domain/status.ts';
import type { NoHosts } from '../ports/host-store.ts';
import type { JobCreation, StoredSpec } from '../ports/job-store.ts';

/** What a user may do to a Job. Each commits first, then tells the feed and wakes the Job, so that it is seen at once. */
export type JobChanges = {
  /** `taken`: the namespace has a Job of that name. `noNamespace`: there is no such namespace. Nothing was stored then. */
  create(
    spec: StoredSpec,
  ): Promise<
    { readonly kind: 'created'; readonly status: Status } | { readonly kind: Exclude<JobCreation, 'created'> } | NoHosts
  >;
  /** `lost`: another user has changed it since it was seen. */
  change(
    seen: { readonly spec: StoredSpec; readonly status: Status },
    wish: Pick<StoredSpec, 'manifest' | 'said'>,
    what: 'metadata' | 'spec',
  ): Promise<{ readonly kind: 'changed' | 'lost' | 'gone' } | NoHosts>;
  /** Tells the feed whatever of this status it does not know yet. */
  publish(spec: StoredSpec, status: Status): Promise<void>;
  /** Asks the task of an active attempt to stop; its Pod is gone once it has. */
  deletePod(uid: JobUid, id: AttemptId, how: 'deleted' | 'evicted'): Promise<void>;
  /** Deletes a Job; `terminating`: something holds it, so its users see it until that has let go. */
  remove(
    uid: JobUid,
    propagation: 'Background' | 'Foreground',
  ): Promise<{ readonly kind: 'deleted' | 'terminating' | 'gone' }>;
};
