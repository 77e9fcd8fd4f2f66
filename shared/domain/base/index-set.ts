import { invariant } from './invariant.ts';

/**
 * A set of completion indexes as ordered, disjoint intervals; never changed in place. `edges` strictly increase: the even ones
 * begin an interval, the odd ones are the first index after it. So a set is a line that switches from "out" to "in" and back at
 * each edge, and all of the algebra is one walk over the edges of two sets.
 */
export type IndexSet = { readonly edges: readonly number[] };

export const NO_INDEXES: IndexSet = { edges: [] };

/** Kubernetes' canonical text: ascending, a run of three or more as `first-last`, a run of two as `a,b`; empty: "". */
export function formatIndexSet({ edges }: IndexSet): string {
  const parts: string[] = [];
  for (let i = 0; i < edges.length; i += 2) {
    const [first, after] = intervalAt(edges, i);
    const run = after - first;
    parts.push(run === 1 ? `${first}` : run === 2 ? `${first},${first + 1}` : `${first}-${after - 1}`);
  }
  return parts.join(',');
}

/**
 * Parses a status's text as Kubernetes' controller does: it skips a part that cannot be parsed, stops at the first number that
 * is not below `completions`, and cuts an interval's end to that (so a smaller Job drops indexes).
 */
export function parseStatusIndexes(text: string, completions: number): IndexSet {
  const intervals: [number, number][] = [];
  for (const part of text.split(',')) {
    const [first, last = first, ...more] = part.split('-').map(parseIndex);
    if (first === undefined || first === null) continue;
    if (first >= completions) break;
    if (last === undefined || last === null || last < first || more.length > 0) continue;
    intervals.push([first, Math.min(last, completions - 1) + 1]);
  }
  return merge(intervals.sort(([a], [b]) => a - b));
}

export type ParsedIndexes =
  | { readonly kind: 'ok'; readonly set: IndexSet }
  | { readonly kind: 'invalid'; readonly reason: string };

/**
 * Parses a user's text (successPolicy) as Kubernetes' validation does: parts of one or two integers, strictly increasing over
 * the whole text, all below `completions`. The reason is Kubernetes' own, word for word.
 */
export function parseIndexesStrict(text: string, completions: number): ParsedIndexes {
  if (text === '') return { kind: 'ok', set: NO_INDEXES };
  const intervals: [number, number][] = [];
  let previous: number | null = null;
  for (const part of text.split(',')) {
    const ends = part.split('-');
    if (ends.length > 2)
      return invalid(
        `the fragment ${JSON.stringify(part)} violates the requirement that an index interval can have at most two parts separated by '-'`,
      );
    const read: number[] = [];
    for (const end of ends) {
      const index = parseIndex(end);
      if (index === null) return invalid(`cannot convert string to integer for index: ${JSON.stringify(end)}`);
      if (index >= completions) return invalid(`too large index: ${JSON.stringify(end)}`);
      read.push(index);
    }
    const [first = 0, last = first] = read;
    if (ends.length === 2 && first >= last) return invalid(nonIncreasing(first, last));
    if (previous !== null && previous >= first) return invalid(nonIncreasing(previous, first));
    previous = last;
    intervals.push([first, last + 1]);
  }
  return { kind: 'ok', set: merge(intervals) };
}

/** The set of these indexes, which must be in ascending order; duplicates are allowed. */
export function indexSetOf(ascending: Iterable<number>): IndexSet {
  const edges: number[] = [];
  let after = -1;
  for (const index of ascending) {
    invariant(index >= after - 1 && index >= 0, `${index} comes in ascending order`);
    if (index === after - 1) continue;
    if (index === after) edges.pop();
    else edges.push(index);
    after = index + 1;
    edges.push(after);
  }
  return { edges };
}

/** The indexes of 0..n-1 for which `wanted` holds. */
export function indexSetWhere(n: number, wanted: (index: number) => boolean): IndexSet {
  const edges: number[] = [];
  let inside = false;
  for (let index = 0; index < n; index++) {
    if (wanted(index) === inside) continue;
    edges.push(index);
    inside = !inside;
  }
  if (inside) edges.push(n);
  return { edges };
}

/** An index is in the set when an odd number of edges lie at or before it. */
export const has = (set: IndexSet, index: number): boolean => edgesUpTo(set, index) % 2 === 1;

/** The part of the set from `from` on and below `to`, as intervals `[first, after)` in order; looks at no others. */
export function intervalsWithin(set: IndexSet, from: number, to: number): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  if (to <= from) return found;
  const begun = edgesUpTo(set, from);
  for (let i = begun - (begun % 2); i < set.edges.length; i += 2) {
    const [first, after] = intervalAt(set.edges, i);
    if (first >= to) break;
    found.push([Math.max(first, from), Math.min(after, to)]);
  }
  return found;
}

/** How many edges lie at or before `index`. */
function edgesUpTo({ edges }: IndexSet, index: number): number {
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((edges[middle] ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many indexes the set has. */
export function size({ edges }: IndexSet): number {
  let sum = 0;
  for (let i = 0; i < edges.length; i += 2) {
    const [first, after] = intervalAt(edges, i);
    sum += after - first;
  }
  return sum;
}

export const union = (a: IndexSet, b: IndexSet): IndexSet => combine(a, b, (inA, inB) => inA || inB);
export const intersect = (a: IndexSet, b: IndexSet): IndexSet => combine(a, b, (inA, inB) => inA && inB);
/** The indexes of `a` that are not in `b`. */
export const subtract = (a: IndexSet, b: IndexSet): IndexSet => combine(a, b, (inA, inB) => inA && !inB);
/** Every index of `a` is in `b`. */
export const isSubset = (a: IndexSet, b: IndexSet): boolean => subtract(a, b).edges.length === 0;
export const addIndex = (set: IndexSet, index: number): IndexSet =>
  has(set, index) ? set : union(set, { edges: [index, index + 1] });

/** Walks the edges of both sets in order; the result switches where `keep` does. */
function combine(a: IndexSet, b: IndexSet, keep: (inA: boolean, inB: boolean) => boolean): IndexSet {
  const edges: number[] = [];
  let passedA = 0;
  let passedB = 0;
  let inside = false;
  while (passedA < a.edges.length || passedB < b.edges.length) {
    const edge = Math.min(a.edges[passedA] ?? Infinity, b.edges[passedB] ?? Infinity);
    if (a.edges[passedA] === edge) passedA++;
    if (b.edges[passedB] === edge) passedB++;
    if (keep(passedA % 2 === 1, passedB % 2 === 1) === inside) continue;
    edges.push(edge);
    inside = !inside;
  }
  return { edges };
}

/** Intervals [first, after) in order of `first`, joined where they touch or overlap. */
function merge(intervals: readonly (readonly [number, number])[]): IndexSet {
  const edges: number[] = [];
  let end = -1;
  for (const [first, after] of intervals) {
    if (first <= end) edges.pop();
    else edges.push(first);
    end = first <= end ? Math.max(end, after) : after;
    edges.push(end);
  }
  return { edges };
}

function intervalAt(edges: readonly number[], i: number): [number, number] {
  const first = edges[i];
  const after = edges[i + 1];
  invariant(first !== undefined && after !== undefined, 'edges come in pairs');
  return [first, after];
}

const parseIndex = (text: string): number | null => (/^\d+$/.test(text) ? Number(text) : null);

const nonIncreasing = (previous: number, current: number): string =>
  `non-increasing order, previous: ${previous}, current: ${current}`;

const invalid = (reason: string): ParsedIndexes => ({ kind: 'invalid', reason });
