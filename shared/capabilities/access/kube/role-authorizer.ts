import { MASTERS, type User } from '../../../domain/callers/user.ts';
import { authorize } from '../domain/authorize.ts';
import type { Policy, PolicyRule } from '../domain/policy.ts';
import { rulesFor } from '../domain/rules-for.ts';
import { usableAccounts } from '../domain/usable-accounts.ts';
import type { PolicyReader } from '../ports/policy-reader.ts';
import type { Authorizer } from '../../../kube/http/authorizer.ts';

declare module '../../../kube/http/authorizer.ts' {
  interface Authorizer {
    /** Everything that a user may do in a namespace. `faults`: roles that bindings name and nobody has made. */
    rulesOf(user: User, namespace: string): Promise<GrantedRules>;
    /** What it decides by. */
    policy(): Promise<Policy>;
  }
}

export type GrantedRules = { readonly rules: readonly PolicyRule[]; readonly faults: readonly string[] };

/** Who may do everything may do this. */
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Lets roles decide what callers may do. A policy that cannot be read is an error, and nobody may do anything. */
export const roleAuthorizer = (reader: PolicyReader): Authorizer => ({
  policy: async () => reader.policy(),
  decide: async (user, wanted) => authorize(user, wanted, await reader.policy()),
  accounts: async (user, namespace) => usableAccounts(user, namespace, await reader.policy()),
  async rulesOf(user, namespace) {
    const granted = [...rulesFor(user, namespace, await reader.policy())];
    const rules = granted.flatMap((each) => (each.kind === 'rule' ? [each.rule] : []));
    const faults = granted.flatMap((each) => (each.kind === 'missing' ? [each.reason] : []));
    return { rules: user.groups.includes(MASTERS) ? [...EVERYTHING, ...rules] : rules, faults };
  },
});
