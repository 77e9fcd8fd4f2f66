import { DEFAULT_ACCOUNT } from '../domain/callers/accounts.ts';
import type { StoredObject } from '../ports/object-store.ts';

/**
 * The ServiceAccount `default` that every namespace has, as long as nothing else is stored under its name. It has the namespace's
 * age, and a uid that follows from the namespace's, so that it stays the same object when it is stored.
 *
 * @param namespace as it is stored
 */
export function defaultAccountOf({ key, document: { metadata } }: StoredObject): StoredObject {
  const { uid } = metadata;
  return {
    key: { namespace: key.name, name: DEFAULT_ACCOUNT },
    version: 0,
    document: {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: {
        name: DEFAULT_ACCOUNT,
        namespace: key.name,
        // Where a random UUID has its version.
        uid: `${uid.slice(0, 14)}8${uid.slice(15)}`,
        creationTimestamp: metadata['creationTimestamp'],
      },
    },
  };
}
