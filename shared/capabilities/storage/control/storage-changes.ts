import type { ClaimReader } from '../ports/claim-reader.ts';
import type { StoredObject } from '../../../ports/object-store.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { claimIn, folderOwnerOf, folderPath, volumeIn } from '../domain/storage-objects.ts';
import { volumeOfClaim } from '../domain/volume-of-claim.ts';
import type { StorageCommands } from '../ports/storage-commands.ts';
import { type StorageDeps, settleClaim } from './settle-claim.ts';
import { settleVolume } from './settle-volume.ts';
import { lookAtClaims } from './sweep-storage.ts';

/** What the API asks of storage. */
export const createStorageCommands = (deps: Deps): StorageCommands => ({
  hasFolders: deps.ports.volumeFolders !== undefined,
  folderOf(volume) {
    const owner = folderOwnerOf(volume);
    const { volumeFolders } = deps.ports;
    return owner === null || volumeFolders === undefined ? null : folderPath(volumeFolders.root, owner);
  },
  claimChanged: async (key) => settleClaim(key, deps),
  async claimRemoved(volume) {
    if (volume !== '') await settleVolume(volume, deps);
  },
  async volumeChanged(key) {
    const settled = await settleVolume(key.name, deps);
    if (settled === null) return null;
    const { claimRef } = volumeIn(settled.document).spec;
    if (claimRef === undefined) await lookAtClaims(deps);
    else await settleClaim(claimRef, deps);
    return deps.objects.read('PersistentVolume', key);
  },
  lookAtClaims: async () => lookAtClaims(deps),
});

/**
 * Deletes a claim with its namespace. Its volume is released; the sweep does what this call could not.
 *
 * @returns `lost`: it has changed since it was read
 */
export async function deleteClaim(seen: StoredObject, deps: Deps): Promise<{ readonly kind: 'deleted' | 'lost' }> {
  const removed = await deps.objects.commit('PersistentVolumeClaim', {
    key: seen.key,
    was: seen.version,
    document: null,
  });
  if (removed.kind !== 'committed') return { kind: 'lost' };
  const { volumeName = '' } = claimIn(seen.document).spec ?? {};
  if (volumeName !== '') await settleVolume(volumeName, deps);
  return { kind: 'deleted' };
}

/** Tells what claims stand for, by what is stored. */
export const createClaimReader = ({ objects, ports }: StorageDeps): ClaimReader => ({
  async read(key) {
    const stored = await objects.read('PersistentVolumeClaim', key);
    const claim = stored === null ? null : claimIn(stored.document);
    const { volumeName = '' } = claim?.spec ?? {};
    const found =
      volumeName === '' ? null : await objects.read('PersistentVolume', { namespace: '', name: volumeName });
    const volume = found === null ? null : volumeIn(found.document);
    const what = volumeOfClaim(key.name, claim, volume);
    const owner = volume === null ? null : folderOwnerOf(volume);
    // A data folder may have been moved, or copied, since the volume was made.
    return what.kind === 'folder' && owner !== null && ports.volumeFolders !== undefined
      ? { ...what, path: folderPath(ports.volumeFolders.root, owner) }
      : what;
  },
});
