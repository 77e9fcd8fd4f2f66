import { SUBSCRIPT, resourceAmount } from '../../domain/task/container-env.ts';
import type { Container } from '../../domain/manifests/pod-spec.ts';
import { configKeyFaults } from '../object/config-key.ts';
import { dnsSubdomainErrors, qualifiedNameErrors } from '../object/dns-names.ts';
import { type FieldError, invalid, notSupported, required } from '../object/field-error.ts';
import { refusedFields } from './pod-fields.ts';
import type { EnvShape } from './pod-shape.ts';
import { refusedValue } from '../object/refused-fields.ts';

export type SourceShape = NonNullable<EnvShape['valueFrom']>;

/** The containers that a variable may refer to. */
export type EnvContext = { readonly container: Container; readonly pod: readonly Container[] };

/** The same for a file of a volume, which is no container's. */
type Owners = { readonly container: Container | null; readonly pod: readonly Container[] };

/** Names of fields of the downward API, and what to do instead; null: supported. */
export type SourceFields = Readonly<Record<string, string | null>>;

/** Fields that variables may have, in addition to single labels and annotations. */
export const ENV_FIELDS: SourceFields = {
  'metadata.name': null,
  'metadata.namespace': null,
  'metadata.uid': null,
  'spec.nodeName': 'leave it out: Fargate has no nodes',
  'spec.serviceAccountName': null,
  'status.hostIP': null,
  'status.hostIPs': null,
  'status.podIP': null,
  'status.podIPs': null,
};

/** The same for files. */
export const FILE_FIELDS: SourceFields = {
  'metadata.annotations': null,
  'metadata.labels': null,
  'metadata.name': null,
  'metadata.namespace': null,
  'metadata.uid': null,
};

/** Kubernetes' `validateObjectFieldSelector`. */
export function fieldRefErrors(
  path: string,
  { fieldPath = '', apiVersion }: NonNullable<SourceShape['fieldRef']>,
  fields: SourceFields,
): readonly FieldError[] {
  const at = `${path}.fieldPath`;
  const errors: FieldError[] =
    apiVersion === undefined || apiVersion === '' || apiVersion === 'v1'
      ? []
      : [notSupported(`${path}.apiVersion`, apiVersion, ['v1'])];
  const [, map, key = ''] = SUBSCRIPT.exec(fieldPath) ?? [];
  const instead = Object.hasOwn(fields, fieldPath) ? fields[fieldPath] : undefined;
  if (fieldPath === '') errors.push(required(at));
  else if (map !== undefined) {
    const name = map === 'annotations' ? key.toLowerCase() : key;
    errors.push(...qualifiedNameErrors(name).map((fieldError) => invalid(at, fieldPath, fieldError)));
  } else if (instead === undefined) errors.push(notSupported(at, fieldPath, Object.keys(fields)));
  else if (instead !== null) errors.push(refusedValue(at, instead));
  return errors;
}

const RESOURCES = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const CPU_DIVISORS = ['1m', '1'];
const BYTE_DIVISORS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

/** Kubernetes' `validateContainerResourceFieldSelector`. */
export function resourceRefErrors(
  path: string,
  { resource = '', containerName, divisor = '0' }: NonNullable<SourceShape['resourceFieldRef']>,
  { container, pod }: Owners,
): readonly FieldError[] {
  const isNamed = containerName !== undefined && containerName !== '';
  if (container === null && !isNamed) return [required(`${path}.containerName`)];
  if (resource === '') return [required(`${path}.resource`)];
  if (!RESOURCES.includes(resource)) return [notSupported(`${path}.resource`, resource, RESOURCES)];
  const isCpu = resource.endsWith('.cpu');
  const divisors = isCpu ? CPU_DIVISORS : BYTE_DIVISORS;
  if (divisor !== '0' && divisor !== '' && !divisors.includes(divisor)) {
    const name = isCpu
      ? 'cpu resource'
      : resource.endsWith('.memory')
        ? 'memory resource'
        : 'local ephemeral storage resource';
    const values = isCpu ? divisors.join(' and ') : divisors.join(', ');
    return [invalid(`${path}.divisor`, divisor, `only divisor's values ${values} are supported with the ${name}`)];
  }
  const owner = isNamed ? pod.find(({ name }) => name === containerName) : container;
  if (owner === undefined || owner === null)
    return [invalid(`${path}.containerName`, containerName, 'no container has this name')];
  return resourceAmount(owner, resource, divisor) === null
    ? [refusedValue(`${path}.resource`, `set resources.${resource} of container "${owner.name}"`)]
    : [];
}

/** Kubernetes' `validateSecretKeySelector`. */
export function keyRefErrors(
  kind: 'secretKeyRef' | 'configMapKeyRef',
  parent: string,
  ref: NonNullable<SourceShape['secretKeyRef']>,
): readonly FieldError[] {
  const path = `${parent}.${kind}`;
  const { name = '', key = '' } = ref;
  return [
    ...objectNameErrors(`${path}.name`, name),
    ...configKeyErrors(`${path}.key`, key),
    ...refusedFields(kind, path, ref),
  ];
}

/** The name of an object of the Job's namespace. It becomes part of a key or of an AWS name, so it must be valid. */
export const objectNameErrors = (path: string, name: string): readonly FieldError[] =>
  name === '' ? [required(path)] : dnsSubdomainErrors(name).map((fault) => invalid(path, name, fault));

/** A key of a Secret or of a ConfigMap; the same holds for it. */
export const configKeyErrors = (path: string, key: string): readonly FieldError[] =>
  key === '' ? [required(path)] : configKeyFaults(key).map((fault) => invalid(path, key, fault));
