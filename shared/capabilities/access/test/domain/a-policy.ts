import type { User } from '../../../../domain/callers/user.ts';
import type { PathAttributes, ResourceAttributes } from '../../../../domain/callers/attributes.ts';
import { type Binding, type Policy, type PolicyRule, type Role, type Subject, policyOf } from '../../domain/policy.ts';

export const aUser = (username: string, ...groups: readonly string[]): User => ({ username, groups });

export const toDo = (verb: string, more: Partial<Omit<ResourceAttributes, 'kind' | 'verb'>>): ResourceAttributes => ({
  kind: 'resource',
  verb,
  group: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  ...more,
});

export const onPath = (verb: string, path: string): PathAttributes => ({ kind: 'path', verb, path });

export const aRole = (namespace: string, name: string, rules: readonly PolicyRule[]): Role => ({
  namespace,
  name,
  rules,
});

/** `User:ann`, `Group:ops`, `ServiceAccount:bot`, or `ServiceAccount:team/bot`. */
function aSubject(text: string): Subject {
  const [kind = '', name = ''] = text.split(/:(.*)/);
  if (kind === 'User' || kind === 'Group') return { kind, name };
  const [first = '', second] = name.split('/');
  return second === undefined
    ? { kind: 'ServiceAccount', name: first }
    : { kind: 'ServiceAccount', namespace: first, name: second };
}

/** A binding of `Role/name` or `ClusterRole/name`. */
export function aBinding(namespace: string, role: string, ...subjects: readonly string[]): Binding {
  const [kind = '', name = ''] = role.split('/');
  return {
    namespace,
    name: 'binding',
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: kind === 'Role' ? 'Role' : 'ClusterRole', name },
    subjects: subjects.map(aSubject),
  };
}

export const aPolicy = (roles: readonly Role[], bindings: readonly Binding[]): Policy => policyOf(roles, bindings);
