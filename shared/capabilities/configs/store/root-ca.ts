import type { StoredObject } from '../../../ports/object-store.ts';

export const ROOT_CA = 'kube-root-ca.crt';

/**
 * The ConfigMap that every namespace has, as in every cluster: clients wait for it. It has the namespace's age, and a uid that
 * follows from the namespace's, so that it stays the same object when it is stored.
 *
 * @param namespace as it is stored
 */
export function rootCaOf({ key, document: { metadata } }: StoredObject): StoredObject {
  const { uid } = metadata;
  return {
    key: { namespace: key.name, name: ROOT_CA },
    version: 0,
    document: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: ROOT_CA,
        namespace: key.name,
        // Where a random UUID has its version.
        uid: `${uid.slice(0, 14)}9${uid.slice(15)}`,
        creationTimestamp: metadata['creationTimestamp'],
      },
      // Clients of Muster trust the certificates that their machine trusts.
      data: { 'ca.crt': '' },
    },
  };
}
