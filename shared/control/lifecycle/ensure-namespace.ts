import { freshNamespace } from '../../domain/manifests/namespace.ts';
import type { Deps } from '../process/deps.ts';

/** Makes sure that a namespace of this name exists; a new one gets `uid`. An existing one does not change. */
export async function ensureNamespace(
  name: string,
  uid: string,
  { objects, clock }: Pick<Deps, 'objects' | 'clock'>,
): Promise<void> {
  const key = { namespace: '', name };
  if ((await objects.read('Namespace', key)) !== null) return;
  await objects.commit('Namespace', { key, was: 0, document: freshNamespace(name, uid, clock.now()) });
}
