import { inPhase, unboundVolume } from '../domain/bound-documents.ts';
import { type VolumeStep, decideVolume } from '../domain/decide-volume.ts';
import { type Volume, claimIn, folderOwnerOf, volumeIn } from '../domain/storage-objects.ts';
import { tryOnConflict } from '../../../store/retry-on-conflict.ts';
import type { StoredObject } from '../../../ports/object-store.ts';
import type { Deps } from '../../../control/process/deps.ts';

/** What deciding about volumes needs of `Deps`. */
type VolumeDeps = Pick<Deps, 'objects' | 'clock' | 'ports'>;

const TRIES_MAX = 20;

/** Gives a volume the phase that it is in, or back if its claim is gone. @returns the volume as it is then; null: it is gone */
export async function settleVolume(name: string, deps: VolumeDeps): Promise<StoredObject | null> {
  const key = { namespace: '', name };
  const settled = await tryOnConflict(TRIES_MAX, async () => {
    const stored = await deps.objects.read('PersistentVolume', key);
    return stored === null ? null : tryToSettle(stored, deps);
  });
  return settled === 'conflict' ? deps.objects.read('PersistentVolume', key) : settled;
}

async function tryToSettle(stored: StoredObject, deps: VolumeDeps): Promise<StoredObject | 'conflict' | null> {
  const volume = volumeIn(stored.document);
  const { claimRef } = volume.spec;
  const claim = claimRef === undefined ? null : await deps.objects.read('PersistentVolumeClaim', claimRef);
  const step = decideVolume(volume, claim === null ? null : claimIn(claim.document));
  if (step.kind === 'remove') return removeVolume(stored, deps);
  const next = afterStep(volume, step, deps);
  if (next === volume) return stored;
  const committed = await deps.objects.commit('PersistentVolume', {
    key: stored.key,
    was: stored.version,
    document: next,
  });
  return committed.kind === 'committed' ? { ...stored, version: committed.version, document: next } : 'conflict';
}

/** The volume after a step; the same one if it changes nothing, or removes it. */
export function afterStep(volume: Volume, step: VolumeStep, { clock }: Pick<VolumeDeps, 'clock'>): Volume {
  if (step.kind === 'phase') return inPhase(volume, step.phase, step.message, clock.now());
  return step.kind === 'unbind' ? unboundVolume(volume, step.keepsName, clock.now()) : volume;
}

/** The folder goes first: as long as the volume is there, somebody will look for it again. */
async function removeVolume(
  stored: StoredObject,
  { objects, ports: { volumeFolders } }: VolumeDeps,
): Promise<StoredObject | 'conflict' | null> {
  const owner = folderOwnerOf(volumeIn(stored.document));
  if (owner === null || volumeFolders === undefined) return stored;
  await volumeFolders.remove(owner);
  const committed = await objects.commit('PersistentVolume', { key: stored.key, was: stored.version, document: null });
  return committed.kind === 'committed' ? null : 'conflict';
}
