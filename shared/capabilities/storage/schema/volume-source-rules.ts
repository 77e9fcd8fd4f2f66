import { fileSystemOfServer } from '../../../domain/task/volumes/task-volumes.ts';
import {
  accessPointIn,
  isAccessPoint,
  isGivenAnyway,
  isPlainPath,
  mountWish,
  parseHandle,
} from '../domain/efs-handle.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../../schema/object/field-error.ts';
import { refusedValue, sweep } from '../../../schema/object/refused-fields.ts';
import type { VolumeSpecShape } from './persistent-volume-shape.ts';

const SOURCES = ['hostPath', 'nfs', 'local', 'csi'] as const;

/**
 * Exactly one source, and what is wrong with it. Folders of this machine are looked at where it is known which ones are offered.
 *
 * @param isForeign it has one of which has been said already that it is refused
 */
export function sourceErrors(spec: VolumeSpecShape, isForeign: boolean): readonly FieldError[] {
  const [first, ...others] = SOURCES.filter((name) => spec[name] !== undefined);
  if (first === undefined) return isForeign ? [] : [required('spec', 'must specify a volume type')];
  const more = others.map((name) => forbidden(`spec.${name}`, 'may not specify more than 1 volume type'));
  return [...ERRORS[first](spec), ...more];
}

const ERRORS: Readonly<Record<(typeof SOURCES)[number], (spec: VolumeSpecShape) => readonly FieldError[]>> = {
  csi: csiErrors,
  nfs: ({ nfs, mountOptions = [] }) => [
    ...serverErrors(nfs?.server ?? ''),
    ...nfsPathErrors(nfs?.path ?? ''),
    ...mountOptions.flatMap((option, i) =>
      isGivenAnyway(option)
        ? []
        : [refusedValue(`spec.mountOptions[${i}]`, 'leave it out: ECS mounts EFS in its own way')],
    ),
  ],
  hostPath: () => [],
  local: ({ nodeAffinity }) =>
    nodeAffinity === undefined || nodeAffinity === null
      ? [required('spec.nodeAffinity', 'Local volume requires node affinity')]
      : [],
};

function serverErrors(server: string): readonly FieldError[] {
  const path = 'spec.nfs.server';
  if (server === '') return [required(path)];
  return fileSystemOfServer(server) === null
    ? [refusedValue(path, 'Fargate mounts no NFS but that of EFS: write fs-....efs.REGION.amazonaws.com')]
    : [];
}

function nfsPathErrors(path: string): readonly FieldError[] {
  if (path === '') return [required('spec.nfs.path')];
  if (!path.startsWith('/')) return [invalid('spec.nfs.path', path, 'must be an absolute path')];
  return isPlainPath(path) ? [] : [invalid('spec.nfs.path', path, "must not contain '..'")];
}

const DRIVER = 'efs.csi.aws.com';

const INSTEAD: Readonly<Record<string, string>> = {
  'ebs.csi.aws.com': `a volume of EBS is made with its task and ends with it; write ${DRIVER} for files that stay`,
  's3.csi.aws.com': `Fargate has no FUSE; write ${DRIVER} with the volumeHandle s3files:fs-... for a file system of S3 Files`,
};

const secretErrors = sweep(
  [
    'controllerPublishSecretRef',
    'nodeStageSecretRef',
    'nodePublishSecretRef',
    'controllerExpandSecretRef',
    'nodeExpandSecretRef',
  ].map((path) => ({ path, instead: "leave it out: the task's role decides, with mountOptions: [tls, iam]" })),
);

function csiErrors({ csi, mountOptions = [] }: VolumeSpecShape): readonly FieldError[] {
  const { driver = '', volumeHandle = '', volumeAttributes = {} } = csi ?? {};
  const driverErrors =
    driver === ''
      ? [required('spec.csi.driver')]
      : driver === DRIVER
        ? []
        : [
            refusedValue(
              'spec.csi.driver',
              INSTEAD[driver] ?? `write ${DRIVER}: tasks of Fargate mount file systems of EFS`,
            ),
          ];
  return [
    ...driverErrors,
    ...(volumeHandle === '' ? [required('spec.csi.volumeHandle')] : []),
    ...secretErrors('spec.csi', csi),
    ...(driver === DRIVER && volumeHandle !== '' ? efsErrors(volumeHandle, volumeAttributes, mountOptions) : []),
  ];
}

const ATTRIBUTES = ['encryptInTransit', 'path'];
/** Says who has made a volume; exported manifests have it. */
const PROVISIONED_BY = 'storage.kubernetes.io/csiProvisionerIdentity';

function efsErrors(
  handle: string,
  attributes: Readonly<Record<string, string>>,
  options: readonly string[],
): readonly FieldError[] {
  const fileSystem = parseHandle(handle);
  const { encrypted, iam, accessPointId: optional } = mountWish(options, attributes['encryptInTransit']);
  const accessPointId = fileSystem?.accessPointId ?? optional;
  const path = fileSystem?.path ?? attributes['path'] ?? null;
  const isHalf = accessPointId !== null && path !== null && path !== '/';
  return [
    ...(fileSystem === null ? [invalid('spec.csi.volumeHandle', handle, HANDLES)] : []),
    ...attributeErrors(attributes),
    ...options.flatMap((option, i) => optionErrors(`spec.mountOptions[${i}]`, option)),
    ...(isHalf ? [invalid('spec.csi.volumeHandle', handle, NOT_BOTH)] : []),
    ...(encrypted === false && (iam || accessPointId !== null)
      ? [forbidden('spec.csi.volumeAttributes[encryptInTransit]', NEEDS_TLS)]
      : []),
  ];
}

const HANDLES =
  'write fs-0123456789abcdef0, with :/folder or ::fsap-0123456789abcdef0 after it, and s3files: before it for S3 Files';
const NOT_BOTH = 'an access point has a folder of its own, and ECS takes no other beside it: leave the path out';
const NEEDS_TLS = 'an access point, and the option iam, need encryption in transit: leave it out';

const attributeErrors = (attributes: Readonly<Record<string, string>>): readonly FieldError[] =>
  Object.entries(attributes).flatMap(([name, value]) => {
    const at = `spec.csi.volumeAttributes[${name}]`;
    if (name === PROVISIONED_BY) return [];
    if (name === 'mounttargetip' || name === 'crossaccount')
      return [refusedValue(at, 'leave it out: ECS finds the mount target of its zone, in the account of the task')];
    if (!ATTRIBUTES.includes(name)) return [notSupported(at, name, ATTRIBUTES)];
    if (name === 'path') return isPlainPath(value) ? [] : [invalid(at, value, 'must be an absolute path')];
    return ['true', 'false'].includes(value) ? [] : [notSupported(at, value, ['false', 'true'])];
  });

function optionErrors(path: string, option: string): readonly FieldError[] {
  const accessPoint = accessPointIn(option);
  if (accessPoint !== null)
    return isAccessPoint(accessPoint) ? [] : [invalid(path, option, 'write accesspoint=fsap-0123456789abcdef0')];
  return option === 'tls' || option === 'iam' || isGivenAnyway(option)
    ? []
    : [refusedValue(path, 'write tls, iam, or accesspoint=fsap-...: ECS mounts EFS in its own way')];
}
