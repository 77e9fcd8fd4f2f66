/** What a runtime took at one moment. */
export type Sample = {
  readonly atSec: number;
  /** memory of the runtime and its processes, without the pages of files */
  readonly anonBytes: number;
  /** of its data folder, on the disk */
  readonly bytes: number;
  readonly files: number;
  /** that have run so far */
  readonly indexes: number;
};

/** A garbage collector makes memory rise and fall; what leaks in an hour is more. */
const GROWTH_MAX = 1.15;

/** ECS shows an ended task for an hour, and so does the embedded runtime: before, memory has to rise. */
const ENDED_TASKS_STAY_SEC = 3_600;
const JUDGED_AT_LEAST_SEC = 2_400;

/**
 * Leaves out the first hour, or of a short run the first quarter, and compares the two halves of the rest. Of every index
 * something is kept for an hour and more, so the data folder is flat if an index takes as much as before. Pure.
 */
export function verdictOf(samples: readonly Sample[]): { readonly isFlat: boolean; readonly text: string } {
  const endSec = samples.at(-1)?.atSec ?? 0;
  const settledSec = endSec >= ENDED_TASKS_STAY_SEC + JUDGED_AT_LEAST_SEC ? ENDED_TASKS_STAY_SEC : endSec / 4;
  const judged = samples.filter(({ atSec }) => atSec > settledSec);
  const half = Math.floor(judged.length / 2);
  if (half < 2) return { isFlat: false, text: 'too few samples' };
  const [early, late] = [judged.slice(0, half), judged.slice(-half)];
  const rows = MEASURES.map(({ what, of, digits }) => {
    const [from, to] = [median(early.map(of)), median(late.map(of))];
    const isFlat = to <= from * GROWTH_MAX;
    const compared = `${from.toFixed(digits)} in the first half, ${to.toFixed(digits)} in the second`;
    return { isFlat, text: `${what}: ${compared}: ${isFlat ? 'flat' : 'grew'}` };
  });
  const since = `judged from minute ${(settledSec / 60).toFixed(0)} on`;
  return { isFlat: rows.every(({ isFlat }) => isFlat), text: [since, ...rows.map(({ text }) => text)].join('\n') };
}

type Measure = { readonly what: string; readonly digits: number; readonly of: (sample: Sample) => number };

const MEASURES: readonly Measure[] = [
  { what: 'MiB of memory', digits: 1, of: ({ anonBytes }) => anonBytes / 2 ** 20 },
  { what: 'KiB of the data folder an index', digits: 2, of: ({ bytes, indexes }) => bytes / indexes / 2 ** 10 },
  { what: 'files an index', digits: 2, of: ({ files, indexes }) => files / indexes },
];

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
