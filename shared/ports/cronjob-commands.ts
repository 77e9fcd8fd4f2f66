import type { StoredObject } from './object-store.ts';

export type FinishedCronJob =
  | { readonly kind: 'deleted' }
  /** A finalizer of somebody else's holds it: it is shown until that is removed. */
  | { readonly kind: 'terminating'; readonly object: StoredObject };

export type DeletedCronJob =
  | FinishedCronJob
  /** Somebody has changed it since it was seen; nothing was done. */
  | { readonly kind: 'lost' };

/** What becomes of a CronJob and of the Jobs that it owns when a user deletes it. */
export type CronJobCommands = {
  deleteCronJob(seen: StoredObject, propagation: 'Background' | 'Foreground' | 'Orphan'): Promise<DeletedCronJob>;
  /** Goes on with the deletion of one that has been changed meanwhile: it may have lost its last finalizer. */
  finishCronJob(terminating: StoredObject): Promise<FinishedCronJob>;
};
