import { parseQuantity } from '../domain/quantity.ts';
import { dnsLabelFaults } from './dns-names.ts';
import { type Fault, duplicate, invalid, notFound, required } from './fault.ts';
import { POD_FIELDS, refusedFields } from './pod-fields.ts';
import type { ContainerShape, VolumeShape } from './pod-shape.ts';
import { QUANTITY } from './resource-rules.ts';
import { refusedValue } from './refused-fields.ts';

/** Kubernetes' rules for volumes (`ValidateVolumes`), of which a task has empty ones only. */
export function volumeFaults(path: string, volumes: readonly VolumeShape[]): readonly Fault[] {
  const seen = new Set<string>();
  return volumes.flatMap((volume, i) => {
    const at = `${path}[${i}]`;
    const { name = '', emptyDir } = volume;
    const faults: Fault[] = [];
    if (name === '') faults.push(required(`${at}.name`));
    else if (seen.has(name)) faults.push(duplicate(`${at}.name`, name));
    else faults.push(...dnsLabelFaults(name).map((fault) => invalid(`${at}.name`, name, fault)));
    seen.add(name);
    return [
      ...faults,
      ...sourceFaults(at, volume),
      ...refusedFields('emptyDir', `${at}.emptyDir`, emptyDir),
      ...sizeFaults(at, volume),
    ];
  });
}

/** Even an empty source is one: without any, Kubernetes makes it an emptyDir. */
function sourceFaults(path: string, volume: VolumeShape): readonly Fault[] {
  return Object.entries(volume).flatMap(([source, value]) => {
    const field = Object.entries(POD_FIELDS.volume).find(([name]) => name === source)?.[1];
    return value === undefined || value === null || field?.kind !== 'refused'
      ? []
      : [refusedValue(`${path}.${source}`, field.instead)];
  });
}

function sizeFaults(path: string, { emptyDir }: VolumeShape): readonly Fault[] {
  const at = `${path}.emptyDir.sizeLimit`;
  const text = emptyDir?.sizeLimit;
  if (text === undefined) return [];
  const bytes = parseQuantity(text);
  if (bytes === null) return [invalid(at, text, QUANTITY)];
  return bytes < 0 ? [invalid(at, text, 'must be greater than or equal to 0')] : [];
}

/** Kubernetes' rules for mounts (`ValidateVolumeMounts`). */
export function mountFaults(
  path: string,
  { volumeMounts = [] }: ContainerShape,
  volumes: readonly VolumeShape[],
): readonly Fault[] {
  const seen = new Set<string>();
  return volumeMounts.flatMap((mount, i) => {
    const at = `${path}.volumeMounts[${i}]`;
    const { name = '', mountPath = '' } = mount;
    const faults: Fault[] = [];
    if (name === '') faults.push(required(`${at}.name`));
    else if (!volumes.some((volume) => volume.name === name)) faults.push(notFound(`${at}.name`, name));
    if (mountPath === '') faults.push(required(`${at}.mountPath`));
    else if (seen.has(mountPath)) faults.push(invalid(`${at}.mountPath`, mountPath, 'must be unique'));
    else if (mountPath.includes(':') || !mountPath.startsWith('/'))
      faults.push(refusedValue(`${at}.mountPath`, 'use an absolute path without a colon'));
    seen.add(mountPath);
    return [...faults, ...refusedFields('volumeMount', at, mount)];
  });
}
