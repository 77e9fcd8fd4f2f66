import { type FieldError, invalid, notFound, required } from '../object/field-error.ts';
import { refusedFields } from './pod-fields.ts';
import type { ContainerShape, VolumeShape } from './pod-shape.ts';
import { refusedValue } from '../object/refused-fields.ts';

/** Kubernetes' rules for mounts (`ValidateVolumeMounts`). */
export function mountErrors(
  path: string,
  { volumeMounts = [] }: ContainerShape,
  volumes: readonly VolumeShape[],
): readonly FieldError[] {
  const seen = new Set<string>();
  return volumeMounts.flatMap((mount, i) => {
    const at = `${path}.volumeMounts[${i}]`;
    const { name = '', mountPath = '' } = mount;
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(`${at}.name`));
    else if (!volumes.some((volume) => volume.name === name)) errors.push(notFound(`${at}.name`, name));
    if (mountPath === '') errors.push(required(`${at}.mountPath`));
    else if (seen.has(mountPath)) errors.push(invalid(`${at}.mountPath`, mountPath, 'must be unique'));
    else if (mountPath.includes(':') || !mountPath.startsWith('/'))
      errors.push(refusedValue(`${at}.mountPath`, 'use an absolute path without a colon'));
    seen.add(mountPath);
    return [...errors, ...refusedFields('volumeMount', at, mount)];
  });
}
