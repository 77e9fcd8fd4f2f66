import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';

/** The API group of roles and bindings. */
export const RBAC_GROUP = API_KINDS.Role.group;

/** `rbac.authorization.k8s.io/v1` PolicyRule: about resources, or about other paths. */
export type PolicyRule = {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
};

export type Subject = {
  readonly kind: 'User' | 'Group' | 'ServiceAccount';
  readonly apiGroup?: string;
  readonly name: string;
  /** Of a ServiceAccount. */
  readonly namespace?: string;
};

export type RoleRef = { readonly apiGroup: string; readonly kind: 'Role' | 'ClusterRole'; readonly name: string };

/** A Role, or a ClusterRole: its `namespace` is ''. */
export type Role = { readonly namespace: string; readonly name: string; readonly rules: readonly PolicyRule[] };

/** A RoleBinding, or a ClusterRoleBinding: its `namespace` is ''. */
export type Binding = {
  readonly namespace: string;
  readonly name: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly Subject[];
};

/** Everything that decides who may do what. */
export type Policy = {
  /** By {@link roleKey}. */
  readonly roles: ReadonlyMap<string, Role>;
  /** By namespace; those of the whole cluster are at ''. */
  readonly bindings: ReadonlyMap<string, readonly Binding[]>;
};

/** The key of a Role in {@link Policy.roles}; that of a ClusterRole has the namespace ''. */
export const roleKey = (namespace: string, name: string): string => `${namespace}/${name}`;

/** A policy of these roles and bindings. */
export function policyOf(roles: readonly Role[], bindings: readonly Binding[]): Policy {
  const byNamespace = new Map<string, Binding[]>();
  for (const binding of bindings) {
    const known = byNamespace.get(binding.namespace);
    if (known === undefined) byNamespace.set(binding.namespace, [binding]);
    else known.push(binding);
  }
  return { roles: new Map(roles.map((role) => [roleKey(role.namespace, role.name), role])), bindings: byNamespace };
}
