import * as z from 'zod';
import type { ObjectMeta } from '../../domain/spec/manifest.ts';
import { dnsLabelErrors } from '../object/dns-names.ts';
import { type FieldError, duplicate, forbidden, invalid, notSupported, required } from '../object/field-error.ts';
import { flag, int32, known, opt, text, textMap, texts } from '../object/json-fields.ts';
import { annotationErrors, labelErrors } from '../object/metadata-rules.ts';
import { objectMetadataShape, tieErrors, tiesOf } from '../object/object-metadata.ts';
import { nameErrors, nameOf } from '../object/object-name.ts';
import { type ObjectUpdate, identityErrors, isSame } from '../object/object-update.ts';
import {
  type FieldValidation,
  type ReadObject,
  type Undecodable,
  readObject,
  misplacedReading,
} from '../object/read-object.ts';
import { sweep } from '../object/refused-fields.ts';

const portShape = z.strictObject({
  name: text,
  protocol: text,
  appProtocol: text,
  port: int32,
  targetPort: opt(z.union([z.int32(), z.string()])),
  ...known('nodePort'),
});

const REFUSED = [
  'externalIPs',
  'sessionAffinityConfig',
  'loadBalancerIP',
  'loadBalancerSourceRanges',
  'loadBalancerClass',
  'allocateLoadBalancerNodePorts',
  'externalName',
  'externalTrafficPolicy',
  'healthCheckNodePort',
  'trafficDistribution',
] as const;

const specShape = z.strictObject({
  ports: opt(z.array(portShape)),
  selector: textMap,
  clusterIP: text,
  clusterIPs: texts,
  type: text,
  sessionAffinity: text,
  internalTrafficPolicy: text,
  publishNotReadyAddresses: flag,
  ipFamilies: texts,
  ipFamilyPolicy: text,
  ...known(...REFUSED),
});
type SpecShape = z.output<typeof specShape>;

export const ServiceShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(objectMetadataShape),
  spec: opt(specShape),
  // Nobody sets it here; a client may send back what it has read.
  status: opt(z.strictObject(known('loadBalancer'))),
});
type ServiceShape = z.output<typeof ServiceShape>;

/** A headless Service as it is stored, with the defaults of a cluster. */
export type ServiceManifest = {
  readonly apiVersion: 'v1';
  readonly kind: 'Service';
  readonly metadata: ObjectMeta;
  readonly spec: Readonly<Record<string, unknown>>;
};

type Invalid = { readonly kind: 'invalid'; readonly name: string; readonly errors: readonly FieldError[] };

export type ServiceAdmission =
  | { readonly kind: 'ok'; readonly manifest: ServiceManifest; readonly warnings: readonly string[] }
  | Invalid
  | Undecodable;

