import type { ClaimVolume } from '../../../domain/task/volumes/claim-volume.ts';
import { fileSystemOfServer } from '../../../domain/task/volumes/task-volumes.ts';
import { type FileSystem, mountWish, parseHandle } from './efs-handle.ts';
import { type Claim, type CsiSource, type NfsSource, type Volume, isFor } from './storage-objects.ts';

/**
 * What a claim stands for. Only what both sides agree on is a binding.
 *
 * @param name the claim's, for the reason if there is none
 * @param claim null: there is none of this name
 * @param volume the one that the claim names; null: there is none
 */
export function volumeOfClaim(name: string, claim: Claim | null, volume: Volume | null): ClaimVolume {
  if (claim === null) return unbound(`persistentvolumeclaim ${JSON.stringify(name)} not found`);
  if (claim.status.phase === 'Lost')
    return unbound(
      `persistentvolumeclaim ${JSON.stringify(name)} bound to non-existent persistentvolume ${JSON.stringify(claim.spec.volumeName ?? '')}`,
    );
  const isBound = claim.status.phase === 'Bound' && volume?.spec.claimRef?.uid !== undefined && isFor(volume, claim);
  if (!isBound || volume === null) return unbound('pod has unbound immediate PersistentVolumeClaims');
  const { csi, nfs, hostPath, local } = volume.spec;
  if (csi !== undefined) return ofCsi(csi, volume);
  if (nfs !== undefined) return ofNfs(nfs);
  const path = hostPath?.path ?? local?.path ?? '';
  return { kind: 'folder', path, readOnly: false };
}

const unbound = (reason: string): ClaimVolume => ({ kind: 'unbound', reason });

function ofCsi({ volumeHandle, readOnly = false, volumeAttributes = {} }: CsiSource, { spec }: Volume): ClaimVolume {
  const fileSystem = parseHandle(volumeHandle);
  if (fileSystem === null) return unbound(`volume handle ${JSON.stringify(volumeHandle)} names no file system`);
  const {
    encrypted,
    iam,
    accessPointId: optional,
  } = mountWish(spec.mountOptions ?? [], volumeAttributes['encryptInTransit']);
  const accessPointId = fileSystem.accessPointId ?? optional;
  const place = placeIn(fileSystem, volumeAttributes['path'], accessPointId);
  if (fileSystem.service === 's3files') return { kind: 's3files', ...place, readOnly };
  return {
    kind: 'efs',
    ...place,
    // ECS takes neither an access point nor a role without it.
    transitEncryption: encrypted !== false || iam || accessPointId !== null,
    iam,
    readOnly,
  };
}

const placeIn = ({ fileSystemId, path }: FileSystem, attribute: string | undefined, accessPointId: string | null) => ({
  fileSystemId,
  rootDirectory: accessPointId === null ? (path ?? attribute ?? '/') : '/',
  accessPointId,
});

function ofNfs({ server, path, readOnly = false }: NfsSource): ClaimVolume {
  const fileSystemId = fileSystemOfServer(server);
  if (fileSystemId === null) return unbound(`server ${JSON.stringify(server)} is no file system of EFS`);
  const fixed = { accessPointId: null, transitEncryption: true, iam: false };
  return { kind: 'efs', fileSystemId, rootDirectory: path, ...fixed, readOnly };
}
