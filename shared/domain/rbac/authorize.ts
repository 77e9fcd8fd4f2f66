import type { Attributes } from './attributes.ts';
import { MASTERS, type Policy, type User } from './policy.ts';
import { ruleAllows } from './rule-allows.ts';
import { rulesFor } from './rules-for.ts';

/** `reason`: upstream's, which names the binding that allows it, or the roles that are missing. */
export type Decision = { readonly allowed: boolean; readonly reason: string };

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

/**
 * Upstream's message for a refused call, without the part before `is forbidden:` (`forbiddenMessage` of
 * apiserver/pkg/endpoints/handlers/responsewriters).
 */
export function forbiddenText({ username }: User, wanted: Attributes): string {
  const user = `User ${JSON.stringify(username)}`;
  if (wanted.kind === 'path') return `${user} cannot ${wanted.verb} path ${JSON.stringify(wanted.path)}`;
  const { verb, group, resource, subresource, namespace } = wanted;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return `${user} cannot ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
}
