import { join } from 'node:path';
import type { Peaked, Results } from './budget.ts';
import { type RateFigures, rateOf } from './rates.ts';
import { type Bundle, type Measured, runChild } from './run-child.ts';
import type { JobFigures } from './scenarios/jobs.ts';
import type { DispatcherOptions } from './scenarios/limiter.ts';
import { startLimitTable } from './scenarios/limit-table.ts';

/** What to measure. */
export type Sizes = { readonly indexes: readonly number[]; readonly largeIndexes: number };

/** One group of figures, by the name that `--only` takes; what it leaves out of `Results` was not measured. */
export type Suite = { readonly name: string; readonly run: (bundle: Bundle, sizes: Sizes) => Promise<Results> };

/** What a process is promised to bear; medians of seven. */
const WATCHES = { idle: 1_000, times: 7, writers: 100 };

/** GETs of each kind. */
const ACCESS = { requests: 1_000 };

const CRONS = { crons: 10_000, due: 500 };

/** Jobs of a chain; the indexes of a Job that wait for another's are as many as `--indexes` has, at most this many. */
const STEPS = 1_000;
const PAIRS_MAX = 100_000;

/** How often a start is measured; medians. */
const STARTS = 11;

/** These sizes show whether the cost of an index is flat; completions come in any order. A process is warm from 10,000 on. */
const FLAT = [1_000, 10_000, 100_000];

const withPeak = <F extends object>({ figures, peakRssMb }: Measured<F>): Peaked<F> => ({ ...figures, peakRssMb });

export const SUITES: readonly Suite[] = [
  {
    name: 'planner',
    run: async (bundle) => ({ planner: (await runChild(bundle, 'planner', { indexes: 100_000 })).figures }),
  },
  { name: 'lag', run: async (bundle) => ({ lag: withPeak(await runChild(bundle, 'lag', {})) }) },
  { name: 'limiter', run: async (bundle) => ({ limiter: await limiter(bundle) }) },
  {
    name: 'beside',
    run: async (bundle, { largeIndexes }) => ({ beside: withPeak(await runChild(bundle, 'beside', { largeIndexes })) }),
  },
  {
    name: 'watches',
    run: async (bundle) => ({ watches: withPeak(await runChild(bundle, 'watches', WATCHES)) }),
  },
  {
    name: 'start',
    run: async (bundle) => {
      const program = join(bundle.root, 'dist/muster.mjs');
      return { start: withPeak(await runChild(bundle, 'start', { program, times: STARTS })) };
    },
  },
  { name: 'kep', run: async (bundle) => ({ kep: withPeak(await runChild(bundle, 'kepLoad', {})) }) },
  { name: 'lists', run: async (bundle, { indexes }) => ({ lists: await lists(bundle, indexes) }) },
  { name: 'early', run: async (bundle, { indexes }) => ({ early: await early(bundle, indexes) }) },
  { name: 'access', run: async (bundle) => ({ access: withPeak(await runChild(bundle, 'access', ACCESS)) }) },
  { name: 'crons', run: async (bundle) => ({ crons: withPeak(await runChild(bundle, 'crons', CRONS)) }) },
  {
    name: 'chains',
    run: async (bundle, { indexes }) => {
      const pairs = indexes.findLast((size) => size <= PAIRS_MAX) ?? PAIRS_MAX;
      return { chains: withPeak(await runChild(bundle, 'chains', { steps: STEPS, indexes: pairs })) };
    },
  },
  { name: 'jobs', run: async (bundle, { indexes }) => ({ jobs: await jobs(bundle, indexes) }) },
];

async function jobs(bundle: Bundle, sizes: readonly number[]): Promise<NonNullable<Results['jobs']>> {
  const runs = sizes.flatMap((indexes) => [
    // Twice as long for nothing: the largest is measured as it is flat.
    ...(indexes < 100_000 ? [{ indexes, shuffled: false }] : []),
    ...(FLAT.includes(indexes) ? [{ indexes, shuffled: true }] : []),
  ]);
  const measured: Awaited<ReturnType<typeof jobs>>[number][] = [];
  for (const run of runs) {
    process.stderr.write(
      `  a Job of ${run.indexes.toLocaleString('en')}${run.shuffled ? ', completions shuffled' : ''}\n`,
    );
    measured.push(withPeak(await runChild(bundle, 'jobs', run)));
  }
  return measured;
}

/** A Job without a list, and one with a list of items of this size. */
const ITEM_BYTES = 50;
/** Units are flat: no larger Job is needed, unless all are. */
const LISTED_MAX = 10_000;

async function lists(bundle: Bundle, sizes: readonly number[]): Promise<NonNullable<Results['lists']>> {
  const indexes = sizes.findLast((size) => size <= LISTED_MAX) ?? sizes[0] ?? LISTED_MAX;
  const measure = async (itemBytes: number | null): Promise<Peaked<JobFigures>> =>
    withPeak(await runChild(bundle, 'jobs', { indexes, shuffled: true, itemBytes }));
  return { itemBytes: ITEM_BYTES, without: await measure(null), listed: await measure(ITEM_BYTES) };
}

/** The same Job without the setting, and with it. */
async function early(bundle: Bundle, sizes: readonly number[]): Promise<NonNullable<Results['early']>> {
  const indexes = sizes.findLast((size) => size <= LISTED_MAX) ?? sizes[0] ?? LISTED_MAX;
  const measure = async (counting: 'usual' | 'early'): Promise<Peaked<JobFigures>> =>
    withPeak(await runChild(bundle, 'jobs', { indexes, shuffled: true, counting }));
  return { usual: await measure('usual'), early: await measure('early') };
}

const RATES_PER_SEC = [20, 100];
const DISPATCHERS = 3;
const LIMITER_MS = 20_000;
/** Processes are up by then. */
const LEAD_MS = 4_000;

/** Three processes on one limit, for 20 seconds at each rate. */
async function limiter(bundle: Bundle): Promise<readonly RateFigures[]> {
  const figures: RateFigures[] = [];
  for (const ratePerSec of RATES_PER_SEC) {
    const table = await startLimitTable();
    try {
      const span = { startAtMs: Date.now() + LEAD_MS, lastsMs: LIMITER_MS };
      const options: DispatcherOptions = { endpoint: table.endpoint, ratePerSec, ...span };
      const all = await Promise.all(Array.from({ length: DISPATCHERS }, () => runChild(bundle, 'dispatcher', options)));
      figures.push(
        rateOf(
          all.flatMap((one) => one.figures.calledAtMs),
          { ratePerSec, ...span },
        ),
      );
    } finally {
      await table.stop();
    }
  }
  return figures;
}
