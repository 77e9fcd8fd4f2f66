/** One kind of resource as discovery lists it. */
export type ServedResource = {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  /** Its name in the table of kinds; omitted: `kind`. */
  readonly type?: string;
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly Subresource[];
};

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';
type Subresource = {
  readonly name: string;
  readonly kind: string;
  /** As for a resource. */
  readonly type?: string;
  readonly verbs: readonly Verb[];
  /** The kind's group, if it is another one. */
  readonly group?: string;
};

/** `name` is '' for the core group. */
export type ServedGroup = {
  readonly name: string;
  readonly version: 'v1' | 'v1alpha1';
  readonly resources: readonly ServedResource[];
};

const READ = ['get', 'list', 'watch'] as const;
const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;

const statusOf = (kind: string, verbs: readonly Verb[] = ['get', 'patch', 'update']): Subresource => ({
  name: 'status',
  kind,
  verbs,
});

/** A request that is answered at once and not stored. */
const review = (kind: string, namespaced = false): ServedResource => {
  const singular = kind.toLowerCase();
  return { plural: `${singular}s`, singular, kind, namespaced, verbs: ['create'] };
};

/** A role, or a binding of one. */
const role = (kind: string, namespaced: boolean): ServedResource => {
  const singular = kind.toLowerCase();
  return { plural: `${singular}s`, singular, kind, namespaced, verbs: ALL };
};

/** Everything that is served, with the verbs that work, because clients rely on this. */
export const SERVED: readonly ServedGroup[] = [
  {
    name: '',
    version: 'v1',
    resources: [
      {
        plural: 'configmaps',
        singular: 'configmap',
        kind: 'ConfigMap',
        namespaced: true,
        verbs: READ,
        shortNames: ['cm'],
      },
      {
        plural: 'events',
        singular: 'event',
        kind: 'Event',
        namespaced: true,
        verbs: READ,
        shortNames: ['ev'],
      },
      {
        plural: 'limitranges',
        singular: 'limitrange',
        kind: 'LimitRange',
        namespaced: true,
        verbs: ALL,
        shortNames: ['limits'],
      },
      {
        plural: 'namespaces',
        singular: 'namespace',
        kind: 'Namespace',
        namespaced: false,
        verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
        shortNames: ['ns'],
        subresources: [{ name: 'finalize', kind: 'Namespace', verbs: ['update'] }, statusOf('Namespace')],
      },
      {
        plural: 'pods',
        singular: 'pod',
        kind: 'Pod',
        namespaced: true,
        verbs: ['delete', 'deletecollection', ...READ],
        shortNames: ['po'],
        categories: ['all'],
        subresources: [
          { name: 'eviction', kind: 'Eviction', verbs: ['create'], group: 'policy' },
          { name: 'log', kind: 'Pod', verbs: ['get'] },
          statusOf('Pod', ['get']),
        ],
      },
      {
        plural: 'resourcequotas',
        singular: 'resourcequota',
        kind: 'ResourceQuota',
        namespaced: true,
        verbs: ALL,
        shortNames: ['quota'],
        subresources: [statusOf('ResourceQuota', ['get'])],
      },
      {
        plural: 'serviceaccounts',
        singular: 'serviceaccount',
        kind: 'ServiceAccount',
        namespaced: true,
        verbs: ALL,
        shortNames: ['sa'],
      },
      {
        plural: 'services',
        singular: 'service',
        kind: 'Service',
        namespaced: true,
        verbs: ALL,
        shortNames: ['svc'],
        categories: ['all'],
      },
    ],
  },
  { name: 'authentication.k8s.io', version: 'v1', resources: [review('SelfSubjectReview')] },
  {
    name: 'authorization.k8s.io',
    version: 'v1',
    resources: [
      review('LocalSubjectAccessReview', true),
      review('SelfSubjectAccessReview'),
      review('SelfSubjectRulesReview'),
      review('SubjectAccessReview'),
    ],
  },
  {
    name: 'batch',
    version: 'v1',
    resources: [
      {
        plural: 'cronjobs',
        singular: 'cronjob',
        kind: 'CronJob',
        namespaced: true,
        verbs: ALL,
        shortNames: ['cj'],
        categories: ['all'],
        subresources: [statusOf('CronJob')],
      },
      {
        plural: 'jobs',
        singular: 'job',
        kind: 'Job',
        namespaced: true,
        verbs: ALL,
        categories: ['all'],
        subresources: [statusOf('Job')],
      },
    ],
  },
  {
    // After batch: `kubectl get jobs` means the first group that has them.
    name: 'execution.furiko.io',
    version: 'v1alpha1',
    resources: [
      {
        plural: 'jobconfigs',
        singular: 'jobconfig',
        kind: 'JobConfig',
        namespaced: true,
        verbs: ALL,
        shortNames: ['furikojobconfig', 'furikojobconfigs'],
        subresources: [statusOf('JobConfig', ['get'])],
      },
      {
        plural: 'jobs',
        singular: 'job',
        kind: 'Job',
        type: 'FurikoJob',
        namespaced: true,
        verbs: ALL,
        shortNames: ['furikojob', 'furikojobs'],
        subresources: [{ ...statusOf('Job', ['get']), type: 'FurikoJob' }],
      },
    ],
  },
  {
    name: 'muster.run',
    version: 'v1',
    resources: [
      {
        plural: 'worklists',
        singular: 'worklist',
        kind: 'WorkList',
        namespaced: true,
        verbs: ALL,
        shortNames: ['wl'],
      },
    ],
  },
  {
    name: 'rbac.authorization.k8s.io',
    version: 'v1',
    resources: [
      role('ClusterRoleBinding', false),
      role('ClusterRole', false),
      role('RoleBinding', true),
      role('Role', true),
    ],
  },
];
