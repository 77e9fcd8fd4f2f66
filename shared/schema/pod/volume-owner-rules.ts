import type { FieldError } from '../object/field-error.ts';
import { refusedValue } from '../object/refused-fields.ts';
import type { ContainerShape, PodSpecShape } from './pod-shape.ts';

/** The user other than root as whom a container writes to a volume on the task's disk; null: it does not. */
export function writerOf({ securityContext, volumeMounts = [] }: ContainerShape, pod: PodSpecShape): number | null {
  const user = securityContext?.runAsUser ?? pod.securityContext?.runAsUser ?? 0;
  const isOnDisk = (name: string | undefined): boolean =>
    !(pod.volumes ?? []).some(
      (volume) => volume.name === name && (volume.hostPath !== undefined || volume.emptyDir?.medium === 'Memory'),
    );
  return user !== 0 && volumeMounts.some(({ name, readOnly }) => readOnly !== true && isOnDisk(name)) ? user : null;
}

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
