import { type Claim, NOTED, type Volume, type VolumePhase, folderOwnerOf } from './storage-objects.ts';

/** What is to be done with a volume, apart from what its claim does. */
export type VolumeStep =
  | { readonly kind: 'phase'; readonly phase: VolumePhase; readonly message: string }
  /** It is not its claim's any more. `keepsName`: a user has kept it for a claim of that name. */
  | { readonly kind: 'unbind'; readonly keepsName: boolean }
  /** With all that is in it. */
  | { readonly kind: 'remove' }
  /** Its claim's turn will come. */
  | { readonly kind: 'nothing' };

/**
 * What becomes of a volume (`syncVolume` of Kubernetes' persistentvolume controller).
 *
 * @param claim of the name that the volume says; null: there is none, or nothing is said
 */
export function decideVolume(volume: Volume, claim: Claim | null): VolumeStep {
  const { claimRef } = volume.spec;
  if (claimRef?.uid === undefined) return phase('Available');
  if (claim?.metadata.uid !== claimRef.uid) return released(volume);
  const { volumeName = '' } = claim.spec;
  if (volumeName === '') return { kind: 'nothing' };
  if (volumeName === volume.metadata.name) return phase('Bound');
  if (folderOwnerOf(volume) !== null && volume.spec.persistentVolumeReclaimPolicy === 'Delete')
    return { kind: 'remove' };
  return { kind: 'unbind', keepsName: volume.metadata.annotations?.[NOTED.byController] === undefined };
}

const phase = (name: VolumePhase, message = ''): VolumeStep => ({ kind: 'phase', phase: name, message });

/** Its claim is gone: only what was made for the claim goes with it. */
function released(volume: Volume): VolumeStep {
  if (volume.spec.persistentVolumeReclaimPolicy === 'Retain') return phase('Released');
  return folderOwnerOf(volume) !== null ? { kind: 'remove' } : phase('Failed', NOT_OURS);
}

const NOT_OURS =
  'Muster deletes no files that it has not made a place for: delete them, then this volume; or set persistentVolumeReclaimPolicy to Retain';
