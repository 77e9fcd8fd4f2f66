import { AUTHENTICATED, MASTERS, UNAUTHENTICATED } from '../../../domain/callers/user.ts';
import type { GrantingRole } from '../../../domain/kinds/api-kind.ts';
import { ALL_KINDS, MEASURED } from '../../../domain/kinds/api-kinds.ts';
import { type Binding, type PolicyRule, RBAC_GROUP, type Role, type Subject } from './policy.ts';

/** What every default role and binding has as a label, as in a cluster. */
export const DEFAULT_LABEL = { key: 'kubernetes.io/bootstrapping', value: 'rbac-defaults' } as const;

const rule = (verbs: readonly string[], group: string, ...resources: readonly string[]): PolicyRule => ({
  verbs,
  apiGroups: [group],
  resources,
});
const paths = (...nonResourceURLs: readonly string[]): PolicyRule => ({ verbs: ['get'], nonResourceURLs });

const HEALTH = ['/livez', '/readyz', '/healthz', '/version', '/version/'] as const;

/** What a role allows with each kind, a rule for the kinds of a group with the same verbs. */
function rulesOf(role: GrantingRole): readonly PolicyRule[] {
  const rules = new Map<string, { readonly verbs: readonly string[]; readonly group: string; readonly of: string[] }>();
  for (const { group, plural, grants } of [...ALL_KINDS, ...MEASURED])
    for (const { verbs, of } of grants.filter((grant) => grant.role === role)) {
      const key = `${group} ${verbs.join()}`;
      const known = rules.get(key) ?? { verbs, group, of: [] };
      known.of.push(...of.map((sub) => (sub === '' ? plural : `${plural}/${sub}`)));
      rules.set(key, known);
    }
  return Array.from(rules.values(), ({ verbs, group, of }) => rule(verbs, group, ...of.toSorted()));
}

/** What may be read in a namespace: nothing that is secret, and no roles or bindings. */
const VIEW = rulesOf('view');
/**
 * What may be changed in a namespace: everything but statuses, roles, bindings, and what limits the namespace, which its owners must
 * not raise.
 */
const EDIT = rulesOf('edit');
const ADMIN = rulesOf('admin');

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
  clusterRole('system:basic-user', ...rulesOf('system:basic-user')),
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
