import { type ApiKind, grant } from '../../../domain/kinds/api-kind.ts';

/** What is served where something measures: nothing of it is stored. */
export const METRIC_KINDS = {
  PodMetrics: {
    group: 'metrics.k8s.io',
    version: 'v1beta1',
    kind: 'PodMetrics',
    plural: 'pods',
    isNamespaced: true,
    verbs: ['get', 'list'],
    grants: [grant('view', ['get', 'list'])],
  },
} as const satisfies Readonly<Record<string, ApiKind>>;
