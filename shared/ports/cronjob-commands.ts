import type { StoredObject } from './object-store.ts';

export type FinishedCronJob =
  | { readonly kind: 'deleted' }
  /** Another controller's finalizer holds it, so it stays visible until the finalizer is removed. */
  | { readonly kind: 'terminating'; readonly object: StoredObject };

export type DeletedCronJob =
  | FinishedCronJob
  /** It has changed since it was read. Nothing was done. */
  | { readonly kind: 'lost' };

/** Deletes CronJobs, together with the Jobs that they own. */
export type CronJobCommands = {
  deleteCronJob(seen: StoredObject, propagation: 'Background' | 'Foreground' | 'Orphan'): Promise<DeletedCronJob>;
  /** Continues a deletion after a change of the CronJob, which may have removed its last finalizer. */
  finishCronJob(terminating: StoredObject): Promise<FinishedCronJob>;
};
