import { ANNOTATIONS } from './annotations.ts';
import {
  type After,
  type AfterCondition,
  type AfterIndexes,
  formatAfter,
  formatAfterIndexes,
  parseAfter,
  parseAfterIndexes,
} from './annotations/dependencies.ts';

// Which Jobs wait for which: what graphs, the view of several Jobs, and files with several Jobs have in common.

/** The Jobs that a Job waits for. */
export type Dependencies = { readonly after: readonly After[]; readonly afterIndexes: readonly AfterIndexes[] };

/** A Job, or another thing with a name, that may wait for Jobs. */
export type Dependent = { readonly name: string; readonly dependencies: Dependencies };

/** What a Job's annotations say. A text that no server would have taken says nothing. */
export function dependenciesOf(annotations: Readonly<Record<string, string>>): Dependencies {
  const { [ANNOTATIONS.after]: after, [ANNOTATIONS.afterIndexes]: afterIndexes } = annotations;
  const jobs = after === undefined ? null : parseAfter(after);
  const indexes = afterIndexes === undefined ? null : parseAfterIndexes(afterIndexes);
  return {
    after: jobs?.kind === 'ok' ? jobs.after : [],
    afterIndexes: indexes?.kind === 'ok' ? indexes.afterIndexes : [],
  };
}

/** The names of all Jobs that are waited for, each once. */
export const upstreamsOf = ({ after, afterIndexes }: Dependencies): readonly string[] => [
  ...new Set([...after, ...afterIndexes].map(({ name }) => name)),
];

/** What is waited for, in words as short as the annotations': `prepare, fetch:finished; by index: map/2`. */
export const dependenciesText = ({ after, afterIndexes }: Dependencies): string =>
  [
    ...(after.length === 0 ? [] : [formatAfter(after)]),
    ...(afterIndexes.length === 0 ? [] : [`by index: ${formatAfterIndexes(afterIndexes)}`]),
  ].join('; ');

export type Ordered<T> = {
  /** Each after those that it waits for, otherwise in the order given. In a circle, one of them comes first. */
  readonly order: readonly T[];
  /** The names along a circle: each waits for the next one, and the last for the first. null: there is no circle. */
  readonly cycle: readonly string[] | null;
};

/** Orders dependents, each after its upstreams. Takes time linear in their dependencies. */
export function inOrder<T extends Dependent>(dependents: readonly T[]): Ordered<T> {
  const byName = new Map(dependents.map((each) => [each.name, each]));
  const order: T[] = [];
  const done = new Set<T>();
  let cycle: readonly string[] | null = null;
  for (const root of dependents) {
    // A stack of its own: a chain may be longer than calls can be deep.
    const path: { readonly at: T; readonly rest: Iterator<string, undefined> }[] = [];
    const onPath = new Set<T>();
    const enter = (at: T): void => {
      onPath.add(at);
      path.push({ at, rest: upstreamsOf(at.dependencies).values() });
    };
    if (!done.has(root)) enter(root);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { value: name } = top.rest.next();
      const upstream = name === undefined ? undefined : byName.get(name);
      if (name === undefined) {
        path.pop();
        onPath.delete(top.at);
        done.add(top.at);
        order.push(top.at);
      } else if (upstream !== undefined && onPath.has(upstream)) {
        cycle ??= path.slice(path.findIndex(({ at }) => at === upstream)).map(({ at }) => at.name);
      } else if (upstream !== undefined && !done.has(upstream)) enter(upstream);
    }
  }
  return { order, cycle };
}

/** What a picture says about a Job. */
export type GraphJob = Dependent & {
  /** `missing`: another Job waits for it, and there is none of this name. */
  readonly state: GraphState;
  readonly succeeded: number;
  /** Successes that make it complete; null: unknown. */
  readonly total: number | null;
};
export type GraphState = (typeof GRAPH_STATES)[number];
export const GRAPH_STATES = [
  'missing',
  'held',
  'waiting',
  'running',
  'suspended',
  'ending',
  'complete',
  'failed',
] as const;

/**
 * The Jobs of a picture, in order, with those that are waited for and missing.
 *
 * @param names the Jobs that were asked for: they and all that are connected with them; null: all that wait or are waited for
 */
export function graphOf(jobs: readonly GraphJob[], names: readonly string[] | null): readonly GraphJob[] {
  const known = new Set(jobs.map(({ name }) => name));
  const missing = [...new Set(jobs.flatMap(({ dependencies }) => upstreamsOf(dependencies)))]
    .filter((name) => !known.has(name))
    .map((name): GraphJob => ({ name, state: 'missing', succeeded: 0, total: null, dependencies: NONE }));
  const neighbours = new Map<string, string[]>();
  const join = (from: string, to: string): void => {
    const others = neighbours.get(from);
    if (others === undefined) neighbours.set(from, [to]);
    else others.push(to);
  };
  for (const { name, dependencies } of jobs)
    for (const upstream of upstreamsOf(dependencies)) {
      join(name, upstream);
      join(upstream, name);
    }
  const shown = new Set(names ?? neighbours.keys());
  for (const name of shown) for (const next of neighbours.get(name) ?? []) shown.add(next);
  return inOrder([...missing, ...jobs].filter(({ name }) => shown.has(name))).order;
}

const NONE: Dependencies = { after: [], afterIndexes: [] };

/** One Job waits for another. */
export type Edge = {
  readonly from: string;
  readonly to: string;
  /** What the upstream must have reached, or how many of its indexes one index waits for. */
  readonly waits:
    | { readonly kind: 'job'; readonly condition: AfterCondition }
    | { readonly kind: 'indexes'; readonly perIndex: number };
};

/** Who waits for whom, from upstream to downstream. */
export const edgesOf = (graph: readonly Dependent[]): readonly Edge[] =>
  graph.flatMap(({ name: to, dependencies: { after, afterIndexes } }) => [
    ...after.map(({ name: from, condition }): Edge => ({ from, to, waits: { kind: 'job', condition } })),
    ...afterIndexes.map(({ name: from, perIndex }): Edge => ({ from, to, waits: { kind: 'indexes', perIndex } })),
  ]);
