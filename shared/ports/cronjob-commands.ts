import type { ObjectKey, StoredObject } from './object-store.ts';

export type FinishedOwner =
  | { readonly kind: 'deleted' }
  /** Another controller's finalizer holds it, so it stays visible until the finalizer is removed. */
  | { readonly kind: 'terminating'; readonly object: StoredObject };

export type DeletedOwner =
  | FinishedOwner
  /** It has changed since it was read. Nothing was done. */
  | { readonly kind: 'lost' };

/** Tells schedulers of changes; deletes CronJobs, together with the Jobs that they own. */
export type CronJobCommands = {
  /** To be called before a CronJob is created or changed: if its wake-up is not sent afterwards, the sweep looks at it. */
  armCronJob(uid: string, key: ObjectKey): Promise<void>;
  /** To be called afterwards. */
  wakeCronJob(uid: string): Promise<void>;
  deleteCronJob(seen: StoredObject, propagation: 'Background' | 'Foreground' | 'Orphan'): Promise<DeletedOwner>;
  /** Continues a deletion after a change of the CronJob, which may have removed its last finalizer. */
  finishCronJob(terminating: StoredObject): Promise<FinishedOwner>;
};
