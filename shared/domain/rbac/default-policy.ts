import {
  AUTHENTICATED,
  type Binding,
  MASTERS,
  type PolicyRule,
  RBAC_GROUP,
  type Role,
  type Subject,
  UNAUTHENTICATED,
} from './policy.ts';

/** What every default role and binding has as a label, as in a cluster. */
export const DEFAULT_LABEL = { key: 'kubernetes.io/bootstrapping', value: 'rbac-defaults' } as const;

const READ = ['get', 'list', 'watch'] as const;
const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const;
const FURIKO_GROUP = 'execution.furiko.io';

const rule = (verbs: readonly string[], group: string, ...resources: readonly string[]): PolicyRule => ({
  verbs,
  apiGroups: [group],
  resources,
});
const paths = (...nonResourceURLs: readonly string[]): PolicyRule => ({ verbs: ['get'], nonResourceURLs });

const HEALTH = ['/livez', '/readyz', '/healthz', '/version', '/version/'] as const;

/** What may be read in a namespace: nothing that is secret, and no roles or bindings. */
const VIEW: readonly PolicyRule[] = [
  rule(READ, '', 'pods', 'pods/log', 'pods/status', 'services', 'serviceaccounts', 'configmaps', 'events'),
  rule(READ, '', 'namespaces', 'namespaces/status', 'limitranges', 'resourcequotas', 'resourcequotas/status'),
  rule(READ, 'batch', 'jobs', 'jobs/status', 'cronjobs', 'cronjobs/status'),
  rule(
    ['get'],
    'batch',
    'jobs/waits',
    'jobs/failures',
    'jobs/progress',
    'jobs/attempts',
    'jobs/items',
    'jobs/diagnosis',
  ),
  rule(['list'], 'batch', 'jobs/diagnosis'),
  rule(READ, FURIKO_GROUP, 'jobs', 'jobs/status', 'jobconfigs', 'jobconfigs/status'),
  rule(READ, 'muster.run', 'worklists', 'worklists/parts'),
];

/**
 * What may be changed in a namespace: everything but statuses, roles, bindings, and what limits the namespace, which its owners must
 * not raise.
 */
const EDIT: readonly PolicyRule[] = [
  rule(WRITE, '', 'pods', 'services', 'serviceaccounts'),
  rule(['create'], '', 'pods/eviction'),
  rule(['use'], '', 'serviceaccounts'),
  rule(WRITE, 'batch', 'jobs', 'cronjobs'),
  rule(['update'], 'batch', 'jobs/indexes'),
  rule(WRITE, FURIKO_GROUP, 'jobs', 'jobconfigs'),
  rule(WRITE, 'muster.run', 'worklists'),
  rule(['create'], 'muster.run', 'worklists/parts', 'worklists/seal'),
];

const ADMIN: readonly PolicyRule[] = [
  rule([...READ, ...WRITE], RBAC_GROUP, 'roles', 'rolebindings'),
  rule(['create'], 'authorization.k8s.io', 'localsubjectaccessreviews'),
];

const clusterRole = (name: string, ...rules: readonly PolicyRule[]): Role => ({ namespace: '', name, rules });

/**
 * The ClusterRoles that always exist (kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy), for what Muster serves. Nobody
 * can change them.
 */
export const DEFAULT_ROLES: readonly Role[] = [
  clusterRole(
    'cluster-admin',
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ),
  clusterRole('admin', ...VIEW, ...EDIT, ...ADMIN),
  clusterRole('edit', ...VIEW, ...EDIT),
  clusterRole('view', ...VIEW),
  clusterRole(
    'system:basic-user',
    rule(['create'], 'authorization.k8s.io', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews'),
    rule(['create'], 'authentication.k8s.io', 'selfsubjectreviews'),
  ),
  clusterRole('system:discovery', paths(...HEALTH, '/openapi', '/openapi/*', '/api', '/api/*', '/apis', '/apis/*')),
  clusterRole('system:public-info-viewer', paths(...HEALTH)),
];

const clusterBinding = (name: string, ...groups: readonly string[]): Binding => ({
  namespace: '',
  name,
  roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name },
  subjects: groups.map((group): Subject => ({ kind: 'Group', apiGroup: RBAC_GROUP, name: group })),
});

/** The ClusterRoleBindings that always exist, as in a cluster. */
export const DEFAULT_BINDINGS: readonly Binding[] = [
  clusterBinding('cluster-admin', MASTERS),
  clusterBinding('system:basic-user', AUTHENTICATED),
  clusterBinding('system:discovery', AUTHENTICATED),
  clusterBinding('system:public-info-viewer', AUTHENTICATED, UNAUTHENTICATED),
];
