import type { StoredObject } from '../ports/object-store.ts';

/** What becomes of a CronJob and of the Jobs that it owns when a user deletes it. */
export type CronJobChanges = {
  /** `terminating`: a finalizer holds it. `lost`: it has been changed since it was seen, nothing was done. */
  remove(
    seen: StoredObject,
    propagation: 'Background' | 'Foreground' | 'Orphan',
  ): Promise<
    | { readonly kind: 'deleted' }
    | { readonly kind: 'terminating'; readonly object: StoredObject }
    | { readonly kind: 'lost' }
  >;
  /** Goes on with the deletion of one that has been changed meanwhile: it may have lost its last finalizer. */
  finish(
    terminating: StoredObject,
  ): Promise<{ readonly kind: 'deleted' } | { readonly kind: 'terminating'; readonly object: StoredObject }>;
};
