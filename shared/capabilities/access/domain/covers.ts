import type { PolicyRule } from './policy.ts';
import { urlCovers } from './rule-allows.ts';

/** The most rights that the rules of a role may list: the default `admin` has 134. */
export const RIGHTS_MAX = 10_000;
/** The most pairs of a wanted right and a rule, or a path, that may have it: a fraction of a second. */
export const CHECKS_MAX = 2_000_000;
/** A message names so many missing rights; more help nobody. */
const MISSING_MAX = 100;

/** How many rights rules list: each verb of each resource of each group, of each object if they are named, and of each path. */
export const rightsOf = (rules: readonly PolicyRule[]): number =>
  rules.reduce(
    (sum, { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }) =>
      sum +
      verbs.length * (apiGroups.length * resources.length * Math.max(1, resourceNames.length) + nonResourceURLs.length),
    0,
  );

export type Coverage =
  /** Single rules that are missing; `more`: others are missing, too. */
  | { readonly kind: 'checked'; readonly missing: readonly PolicyRule[]; readonly more: boolean }
  /** Nobody has looked: there is too much to compare. */
  | { readonly kind: 'tooMany'; readonly rights: number; readonly held: number };

/**
 * Which single rules of `wanted` somebody who has `owned` does not have (`Covers` of component-helpers/auth/rbac/validation).
 * Nobody may grant what these are. Rules multiply, so what is to be compared is counted first, and nothing is built of it.
 */
export function notCovered(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): Coverage {
  const known = [...new Map(owned.map((rule) => [JSON.stringify(rule), rule])).values()].map(quickly);
  const rights = rightsOf(wanted);
  const held = known.reduce((sum, { urls }) => sum + 1 + urls.length, 0);
  if (rights * held > CHECKS_MAX) return { kind: 'tooMany', rights, held };
  const missing: PolicyRule[] = [];
  for (const rule of wanted)
    for (const single of missingOf(known, rule)) {
      if (missing.length === MISSING_MAX) return { kind: 'checked', missing, more: true };
      missing.push(single);
    }
  return { kind: 'checked', missing, more: false };
}

/** A rule whose lists answer at once. */
type QuickRule = Readonly<
  Record<'verbs' | 'groups' | 'resources' | 'names', ReadonlySet<string>> & { readonly urls: readonly string[] }
>;

const quickly = (rule: PolicyRule): QuickRule => ({
  verbs: new Set(rule.verbs),
  groups: new Set(rule.apiGroups),
  resources: new Set(rule.resources),
  names: new Set(rule.resourceNames),
  urls: rule.nonResourceURLs ?? [],
});

/** Single rules, in upstream's order. What cannot have one of a list is left out before the next list is gone through. */
function* missingOf(
  owned: readonly QuickRule[],
  { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule,
): Generator<PolicyRule> {
  for (const verb of verbs) {
    const ofVerb = owned.filter((rule) => has(rule.verbs, verb));
    for (const group of apiGroups) {
      const ofGroup = ofVerb.filter((rule) => has(rule.groups, group));
      for (const resource of resources) {
        const found = ofGroup.filter((rule) => coversResource(rule.resources, resource));
        if (found.some(({ names }) => names.size === 0)) continue;
        const right = { verbs: [verb], apiGroups: [group], resources: [resource] };
        if (resourceNames.length === 0) yield right;
        for (const name of resourceNames)
          if (!found.some(({ names }) => names.has(name))) yield { ...right, resourceNames: [name] };
      }
    }
    for (const url of nonResourceURLs)
      if (!ofVerb.some(({ urls }) => urls.some((each) => urlCovers(each, url))))
        yield { verbs: [verb], nonResourceURLs: [url] };
  }
}

// All of a resource covers none of its subresources, and a star before `/status` only those of this name.
function coversResource(ruled: ReadonlySet<string>, wanted: string): boolean {
  if (has(ruled, wanted)) return true;
  const slash = wanted.indexOf('/');
  return slash >= 0 && ruled.has(`*${wanted.slice(slash)}`);
}

const has = (ruled: ReadonlySet<string>, wanted: string): boolean => ruled.has('*') || ruled.has(wanted);
