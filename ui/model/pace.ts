/** How many had succeeded at a moment. */
export type Sample = { readonly atMs: number; readonly done: number };

const KEPT_MS = 120_000;
const LEAST_MS = 4_000;

/** Samples with one more, without those that are too old to say something, or that a Job of the past has left. */
export function withSample(samples: readonly Sample[], next: Sample): readonly Sample[] {
  const last = samples.at(-1);
  if (last !== undefined && next.done < last.done) return [next];
  if (last !== undefined && next.atMs <= last.atMs) return samples;
  return [...samples.filter(({ atMs }) => atMs > next.atMs - KEPT_MS), next];
}

/** How many succeed in a second; null: too little is known. */
export function pacePerSec(samples: readonly Sample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.atMs - first.atMs < LEAST_MS) return null;
  return ((last.done - first.done) * 1_000) / (last.atMs - first.atMs);
}

/** `12.4 a second`, `3.1 a minute`, `2 an hour`. */
export function paceWords(perSec: number): string {
  const as = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(1));
  if (perSec >= 1) return `${as(perSec)} a second`;
  if (perSec * 60 >= 1) return `${as(perSec * 60)} a minute`;
  return `${as(perSec * 3_600)} an hour`;
}
