import type { Attributes } from '../../../domain/callers/attributes.ts';
import type { PolicyRule } from './policy.ts';

const ALL = '*';

/**
 * Whether a rule allows this (`RuleAllows` of kubernetes/plugin/pkg/auth/authorizer/rbac).
 *
 * A rule that names objects allows nothing on a collection, since there the name is ''.
 */
export function ruleAllows(rule: PolicyRule, wanted: Attributes): boolean {
  if (!has(rule.verbs, wanted.verb)) return false;
  if (wanted.kind === 'path') return (rule.nonResourceURLs ?? []).some((url) => urlCovers(url, wanted.path));
  const { resourceNames = [] } = rule;
  return (
    has(rule.apiGroups, wanted.group) &&
    (rule.resources ?? []).some((resource) => resourceCovers(resource, wanted)) &&
    (resourceNames.length === 0 || resourceNames.includes(wanted.name))
  );
}

// `*` is everything, `jobs` is not `jobs/status`, and a star before `/status` is the status of everything.
function resourceCovers(
  ruled: string,
  { resource, subresource }: { readonly resource: string; readonly subresource: string },
): boolean {
  if (ruled === ALL) return true;
  if (subresource === '') return ruled === resource;
  return ruled === `${resource}/${subresource}` || ruled === `${ALL}/${subresource}`;
}

/** A path that ends in `*` is all that begins so. */
export const urlCovers = (ruled: string, path: string): boolean =>
  ruled === ALL || ruled === path || (ruled.endsWith(ALL) && path.startsWith(ruled.replace(/\*+$/, '')));

const has = (ruled: readonly string[] = [], wanted: string): boolean => ruled.includes(ALL) || ruled.includes(wanted);
