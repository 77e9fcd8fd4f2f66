import { MASTERS, type User } from '../../../domain/callers/user.ts';
import { authorize } from './authorize.ts';
import { CHECKS_MAX, notCovered } from './covers.ts';
import { type Policy, type PolicyRule, RBAC_GROUP, type RoleRef } from './policy.ts';
import { rulesFor, rulesOfRole } from './rules-for.ts';

/** A role as somebody wants to write it. */
export type WantedRole = {
  readonly resource: 'roles' | 'clusterroles';
  /** '' for a ClusterRole. */
  readonly namespace: string;
  /** What the request's path names; '': it is created by POST. */
  readonly name: string;
  readonly rules: readonly PolicyRule[];
};

/**
 * Why a user must not write this role, in upstream's words; null: the user has all of its rights, or may `escalate` it
 * (`policybased/storage.go` of kubernetes/pkg/registry/rbac/role and clusterrole).
 */
export function roleEscalation(
  user: User,
  { resource, namespace, name, rules }: WantedRole,
  policy: Policy,
): string | null {
  if (user.groups.includes(MASTERS)) return null;
  const escalates = { verb: 'escalate', group: RBAC_GROUP, resource, namespace, name };
  return mayDo(user, escalates, policy) ? null : notHeld(user, namespace, rules, policy);
}

/** `missingRole`: its role does not exist, so nobody knows what it grants. */
export type BindingEscalation =
  | { readonly kind: 'none' }
  | { readonly kind: 'missingRole' }
  | { readonly kind: 'refused'; readonly why: string };

/**
 * Whether a user may bind this role to anybody: who has all of its rights, or may `bind` it (`policybased/storage.go` of
 * kubernetes/pkg/registry/rbac/rolebinding and clusterrolebinding).
 *
 * @param namespace of the binding; '': a ClusterRoleBinding
 */
export function bindingEscalation(user: User, namespace: string, roleRef: RoleRef, policy: Policy): BindingEscalation {
  if (user.groups.includes(MASTERS)) return { kind: 'none' };
  const resource = roleRef.kind === 'Role' ? 'roles' : 'clusterroles';
  const binds = { verb: 'bind', group: roleRef.apiGroup, resource, namespace, name: roleRef.name };
  if (mayDo(user, binds, policy)) return { kind: 'none' };
  const rules = rulesOfRole(roleRef, namespace, policy);
  if (rules === null) return { kind: 'missingRole' };
  const why = notHeld(user, namespace, rules, policy);
  return why === null ? { kind: 'none' } : { kind: 'refused', why };
}

type Deed = {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
};

const mayDo = (user: User, deed: Deed, policy: Policy): boolean =>
  authorize(user, { kind: 'resource', subresource: '', ...deed }, policy).allowed;

/** Which rights a user would grant without having them (`ConfirmNoEscalation`); null: none. */
function notHeld(user: User, namespace: string, rules: readonly PolicyRule[], policy: Policy): string | null {
  const granted = [...rulesFor(user, namespace, policy)];
  const owned = granted.flatMap((each) => (each.kind === 'rule' ? [each.rule] : []));
  const found = notCovered(owned, rules);
  if (found.kind === 'tooMany')
    return `nobody can check whether its ${found.rights} rights are held: compared with the ${found.held} rules and paths that ${JSON.stringify(user.username)} has, they are more than ${CHECKS_MAX} pairs; write smaller roles`;
  if (found.missing.length === 0) return null;
  const lines = [...new Set(compacted(found.missing).map(described))].sort();
  if (found.more) lines.push('and others: these are the first that are missing');
  const unresolved = granted.flatMap((each) => (each.kind === 'missing' ? [each.reason] : []));
  const errors = unresolved.length === 0 ? '' : `; resolution errors: [${oneOrMore(unresolved)}]`;
  return `user ${JSON.stringify(user.username)} (groups=${quoted(user.groups)}) is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}${errors}`;
}

const oneOrMore = (texts: readonly string[]): string => (texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`);

/** Verbs of the same resource in one rule (`CompactRules`); rules with names stay as they are. */
function compacted(singles: readonly PolicyRule[]): readonly PolicyRule[] {
  const verbsOf = new Map<string, string[]>();
  const rules: PolicyRule[] = [];
  for (const rule of singles) {
    const key = JSON.stringify([rule.apiGroups, rule.resources]);
    const known = verbsOf.get(key);
    const isPlain = rule.resourceNames === undefined && rule.nonResourceURLs === undefined;
    if (isPlain && known !== undefined) {
      known.push(...rule.verbs);
      continue;
    }
    const verbs = [...rule.verbs];
    if (isPlain) verbsOf.set(key, verbs);
    rules.push({ ...rule, verbs });
  }
  return rules;
}

/** A rule as upstream prints it (`CompactString`). */
function described({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = Object.entries({
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  });
  return `{${parts.flatMap(([name, list = []]) => (list.length === 0 ? [] : [`${name}:${quoted(list)}`])).join(', ')}}`;
}

/** A list as Go's `%q` prints it. */
const quoted = (texts: readonly string[]): string => `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
