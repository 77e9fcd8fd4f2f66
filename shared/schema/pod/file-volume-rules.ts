import { segmentsOf } from '../../domain/task/volumes/volume-files.ts';
import type { Container } from '../../domain/manifests/pod-spec.ts';
import { type FieldError, forbidden, invalid, required } from '../object/field-error.ts';
import { refusedValue } from '../object/refused-fields.ts';
import { refusedFields } from './pod-fields.ts';
import type { VolumeShape } from './pod-shape.ts';
import { FILE_FIELDS, configKeyErrors, fieldRefErrors, objectNameErrors, resourceRefErrors } from './source-rules.ts';

type KeysShape = Omit<NonNullable<VolumeShape['configMap']>, 'name'>;
type KeyFileShape = NonNullable<KeysShape['items']>[number];
type FieldFileShape = NonNullable<NonNullable<VolumeShape['downwardAPI']>['items']>[number];
type ProjectedShape = NonNullable<VolumeShape['projected']>;
type ProjectionShape = NonNullable<ProjectedShape['sources']>[number];
type TokenShape = NonNullable<ProjectionShape['serviceAccountToken']>;

/** Kubernetes' `validateConfigMapVolumeSource`. */
export const configMapErrors = (
  path: string,
  { name = '', ...files }: NonNullable<VolumeShape['configMap']>,
): readonly FieldError[] => [...objectNameErrors(`${path}.name`, name), ...keysErrors(path, files)];

/** Kubernetes' `validateSecretVolumeSource`. */
export const secretErrors = (
  path: string,
  { secretName = '', ...files }: NonNullable<VolumeShape['secret']>,
): readonly FieldError[] => [...objectNameErrors(`${path}.secretName`, secretName), ...keysErrors(path, files)];

const keysErrors = (path: string, { items = [], defaultMode }: KeysShape): readonly FieldError[] => [
  ...modeErrors(`${path}.defaultMode`, defaultMode),
  ...items.flatMap((item, i) => keyFileErrors(`${path}.items[${i}]`, item)),
];

/** Kubernetes' `validateDownwardAPIVolumeSource`, whose paths do not say which item it is. */
export const downwardErrors = (
  path: string,
  { items = [], defaultMode }: NonNullable<VolumeShape['downwardAPI']>,
  pod: readonly Container[],
): readonly FieldError[] => [
  ...modeErrors(`${path}.defaultMode`, defaultMode),
  ...items.flatMap((item) => fieldFileErrors(path, item, pod)),
];

/** Kubernetes' `validateProjectedVolumeSource`. */
export function projectedErrors(
  path: string,
  { sources = [], defaultMode }: ProjectedShape,
  pod: readonly Container[],
): readonly FieldError[] {
  const seen = new Set<string>();
  return [
    ...modeErrors(`${path}.defaultMode`, defaultMode),
    ...sources.flatMap((source, i) => [
      ...projectionErrors(`${path}.sources[${i}]`, source, pod),
      ...collisions(path, source, seen),
    ]),
  ];
}

function projectionErrors(at: string, source: ProjectionShape, pod: readonly Container[]): readonly FieldError[] {
  const { secret, configMap, downwardAPI, serviceAccountToken } = source;
  return [
    ...(secret === undefined ? [] : projectedKeysErrors(`${at}.secret`, secret)),
    ...(configMap === undefined ? [] : projectedKeysErrors(`${at}.configMap`, configMap)),
    ...(downwardAPI?.items ?? []).flatMap((item) => fieldFileErrors(`${at}.downwardAPI`, item, pod)),
    ...(serviceAccountToken === undefined ? [] : tokenErrors(`${at}.serviceAccountToken`, serviceAccountToken)),
    ...refusedFields('projection', at, source),
    ...([secret, configMap, downwardAPI, serviceAccountToken].filter((each) => each !== undefined).length > 1
      ? [forbidden(at, 'may not specify more than 1 volume type per source')]
      : []),
  ];
}

/** Kubernetes' rules (`validateProjectionSources`), and one of signers: no longer audience than they take. */
function tokenErrors(at: string, { audience = '', expirationSeconds, path = '' }: TokenShape): readonly FieldError[] {
  const life = (why: string) => [invalid(`${at}.expirationSeconds`, expirationSeconds, why)];
  return [
    ...(expirationSeconds === undefined || expirationSeconds >= LEAST_LIFE_SEC
      ? []
      : life('may not specify a duration less than 10 minutes')),
    ...(expirationSeconds === undefined || expirationSeconds <= MOST_LIFE_SEC
      ? []
      : life('may not specify a duration larger than 2^32 seconds')),
    ...filePathErrors(`${at}.path`, path),
    ...(audience.length <= AUDIENCE_CHARS_MAX
      ? []
      : [invalid(`${at}.audience`, audience.slice(0, 100), `must have ${AUDIENCE_CHARS_MAX} characters at most`)]),
  ];
}

