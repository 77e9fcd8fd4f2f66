import { type NamespaceStanding, standingOfNamespace } from '../domain/manifests/namespace.ts';
import type { ObjectStore } from '../ports/object-store.ts';

/** Whether something may be created in the namespace right now. */
export const namespaceStanding = async (
  name: string,
  { objects }: { readonly objects: Pick<ObjectStore, 'read'> },
): Promise<NamespaceStanding> =>
  standingOfNamespace((await objects.read('Namespace', { namespace: '', name }))?.document);
