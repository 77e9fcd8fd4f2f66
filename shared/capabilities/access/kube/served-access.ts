import type { ServedGroup } from '../../../kube/discovery/served-resources.ts';
import type { NonResourceAttributes, ResourceAttributes } from '../schema/self-review.ts';

/** A served kind of object, with its verbs. */
export type ServedKind = {
  /** '' is the core group. */
  readonly group: string;
  readonly plural: string;
  readonly verbs: readonly string[];
  readonly subresources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
};

/** What discovery lists, one kind after the other. */
export const servedKinds = (groups: readonly ServedGroup[]): readonly ServedKind[] =>
  groups.flatMap(({ name, resources }) =>
    resources.map(({ plural, verbs, subresources }) => ({ group: name, plural, verbs, subresources })),
  );

/** `allowed: false`: it is not served, so no user may; the reason. An authenticated user may do everything else. */
export type Access = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

const ANY = '*';
const YES: Access = { allowed: true };
const no = (reason: string): Access => ({ allowed: false, reason });

/** Whether the caller may do this with objects; `*` matches everything. */
export function accessToResource(
  { verb = '', group = '', resource = '', subresource = '' }: ResourceAttributes,
  served: readonly ServedKind[],
): Access {
  const name = [resource, subresource].filter((part) => part !== '').join('/');
  const full = group === '' || group === ANY ? name : `${name}.${group}`;
  const kinds = served.filter((kind) => fits(group, kind.group) && fits(resource, kind.plural));
  const verbs = kinds.flatMap((kind) =>
    subresource === ''
      ? [kind.verbs]
      : kind.subresources.filter((sub) => fits(subresource, sub.name)).map((sub) => sub.verbs),
  );
  if (verbs.length === 0) return no(`muster does not serve ${full}`);
  return verbs.some((all) => verb === ANY || all.includes(verb)) ? YES : no(`muster does not serve ${verb} of ${full}`);
}

/** The same for non-resource paths; those that end in `*` match everything below. */
export function accessToPath({ verb = '', path = '' }: Partial<NonResourceAttributes> = {}): Access {
  const isServed = path === ANY || PATHS.some((known) => known === path || isBelow(path, known));
  if (!isServed) return no(`muster does not serve ${path}`);
  return verb === ANY || READS.includes(verb) ? YES : no(`muster does not serve ${verb} of ${path}`);
}

const fits = (wanted: string, is: string): boolean => wanted === ANY || wanted === is;

const isBelow = (path: string, known: string): boolean => known.endsWith('/*') && path.startsWith(known.slice(0, -1));

/** Verbs of paths are HTTP methods. */
const READS: readonly string[] = ['get', 'head'];
const PATHS: readonly string[] = [
  '/api',
  '/api/*',
  '/apis',
  '/apis/*',
  '/healthz',
  '/livez',
  '/muster/*',
  '/openapi',
  '/openapi/*',
  '/readyz',
  '/version',
];

/** Everything that the caller may do, as `kubectl auth can-i --list` prints it. */
export const rulesOf = (served: readonly ServedKind[]) => ({
  resourceRules: served.flatMap(({ group, plural, verbs, subresources }) => [
    { verbs, apiGroups: [group], resources: [plural] },
    ...subresources.map((sub) => ({ verbs: sub.verbs, apiGroups: [group], resources: [`${plural}/${sub.name}`] })),
  ]),
  nonResourceRules: [{ verbs: ['get'], nonResourceURLs: PATHS }],
  incomplete: false,
});