const LEAST_LIFE_SEC = 600;
const MOST_LIFE_SEC = 2 ** 32;
const AUDIENCE_CHARS_MAX = 1_000;

const projectedKeysErrors = (
  at: string,
  { name = '', items = [] }: NonNullable<ProjectionShape['configMap']>,
): readonly FieldError[] => [
  ...objectNameErrors(`${at}.name`, name),
  ...items.flatMap((item, i) => keyFileErrors(`${at}.items[${i}]`, item)),
];

/** A path that is there already, with the value that Kubernetes shows: the object of a key, or the path of a field. */
function collisions(path: string, source: ProjectionShape, seen: Set<string>): readonly FieldError[] {
  const { secret, configMap, downwardAPI, serviceAccountToken } = source;
  const files = [
    ...[secret, configMap].flatMap((keys) =>
      (keys?.items ?? []).map((item) => ({ file: item.path, shown: keys?.name })),
    ),
    ...(downwardAPI?.items ?? []).map((item) => ({ file: item.path, shown: item.path })),
    ...(serviceAccountToken === undefined ? [] : [{ file: serviceAccountToken.path, shown: serviceAccountToken.path }]),
  ];
  return files.flatMap(({ file = '', shown = '' }) => {
    if (file === '') return [];
    if (seen.has(file)) return [invalid(path, shown, 'conflicting duplicate paths')];
    seen.add(file);
    return [];
  });
}

/** Kubernetes' `validateKeyToPath`. No object has a key that is not valid. */
const keyFileErrors = (at: string, { key = '', path = '', mode }: KeyFileShape): readonly FieldError[] => [
  ...configKeyErrors(`${at}.key`, key),
  ...filePathErrors(`${at}.path`, path),
  ...modeErrors(`${at}.mode`, mode),
];

/** Kubernetes' `validateDownwardAPIVolumeFile`. */
function fieldFileErrors(
  at: string,
  { path = '', mode, fieldRef, resourceFieldRef }: FieldFileShape,
  pod: readonly Container[],
): readonly FieldError[] {
  return [
    ...filePathErrors(`${at}.path`, path),
    ...(fieldRef === undefined ? [] : fieldRefErrors(`${at}.fieldRef`, fieldRef, FILE_FIELDS)),
    ...(fieldRef !== undefined && resourceFieldRef !== undefined
      ? [invalid(at, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously')]
      : []),
    ...(fieldRef === undefined && resourceFieldRef !== undefined
      ? resourceRefErrors(`${at}.resourceFieldRef`, resourceFieldRef, { container: null, pod })
      : []),
    ...(fieldRef === undefined && resourceFieldRef === undefined
      ? [required(at, 'one of fieldRef and resourceFieldRef is required')]
      : []),
    ...modeErrors(`${at}.mode`, mode),
  ];
}

/** Kubernetes' `ValidateLocalNonReservedPath`. What writes the files on Fargate reads a list of lines. */
function filePathErrors(at: string, path: string): readonly FieldError[] {
  if (path === '') return [required(at)];
  const errors = [...descendingErrors(at, path)];
  if (path.startsWith('..') && !path.startsWith('../')) errors.push(invalid(at, path, "must not start with '..'"));
  return errors.length === 0 && !isPlainFile(path)
    ? [refusedValue(at, 'name a file, without control characters and without blanks at its ends')]
    : errors;
}

const CONTROL = /\p{Cc}|[\u2028\u2029]/u;

const isPlainFile = (path: string): boolean =>
  !CONTROL.test(path) && path.trim() === path && segmentsOf(path).length > 0;

/** Kubernetes' `validateLocalDescendingPath`. */
export const descendingErrors = (at: string, path: string): readonly FieldError[] => [
  ...(path.startsWith('/') ? [invalid(at, path, 'must be a relative path')] : []),
  ...(path.split('/').includes('..') ? [invalid(at, path, "must not contain '..'")] : []),
];

const MODE_MAX = 0o777;

const modeErrors = (at: string, mode: number | undefined): readonly FieldError[] =>
  mode === undefined || (mode >= 0 && mode <= MODE_MAX)
    ? []
    : [invalid(at, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
