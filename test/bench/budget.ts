import type { BesideFigures } from './scenarios/beside.ts';
import type { JobFigures } from './scenarios/jobs.ts';
import type { KepFigures } from './scenarios/kep-load.ts';
import type { LagFigures } from './scenarios/lag.ts';
import type { PlannerFigures } from './scenarios/planner.ts';
import type { WatchesFigures } from './scenarios/watches.ts';
import { type CostLine, costOfMillion, idleMonth, sumOf } from './prices.ts';
import { requestsOf } from './meter.ts';
import { median } from './quantiles.ts';
import type { RateFigures } from './rates.ts';

export type Peaked<F> = F & { readonly peakRssMb: number };

/** Everything that one run has measured; what was not asked for is absent. */
export type Results = {
  readonly jobs?: readonly Peaked<JobFigures>[];
  readonly kep?: Peaked<KepFigures>;
  readonly beside?: Peaked<BesideFigures>;
  readonly lag?: Peaked<LagFigures>;
  readonly watches?: Peaked<WatchesFigures>;
  readonly planner?: PlannerFigures;
  readonly limiter?: readonly RateFigures[];
};

/** One line of the budget. `unit` is said behind the figure. */
export type BudgetRow = {
  readonly what: string;
  readonly figure: number;
  readonly limit: number;
  /** Which side of the limit is in order. */
  readonly side: 'at most' | 'at least';
  readonly unit: string;
  readonly ok: boolean;
  /** What it was measured on. */
  readonly on: string;
};

/** A million indexes come in Jobs of this size or more; below it a Job's own few rows outweigh its indexes'. */
const LARGE = 1_000;
/** At 20 facts a second and more; a Job of ten that is over in half a second is more, but ends before a batch is full. */
const SQS_FROM = 100;

