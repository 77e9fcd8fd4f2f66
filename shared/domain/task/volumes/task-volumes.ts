import { toBase64 } from './base64.ts';
import { type LateText, knownText } from '../../base/late-text.ts';
import { parseQuantity } from '../../base/quantity.ts';
import type { Container, PodSpec, Volume } from '../../manifests/pod-spec.ts';
import type { PodOwner } from '../container-env.ts';
import { isInMemory } from './memory-volumes.ts';
import type { ClaimVolume } from './claim-volume.ts';
import { type PodSources, claimsOf } from '../pod-sources.ts';
import type { AttachedVolume, TaskDefinition, TaskFile, TaskFileSystem, TaskMount } from '../task.ts';
import { holdsFiles, volumeFiles } from './volume-files.ts';

/** Where the volumes of a Pod are. Nothing but names for most, so that their definitions stay as they were. */
export function volumesOf(
  spec: PodSpec,
  sources: PodSources,
): Pick<TaskDefinition, 'volumes' | 'hostPaths' | 'fileSystems' | 'attached'> {
  const { volumes = [] } = spec;
  const claimed = claimedVolumes(spec, sources);
  const hostPaths = [
    ...volumes.flatMap(({ name, hostPath }) => (hostPath === undefined ? [] : [{ volume: name, path: hostPath.path }])),
    ...[...claimed].flatMap(([volume, claim]) => (claim.kind === 'folder' ? [{ volume, path: claim.path }] : [])),
  ];
  const fileSystems = [
    ...[...claimed].flatMap(([volume, claim]) => fileSystemOf(volume, claim) ?? []),
    ...volumes.flatMap(({ name, nfs }) => (nfs === undefined ? [] : (efsOfServer(name, nfs) ?? []))),
  ];
  const attached = attachedVolumeOf(spec);
  return {
    volumes: volumes.filter((volume) => !isInMemory(volume)).map(({ name }) => name),
    ...(hostPaths.length === 0 ? {} : { hostPaths }),
    ...(fileSystems.length === 0 ? {} : { fileSystems }),
    ...(attached === null ? {} : { attached }),
  };
}

/** What claims give, by volume. */
const claimedVolumes = (spec: PodSpec, { claims }: PodSources): ReadonlyMap<string, ClaimVolume> =>
  new Map(
    claimsOf(spec).flatMap(({ volume, name }) => {
      const claim = claims.get(name);
      return claim === undefined ? [] : [[volume, claim]];
    }),
  );

/** null: the claim gives something else. S3 Files is always encrypted on its way, and the task's role decides. */
function fileSystemOf(volume: string, claim: ClaimVolume): TaskFileSystem | null {
  if (claim.kind !== 'efs' && claim.kind !== 's3files') return null;
  const { kind: service, fileSystemId, rootDirectory, accessPointId } = claim;
  const { transitEncryption, iam } = claim.kind === 'efs' ? claim : { transitEncryption: true, iam: true };
  return { volume, service, fileSystemId, rootDirectory, accessPointId, transitEncryption, iam };
}

/** An NFS server that is a file system of EFS; null: it is none, and Fargate mounts no other. */
export const efsOfServer = (
  volume: string,
  { server, path }: { readonly server: string; readonly path: string },
): TaskFileSystem | null => {
  const fileSystemId = fileSystemOfServer(server);
  return fileSystemId === null
    ? null
    : {
        volume,
        service: 'efs',
        fileSystemId,
        rootDirectory: path,
        accessPointId: null,
        transitEncryption: true,
        iam: false,
      };
};

/** EFS user guide, "Mounting on Amazon EC2 with a DNS name". */
const EFS_SERVER = /^(?:[a-z0-9-]+-\d[a-z]\.)?(fs-[0-9a-f]{8,40})\.efs\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?\.?$/;

/** The file system of a DNS name of EFS, of a Region or of a zone; null: it is another server. */
export const fileSystemOfServer = (server: string): string | null => EFS_SERVER.exec(server)?.[1] ?? null;

/** A volume that is an EBS volume of the task: its class is one of EBS's types, as in clusters. */
const isAttached = ({ ephemeral }: Volume): boolean =>
  EBS_TYPES.includes(ephemeral?.volumeClaimTemplate.spec.storageClassName ?? '');

/** What Fargate takes: all but magnetic disks (ECS developer guide, "Use Amazon EBS volumes with Amazon ECS"). */
const EBS_TYPES: readonly string[] = ['gp2', 'gp3', 'io1', 'io2', 'sc1', 'st1'];

/** The Pod's EBS volume; null: it has none. */
export function attachedVolumeOf({ volumes = [] }: PodSpec): AttachedVolume | null {
  const found = volumes.find(isAttached);
  const { storageClassName: type = '', resources } = found?.ephemeral?.volumeClaimTemplate.spec ?? {};
  return found === undefined
    ? null
    : {
        volume: found.name,
        type,
        sizeGib: Math.ceil((parseQuantity(resources?.requests?.storage ?? '') ?? GIB) / GIB),
      };
}

/** What an ephemeral volume takes of the task's own disk, in bytes. */
export const ownDiskOf = (volume: Volume): number =>
  isAttached(volume)
    ? 0
    : (parseQuantity(volume.ephemeral?.volumeClaimTemplate.spec.resources?.requests?.storage ?? '0') ?? 0);

const GIB = 2 ** 30;

/** What a container mounts of its Pod's volumes. What a claim or a volume gives for reading only cannot be mounted otherwise. */
export function mountsOf(
  { volumeMounts = [] }: Container,
  spec: PodSpec,
  sources: PodSources,
  expand: (word: string) => LateText,
): readonly TaskMount[] {
  const claimed = claimedVolumes(spec, sources);
  return volumeMounts.map(({ name, mountPath, readOnly = false, subPath = '', subPathExpr = '' }) => {
    const volume = spec.volumes?.find((each) => each.name === name);
    const claim = claimed.get(name);
    const isForReading =
      (claim !== undefined && claim.kind !== 'unbound' && claim.readOnly) ||
      volume?.persistentVolumeClaim?.readOnly === true ||
      volume?.nfs?.readOnly === true ||
      (volume !== undefined && holdsFiles(volume));
    return {
      volume: name,
      path: mountPath,
      readOnly: readOnly || isForReading,
      ...(subPath === '' ? {} : { subPath }),
      ...(subPathExpr === '' ? {} : partOf(subPathExpr, expand)),
    };
  });
}

/** What is the same for all Pods of the Job is known already. */
function partOf(
  subPathExpr: string,
  expand: (word: string) => LateText,
): Pick<TaskMount, 'subPath'> | Pick<TaskMount, 'subPathExpr'> {
  const known = knownText(expand(subPathExpr));
  return known === null ? { subPathExpr } : { subPath: known };
}

/** The files of a Pod's volumes as its task definition has them; nothing if there are none. */
export function taskFiles(manifest: PodOwner, sources: PodSources): Pick<TaskDefinition, 'files'> {
  const files = volumeFiles(manifest, sources).map(
    ({ content, ...place }): TaskFile => ({
      ...place,
      content:
        content.kind === 'known'
          ? { kind: 'known', base64: toBase64(content.bytes) }
          : content.kind === 'late'
            ? { kind: 'late' }
            : content,
    }),
  );
  return files.length === 0 ? {} : { files };
}
