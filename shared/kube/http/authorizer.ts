import type { Context } from 'hono';
import type { Attributes } from '../../domain/rbac/attributes.ts';
import { type Decision, authorize, forbiddenText } from '../../domain/rbac/authorize.ts';
import { MASTERS, type PolicyRule, type User } from '../../domain/rbac/policy.ts';
import { rulesFor } from '../../domain/rbac/rules-for.ts';
import type { PolicyReader } from '../../ports/access/policy-reader.ts';
import { type StatusError, notAuthorized } from './status-error.ts';

/** Lets roles decide what callers may do. A policy that cannot be read is an error, and nobody may do anything. */
export type Authorizer = {
  decide(user: User, wanted: Attributes): Promise<Decision>;
  /** null: the caller may; otherwise the answer to the request. */
  refusal(c: Context, wanted: Attributes): Promise<StatusError | null>;
  /** Everything that a user may do in a namespace. `faults`: roles that bindings name and nobody has made. */
  rulesOf(user: User, namespace: string): Promise<GrantedRules>;
};

export type GrantedRules = { readonly rules: readonly PolicyRule[]; readonly faults: readonly string[] };

/** Who may do everything may do this. */
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

export function createAuthorizer(reader: PolicyReader, callerOf: (c: Context) => User): Authorizer {
  const decide = async (user: User, wanted: Attributes): Promise<Decision> =>
    authorize(user, wanted, await reader.policy());
  return {
    decide,
    async refusal(c, wanted) {
      const user = callerOf(c);
      const decision = await decide(user, wanted);
      noteDecision(c, decision);
      if (decision.allowed) return null;
      const why = forbiddenText(user, wanted);
      return notAuthorized(wanted, decision.reason === '' ? why : `${why}: ${decision.reason}`);
    },
    async rulesOf(user, namespace) {
      const granted = [...rulesFor(user, namespace, await reader.policy())];
      const rules = granted.flatMap((each) => (each.kind === 'rule' ? [each.rule] : []));
      const faults = granted.flatMap((each) => (each.kind === 'missing' ? [each.reason] : []));
      return { rules: user.groups.includes(MASTERS) ? [...EVERYTHING, ...rules] : rules, faults };
    },
  };
}

const DECISION = 'decision';

/** Remembers what was decided about a request, for the audit log. */
export function noteDecision(c: Context, decision: Decision): void {
  c.set(DECISION, decision);
}

/** What was decided about a request last; null: nothing was. */
export function decisionOn(c: Context): Decision | null {
  const decision: unknown = c.get(DECISION);
  return isDecision(decision) ? decision : null;
}

const isDecision = (value: unknown): value is Decision =>
  typeof value === 'object' && value !== null && 'allowed' in value && 'reason' in value;