/** The rows of the budget (docs/budget.md) that these results can tell. Pure. */
export function budgetOf(results: Results): readonly BudgetRow[] {
  const jobs = results.jobs ?? [];
  const rows: BudgetRow[] = [];
  const add = (
    what: string,
    figure: number,
    side: BudgetRow['side'],
    limit: number,
    unit: string,
    on: string,
  ): void => {
    const ok = side === 'at most' ? figure <= limit : figure >= limit;
    rows.push({ what, figure, limit, side, unit, ok, on });
  };
  for (const job of jobs) {
    const on = nameOf(job);
    add('write units an index', job.writeUnits / job.indexes, 'at most', 3.5, '', on);
    add('read units an index, nobody watching', job.readUnits / job.indexes, 'at most', 2, '', on);
    if (job.indexes >= SQS_FROM)
      add('SQS requests an index, EventBridge’s included', requestsOf(job, 'SQS') / job.indexes, 'at most', 3, '', on);
  }
  const [small, large] = [jobs.find(isShuffled(LARGE)), jobs.find(isShuffled(100 * LARGE))];
  if (small !== undefined && large !== undefined) {
    const on = `${nameOf(large)} over ${nameOf(small)}`;
    add('flat: write units', perIndex(large, 'writeUnits') / perIndex(small, 'writeUnits'), 'at most', 1.2, '×', on);
    add('flat: read units', perIndex(large, 'readUnits') / perIndex(small, 'readUnits'), 'at most', 1.2, '×', on);
  }
  const { planner, kep, lag, beside, watches } = results;
  if (planner !== undefined) {
    const on = `${planner.facts.toLocaleString('en')} facts, ${planner.indexes.toLocaleString('en')} indexes, nothing cached, p50`;
    add('a pass: load, decode and planJob', planner.coldP50Ms, 'at most', 20, 'ms', on);
    add('a pass: heap, its garbage included', planner.heapMb, 'at most', 64, 'MB', on);
  }
  const priced = pricedJob(jobs);
  if (priced !== null && priced.job.indexes >= LARGE)
    add(
      'control plane, a million indexes',
      sumOf(priced.lines),
      'at most',
      5,
      '$',
      `${nameOf(priced.job)}, list prices`,
    );
  add('idle, a month', sumOf(idleMonth()), 'at most', 2, '$', 'computed from list prices');
  if (kep !== undefined) {
    const on = `KEP-2214’s load: ${kep.jobs} Jobs, ${kep.indexes.toLocaleString('en')} indexes, for the second time`;
    add('KEP-2214’s load', kep.seconds, 'at most', 4, 's', on);
    add('CPU an index, all processes', kep.cpuMs / kep.indexes, 'at most', 6, 'ms', on);
  }
  const tenThousand = jobs.find(({ indexes, shuffled }) => indexes === 10_000 && !shuffled);
  if (tenThousand !== undefined) add('a Job of 10,000', tenThousand.seconds, 'at most', 20, 's', nameOf(tenThousand));
  if (large !== undefined) {
    add('a Job of 100,000', large.seconds, 'at most', 600, 's', nameOf(large));
    add('a Job of 100,000: memory, all processes', large.peakRssMb, 'at most', 1_024, 'MB', nameOf(large));
    for (const level of ['item', 'partition'] as const) {
      const [hottest] = large.hottest
        .filter((found) => found.level === level)
        .sort((a, b) => b.peak.units - a.peak.units);
      if (hottest !== undefined)
        add(`write units in any second, hottest ${level}`, hottest.peak.units, 'at most', 1_000, '', hottest.kind);
    }
  }
  if (lag !== undefined) {
    add(
      'submit to first RunTask',
      lag.firstRunP50Ms,
      'at most',
      100,
      'ms',
      `p50 of ${lag.idle.events} Jobs, nothing else running`,
    );
    add('stopped to counted', lag.idle.p50Ms, 'at most', 300, 'ms', `p50 of ${lag.idle.events}, nothing else running`);
  }
  for (const rate of results.limiter ?? []) {
    const on = 'three dispatchers in processes of their own';
    add(`${rate.ratePerSec} launches a second: sustained`, rate.sustainedShare, 'at least', 0.95, '×', on);
    add(`${rate.ratePerSec} launches a second: worst second`, rate.worstSecond, 'at most', rate.ratePerSec, '', on);
  }
  if (watches !== undefined) {
    const { idle, indexes, alone, besideIdle, crowd } = watches;
    const times = median(besideIdle.seconds) / median(alone.seconds);
    add('beside idle watches', times, 'at most', 1.3, '×', `a Job of ${indexes} beside ${idle}, medians`);
    const on = `${crowd.writers} writers and ${crowd.watchers} watchers of all Jobs and Pods`;
    add('many writers and watchers', crowd.seconds, 'at most', 6, 's', on);
    const oddities = crowd.told.reduce((count, told) => count + told.oddities.length, 0);
    add('events out of order', oddities, 'at most', 0, '', on);
  }
  if (beside !== undefined)
    add(
      '3 indexes beside 100,000: difference',
      beside.differenceSec,
      'at most',
      5,
      's',
      `large Job launching at ${beside.perSec}/s, medians of three`,
    );
  return rows;
}

type Countable = 'writeUnits' | 'readUnits' | 'cpuMs';
export const perIndex = (job: JobFigures, what: Countable): number => job[what] / job.indexes;

const isShuffled =
  (size: number) =>
  ({ indexes, shuffled }: JobFigures): boolean =>
    shuffled && indexes === size;

export const nameOf = ({ indexes, shuffled }: Pick<JobFigures, 'indexes' | 'shuffled'>): string =>
  `${indexes.toLocaleString('en')}${shuffled ? ', shuffled' : ''}`;

/** What a million costs by the largest Job that was measured; null: none was. */
export function pricedJob(
  jobs: readonly JobFigures[],
): { readonly job: JobFigures; readonly lines: readonly CostLine[] } | null {
  const [job] = [...jobs].sort((a, b) => b.indexes - a.indexes);
  if (job === undefined) return null;
  const invocations = Object.values(job.invocations).reduce((sum, count) => sum + count, 0);
  const lines = costOfMillion({
    writeUnits: perIndex(job, 'writeUnits'),
    readUnits: perIndex(job, 'readUnits'),
    sqsRequests: requestsOf(job, 'SQS') / job.indexes,
    invocations: invocations / job.indexes,
    cpuMs: perIndex(job, 'cpuMs'),
  });
  return { job, lines };
}
