import { parseQuantity } from '../../base/quantity.ts';
import type { Container, PodSpec, Volume } from '../../manifests/pod-spec.ts';
import type { TaskTmpfs } from '../task.ts';

const MIB = 2 ** 20;

/** Whether a volume is kept in memory, not on the task's disk. */
export const isInMemory = ({ emptyDir }: Volume): boolean => emptyDir?.medium === 'Memory';

/**
 * The volumes in memory that a container mounts. Each may have as much as Kubernetes gives it (`SizeMemoryBackedVolumes`): its
 * `sizeLimit`, and no more than the container may have of memory.
 *
 * @param taskMib the memory of the task, which a container without a limit may use up
 */
export function tmpfsOf(
  { volumeMounts = [], resources }: Container,
  { volumes = [] }: PodSpec,
  taskMib: number,
): readonly TaskTmpfs[] {
  const mostMib = Math.min(taskMib, mibOf(resources?.limits?.memory));
  return volumeMounts.flatMap(({ name, mountPath, readOnly = false }) => {
    const volume = volumes.find((each) => each.name === name);
    return volume === undefined || !isInMemory(volume)
      ? []
      : [{ volume: name, path: mountPath, readOnly, sizeMib: Math.min(mostMib, mibOf(volume.emptyDir?.sizeLimit)) }];
  });
}

/** Rounded up. Without an amount, or with 0, which is the same to Kubernetes, there is no limit. */
function mibOf(quantity: string | undefined): number {
  const bytes = parseQuantity(quantity ?? '0') ?? 0;
  return bytes > 0 ? Math.ceil(bytes / MIB) : Infinity;
}
