import type { ContainerShape, PodSpecShape, VolumeShape } from './pod-shape.ts';

/** The user other than root as whom a container writes to a volume on the task's disk; null: it does not. */
export function writerOf({ securityContext, volumeMounts = [] }: ContainerShape, pod: PodSpecShape): number | null {
  const user = securityContext?.runAsUser ?? pod.securityContext?.runAsUser ?? 0;
  const isOnDisk = (name: string | undefined): boolean =>
    (pod.volumes ?? []).every((volume) => volume.name !== name || isOwnFolder(volume));
  return user !== 0 && volumeMounts.some(({ name, readOnly }) => readOnly !== true && isOnDisk(name)) ? user : null;
}

/** Whether a volume is an empty folder on the task's disk. Files of objects are only read, and file systems have owners. */
const isOwnFolder = (volume: VolumeShape): boolean =>
  volume.emptyDir === undefined
    ? OTHER_SOURCES.every((source) => volume[source] === undefined)
    : volume.emptyDir.medium !== 'Memory';

const OTHER_SOURCES = [
  'hostPath',
  'configMap',
  'secret',
  'downwardAPI',
  'projected',
  'persistentVolumeClaim',
  'nfs',
] as const satisfies readonly (keyof VolumeShape)[];
