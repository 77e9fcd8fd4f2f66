import type { User } from '../../../domain/callers/user.ts';
import {
  RBAC_GROUP,
  type Binding,
  type Policy,
  type PolicyRule,
  type RoleRef,
  type Subject,
  roleKey,
} from './policy.ts';

/** A rule that a user has, or a role that a binding names and nobody has made. */
export type Granted =
  | { readonly kind: 'rule'; readonly rule: PolicyRule; readonly by: string }
  | { readonly kind: 'missing'; readonly reason: string };

/**
 * The rules that a user has in a namespace, those of the whole cluster first (`VisitRulesFor` of kubernetes/pkg/registry/rbac).
 *
 * @param namespace '': only what holds in the whole cluster
 */
export function* rulesFor(user: User, namespace: string, policy: Policy): Generator<Granted> {
  yield* rulesBound(user, '', policy);
  if (namespace !== '') yield* rulesBound(user, namespace, policy);
}

function* rulesBound(user: User, namespace: string, policy: Policy): Generator<Granted> {
  for (const binding of policy.bindings.get(namespace) ?? []) {
    const subject = binding.subjects.find((each) => isMeant(each, user, namespace));
    if (subject === undefined) continue;
    const rules = rulesOfRole(binding.roleRef, namespace, policy);
    if (rules === null) yield { kind: 'missing', reason: missingRole(binding.roleRef) };
    else for (const rule of rules) yield { kind: 'rule', rule, by: describe(binding, subject) };
  }
}

/** What a reference to a role grants in a namespace; null: there is no such role. */
export function rulesOfRole(
  { kind, name }: RoleRef,
  namespace: string,
  { roles }: Policy,
): readonly PolicyRule[] | null {
  return roles.get(roleKey(kind === 'Role' ? namespace : '', name))?.rules ?? null;
}

/** Upstream's words for a role that does not exist. */
const missingRole = ({ kind, name }: RoleRef): string => `${kind.toLowerCase()}.${RBAC_GROUP} "${name}" not found`;

function isMeant(subject: Subject, user: User, bindingNamespace: string): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.name === user.username;
    case 'Group':
      return user.groups.includes(subject.name);
    case 'ServiceAccount': {
      const namespace = subject.namespace ?? bindingNamespace;
      return namespace !== '' && user.username === `system:serviceaccount:${namespace}:${subject.name}`;
    }
  }
}

function describe({ namespace, name, roleRef }: Binding, subject: Subject): string {
  const binding = namespace === '' ? `ClusterRoleBinding "${name}"` : `RoleBinding "${name}/${namespace}"`;
  const at = subject.kind === 'ServiceAccount' ? `/${subject.namespace ?? namespace}` : '';
  return `${binding} of ${roleRef.kind} "${roleRef.name}" to ${subject.kind} "${subject.name}${at}"`;
}
