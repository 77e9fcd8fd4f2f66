/** How a run ended, in few words. */
export const RUN_ENDS = ['succeeded', 'failed', 'other'] as const;
export type RunEnd = (typeof RUN_ENDS)[number];

export type Run = { readonly end: RunEnd; readonly seconds: number };

export type Summary = {
  readonly count: number;
  readonly min: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
  readonly mean: number;
};

/** null: there is nothing to sum up. */
export function summaryOf(values: readonly number[]): Summary | null {
  const sorted = values.toSorted((a, b) => a - b);
  const [min, max] = [sorted[0], sorted.at(-1)];
  if (min === undefined || max === undefined) return null;
  // The nearest rank: a value that was there.
  const at = (share: number): number => sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? max;
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  return { count: sorted.length, min, p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), max, mean };
}

/** From `from` to below `to`, but the last has its end, too. */
export type Bucket = { readonly from: number; readonly to: number } & { readonly [E in RunEnd]: number };

const BUCKETS_MAX = 40;
/** Where the longest took so much longer than the shortest, equal steps would put most into one bucket. */
const WIDE = 16;
/** Shorter runs are as long as this: a step of 0 has no ratio. */
const SHORTEST_SEC = 0.01;

/** Runs by how long they took: in equal steps of a round length, or in steps that grow where they differ much. */
export function histogramOf(runs: readonly Run[]): readonly Bucket[] {
  const seconds = runs.map((run) => run.seconds);
  const [min, max] = [minOf(seconds), maxOf(seconds)];
  if (min === null || max === null) return [];
  const edges = max > Math.max(min, SHORTEST_SEC) * WIDE ? growing(min, max) : equal(min, max);
  const buckets = edges
    .slice(0, -1)
    .map((from, nth) => ({ from, to: edges[nth + 1] ?? from, succeeded: 0, failed: 0, other: 0 }));
  for (const run of runs) {
    const bucket = buckets.findLast(({ from }) => run.seconds >= from) ?? buckets[0];
    if (bucket !== undefined) bucket[run.end]++;
  }
  return buckets;
}

const minOf = (values: readonly number[]): number | null =>
  values.reduce<number | null>((a, b) => Math.min(a ?? b, b), null);
const maxOf = (values: readonly number[]): number | null =>
  values.reduce<number | null>((a, b) => Math.max(a ?? b, b), null);

function equal(min: number, max: number): readonly number[] {
  const step = roundUp(Math.max((max - min) / (BUCKETS_MAX - 2), SHORTEST_SEC));
  const first = Math.floor(min / step);
  const count = Math.max(Math.ceil(max / step) - first, 1);
  return Array.from({ length: count + 1 }, (_, nth) => inMs((first + nth) * step));
}

function growing(min: number, max: number): readonly number[] {
  const first = Math.max(min, SHORTEST_SEC);
  const ratio = (max / first) ** (1 / (BUCKETS_MAX - 1));
  const edges = Array.from({ length: BUCKETS_MAX }, (_, nth) => inMs(first * ratio ** nth));
  return [...new Set([Math.min(min, first) < first ? 0 : inMs(min), ...edges.slice(1, -1), inMs(max)])];
}

/** To the millisecond, which is what times are. */
const inMs = (seconds: number): number => Math.round(seconds * 1000) / 1000;

const ROUND = [1, 2, 5];

function roundUp(value: number): number {
  for (let power = 10 ** Math.floor(Math.log10(value)); ; power *= 10)
    for (const digit of ROUND) if (digit * power >= value) return inMs(digit * power);
}
