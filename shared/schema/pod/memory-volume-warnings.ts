import { parseQuantity } from '../../domain/base/quantity.ts';
import type { PodTemplate } from '../../domain/manifests/manifest.ts';
import { tmpfsOf } from '../../domain/task/volumes/memory-volumes.ts';
import { fargateSizeOf } from '../../domain/task/pod-template.ts';

const MIB = 2 ** 20;

/**
 * Warnings about volumes in memory that get less than their `sizeLimit`: as much as their container may have of memory.
 *
 * @param path the path of the Pod's spec
 */
export function memoryVolumeWarnings(path: string, template: PodTemplate): readonly string[] {
  const { volumes = [], containers, initContainers = [] } = template.spec;
  const size = fargateSizeOf({ spec: { template } });
  if (size.kind !== 'fits') return [];
  const all = [...initContainers, ...containers].flatMap((each) => tmpfsOf(each, template.spec, size.memoryMib));
  const sizes = new Map(all.map(({ volume, sizeMib }) => [volume, sizeMib]));
  return volumes.flatMap(({ name, emptyDir }, i) => {
    const mib = sizes.get(name);
    const wanted = parseQuantity(emptyDir?.sizeLimit ?? '0') ?? 0;
    return mib === undefined || wanted <= mib * MIB
      ? []
      : [
          `${path}.volumes[${i}].emptyDir.sizeLimit: the volume has ${mib} MiB, as its container has of memory; set limits.memory`,
        ];
  });
}
