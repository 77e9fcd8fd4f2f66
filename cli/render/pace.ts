/** The number of successes at a moment. */
export type Sample = { readonly atMs: number; readonly succeeded: number };

/** Long enough to smooth a watch that reports once a second, short enough to follow a change of pace. */
const WINDOW_MS = 30_000;
/** Two samples this close say nothing about pace. */
const SPAN_MIN_MS = 500;

/** Adds a sample: keeps those of the last 30 s and the one before them. */
export function addSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const all = [...samples.filter(({ atMs }) => atMs < sample.atMs), sample];
  const begin = all.findLastIndex(({ atMs }) => atMs <= sample.atMs - WINDOW_MS);
  return all.slice(Math.max(begin, 0));
}

/** Successes per second over the samples; null if too little is known or nothing has succeeded. */
export function paceOf(samples: readonly Sample[]): { readonly perSec: number; readonly asOfMs: number } | null {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.atMs - first.atMs < SPAN_MIN_MS) return null;
  const perSec = ((last.succeeded - first.succeeded) / (last.atMs - first.atMs)) * 1000;
  return perSec > 0 ? { perSec, asOfMs: last.atMs } : null;
}
