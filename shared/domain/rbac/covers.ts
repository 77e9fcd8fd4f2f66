import type { PolicyRule } from './policy.ts';
import { urlCovers } from './rule-allows.ts';

/** A rule about one verb of one resource, or of one path. */
type Single =
  | {
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      /** null: every object. */
      readonly name: string | null;
    }
  | { readonly verb: string; readonly url: string };

/**
 * Which single rules of `wanted` somebody who has `owned` does not have (`Covers` of component-helpers/auth/rbac/validation).
 * Nobody may grant what these are.
 */
export const notCovered = (owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] =>
  wanted.flatMap(singlesOf).flatMap((single) => (owned.some((rule) => covers(rule, single)) ? [] : [asRule(single)]));

function singlesOf({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): readonly Single[] {
  const names = resourceNames.length === 0 ? [null] : resourceNames;
  return verbs.flatMap((verb) => [
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) => names.map((name) => ({ verb, group, resource, name }))),
    ),
    ...nonResourceURLs.map((url) => ({ verb, url })),
  ]);
}

function covers(rule: PolicyRule, single: Single): boolean {
  if (!hasAll(rule.verbs, single.verb)) return false;
  if ('url' in single) return (rule.nonResourceURLs ?? []).some((url) => urlCovers(url, single.url));
  const { resourceNames = [] } = rule;
  return (
    hasAll(rule.apiGroups ?? [], single.group) &&
    (rule.resources ?? []).some((resource) => coversResource(resource, single.resource)) &&
    (resourceNames.length === 0 || (single.name !== null && resourceNames.includes(single.name)))
  );
}

// All of a resource covers none of its subresources, and a star before `/status` only those of this name.
function coversResource(ruled: string, wanted: string): boolean {
  if (ruled === '*' || ruled === wanted) return true;
  const slash = wanted.indexOf('/');
  return slash >= 0 && ruled === `*${wanted.slice(slash)}`;
}

const hasAll = (ruled: readonly string[], wanted: string): boolean => ruled.includes('*') || ruled.includes(wanted);

const asRule = (single: Single): PolicyRule =>
  'url' in single
    ? { verbs: [single.verb], nonResourceURLs: [single.url] }
    : {
        verbs: [single.verb],
        apiGroups: [single.group],
        resources: [single.resource],
        ...(single.name === null ? {} : { resourceNames: [single.name] }),
      };
