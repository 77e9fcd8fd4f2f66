import { MASTERS, type User } from '../../../domain/callers/user.ts';
import type { Attributes } from '../../../domain/callers/attributes.ts';
import type { Decision } from '../../../domain/callers/decision.ts';
import type { Policy } from './policy.ts';
import { ruleAllows } from './rule-allows.ts';
import { rulesFor } from './rules-for.ts';

/**
 * Whether a user may do this (the RBAC authorizer of kubernetes/plugin/pkg/auth/authorizer/rbac, after the one that lets
 * `system:masters` do everything).
 */
export function authorize(user: User, wanted: Attributes, policy: Policy): Decision {
  if (user.groups.includes(MASTERS)) return { allowed: true, reason: '' };
  const missing: string[] = [];
  for (const granted of rulesFor(user, wanted.kind === 'resource' ? wanted.namespace : '', policy)) {
    if (granted.kind === 'missing') missing.push(granted.reason);
    else if (ruleAllows(granted.rule, wanted)) return { allowed: true, reason: `RBAC: allowed by ${granted.by}` };
  }
  return { allowed: false, reason: missing.length === 0 ? '' : `RBAC: ${oneOrMore(missing)}` };
}

const oneOrMore = (texts: readonly string[]): string => (texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`);
