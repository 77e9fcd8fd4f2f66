import type { FieldError } from '../object/field-error.ts';
import { refusedValue } from '../object/refused-fields.ts';
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

/**
 * On Fargate, a volume belongs to root, whatever `fsGroup` says: that matters where another user is to write to it. Where tasks
 * are local processes it does not, because their user made the folder.
 *
 * @param path the path of the Pod's spec
 */
export function volumeOwnerErrors(path: string, spec: PodSpecShape | undefined): readonly FieldError[] {
  if (spec?.securityContext?.fsGroup === undefined) return [];
  const { containers = [], initContainers = [] } = spec;
  return [...initContainers, ...containers].some((each) => writerOf(each, spec) !== null)
    ? [
        refusedValue(
          `${path}.securityContext.fsGroup`,
          "leave it out: give the folder to the user in the image, its owner becomes the volume's",
        ),
      ]
    : [];
}
