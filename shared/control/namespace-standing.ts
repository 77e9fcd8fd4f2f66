import { freshNamespace, standingOf } from '../domain/namespace.ts';
import type { Deps } from './deps.ts';

/** Makes sure that there is a namespace of this name; if it is made now, `uid` is its own. One that is there stays as it is. */
export async function ensureNamespace(
  name: string,
  uid: string,
  { objects, clock }: Pick<Deps, 'objects' | 'clock'>,
): Promise<void> {
  const key = { namespace: '', name };
  if ((await objects.read('Namespace', key)) !== null) return;
  await objects.commit('Namespace', { key, was: 0, document: freshNamespace(name, uid, clock.now()) });
}

/** Whether something may be created in the namespace, at this moment. */
export const namespaceStanding = async (
  name: string,
  { objects }: Pick<Deps, 'objects'>,
): Promise<'open' | 'noNamespace' | 'terminating'> =>
  standingOf((await objects.read('Namespace', { namespace: '', name }))?.document);
