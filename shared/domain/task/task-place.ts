import { CAPACITY_SELECTOR } from '../manifests/annotations.ts';
import { meetsRequirement } from '../manifests/label-requirement.ts';
import type { Labels } from '../manifests/manifest.ts';
import type { Affinity, NodeAffinityTerm } from '../manifests/pod-spec.ts';

export const ARCHITECTURE_SELECTOR = 'kubernetes.io/arch';

/** The labels that users may choose on Fargate, with their values. A Pod runs on the first that satisfies it. */
export const PLACE_LABELS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  [ARCHITECTURE_SELECTOR]: ['amd64', 'arm64'],
  [CAPACITY_SELECTOR]: ['on-demand', 'spot'],
  'kubernetes.io/os': ['linux'],
};

/** Every combination of these labels, in the order of preference: the first key decides first. */
const PLACES: readonly Labels[] = Object.entries(PLACE_LABELS).reduce<readonly Labels[]>(
  (places, [key, values]) => places.flatMap((place) => values.map((value) => ({ ...place, [key]: value }))),
  [{}],
);

/** The parts of a Pod's spec that decide where it runs. */
export type Placement = { readonly nodeSelector?: Labels | undefined; readonly affinity?: Affinity | undefined };

/**
 * Where the Pod's task runs, as the labels that a node would have: the first place that satisfies its nodeSelector and its
 * required node affinity (Kubernetes' `GetRequiredNodeAffinity`). null: none does. Nothing else in `affinity` matters here.
 */
export function placeOf({ nodeSelector = {}, affinity }: Placement): Labels | null {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return (
    PLACES.find(
      (place) =>
        Object.entries(nodeSelector).every(([key, value]) => place[key] === value) &&
        (required === undefined || (required.nodeSelectorTerms ?? []).some((term) => meetsTerm(term, place))),
    ) ?? null
  );
}

/** An empty term matches no node. No node of Fargate has a name, so none has a field. */
const meetsTerm = ({ matchExpressions = [], matchFields = [] }: NodeAffinityTerm, place: Labels): boolean =>
  matchExpressions.length + matchFields.length > 0 &&
  matchExpressions.every((each) => meetsRequirement(each, place)) &&
  matchFields.every((each) => meetsRequirement(each, {}));
