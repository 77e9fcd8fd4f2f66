import {
  BOOL,
  CORE,
  INT32,
  INT64,
  REQUIRED,
  STRING,
  STRINGS,
  ZERO_SHOWN,
  bare,
  field,
  listOf,
  object,
  unserved,
} from './field.ts';
import type { KindTable } from './kind-table.ts';

/** The parts of a pod template for nodes, names, and groups of Pods. What is `bare` is read from protobuf, then refused. */
export const PLACEMENT_KINDS = {
  Affinity: {
    openapi: `${CORE}.Affinity`,
    description: 'Conditions on where the Pods run.',
    fields: {
      nodeAffinity: field(1, object('NodeAffinity'), 'What the task runs on, as nodeSelector says it.'),
      podAffinity: field(
        2,
        object('PodAffinity'),
        'Has no effect. Refused if it requires another Pod on the same machine.',
      ),
      podAntiAffinity: field(
        3,
        object('PodAntiAffinity'),
        'Has no effect: each task has a machine of its own, and they are spread over the subnets of the stack.',
      ),
    },
  },
  NodeAffinity: {
    openapi: `${CORE}.NodeAffinity`,
    description: 'Conditions on the node.',
    fields: {
      requiredDuringSchedulingIgnoredDuringExecution: field(
        1,
        object('NodeSelector'),
        'Decides between the values of kubernetes.io/arch, muster.run/capacity, and kubernetes.io/os. Tasks have no other labels.',
      ),
      preferredDuringSchedulingIgnoredDuringExecution: field(
        2,
        listOf(object('PreferredSchedulingTerm')),
        'Accepted, and has no effect.',
      ),
    },
  },
  NodeSelector: {
    openapi: `${CORE}.NodeSelector`,
    description: 'Terms, one of which must hold.',
    atomic: true,
    fields: {
      nodeSelectorTerms: field(1, listOf(object('NodeSelectorTerm')), 'The terms.', REQUIRED),
    },
  },
  NodeSelectorTerm: {
    openapi: `${CORE}.NodeSelectorTerm`,
    description: 'Conditions that must all hold. A term without conditions never holds.',
    atomic: true,
    fields: {
      matchExpressions: field(1, listOf(object('NodeSelectorRequirement')), 'Conditions on labels.'),
      matchFields: field(2, listOf(object('NodeSelectorRequirement')), 'Conditions on fields. Tasks have none.'),
    },
  },
  NodeSelectorRequirement: {
    openapi: `${CORE}.NodeSelectorRequirement`,
    description: 'A condition on a label.',
    fields: {
      key: field(1, STRING, 'The label.', REQUIRED),
      operator: field(2, STRING, 'In, NotIn, Exists, DoesNotExist, Gt, or Lt.', REQUIRED),
      values: field(3, STRINGS, 'The values for In and NotIn; one number for Gt and Lt.'),
    },
  },
  PreferredSchedulingTerm: {
    openapi: `${CORE}.PreferredSchedulingTerm`,
    description: 'A preferred term.',
    fields: {
      weight: field(1, INT32, 'From 1 to 100.', REQUIRED),
      preference: field(2, object('NodeSelectorTerm'), 'The term.', REQUIRED),
    },
  },
  PodAffinity: {
    openapi: `${CORE}.PodAffinity`,
    description: 'Which Pods to be close to.',
    fields: {
      requiredDuringSchedulingIgnoredDuringExecution: field(1, listOf(object('PodAffinityTerm')), 'Must be empty.'),
      preferredDuringSchedulingIgnoredDuringExecution: field(
        2,
        listOf(object('WeightedPodAffinityTerm')),
        'Accepted, and has no effect.',
      ),
    },
  },
  PodAntiAffinity: {
    openapi: `${CORE}.PodAntiAffinity`,
    description: 'Which Pods to be apart from.',
    fields: {
      requiredDuringSchedulingIgnoredDuringExecution: field(
        1,
        listOf(object('PodAffinityTerm')),
        'Only with the topologyKey kubernetes.io/hostname: it holds, because each task has a machine of its own.',
      ),
      preferredDuringSchedulingIgnoredDuringExecution: field(
        2,
        listOf(object('WeightedPodAffinityTerm')),
        'Accepted, and has no effect.',
      ),
    },
  },
  PodAffinityTerm: {
    openapi: `${CORE}.PodAffinityTerm`,
    description: 'Pods, and what counts as one place.',
    fields: {
      labelSelector: field(1, object('LabelSelector'), 'The labels of the Pods.'),
      namespaces: field(2, STRINGS, 'Their namespaces.'),
      topologyKey: field(3, STRING, 'The label whose value names the place.', REQUIRED),
      namespaceSelector: field(4, object('LabelSelector'), 'The labels of their namespaces.'),
      matchLabelKeys: field(5, STRINGS, 'Labels that must have the same value.'),
      mismatchLabelKeys: field(6, STRINGS, 'Labels that must have another value.'),
    },
  },
  WeightedPodAffinityTerm: {
    openapi: `${CORE}.WeightedPodAffinityTerm`,
    description: 'A preferred term.',
    fields: {
      weight: field(1, INT32, 'From 1 to 100.', REQUIRED),
      podAffinityTerm: field(2, object('PodAffinityTerm'), 'The term.', REQUIRED),
    },
  },
  Toleration: {
    openapi: `${CORE}.Toleration`,
    description: 'A taint that the Pods tolerate.',
    fields: {
      key: field(1, STRING, 'The key of the taint; empty: every taint.'),
      operator: field(2, STRING, 'Equal, the default, or Exists.'),
      value: field(3, STRING, 'The value of the taint, for Equal.'),
      effect: field(4, STRING, 'NoSchedule, PreferNoSchedule, or NoExecute; empty: every effect.'),
      tolerationSeconds: field(5, INT64, 'For how long, for NoExecute.', ZERO_SHOWN),
    },
  },
  TopologySpreadConstraint: {
    openapi: `${CORE}.TopologySpreadConstraint`,
    description: 'How the Pods spread over places.',
    fields: {
      maxSkew: field(1, INT32, 'The largest difference between two places.', REQUIRED),
      topologyKey: field(2, STRING, 'The label whose value names the place.', REQUIRED),
      whenUnsatisfiable: field(
        3,
        STRING,
        'ScheduleAnyway has no effect. DoNotSchedule is accepted with the topologyKey kubernetes.io/hostname: it holds, because each task has a machine of its own.',
        REQUIRED,
      ),
      labelSelector: field(4, object('LabelSelector'), 'The labels of the Pods that count.'),
      minDomains: field(5, INT32, 'The least number of places, for DoNotSchedule.', ZERO_SHOWN),
      nodeAffinityPolicy: field(6, STRING, 'Honor or Ignore.', ZERO_SHOWN),
      nodeTaintsPolicy: field(7, STRING, 'Honor or Ignore.', ZERO_SHOWN),
      matchLabelKeys: field(8, STRINGS, 'Labels that must have the same value.'),
    },
  },
  HostAlias: {
    openapi: `${CORE}.HostAlias`,
    description: '',
    fields: {
      ip: bare(1, STRING, REQUIRED),
      hostnames: bare(2, STRINGS),
    },
  },
  PodDNSConfig: {
    openapi: `${CORE}.PodDNSConfig`,
    description: 'How a Pod resolves names.',
    fields: {
      nameservers: unserved(1, STRINGS),
      searches: unserved(2, STRINGS),
      options: field(3, listOf(object('PodDNSConfigOption')), 'Options of the resolver, without effect.'),
    },
  },
  PodDNSConfigOption: {
    openapi: `${CORE}.PodDNSConfigOption`,
    description: 'An option of the resolver.',
    fields: {
      name: field(1, STRING, 'Its name, such as ndots.'),
      value: field(2, STRING, 'Its value.', ZERO_SHOWN),
    },
  },
  PodReadinessGate: {
    openapi: `${CORE}.PodReadinessGate`,
    description: 'A condition that a Pod would have to meet to be ready.',
    fields: {
      conditionType: field(1, STRING, 'Its type.', REQUIRED),
    },
  },
  PodSchedulingGate: {
    openapi: `${CORE}.PodSchedulingGate`,
    description: '',
    fields: {
      name: bare(1, STRING, REQUIRED),
    },
  },
  PodResourceClaim: {
    openapi: `${CORE}.PodResourceClaim`,
    description: '',
    fields: {
      name: bare(1, STRING, REQUIRED),
      resourceClaimName: bare(3, STRING, ZERO_SHOWN),
      resourceClaimTemplateName: bare(4, STRING, ZERO_SHOWN),
    },
  },
  SELinuxOptions: {
    openapi: `${CORE}.SELinuxOptions`,
    description: '',
    fields: {
      user: bare(1, STRING),
      role: bare(2, STRING),
      type: bare(3, STRING),
      level: bare(4, STRING),
    },
  },
  WindowsSecurityContextOptions: {
    openapi: `${CORE}.WindowsSecurityContextOptions`,
    description: '',
    fields: {
      gmsaCredentialSpecName: bare(1, STRING, ZERO_SHOWN),
      gmsaCredentialSpec: bare(2, STRING, ZERO_SHOWN),
      runAsUserName: bare(3, STRING, ZERO_SHOWN),
      hostProcess: bare(4, BOOL, ZERO_SHOWN),
    },
  },
  Sysctl: {
    openapi: `${CORE}.Sysctl`,
    description: '',
    fields: {
      name: bare(1, STRING, REQUIRED),
      value: bare(2, STRING, REQUIRED),
    },
  },
} as const satisfies KindTable;
