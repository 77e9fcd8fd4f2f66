import type { StoredObject } from '../../ports/object-store.ts';
import type { Deps } from '../process/deps.ts';

/** Deletes an object, and what is stored of it elsewhere. It stays if it has changed since it was read. */
export type DeletionRow = (seen: StoredObject, deps: Deps) => Promise<{ readonly kind: string }>;
