import * as z from 'zod';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { dnsLabelErrors } from '../object/dns-names.ts';
import { type FieldError, duplicate, forbidden, invalid, notSupported, required } from '../object/field-error.ts';
import { flag, int32, known, opt, text, textMap, texts } from '../object/json-fields.ts';
import { objectMetadataShape } from '../object/object-metadata.ts';
import { nameErrors } from '../object/object-name.ts';
import { isSame } from '../object/object-update.ts';
import type { PlainForm } from '../object/plain-admission.ts';
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

/** A Service, which must be headless: there is nothing that routes. */
export const SERVICE_FORM: PlainForm<z.output<typeof ServiceShape>> = {
  resource: API_KINDS.Service,
  shape: ServiceShape,
  serverFields: { names: ['status'], initially: { status: { loadBalancer: {} } } },
  nameErrors: (name, metadata) => (name === '' ? nameErrors(name, metadata) : labelOfDnsErrors(name)),
  contentErrors: ({ spec = NO_SPEC }) => specErrors(spec),
  changeErrors: () => [],
  contentOf: ({ spec = NO_SPEC }) => ({ spec: withDefaults(spec) }),
  warnings: (name) => [
    `a Service has no effect here: the indexes of a Job have names below "${name}" if its spec.template.spec.subdomain is "${name}", with or without this Service`,
  ],
};

const NO_SPEC: SpecShape = specShape.parse({});

/** RFC 1035: a label that does not begin with a digit. */
const labelOfDnsErrors = (name: string): readonly FieldError[] =>
  dnsLabelErrors(name).length === 0 && !/^\d/.test(name) ? [] : [invalid('metadata.name', name, NOT_A_LABEL)];
const NOT_A_LABEL =
  'a DNS-1035 label must consist of lower case alphanumeric characters or "-", start with an alphabetic character, end with an alphanumeric character, and have 63 characters at most';

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
