import { DEFAULT_BINDINGS, DEFAULT_ROLES } from '../domain/default-policy.ts';
import { type Binding, type Policy, type Role, policyOf } from '../domain/policy.ts';
import type { PolicyReader } from '../ports/policy-reader.ts';
import type { StoredObject } from '../../../ports/object-store.ts';
import { type KeptPorts, type ObjectsOf, keepKinds } from '../../../store/keep-kinds.ts';

const KINDS = ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'] as const;

/** Reads roles and bindings, with those that always exist: in memory, at most 2 seconds (`ageMs`) old, see {@link keepKinds}. */
export const createPolicyReader = (ports: KeptPorts, ageMs?: number): PolicyReader => ({
  policy: keepKinds(KINDS, policyIn, ports, ageMs),
});

/** Those that always exist come last: nothing that is stored takes their place. */
const policyIn = (objects: ObjectsOf<(typeof KINDS)[number]>): Policy =>
  policyOf(
    [...objects('ClusterRole', 'Role').map(roleIn), ...DEFAULT_ROLES],
    [...DEFAULT_BINDINGS, ...objects('ClusterRoleBinding', 'RoleBinding').map(bindingIn)],
  );

// What is stored as these kinds was admitted as such.
function roleIn({ key, document }: StoredObject): Role {
  const { rules = [] } = document as Partial<Pick<Role, 'rules'>>;
  return { ...key, rules };
}

function bindingIn({ key, document }: StoredObject): Binding {
  const { roleRef, subjects = [] } = document as unknown as Pick<Binding, 'roleRef'> & Partial<Binding>;
  return { ...key, roleRef, subjects };
}
