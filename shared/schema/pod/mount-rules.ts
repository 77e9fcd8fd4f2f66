import { segmentsOf } from '../../domain/task/volumes/volume-files.ts';
import type { Container, PodSpec, Volume, VolumeMount } from '../../domain/manifests/pod-spec.ts';
import { type PodOwner, variablesOf, wordExpander } from '../../domain/task/container-env.ts';
import { attachedVolumeOf } from '../../domain/task/volumes/task-volumes.ts';
import { knownText } from '../../domain/base/late-text.ts';
import { referredVariables } from '../../domain/base/variable-expansion.ts';
import { type FieldError, invalid, notFound, required } from '../object/field-error.ts';
import { type IsSecret, secretVariables } from './env-rules.ts';
import { descendingErrors } from './file-volume-rules.ts';
import { refusedFields } from './pod-fields.ts';
import type { ContainerShape, VolumeShape } from './pod-shape.ts';
import { refusedValue } from '../object/refused-fields.ts';

/** Kubernetes' rules for mounts (`ValidateVolumeMounts`). */
export function mountErrors(
  path: string,
  { volumeMounts = [], env = [], envFrom = [] }: ContainerShape,
  volumes: readonly VolumeShape[],
): readonly FieldError[] {
  const isSecret = secretVariables({ env, envFrom });
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
    return [
      ...errors,
      ...subPathErrors(`${path}.volumeMounts`, at, mount, isSecret),
      ...refusedFields('volumeMount', at, mount),
    ];
  });
}

type MountShape = NonNullable<ContainerShape['volumeMounts']>[number];

/**
 * Kubernetes' rules for what of a volume is mounted.
 *
 * @param path of all mounts: Kubernetes does not say which of them has a bad path
 */
