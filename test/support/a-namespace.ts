import { type EpochMs, asEpochMs } from '../../shared/domain/base/time.ts';
import { freshNamespace } from '../../shared/domain/manifests/namespace.ts';
import type { ObjectStore } from '../../shared/ports/object-store.ts';

/** Makes a namespace, unless it is there. */
export async function openNamespace(
  objects: ObjectStore,
  name = 'default',
  at: EpochMs = asEpochMs(1_700_000_000_000),
): Promise<void> {
  const document = freshNamespace(name, `uid-of-${name}`, at);
  await objects.commit('Namespace', { key: { namespace: '', name }, was: 0, document });
}
