/** What a runtime took at one moment. */
export type Sample = {
  readonly atSec: number;
  /** of the runtime and its processes */
  readonly rssBytes: number;
  /** of its data folder, on the disk */
  readonly bytes: number;
  readonly files: number;
  /** that have run so far */
  readonly indexes: number;
};

/** A garbage collector makes memory rise and fall; what leaks in an hour is more. */
const GROWTH_MAX = 1.15;

/**
 * Compares the last quarter with the second one, when everything is loaded. Of every index something is kept for an hour
 * and more, so the data folder is flat if an index takes as much as before. Pure.
 */
export function verdictOf(samples: readonly Sample[]): { readonly isFlat: boolean; readonly text: string } {
  const quarter = Math.floor(samples.length / 4);
  if (quarter === 0) return { isFlat: false, text: 'too few samples' };
  const [early, late] = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)];
  const rows = MEASURES.map(({ what, of, digits }) => {
    const [from, to] = [median(early.map(of)), median(late.map(of))];
    const isFlat = to <= from * GROWTH_MAX;
    const compared = `${from.toFixed(digits)} in the second quarter, ${to.toFixed(digits)} in the last`;
    return { isFlat, text: `${what}: ${compared}: ${isFlat ? 'flat' : 'grew'}` };
  });
  return { isFlat: rows.every(({ isFlat }) => isFlat), text: rows.map(({ text }) => text).join('\n') };
}

type Measure = { readonly what: string; readonly digits: number; readonly of: (sample: Sample) => number };

const MEASURES: readonly Measure[] = [
  { what: 'MiB of memory', digits: 1, of: ({ rssBytes }) => rssBytes / 2 ** 20 },
  { what: 'KiB of the data folder an index', digits: 2, of: ({ bytes, indexes }) => bytes / indexes / 2 ** 10 },
  { what: 'files an index', digits: 2, of: ({ files, indexes }) => files / indexes },
];

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
