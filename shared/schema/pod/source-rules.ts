import { SUBSCRIPT, resourceAmount } from '../../domain/task/container-env.ts';
import type { Container } from '../../domain/manifests/pod-spec.ts';
import { dnsSubdomainErrors, qualifiedNameErrors } from '../object/dns-names.ts';
import { type FieldError, invalid, notSupported, required } from '../object/field-error.ts';
import { refusedFields } from './pod-fields.ts';
import type { EnvShape } from './pod-shape.ts';
import { refusedValue } from '../object/refused-fields.ts';

export type SourceShape = NonNullable<EnvShape['valueFrom']>;

/** The containers that a variable may refer to. */
export type EnvContext = { readonly container: Container; readonly pod: readonly Container[] };

/** Fields of the downward API in addition to labels and annotations; null: supported. */
const FIELDS: Readonly<Record<string, string | null>> = {
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

export function fieldRefErrors(path: string, { fieldPath = '', apiVersion }: NonNullable<SourceShape['fieldRef']>) {
  const at = `${path}.fieldPath`;
  const errors: FieldError[] =
    apiVersion === undefined || apiVersion === '' || apiVersion === 'v1'
      ? []
      : [notSupported(`${path}.apiVersion`, apiVersion, ['v1'])];
  const [, map, key = ''] = SUBSCRIPT.exec(fieldPath) ?? [];
  const instead = Object.hasOwn(FIELDS, fieldPath) ? FIELDS[fieldPath] : undefined;
  if (fieldPath === '') errors.push(required(at));
  else if (map !== undefined) {
    const name = map === 'annotations' ? key.toLowerCase() : key;
    errors.push(...qualifiedNameErrors(name).map((fieldError) => invalid(at, fieldPath, fieldError)));
  } else if (instead === undefined) errors.push(notSupported(at, fieldPath, Object.keys(FIELDS)));
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

export function resourceRefErrors(
  path: string,
  { resource = '', containerName, divisor = '0' }: NonNullable<SourceShape['resourceFieldRef']>,
  { container, pod }: EnvContext,
): readonly FieldError[] {
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
  const owner =
    containerName === undefined || containerName === '' ? container : pod.find(({ name }) => name === containerName);
  if (owner === undefined) return [invalid(`${path}.containerName`, containerName, 'no container has this name')];
  return resourceAmount(owner, resource, divisor) === null
    ? [refusedValue(`${path}.resource`, `set resources.${resource} of container "${owner.name}"`)]
    : [];
}

const CONFIG_KEY = /^[-._a-zA-Z0-9]+$/;

/** Kubernetes' `validateSecretKeySelector`. The name becomes part of an AWS name, so it must be valid. */
export function keyRefErrors(
  kind: 'secretKeyRef' | 'configMapKeyRef',
  parent: string,
  ref: NonNullable<SourceShape['secretKeyRef']>,
): readonly FieldError[] {
  const path = `${parent}.${kind}`;
  const { name = '', key = '' } = ref;
  return [
    ...(name === ''
      ? [required(`${path}.name`)]
      : dnsSubdomainErrors(name).map((f) => invalid(`${path}.name`, name, f))),
    ...(key === ''
      ? [required(`${path}.key`)]
      : configKeyErrors(key).map((fieldError) => invalid(`${path}.key`, key, fieldError))),
    ...refusedFields(kind, path, ref),
  ];
}

/** Kubernetes' `IsConfigMapKey`. */
function configKeyErrors(key: string): readonly string[] {
  if (key.length > 253) return ['must be no more than 253 characters'];
  if (!CONFIG_KEY.test(key))
    return [
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    ];
  if (key === '.') return ["must not be '.'"];
  if (key === '..') return ["must not be '..'"];
  return key.startsWith('..') ? ["must not start with '..'"] : [];
}