function subPathErrors(
  path: string,
  at: string,
  { subPath = '', subPathExpr = '' }: MountShape,
  isSecret: IsSecret,
): readonly FieldError[] {
  const secret = referredVariables(subPathExpr).find(isSecret);
  return [
    ...descendingErrors(`${path}.subPath`, subPath),
    ...(subPath === '' || subPathExpr === ''
      ? []
      : [invalid(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive')]),
    ...descendingErrors(`${path}.subPathExpr`, subPathExpr),
    ...(subPath.includes('\0') ? [invalid(`${at}.subPath`, subPath, 'must not contain NUL')] : []),
    ...(subPathExpr.includes('\0') ? [invalid(`${at}.subPathExpr`, subPathExpr, 'must not contain NUL')] : []),
    ...(secret === undefined
      ? []
      : [refusedValue(`${at}.subPathExpr`, `use other variables: only ECS knows the value of ${secret}`)]),
  ];
}

/** What a container mounts of a volume. */
type SubPath = { readonly at: string; readonly volume: Volume | undefined; readonly names: readonly string[] };

/**
 * Whether Fargate can mount what a Pod wants of its volumes. There each folder of a volume on the task's disk is a volume of its own,
 * so that it shows nothing of a folder around it, and no file can be mounted alone.
 *
 * @param path the path of the Pod's spec
 * @param owner of a Pod without other faults
 */
export function mountPlaceErrors(path: string, owner: PodOwner): readonly FieldError[] {
  const { volumes = [], containers, initContainers = [] } = owner.spec.template.spec;
  const late: FieldError[] = [];
  const mounts: SubPath[] = [];
  for (const [list, members] of Object.entries({ initContainers, containers }))
    for (const [i, container] of members.entries())
      for (const [nth, mount] of (container.volumeMounts ?? []).entries()) {
        const at = `${path}.${list}[${i}].volumeMounts[${nth}]`;
        const text = subPathOf(mount, container, owner);
        if (text === null) late.push(refusedValue(`${at}.subPathExpr`, OWN_FOLDER));
        else
          mounts.push({
            at: `${at}.${mount.subPathExpr === undefined ? 'subPath' : 'subPathExpr'}`,
            volume: volumes.find(({ name }) => name === mount.name),
            names: segmentsOf(text),
          });
      }
  return [
    ...classErrors(`${path}.volumes`, owner.spec.template.spec),
    ...late,
    ...mounts.flatMap((mount) => folderErrors(mount, mounts, owner.spec.template.spec)),
  ];
}

/** A class is a type of EBS: nothing else makes volumes for a task, and it has one of them. */
function classErrors(path: string, spec: PodSpec): readonly FieldError[] {
  const all = (spec.volumes ?? []).map((volume, i) => ({
    at: `${path}[${i}].ephemeral.volumeClaimTemplate.spec.storageClassName`,
    hasClass: (volume.ephemeral?.volumeClaimTemplate.spec.storageClassName ?? '') !== '',
    isEbs: isOfEbs(volume, spec),
  }));
  return [
    ...all
      .filter(({ hasClass, isEbs }) => hasClass && !isEbs)
      .map(({ at }) => refusedValue(at, 'use gp3 or another type of EBS, or leave it out for disk of the task')),
    ...all
      .filter(({ isEbs }) => isEbs)
      .slice(1)
      .map(({ at }) => refusedValue(at, 'leave it out for disk of the task, which has one EBS volume at most')),
  ];
}

const isOfEbs = (volume: Volume, spec: PodSpec): boolean => attachedVolumeOf({ ...spec, volumes: [volume] }) !== null;

const OWN_FOLDER =
  'mount the whole volume, and let the program go to its folder: all Pods of a Job mount the same on Fargate';

/** null: it is not the same for all Pods of the Job, or not known before one starts. */
function subPathOf(mount: VolumeMount, container: Container, owner: PodOwner): string | null {
  const { subPath = '', subPathExpr = '' } = mount;
  if (subPathExpr === '') return subPath;
  const variables = variablesOf(container, owner);
  const isKnown = referredVariables(subPathExpr).every((name) => variables.get(name)?.kind === 'text');
  const text = isKnown ? knownText(wordExpander(variables)(subPathExpr)) : null;
  return text === null || referredVariables(text).length > 0 ? null : text;
}

function folderErrors(
  { at, volume, names }: SubPath,
  mounts: readonly SubPath[],
  spec: PodSpec,
): readonly FieldError[] {
  if (names.length === 0 || volume === undefined || isFileSystem(volume)) return [];
  if (isOfEbs(volume, spec))
    return [refusedValue(at, 'mount the whole volume: a task cannot mount a folder of an EBS volume')];
  if (names.includes('..')) return [invalid(at, names.join('/'), "must not contain '..'")];
  if (isFileOf(volume, names))
    return [refusedValue(at, 'mount the whole volume in a folder of its own: Fargate mounts no single file')];
  return mounts.some((other) => other.volume === volume && isNested(other.names, names))
    ? [
        refusedValue(
          at,
          'mount the whole volume everywhere, or folders that are not within one another: each is a volume of its own on Fargate',
        ),
      ]
    : [];
}

const isFileSystem = ({ persistentVolumeClaim, nfs }: Volume): boolean =>
  persistentVolumeClaim !== undefined || nfs !== undefined;

/** Whether one is within the other, and not the same. */
const isNested = (a: readonly string[], b: readonly string[]): boolean =>
  a.length !== b.length && a.slice(0, b.length).every((name, i) => name === b[i]);

/** Whether a path is, or is below, a file that the volume has or may have: without `items`, a key is any name. */
function isFileOf(volume: Volume, names: readonly string[]): boolean {
  const sources = [volume, ...(volume.projected?.sources ?? [])];
  return sources.some(({ configMap, secret, downwardAPI }) => {
    const keys = configMap ?? secret;
    const files = keys?.items ?? downwardAPI?.items;
    if (keys !== undefined && files === undefined) return names.length === 1;
    return (files ?? []).some(({ path }) => segmentsOf(path).every((name, i) => name === names[i]));
  });
}
