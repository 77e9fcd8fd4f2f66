import type { PodTemplate } from '../../../domain/manifests/manifest.ts';
import type { Container, Resources } from '../../../domain/manifests/pod-spec.ts';
import { LIMITED_RESOURCES, type LimitRange } from './limit-range.ts';

/** Says on a Pod, as in Kubernetes, what LimitRanges have filled in. */
export const LIMIT_RANGER = 'kubernetes.io/limit-ranger';
const WORDS = 'LimitRanger plugin set: ';

type List = 'request' | 'limit';

/**
 * The template with what LimitRanges say where its containers say nothing (`mergePodResourceRequirements` of Kubernetes'
 * limitranger plugin). An annotation names what was filled in. A limit without a request counts as both (`SetDefaults_Pod`), so
 * such a request is not filled in. The same template if there is nothing to fill in.
 *
 * @param ranges of its namespace, in the order in which they fill in
 */
export function withLimitDefaults(template: PodTemplate, ranges: readonly LimitRange[]): PodTemplate {
  const { containers, initContainers } = template.spec;
  const said: string[] = [];
  const filled = (container: Container, what: string): Container => {
    const { resources, set } = fillIn(container, ranges);
    for (const list of ['request', 'limit'] as const)
      if (set[list].length > 0) said.push(`${set[list].toSorted().join(', ')} ${list} for ${what} ${container.name}`);
    return { ...container, resources };
  };
  const spec = {
    ...template.spec,
    containers: containers.map((each) => filled(each, 'container')),
    ...(initContainers === undefined
      ? {}
      : { initContainers: initContainers.map((each) => filled(each, 'init container')) }),
  };
  if (said.length === 0) return template;
  const annotations = { ...template.metadata.annotations, [LIMIT_RANGER]: `${WORDS}${said.join('; ')}` };
  return { ...template, metadata: { ...template.metadata, annotations }, spec };
}

type Filled = {
  readonly resources: NonNullable<Container['resources']>;
  readonly set: Readonly<Record<List, readonly string[]>>;
};

/** The first LimitRange that says something of a resource decides. */
function fillIn({ resources = {} }: Container, ranges: readonly LimitRange[]): Filled {
  const items = ranges.flatMap(({ limits }) => limits.filter(({ type }) => type === 'Container'));
  const limits: Record<string, string> = {};
  const requests: Record<string, string> = {};
  for (const name of LIMITED_RESOURCES) {
    const limit = firstOf(items.map((item) => item.default?.[name]));
    const request = firstOf(items.map((item) => item.defaultRequest?.[name]));
    const hasLimit = resources.limits?.[name] !== undefined;
    if (!hasLimit && limit !== undefined) limits[name] = limit;
    if (!hasLimit && resources.requests?.[name] === undefined && request !== undefined) requests[name] = request;
  }
  return {
    resources: { ...resources, ...merged('requests', resources, requests), ...merged('limits', resources, limits) },
    set: { request: Object.keys(requests), limit: Object.keys(limits) },
  };
}

const firstOf = (values: readonly (string | undefined)[]): string | undefined =>
  values.find((value) => value !== undefined);

const merged = (
  list: 'requests' | 'limits',
  resources: NonNullable<Container['resources']>,
  more: Readonly<Record<string, string>>,
): { readonly requests?: Resources; readonly limits?: Resources } =>
  Object.keys(more).length === 0 ? {} : { [list]: { ...resources[list], ...more } };
