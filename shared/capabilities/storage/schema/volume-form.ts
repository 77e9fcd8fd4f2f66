import type * as z from 'zod';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { dnsLabelErrors, dnsSubdomainErrors } from '../../../schema/object/dns-names.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../../schema/object/field-error.ts';
import { nameErrors } from '../../../schema/object/object-name.ts';
import { immutableErrors, isSame } from '../../../schema/object/object-update.ts';
import type { Content, PlainForm } from '../../../schema/object/plain-admission.ts';
import { refusedValue, sweep } from '../../../schema/object/refused-fields.ts';
import { FOREIGN, VolumeShape, type VolumeSpecShape, volumeSpecShape } from './persistent-volume-shape.ts';
import { accessModeErrors, namedErrors, sizeErrors, volumeModeErrors } from '../../../schema/pod/claim-spec-rules.ts';
import { PROTECTION } from './protection-finalizers.ts';
import { sourceErrors } from './volume-source-rules.ts';

/** A PersistentVolume (`ValidatePersistentVolume`): what tasks can mount, and nothing else. */
export const VOLUME_FORM: PlainForm<z.output<typeof VolumeShape>> = {
  resource: API_KINDS.PersistentVolume,
  shape: VolumeShape,
  serverFields: { names: ['status'], initially: { status: { phase: 'Pending' } } },
  ignoredFinalizers: [PROTECTION.volume, 'external-provisioner.volume.kubernetes.io/finalizer'],
  nameErrors,
  contentErrors: ({ spec = NO_SPEC }) => specErrors(spec),
  changeErrors: ({ spec = NO_SPEC }, before) => changeErrors(contentOf(spec), before),
  contentOf: ({ spec = NO_SPEC }) => contentOf(spec),
};

const NO_SPEC: VolumeSpecShape = volumeSpecShape.parse({});

const foreignErrors = sweep([
  ...FOREIGN.map((path) => ({
    path,
    instead: 'write csi with driver efs.csi.aws.com, or nfs with the DNS name of a file system of EFS',
  })),
  { path: 'volumeAttributesClassName', instead: 'leave it out: file systems of EFS have their own throughput' },
]);

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

function specErrors(spec: VolumeSpecShape): readonly FieldError[] {
  const { accessModes = [], capacity = {}, storageClassName = '', volumeMode = 'Filesystem' } = spec;
  const isForeign = FOREIGN.some((name) => isGiven(spec[name]));
  return [
    ...accessModeErrors('spec.accessModes', accessModes, ''),
    ...capacityErrors(capacity),
    ...policyErrors(spec.persistentVolumeReclaimPolicy ?? 'Retain'),
    ...foreignErrors('spec', spec),
    ...sourceErrors(spec, isForeign),
    ...claimRefErrors(spec),
    ...namedErrors('spec.storageClassName', storageClassName),
    ...volumeModeErrors('spec.volumeMode', volumeMode),
  ];
}

function capacityErrors(capacity: Readonly<Record<string, string>>): readonly FieldError[] {
  const path = 'spec.capacity';
  const names = Object.keys(capacity);
  if (names.length === 0) return [required(path)];
  return [
    ...(names.includes('storage') && names.length === 1 ? [] : [notSupported(path, capacity, ['storage'])]),
    ...names.flatMap((name) => sizeErrors(`${path}[${name}]`, capacity[name] ?? '')),
  ];
}

const NO_CLAIM: Partial<NonNullable<VolumeSpecShape['claimRef']>> = {};

/** Whom a volume is kept for: a claim that there can be. */
function claimRefErrors({ claimRef }: VolumeSpecShape): readonly FieldError[] {
  const { namespace = '', name = '' } = claimRef ?? NO_CLAIM;
  if (name === '' && namespace === '') return [];
  return [
    ...dnsLabelErrors(namespace).map((why) => invalid('spec.claimRef.namespace', namespace, why)),
    ...dnsSubdomainErrors(name).map((why) => invalid('spec.claimRef.name', name, why)),
  ];
}

const POLICIES = ['Delete', 'Recycle', 'Retain'];

function policyErrors(policy: string): readonly FieldError[] {
  const path = 'spec.persistentVolumeReclaimPolicy';
  if (policy === 'Recycle') return [refusedValue(path, 'write Retain, and remove the files with a Job')];
  return POLICIES.includes(policy) ? [] : [notSupported(path, policy, POLICIES)];
}

const SOURCES = ['csi', 'nfs', 'hostPath', 'local'] as const;

function contentOf(spec: VolumeSpecShape): Content {
  const { capacity = {}, accessModes = [], storageClassName = '', mountOptions = [], claimRef, nodeAffinity } = spec;
  const sources = SOURCES.flatMap((name) => (spec[name] === undefined ? [] : [[name, given(spec[name])] as const]));
  return {
    spec: {
      capacity,
      accessModes,
      persistentVolumeReclaimPolicy: spec.persistentVolumeReclaimPolicy ?? 'Retain',
      ...(storageClassName === '' ? {} : { storageClassName }),
      volumeMode: spec.volumeMode ?? 'Filesystem',
      ...(mountOptions.length === 0 ? {} : { mountOptions }),
      ...(claimRef === undefined || (claimRef.name ?? '') === '' ? {} : { claimRef: given(claimRef) }),
      ...(isGiven(nodeAffinity) ? { nodeAffinity } : {}),
      ...Object.fromEntries(sources),
    },
  };
}

/** Without what is not said, or is what nobody has to say. */
const given = (object: object): Content =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => isGiven(value) && value !== '' && value !== false));

function changeErrors(content: Content, before: Content): readonly FieldError[] {
  const [now, was] = [specOf(content), specOf(before)];
  const sourceOf = (spec: Content): object => Object.fromEntries(SOURCES.map((name) => [name, spec[name]]));
  const isOther = !isSame(sourceOf(now), sourceOf(was));
  return [
    ...(isOther
      ? [forbidden('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation')]
      : []),
    ...(isSame(was['nodeAffinity'] ?? {}, {})
      ? []
      : immutableErrors('nodeAffinity', now['nodeAffinity'], was['nodeAffinity'])),
  ];
}

const specOf = (content: Content): Content => (content['spec'] ?? {}) as Content;
