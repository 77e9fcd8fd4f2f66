import { parseQuantity } from '../../domain/base/quantity.ts';
import type { Container } from '../../domain/manifests/pod-spec.ts';
import { dnsLabelErrors } from '../object/dns-names.ts';
import { type FieldError, duplicate, forbidden, invalid, required } from '../object/field-error.ts';
import { claimErrors, ephemeralErrors, nfsErrors } from './claim-volume-rules.ts';
import { configMapErrors, downwardErrors, projectedErrors, secretErrors } from './file-volume-rules.ts';
import { POD_FIELDS, refusedFields } from './pod-fields.ts';
import type { PodSpecShape, VolumeShape } from './pod-shape.ts';
import { QUANTITY } from './resource-rules.ts';
import { refusedValue } from '../object/refused-fields.ts';

/**
 * Kubernetes' rules for volumes (`ValidateVolumes`), and what Fargate cannot do.
 *
 * @param pod all containers, with defaults
 */
export function volumeErrors(path: string, spec: PodSpecShape, pod: readonly Container[]): readonly FieldError[] {
  const { volumes = [] } = spec;
  const seen = new Set<string>();
  return volumes.flatMap((volume, i) => {
    const at = `${path}[${i}]`;
    const { name = '', emptyDir } = volume;
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(`${at}.name`));
    else if (seen.has(name)) errors.push(duplicate(`${at}.name`, name));
    else errors.push(...dnsLabelErrors(name).map((fieldError) => invalid(`${at}.name`, name, fieldError)));
    seen.add(name);
    return [
      ...errors,
      ...refusedSourceErrors(at, volume),
      ...sourceErrors(at, volume, pod),
      ...refusedFields('emptyDir', `${at}.emptyDir`, emptyDir),
      ...sizeErrors(at, volume),
      ...mediumErrors(at, volume, spec),
    ];
  });
}

/** Even an empty source counts. Kubernetes makes a volume without a source an emptyDir. */
function refusedSourceErrors(path: string, volume: VolumeShape): readonly FieldError[] {
  return Object.entries(volume).flatMap(([source, value]) => {
    const field = Object.entries(POD_FIELDS.volume).find(([name]) => name === source)?.[1];
    return value === undefined || value === null || field?.kind !== 'refused'
      ? []
      : [refusedValue(`${path}.${source}`, field.instead)];
  });
}

type SourceRule = (at: string, volume: VolumeShape, pod: readonly Container[]) => readonly FieldError[];

/** Sources that may be there, in Kubernetes' order; host-path-rules.ts judges hostPath. */
const SOURCES = {
  emptyDir: () => [],
  hostPath: () => [],
  secret: (at, { secret }) => (secret === undefined ? [] : secretErrors(at, secret)),
  nfs: (at, { nfs }) => (nfs === undefined ? [] : nfsErrors(at, nfs)),
  persistentVolumeClaim: (at, { persistentVolumeClaim: claim }) => (claim === undefined ? [] : claimErrors(at, claim)),
  downwardAPI: (at, { downwardAPI }, pod) => (downwardAPI === undefined ? [] : downwardErrors(at, downwardAPI, pod)),
  configMap: (at, { configMap }) => (configMap === undefined ? [] : configMapErrors(at, configMap)),
  projected: (at, { projected }, pod) => (projected === undefined ? [] : projectedErrors(at, projected, pod)),
  ephemeral: (at, { ephemeral }) => (ephemeral === undefined ? [] : ephemeralErrors(at, ephemeral)),
} as const satisfies Partial<Record<keyof VolumeShape, SourceRule>>;

/** Only the first source is looked at: a volume has one. */
function sourceErrors(path: string, volume: VolumeShape, pod: readonly Container[]): readonly FieldError[] {
  const names = Object.keys(SOURCES) as (keyof typeof SOURCES)[];
  const [first, ...others] = names.filter((source) => volume[source] !== undefined);
  if (first === undefined) return [];
  const rule: SourceRule = SOURCES[first];
  return [
    ...rule(`${path}.${first}`, volume, pod),
    ...others
      .filter((source) => source !== 'hostPath')
      .map((source) => forbidden(`${path}.${source}`, 'may not specify more than 1 volume type')),
  ];
}

function sizeErrors(path: string, { emptyDir }: VolumeShape): readonly FieldError[] {
  const at = `${path}.emptyDir.sizeLimit`;
  const text = emptyDir?.sizeLimit;
  if (text === undefined) return [];
  const bytes = parseQuantity(text);
  if (bytes === null) return [invalid(at, text, QUANTITY)];
  return bytes < 0 ? [invalid(at, text, 'must be greater than or equal to 0')] : [];
}

/** A tmpfs belongs to one container, and each mount of one is empty: what is written in one shows in no other. */
function mediumErrors(
  path: string,
  { name = '', emptyDir }: VolumeShape,
  { containers = [], initContainers = [] }: PodSpecShape,
): readonly FieldError[] {
  const medium = emptyDir?.medium ?? '';
  if (medium === '') return [];
  const at = `${path}.emptyDir.medium`;
  if (medium !== 'Memory') return [refusedValue(at, 'use Memory, or leave it out: tasks have no other medium')];
  const mounts = [...initContainers, ...containers].flatMap(({ volumeMounts = [] }) =>
    volumeMounts.filter((mount) => mount.name === name),
  );
  return mounts.length < 2
    ? []
    : [
        refusedValue(
          at,
          'mount the volume once, in one container, or leave medium out: memory is shared by no two mounts',
        ),
      ];
}
