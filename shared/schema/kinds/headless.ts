import {
  BOOL,
  CORE,
  INT32,
  INT_OR_STRING,
  REQUIRED,
  STRING,
  STRINGS,
  STRING_MAP,
  ZERO_SHOWN,
  field,
  object,
  unserved,
} from './field.ts';
import type { FieldType, KindTable } from './kind-table.ts';

const PORTS: FieldType = {
  is: 'list',
  of: object('ServicePort'),
  apply: ['port', 'protocol'],
  patch: { key: 'port' },
};

/** Headless Services, which are kept beside Jobs and have no effect. */
export const SERVICE_KINDS = {
  Service: {
    openapi: `${CORE}.Service`,
    description:
      'A headless Service, as it stands beside an Indexed Job in a cluster. It is stored and has no effect: the indexes of a Job have names if its template has a subdomain.',
    apiVersion: 'v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name and namespace, labels and annotations.'),
      spec: field(2, object('ServiceSpec'), 'clusterIP is None; the rest has no effect.'),
      status: field(3, object('ServiceStatus'), 'Always that of a Service that nothing routes to.'),
    },
  },
  ServiceSpec: {
    openapi: `${CORE}.ServiceSpec`,
    description: 'What a cluster would select and route.',
    fields: {
      ports: field(1, PORTS, 'Ports, for readers.'),
      selector: field(2, STRING_MAP, 'Labels, for readers: no Pods are selected.'),
      clusterIP: field(3, STRING, 'None: only headless Services are accepted.'),
      clusterIPs: field(18, STRINGS, 'The same as a list.'),
      type: field(4, STRING, 'Only ClusterIP.'),
      externalIPs: unserved(5, STRINGS),
      sessionAffinity: field(7, STRING, 'Only None.'),
      sessionAffinityConfig: unserved(14, object('SessionAffinityConfig')),
      loadBalancerIP: unserved(8, STRING),
      loadBalancerSourceRanges: unserved(9, STRINGS),
      loadBalancerClass: unserved(21, STRING),
      allocateLoadBalancerNodePorts: unserved(20, BOOL),
      externalName: unserved(10, STRING),
      externalTrafficPolicy: unserved(11, STRING),
      internalTrafficPolicy: field(22, STRING, 'Only Cluster.'),
      healthCheckNodePort: unserved(12, INT32),
      publishNotReadyAddresses: field(13, BOOL, 'Without effect: a task has its name as soon as it runs.'),
      ipFamilies: field(19, STRINGS, 'Only IPv4.'),
      ipFamilyPolicy: field(17, STRING, 'SingleStack, or PreferDualStack.'),
      trafficDistribution: unserved(23, STRING),
    },
  },
  ServicePort: {
    openapi: `${CORE}.ServicePort`,
    description: 'A port, for readers.',
    fields: {
      name: field(1, STRING, 'Its name; required if there are several.'),
      protocol: field(2, STRING, 'TCP, UDP or SCTP. Defaults to TCP.'),
      appProtocol: field(6, STRING, 'What is spoken there.'),
      port: field(3, INT32, 'From 1 to 65535.', REQUIRED),
      targetPort: field(4, INT_OR_STRING, 'The port of the container. Defaults to port.', ZERO_SHOWN),
      nodePort: unserved(5, INT32),
    },
  },
  SessionAffinityConfig: {
    openapi: `${CORE}.SessionAffinityConfig`,
    description: 'Not supported by Muster.',
    fields: {},
  },
  ServiceStatus: {
    openapi: `${CORE}.ServiceStatus`,
    description: 'What a cluster has made of it.',
    fields: { loadBalancer: field(1, object('LoadBalancerStatus'), 'Always empty.') },
  },
  LoadBalancerStatus: {
    openapi: `${CORE}.LoadBalancerStatus`,
    description: 'Always empty.',
    fields: {},
  },
} as const satisfies KindTable;
