import { BOOL, CORE, INT32, INT64, REQUIRED, STRING, STRINGS, ZERO_SHOWN, bare, listOf, object } from './field.ts';
import type { KindTable } from './kind-table.ts';

/** The parts of a pod template for nodes, names, and groups of Pods. Read from protobuf, then refused. */
export const PLACEMENT_KINDS = {
  Affinity: {
    openapi: `${CORE}.Affinity`,
    description: '',
    fields: {
      nodeAffinity: bare(1, object('NodeAffinity')),
      podAffinity: bare(2, object('PodAffinity')),
      podAntiAffinity: bare(3, object('PodAntiAffinity')),
    },
  },
  NodeAffinity: {
    openapi: `${CORE}.NodeAffinity`,
    description: '',
    fields: {
      requiredDuringSchedulingIgnoredDuringExecution: bare(1, object('NodeSelector')),
      preferredDuringSchedulingIgnoredDuringExecution: bare(2, listOf(object('PreferredSchedulingTerm'))),
    },
  },
  NodeSelector: {
    openapi: `${CORE}.NodeSelector`,
    description: '',
    atomic: true,
    fields: {
      nodeSelectorTerms: bare(1, listOf(object('NodeSelectorTerm')), REQUIRED),
    },
  },
  NodeSelectorTerm: {
    openapi: `${CORE}.NodeSelectorTerm`,
    description: '',
    atomic: true,
    fields: {
      matchExpressions: bare(1, listOf(object('NodeSelectorRequirement'))),
      matchFields: bare(2, listOf(object('NodeSelectorRequirement'))),
    },
  },
  NodeSelectorRequirement: {
    openapi: `${CORE}.NodeSelectorRequirement`,
    description: '',
    fields: {
      key: bare(1, STRING, REQUIRED),
      operator: bare(2, STRING, REQUIRED),
      values: bare(3, STRINGS),
    },
  },
  PreferredSchedulingTerm: {
    openapi: `${CORE}.PreferredSchedulingTerm`,
    description: '',
    fields: {
      weight: bare(1, INT32, REQUIRED),
      preference: bare(2, object('NodeSelectorTerm'), REQUIRED),
    },
  },
  PodAffinity: {
    openapi: `${CORE}.PodAffinity`,
    description: '',
    fields: {
      requiredDuringSchedulingIgnoredDuringExecution: bare(1, listOf(object('PodAffinityTerm'))),
      preferredDuringSchedulingIgnoredDuringExecution: bare(2, listOf(object('WeightedPodAffinityTerm'))),
    },
  },
  PodAntiAffinity: {
    openapi: `${CORE}.PodAntiAffinity`,
    description: '',
    fields: {
      requiredDuringSchedulingIgnoredDuringExecution: bare(1, listOf(object('PodAffinityTerm'))),
      preferredDuringSchedulingIgnoredDuringExecution: bare(2, listOf(object('WeightedPodAffinityTerm'))),
    },
  },
  PodAffinityTerm: {
    openapi: `${CORE}.PodAffinityTerm`,
    description: '',
    fields: {
      labelSelector: bare(1, object('LabelSelector')),
      namespaces: bare(2, STRINGS),
      topologyKey: bare(3, STRING, REQUIRED),
      namespaceSelector: bare(4, object('LabelSelector')),
      matchLabelKeys: bare(5, STRINGS),
      mismatchLabelKeys: bare(6, STRINGS),
    },
  },
  WeightedPodAffinityTerm: {
    openapi: `${CORE}.WeightedPodAffinityTerm`,
    description: '',
    fields: {
      weight: bare(1, INT32, REQUIRED),
      podAffinityTerm: bare(2, object('PodAffinityTerm'), REQUIRED),
    },
  },
  Toleration: {
    openapi: `${CORE}.Toleration`,
    description: '',
    fields: {
      key: bare(1, STRING),
      operator: bare(2, STRING),
      value: bare(3, STRING),
      effect: bare(4, STRING),
      tolerationSeconds: bare(5, INT64, ZERO_SHOWN),
    },
  },
  TopologySpreadConstraint: {
    openapi: `${CORE}.TopologySpreadConstraint`,
    description: '',
    fields: {
      maxSkew: bare(1, INT32, REQUIRED),
      topologyKey: bare(2, STRING, REQUIRED),
      whenUnsatisfiable: bare(3, STRING, REQUIRED),
      labelSelector: bare(4, object('LabelSelector')),
      minDomains: bare(5, INT32, ZERO_SHOWN),
      nodeAffinityPolicy: bare(6, STRING, ZERO_SHOWN),
      nodeTaintsPolicy: bare(7, STRING, ZERO_SHOWN),
      matchLabelKeys: bare(8, STRINGS),
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
    description: '',
    fields: {
      nameservers: bare(1, STRINGS),
      searches: bare(2, STRINGS),
      options: bare(3, listOf(object('PodDNSConfigOption'))),
    },
  },
  PodDNSConfigOption: {
    openapi: `${CORE}.PodDNSConfigOption`,
    description: '',
    fields: {
      name: bare(1, STRING),
      value: bare(2, STRING, ZERO_SHOWN),
    },
  },
  PodReadinessGate: {
    openapi: `${CORE}.PodReadinessGate`,
    description: '',
    fields: {
      conditionType: bare(1, STRING, REQUIRED),
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