/** Admits an external document as a new Service, which must be headless: there is nothing that routes. */
export function admitService(
  document: unknown,
  context: { readonly namespace: string; readonly nameSuffix: string; readonly fieldValidation: FieldValidation },
): ServiceAdmission {
  const { namespace, nameSuffix, fieldValidation } = context;
  const read = readService(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const { metadata, spec = NO_SPEC } = read.object;
  const misplaced = misplacedReading(metadata, namespace);
  if (misplaced !== null) return misplaced;
  const name = nameOf(metadata, nameSuffix);
  const errors = [
    ...(name === '' ? nameErrors(name, metadata) : labelOfDnsErrors(name)),
    ...metadataErrors(metadata),
    ...specErrors(spec),
  ];
  if (errors.length > 0) return { kind: 'invalid', name, errors };
  const manifest = manifestOf({ name, namespace, generateName: metadata?.generateName ?? '' }, metadata, spec);
  const warning = `a Service has no effect here: the indexes of a Job have names below "${name}" if its spec.template.spec.subdomain is "${name}", with or without this Service`;
  return { kind: 'ok', manifest, warnings: [...read.warnings, warning] };
}

/** Admits a document that replaces a stored Service. */
export function admitServiceUpdate(
  stored: { readonly manifest: ServiceManifest; readonly uid: string },
  document: unknown,
  { fieldValidation }: { readonly fieldValidation: FieldValidation },
): ObjectUpdate<ServiceManifest> {
  const read = readService(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const { metadata, spec = NO_SPEC } = read.object;
  const { name, namespace, generateName = '' } = stored.manifest.metadata;
  const errors = [...identityErrors({ metadata }, stored), ...metadataErrors(metadata), ...specErrors(spec)];
  if (errors.length > 0) return { kind: 'invalid', name, errors };
  const manifest = manifestOf({ name, namespace, generateName }, metadata, spec);
  const { managedFields: _managers, ...before } = stored.manifest.metadata;
  const changed = !isSame(manifest.spec, stored.manifest.spec)
    ? 'spec'
    : isSame(before, manifest.metadata)
      ? 'nothing'
      : 'metadata';
  return { kind: 'ok', manifest, warnings: read.warnings, changed };
}

const NO_SPEC: SpecShape = specShape.parse({});

const readService = (document: unknown, fieldValidation: FieldValidation): ReadObject<ServiceShape> =>
  readObject(document, fieldValidation, { apiVersion: 'v1', kind: 'Service', shape: ServiceShape });

/** RFC 1035: a label that does not begin with a digit. */
const labelOfDnsErrors = (name: string): readonly FieldError[] =>
  dnsLabelErrors(name).length === 0 && !/^\d/.test(name) ? [] : [invalid('metadata.name', name, NOT_A_LABEL)];
const NOT_A_LABEL =
  'a DNS-1035 label must consist of lower case alphanumeric characters or "-", start with an alphabetic character, end with an alphanumeric character, and have 63 characters at most';

type Metadata = ServiceShape['metadata'];

const metadataErrors = (metadata: Metadata): readonly FieldError[] => [
  ...labelErrors('metadata.labels', metadata?.labels),
  ...annotationErrors('metadata.annotations', metadata?.annotations),
  ...tieErrors('metadata', tiesOf(metadata)),
  ...((metadata?.finalizers ?? []).length === 0
    ? []
    : [forbidden('metadata.finalizers', 'nothing waits for the end of a Service; leave them out')]),
];

const HEADLESS =
  'must be None: only headless Services are accepted here, beside a Job; nothing routes to the tasks of a Job';
const TYPES_ELSEWHERE = ['NodePort', 'LoadBalancer', 'ExternalName'];

function specErrors(spec: SpecShape): readonly FieldError[] {
  const { type = 'ClusterIP', clusterIP = '', clusterIPs, ports = [] } = spec;
  const errors: FieldError[] = [];
  if (TYPES_ELSEWHERE.includes(type))
    errors.push(
      forbidden('spec.type', `${type} is not served: only headless Services are accepted here, with clusterIP: None`),
    );
  else if (type !== 'ClusterIP') errors.push(notSupported('spec.type', type, ['ClusterIP']));
  else if (clusterIP !== 'None')
    errors.push(
      clusterIP === '' ? required('spec.clusterIP', HEADLESS) : invalid('spec.clusterIP', clusterIP, HEADLESS),
    );
  if (clusterIPs !== undefined && !isSame(clusterIPs, ['None']))
    errors.push(invalid('spec.clusterIPs', clusterIPs, 'must be [None], as clusterIP'));
  errors.push(...choiceErrors(spec), ...refusals('spec', spec), ...ports.flatMap(portErrors(ports)));
  return errors;
}

const refusals = sweep(
  REFUSED.map((path) => ({ path, instead: 'leave it out: nothing routes to the tasks of a Job' })),
);

function choiceErrors(spec: SpecShape): readonly FieldError[] {
  const one = (path: keyof SpecShape, value: string | undefined, valid: readonly string[]) =>
    value === undefined || valid.includes(value) ? [] : [notSupported(`spec.${path}`, value, valid)];
  return [
    ...one('sessionAffinity', spec.sessionAffinity, ['None']),
    ...one('internalTrafficPolicy', spec.internalTrafficPolicy, ['Cluster']),
    ...one('ipFamilyPolicy', spec.ipFamilyPolicy, ['SingleStack', 'PreferDualStack']),
    ...(spec.ipFamilies ?? []).flatMap((family, i) =>
      family === 'IPv4' ? [] : [notSupported(`spec.ipFamilies[${i}]`, family, ['IPv4'])],
    ),
  ];
}

const PORT_MAX = 65_535;
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

const portErrors =
  (all: NonNullable<SpecShape['ports']>) =>
  ({ name = '', protocol = 'TCP', port, nodePort }: (typeof all)[number], i: number): readonly FieldError[] => {
    const path = `spec.ports[${i}]`;
    const before = all.slice(0, i);
    const isTwice = before.some((each) => each.port === port && (each.protocol ?? 'TCP') === protocol);
    return [
      ...(name === '' && all.length > 1 ? [required(`${path}.name`)] : []),
      ...(name !== '' && before.some((each) => each.name === name) ? [duplicate(`${path}.name`, name)] : []),
      ...(name === '' ? [] : dnsLabelErrors(name).map((message) => invalid(`${path}.name`, name, message))),
      ...(PROTOCOLS.includes(protocol) ? [] : [notSupported(`${path}.protocol`, protocol, PROTOCOLS)]),
      ...(port === undefined || port < 1 || port > PORT_MAX
        ? [invalid(`${path}.port`, port ?? 0, `must be between 1 and ${PORT_MAX}, inclusive`)]
        : []),
      ...(isTwice ? [duplicate(path, { protocol, port })] : []),
      ...(nodePort === undefined || nodePort === null || nodePort === 0
        ? []
        : [forbidden(`${path}.nodePort`, 'may not be used when `type` is ClusterIP')]),
    ];
  };

function manifestOf(
  {
    name,
    namespace,
    generateName,
  }: { readonly name: string; readonly namespace: string; readonly generateName: string },
  metadata: Metadata,
  spec: SpecShape,
): ServiceManifest {
  const { labels = {}, annotations = {} } = metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace,
      ...(generateName === '' ? {} : { generateName }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...tiesOf(metadata),
    },
    spec: withDefaults(spec),
  };
}

/** With what a cluster fills in for a headless Service. */
function withDefaults(spec: SpecShape): Readonly<Record<string, unknown>> {
  const { ports = [], selector = {}, publishNotReadyAddresses } = spec;
  return {
    clusterIP: 'None',
    clusterIPs: ['None'],
    internalTrafficPolicy: 'Cluster',
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: spec.ipFamilyPolicy ?? 'SingleStack',
    ...(ports.length === 0 ? {} : { ports: ports.map(portOf) }),
    ...(publishNotReadyAddresses === true ? { publishNotReadyAddresses } : {}),
    ...(Object.keys(selector).length === 0 ? {} : { selector }),
    sessionAffinity: 'None',
    type: 'ClusterIP',
  };
}

function portOf({ name, protocol, appProtocol, port = 0, targetPort }: NonNullable<SpecShape['ports']>[number]) {
  const isUnset = targetPort === undefined || targetPort === '' || targetPort === 0;
  return {
    ...(name === undefined || name === '' ? {} : { name }),
    ...(appProtocol === undefined || appProtocol === '' ? {} : { appProtocol }),
    port,
    protocol: protocol ?? 'TCP',
    targetPort: isUnset ? port : targetPort,
  };
}
