import type { Resources } from '../../../domain/manifests/pod-spec.ts';

/** The resources of a Fargate task, in the order in which Kubernetes names them. */
export const LIMITED_RESOURCES = ['cpu', 'ephemeral-storage', 'memory'] as const satisfies readonly (keyof Resources)[];
export type LimitedResource = (typeof LIMITED_RESOURCES)[number];

/** What can be limited here: the size of a claim is no limit of anything. */
export const LIMIT_TYPES = ['Container', 'Pod'] as const;
export type LimitType = (typeof LIMIT_TYPES)[number];

/** Limits for each container of a Pod, or for the Pod as a whole, which has no defaults. */
export type LimitItem = {
  readonly type: LimitType;
  readonly max?: Resources;
  readonly min?: Resources;
  readonly default?: Resources;
  readonly defaultRequest?: Resources;
  readonly maxLimitRequestRatio?: Resources;
};

/** A LimitRange, as far as it decides. */
export type LimitRange = { readonly name: string; readonly limits: readonly LimitItem[] };

/** What decides of a stored LimitRange: what is stored as this kind was admitted as one. */
export function limitRangeIn(document: object): LimitRange {
  const { metadata, spec } = document as {
    readonly metadata: { readonly name?: unknown };
    readonly spec: { readonly limits: readonly LimitItem[] };
  };
  return { name: String(metadata.name), limits: spec.limits };
}

/** What a LimitRange says of containers, with what follows from it (`SetDefaults_LimitRangeItem`). */
export function withDefaultLimits(item: LimitItem): LimitItem {
  if (item.type !== 'Container') return item;
  const limits = { ...item.max, ...item.default };
  const requests = { ...item.min, ...limits, ...item.defaultRequest };
  return { ...item, ...given('default', limits), ...given('defaultRequest', requests) };
}

const given = <K extends string>(key: K, resources: Resources): { readonly [key in K]?: Resources } =>
  (Object.keys(resources).length === 0 ? {} : { [key]: resources }) as { readonly [key in K]?: Resources };
