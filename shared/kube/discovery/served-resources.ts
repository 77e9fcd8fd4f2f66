import { ALL_KINDS, MEASURED } from '../../domain/kinds/api-kinds.ts';
import { type ApiKind, type Verb, singularOf } from '../../domain/kinds/api-kind.ts';
import { comesBefore } from '../../domain/base/text-order.ts';

/** One kind of resource as discovery lists it. */
export type ServedResource = {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  /** Its name in the table of API shapes. */
  readonly type: string;
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** As for a kind; discovery does not say it, OpenAPI does. */
  readonly showsDeleted?: true;
  readonly subresources: readonly Subresource[];
};

type Subresource = {
  readonly name: string;
  readonly kind: string;
  /** As for a resource. */
  readonly type: string;
  readonly verbs: readonly Verb[];
  /** The kind's group, if it is another one. */
  readonly group?: string;
};

/** `name` is '' for the core group. */
export type ServedGroup = {
  readonly name: string;
  readonly version: string;
  readonly resources: readonly ServedResource[];
};

/**
 * Everything that is served, with the verbs that work, because clients rely on this. Groups and their kinds are in the order of
 * their names, the core first; `kubectl get jobs` means the first group that has them, which is batch.
 */
export const SERVED: readonly ServedGroup[] = groupsOf(ALL_KINDS);

/** What connects to programs of Pods, where that is served; as upstream lists it. */
const SESSIONS: readonly Subresource[] = [
  { name: 'attach', kind: 'PodAttachOptions', type: 'PodAttachOptions', verbs: ['create', 'get'] },
  { name: 'exec', kind: 'PodExecOptions', type: 'PodExecOptions', verbs: ['create', 'get'] },
  { name: 'portforward', kind: 'PodPortForwardOptions', type: 'PodPortForwardOptions', verbs: ['create', 'get'] },
];

/** What an API serves; where it takes over connections to Pods, or measures what they use, that, too. */
export function servedBy({
  sessionRoutes,
  metricRoutes,
}: {
  readonly sessionRoutes?: unknown;
  readonly metricRoutes?: unknown;
}): readonly ServedGroup[] {
  const served = metricRoutes === undefined ? SERVED : groupsOf([...ALL_KINDS, ...MEASURED]);
  return sessionRoutes === undefined ? served : served.map(withSessions);
}

const withSessions = (group: ServedGroup): ServedGroup => ({
  ...group,
  resources: group.resources.map((resource) =>
    resource.type === 'Pod' ? { ...resource, subresources: [...resource.subresources, ...SESSIONS] } : resource,
  ),
});

type Row = ApiKind & { readonly name: string };

function groupsOf(kinds: readonly Row[]): readonly ServedGroup[] {
  const byName = (a: string, b: string): number => (comesBefore(a, b) ? -1 : 1);
  return [...new Set(kinds.map(({ group }) => group))].toSorted(byName).map((group) => {
    const ofIt = kinds.filter((kind) => kind.group === group).toSorted((a, b) => byName(a.plural, b.plural));
    return { name: group, version: ofIt[0]?.version ?? '', resources: ofIt.map(resourceOf) };
  });
}

function resourceOf(row: Row): ServedResource {
  const { name, kind, plural, isNamespaced, verbs, shortNames, categories, showsDeleted, subresources = [] } = row;
  return {
    plural,
    singular: singularOf(row),
    kind,
    type: name,
    namespaced: isNamespaced,
    verbs,
    ...(shortNames === undefined ? {} : { shortNames }),
    ...(categories === undefined ? {} : { categories }),
    ...(showsDeleted === undefined ? {} : { showsDeleted }),
    subresources: subresources.map((sub) => ({ ...sub, type: sub.kind === kind ? name : sub.kind })),
  };
}
