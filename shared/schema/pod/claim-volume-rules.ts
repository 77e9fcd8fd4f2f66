import { ANYWHERE, type HostFolders } from '../../domain/task/volumes/host-folders.ts';
import { efsOfServer } from '../../domain/task/volumes/task-volumes.ts';
import { type FieldError, forbidden, invalid, required } from '../object/field-error.ts';
import { annotationErrors, labelErrors } from '../object/metadata-rules.ts';
import { refusedValue } from '../object/refused-fields.ts';
import { accessModeErrors, namedErrors, sizeErrors, volumeModeErrors } from './claim-spec-rules.ts';
import { refusedFields } from './pod-fields.ts';
import type { PodSpecShape, VolumeShape } from './pod-shape.ts';
import { objectNameErrors } from './source-rules.ts';

type TemplateShape = NonNullable<NonNullable<VolumeShape['ephemeral']>['volumeClaimTemplate']>;
type ClaimShape = NonNullable<TemplateShape['spec']>;

/** Kubernetes' `validatePersistentClaimVolumeSource`. */
export const claimErrors = (
  path: string,
  { claimName = '' }: NonNullable<VolumeShape['persistentVolumeClaim']>,
): readonly FieldError[] => objectNameErrors(`${path}.claimName`, claimName);

/** Kubernetes' `validateEphemeralVolumeSource`. */
export function ephemeralErrors(
  path: string,
  { volumeClaimTemplate: template }: NonNullable<VolumeShape['ephemeral']>,
): readonly FieldError[] {
  const at = `${path}.volumeClaimTemplate`;
  return template === undefined
    ? [required(at)]
    : [...metadataErrors(`${at}.metadata`, template.metadata), ...specErrors(`${at}.spec`, template.spec ?? {})];
}

/** Only labels and annotations may be set (`ValidateTemplateObjectMeta`). */
function metadataErrors(path: string, metadata: TemplateShape['metadata']): readonly FieldError[] {
  if (metadata === undefined) return [];
  const { labels, annotations, ...others } = metadata;
  return [
    ...annotationErrors(`${path}.annotations`, annotations),
    ...labelErrors(`${path}.labels`, labels),
    ...Object.entries(others)
      .filter(([, value]) => isSet(value))
      .map(([name]) => forbidden(`${path}.${name}`, 'cannot be set')),
  ];
}

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && value !== 0 && !(Array.isArray(value) && value.length === 0);

/** Kubernetes' `ValidatePersistentVolumeClaimSpec`. */
function specErrors(path: string, spec: Partial<ClaimShape>): readonly FieldError[] {
  const { accessModes = [], resources, storageClassName = '', volumeMode = '' } = spec;
  return [
    ...accessModeErrors(`${path}.accessModes`, accessModes, 'at least 1 access mode is required'),
    ...sizeErrors(`${path}.resources[storage]`, resources?.requests?.['storage']),
    ...namedErrors(`${path}.storageClassName`, storageClassName),
    ...volumeModeErrors(`${path}.volumeMode`, volumeMode),
    ...refusedFields('claimSpec', path, spec),
  ];
}

/** Kubernetes' `validateNFSVolumeSource`. */
export const nfsErrors = (
  path: string,
  { server = '', path: exported = '' }: NonNullable<VolumeShape['nfs']>,
): readonly FieldError[] => [
  ...(server === '' ? [required(`${path}.server`)] : []),
  ...(exported === '' ? [required(`${path}.path`)] : []),
  ...(exported === '' || exported.startsWith('/')
    ? []
    : [invalid(`${path}.path`, exported, 'must be an absolute path')]),
  ...(exported.split('/').includes('..') ? [invalid(`${path}.path`, exported, "must not contain '..'")] : []),
];

/**
 * Whether tasks can mount what a Pod wants over NFS: on Fargate a file system of EFS, and on this machine nothing.
 *
 * @param path the path of the Pod's spec
 */
export const nfsPlaceErrors = (
  path: string,
  spec: PodSpecShape | undefined,
  folders: HostFolders,
): readonly FieldError[] =>
  (spec?.volumes ?? []).flatMap(({ name = '', nfs }, i) => {
    const at = `${path}.volumes[${i}].nfs`;
    if (nfs === undefined || folders === ANYWHERE) return [];
    if (folders !== null)
      return [refusedValue(at, 'mount the share on this machine, and use a hostPath (muster local --allow-host-path)')];
    const { server = '', path: exported = '' } = nfs;
    return server === '' || efsOfServer(name, { server, path: exported }) !== null
      ? []
      : [
          refusedValue(
            `${at}.server`,
            'use a file system of EFS by its DNS name, as fs-0123456789abcdef0.efs.eu-central-1.amazonaws.com: Fargate mounts no other',
          ),
        ];
  });
