import type { ObjectKey, StoredObject } from './object-store.ts';

export type FinishedOwner =
  | { readonly kind: 'deleted' }
  /** Another controller's finalizer holds it, so it stays visible until the finalizer is removed. */
  | { readonly kind: 'terminating'; readonly object: StoredObject };

export type DeletedOwner =
  | FinishedOwner
  /** It has changed since it was read. Nothing was done. */
  | { readonly kind: 'lost' };

/** Tells the scheduler of a kind of changes; deletes objects of this kind, together with the Jobs that they own. */
export type OwnerCommands = {
  /** To be called before an object is created or changed: if its wake-up is not sent afterwards, the sweep looks at it. */
  readonly arm: (uid: string, key: ObjectKey) => Promise<void>;
  /** To be called afterwards. */
  readonly wake: (uid: string) => Promise<void>;
  readonly remove: (seen: StoredObject, propagation: 'Background' | 'Foreground' | 'Orphan') => Promise<DeletedOwner>;
  /** Continues a deletion after a change of the object, which may have removed its last finalizer. */
  readonly finish: (terminating: StoredObject) => Promise<FinishedOwner>;
};
