import { type HostFolders, isWithin } from '../../domain/task/volumes/host-folders.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../object/field-error.ts';
import { refusedValue } from '../object/refused-fields.ts';
import { NOT_SHARED } from './volume-fields.ts';
import type { PodSpecShape, VolumeShape } from './pod-shape.ts';

/**
 * Whether a Pod may mount what it wants of this machine, and Kubernetes' rules for it (`validateHostPathVolumeSource`). Where a path
 * really leads is looked at when a task starts.
 *
 * @param path the path of the Pod's spec
 */
export const hostPathErrors = (
  path: string,
  spec: PodSpecShape | undefined,
  folders: HostFolders,
): readonly FieldError[] =>
  (spec?.volumes ?? []).flatMap((volume, i) => {
    const at = `${path}.volumes[${i}].hostPath`;
    if (volume.hostPath === undefined) return [];
    return folders !== null && volume.emptyDir !== undefined
      ? [forbidden(at, 'may not specify more than 1 volume type')]
      : hostFolderErrors(at, volume.hostPath, folders);
  });

/** Whether something may be what is at a path of this machine. */
export function hostFolderErrors(
  at: string,
  source: NonNullable<VolumeShape['hostPath']>,
  folders: HostFolders,
): readonly FieldError[] {
  if (folders === null) return [refusedValue(at, NOT_SHARED)];
  return folders.length === 0 ? [forbidden(at, NO_FOLDER)] : sourceErrors(at, source, folders);
}

const NO_FOLDER = 'start muster local with --allow-host-path and a folder: Pods may mount what is in it';

/** In the order of Kubernetes' answers. */
const TYPES: readonly string[] = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

function sourceErrors(
  at: string,
  { path = '', type = '' }: NonNullable<VolumeShape['hostPath']>,
  folders: readonly string[],
): readonly FieldError[] {
  if (path === '') return [required(`${at}.path`)];
  const pathErrors = path.split('/').includes('..')
    ? [invalid(`${at}.path`, path, "must not contain '..'")]
    : path.includes('\0')
      ? [invalid(`${at}.path`, path, 'must not contain NUL')]
      : isWithin(path, folders)
        ? []
        : [
            forbidden(
              `${at}.path`,
              `it is not within what muster local --allow-host-path names: ${folders.join(', ')}`,
            ),
          ];
  return [...pathErrors, ...(TYPES.includes(type) ? [] : [notSupported(`${at}.type`, type, TYPES)])];
}
