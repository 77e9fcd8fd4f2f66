import type { WiringKind } from '../../local/wiring/wiring.ts';
import type { AccessFigures } from './scenarios/access.ts';
import type { BesideFigures } from './scenarios/beside.ts';
import type { ChainFigures } from './scenarios/chains.ts';
import type { CronFigures } from './scenarios/crons.ts';
import type { JobFigures } from './scenarios/jobs.ts';
import type { KepFigures } from './scenarios/kep-load.ts';
import type { LagFigures } from './scenarios/lag.ts';
import type { PlannerFigures } from './scenarios/planner.ts';
import type { StartFigures } from './scenarios/start.ts';
import type { WatchesFigures } from './scenarios/watches.ts';
import { type CostLine, type Counting, PRICES, costOfMillion, idleMonth, sumOf } from './prices.ts';
import { requestsOf } from './meter.ts';
import { median } from './quantiles.ts';
import type { RateFigures } from './rates.ts';

export type Peaked<F> = F & { readonly peakRssMb: number };

/** The same Job without a list and with one, whose upload is in the figures. */
export type ListFigures = {
  readonly itemBytes: number;
  readonly without: Peaked<JobFigures>;
  readonly listed: Peaked<JobFigures>;
};

/** The same Job as usual, and with the setting earlyCounting. */
export type EarlyFigures = { readonly usual: Peaked<JobFigures>; readonly early: Peaked<JobFigures> };

/** Everything that one run has measured; what was not asked for is absent. */
export type Results = {
  /** `emulateAws` where absent. `inProcess`, nothing is sent that could be counted. */
  readonly wiring?: WiringKind;
  readonly jobs?: readonly Peaked<JobFigures>[];
  readonly lists?: ListFigures;
  readonly early?: EarlyFigures;
  readonly access?: Peaked<AccessFigures>;
  readonly crons?: Peaked<CronFigures>;
  readonly chains?: Peaked<ChainFigures>;
  readonly kep?: Peaked<KepFigures>;
  readonly beside?: Peaked<BesideFigures>;
  readonly lag?: Peaked<LagFigures>;
  readonly watches?: Peaked<WatchesFigures>;
  readonly planner?: PlannerFigures;
  readonly start?: Peaked<StartFigures>;
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
const LARGEST = 100_000;
/** In a smaller Job, most CPU time goes into compiling. */
const WARM = 10_000;
/** At 20 facts a second and more; a Job of ten that is over in half a second is more, but ends before a batch is full. */
const SQS_FROM = 100;

/** On two cores. KEP-2214's load in seconds and in ms of CPU an index. */
const LIMITS = {
  inProcess: { kepWarm: [1.5, 2], kepFresh: [3, 4], tenThousandSec: 7, largeSec: 90, largeMb: 500 },
  emulateAws: { kepWarm: [4, 6], kepFresh: [9, 12], tenThousandSec: 20, largeSec: 600, largeMb: 1_024 },
} as const;

/** The rows of the budget (docs/budget.md) that these results can tell. Pure. */
export function budgetOf(results: Results): readonly BudgetRow[] {
  const { lag, beside, watches, start } = results;
  const isCounted = results.wiring !== 'inProcess';
  return [
    ...(isCounted ? countRows(results.jobs ?? []) : []),
    ...(isCounted && results.lists !== undefined ? listRows(results.lists) : []),
    ...(isCounted && results.early !== undefined ? earlyRows(results.early) : []),
    ...(results.access === undefined ? [] : accessRows(results.access, isCounted)),
    ...(results.crons === undefined ? [] : cronRows(results.crons, isCounted)),
    ...(results.chains === undefined ? [] : chainRows(results.chains, results.wiring)),
    ...(results.planner === undefined ? [] : plannerRows(results.planner)),
    ...(isCounted ? costRows(results.jobs ?? []) : []),
    ...timeRows(results),
    ...(isCounted ? heatRows(results.jobs ?? []) : []),
    ...(start === undefined ? [] : startRows(start)),
    ...(lag === undefined ? [] : lagRows(lag)),
    ...(results.limiter ?? []).flatMap(limiterRows),
    ...(watches === undefined ? [] : watchRows(watches)),
    ...(beside === undefined ? [] : [besideRow(beside)]),
  ];
}

const row = (what: string, figure: number, limit: number, unit: string, on: string): BudgetRow => ({
  what,
  figure,
  limit,
  side: 'at most',
  unit,
  ok: figure <= limit,
  on,
});

function countRows(jobs: readonly JobFigures[]): readonly BudgetRow[] {
  const rows = jobs.flatMap((job) => {
    const on = nameOf(job);
    const requests = requestsOf(job, 'SQS') / job.indexes;
    return [
      row('write units an index', perIndex(job, 'writeUnits'), 3.5, '', on),
      row('read units an index, nobody watching', perIndex(job, 'readUnits'), 2, '', on),
      ...(job.indexes >= SQS_FROM ? [row('SQS requests an index, EventBridge’s included', requests, 3, '', on)] : []),
    ];
  });
  const [small, large] = [jobs.find(isShuffled(LARGE)), jobs.find(isShuffled(LARGEST))];
  if (small === undefined || large === undefined) return rows;
  const on = `${nameOf(large)} over ${nameOf(small)}`;
  const ratio = (what: Countable): number => perIndex(large, what) / perIndex(small, what);
  return [
    ...rows,
    row('flat: write units', ratio('writeUnits'), 1.2, '×', on),
    row('flat: read units', ratio('readUnits'), 1.2, '×', on),
  ];
}

function listRows({ itemBytes, without, listed }: ListFigures): readonly BudgetRow[] {
  const on = `${nameOf(listed)}, items of ${itemBytes} bytes, their upload included`;
  const more = (what: 'writeUnits' | 'readUnits'): number => perIndex(listed, what) - perIndex(without, what);
  return [
    row('a list: write units an index more', more('writeUnits'), 0.1, '', on),
    row('a list: read units an index more', more('readUnits'), 0.1, '', on),
  ];
}

/**
 * What an index costs more that counts before its task is gone, and what a million of them cost. A third of what a pass finds
 * is no news then, so it commits a little more often.
 */
function earlyRows({ usual, early }: EarlyFigures): readonly BudgetRow[] {
  const on = `${nameOf(early)}, STOPPED a second after DEPROVISIONING`;
  const more = (what: 'writeUnits' | 'readUnits'): number => perIndex(early, what) - perIndex(usual, what);
  const requests = (job: JobFigures): number => requestsOf(job, 'SQS') / job.indexes;
  return [
    row('early counting: SQS requests an index more', requests(early) - requests(usual), 1.5, '', on),
    row('early counting: write units an index more', more('writeUnits'), 0.5, '', on),
    row('early counting: read units an index more', more('readUnits'), 0.25, '', on),
    ...earlyCost({ usual, early }, `${on}, list prices`),
  ];
}

function earlyCost({ usual, early }: EarlyFigures, on: string): readonly BudgetRow[] {
  const [without, priced] = [pricedJob([usual]), pricedJob([early], 'early')];
  if (without === null || priced === null || early.indexes < LARGE) return [];
  const dollars = sumOf(priced.lines);
  return [
    row('early counting: control plane, a million indexes', dollars, 5, '$', on),
    row('early counting: a million indexes more', dollars - sumOf(without.lines), 0.75, '$', on),
  ];
}

function cronRows({ crons, due, allSec, made, slot, alone, daily }: CronFigures, isCounted: boolean) {
  const on = `${due} of ${crons.toLocaleString('en')} CronJobs are due in one minute`;
  const times = [
    row('until all Jobs of the minute are complete', allSec, 30, 's', on),
    { ...row('Jobs for each of them', made / due, 1, '', on), ok: made === due },
  ];
  if (!isCounted) return times;
  const more = (what: keyof typeof slot): number => slot[what] - alone[what];
  const dayDollars =
    (daily.writeUnits * PRICES.dynamoWrites.perMillion + daily.readUnits * PRICES.dynamoReads.perMillion) / 1e6;
  return [
    ...times,
    row('a slot, beside its Job: write units', more('writeUnits'), 25, '', on),
    row('a slot, beside its Job: read units', more('readUnits'), 25, '', on),
    row('a slot, beside its Job: SQS requests', more('sqsRequests'), 12, '', on),
    row(
      '10,000 CronJobs that are not due, a month',
      dayDollars * 30 * 10_000,
      0.25,
      '$',
      'the daily look, list prices',
    ),
  ];
}

function chainRows({ steps, step, alone, indexes, paired, unpaired }: ChainFigures, wiring: Results['wiring']) {
  const chain = `a chain of ${steps.toLocaleString('en')} Jobs of one index, whose tasks end at once`;
  const time = row('a step of a chain', step.ms, CHAIN_STEP_MS[wiring ?? 'emulateAws'], 'ms', chain);
  if (wiring === 'inProcess') return [time];
  const on = `${indexes.toLocaleString('en')} indexes, each after that of another Job`;
  // What waiting costs is in the figures of both Jobs, and only one of them waits.
  const more = (what: 'writeUnits' | 'readUnits'): number => 2 * (paired[what] - unpaired[what]);
  return [
    time,
    row('a step of a chain, beside its Job: write units', step.writeUnits - alone.writeUnits, 10, '', chain),
    // All that wait look by themselves each minute, so a slower machine reads more.
    row(
      'a step of a chain, beside its Job: read units',
      step.readUnits - alone.readUnits,
      30,
      '',
      `${chain}; with looks of those that wait`,
    ),
    row('after-indexes: write units an index more', more('writeUnits'), 0.3, '', on),
    row('after-indexes: read units an index more', more('readUnits'), 0.3, '', on),
  ];
}

function accessRows(figures: AccessFigures, isCounted: boolean): readonly BudgetRow[] {
  const { requests, open, guarded, openReadUnits, guardedReadUnits, invocations, stsCalls } = figures;
  const on = `a GET with a token and roles, beside one without; ${requests.toLocaleString('en')} of each`;
  const hour = 'an hour of a client that asks every ten seconds';
  return [
    row('a request with token and roles: more, p50', guarded.p50Ms - open.p50Ms, 5, 'ms', on),
    row('a request with token and roles: more, p99', guarded.p99Ms - open.p99Ms, 20, 'ms', on),
    ...(isCounted
      ? [row('a request with token and roles: read units more', guardedReadUnits - openReadUnits, 0.1, '', on)]
      : []),
    row('authorizer: invocations', invocations, 15, '', hour),
    row('authorizer: requests to STS', stsCalls, 5, '', hour),
  ];
}

const CHAIN_STEP_MS = { inProcess: 200, emulateAws: 1_000 } as const;

function plannerRows({ facts, indexes, coldP50Ms, heapMb }: PlannerFigures): readonly BudgetRow[] {
  const on = `${facts.toLocaleString('en')} facts, ${indexes.toLocaleString('en')} indexes, nothing cached, p50`;
  return [
    row('a pass: load, decode and planJob', coldP50Ms, 20, 'ms', on),
    row('a pass: heap, its garbage included', heapMb, 64, 'MB', on),
  ];
}

function costRows(jobs: readonly Peaked<JobFigures>[]): readonly BudgetRow[] {
  const priced = pricedJob(jobs);
  const idle = row('idle, a month', sumOf(idleMonth()), 2, '$', 'computed from list prices');
  if (priced === null || priced.job.indexes < LARGE) return [idle];
  const on = `${nameOf(priced.job)}, list prices`;
  return [row('control plane, a million indexes', sumOf(priced.lines), 5, '$', on), idle];
}

/** Seconds, CPU time and memory of the whole runtime. */
function timeRows({ wiring = 'emulateAws', jobs = [], kep }: Results): readonly BudgetRow[] {
  const limits = LIMITS[wiring];
  const rows: BudgetRow[] = [];
  if (kep !== undefined) {
    const load = `KEP-2214’s load: ${kep.jobs} Jobs, ${kep.indexes.toLocaleString('en')} indexes`;
    for (const [used, [sec, cpuMs], on] of [
      [kep, limits.kepWarm, `${load}, for the second time`],
      [kep.first, limits.kepFresh, `${load}, a process that has just started`],
    ] as const) {
      rows.push(row('KEP-2214’s load', used.seconds, sec, 's', on));
      rows.push(row('CPU an index, all processes', used.cpuMs / kep.indexes, cpuMs, 'ms', on));
    }
  }
  const tenThousand = jobs.find(({ indexes, shuffled }) => indexes === 10_000 && !shuffled);
  if (tenThousand !== undefined)
    rows.push(row('a Job of 10,000', tenThousand.seconds, limits.tenThousandSec, 's', nameOf(tenThousand)));
  const large = jobs.find(isShuffled(LARGEST));
  const warm = jobs.find(isShuffled(WARM));
  if (large !== undefined) {
    if (warm !== undefined) {
      const on = `${nameOf(large)} over ${nameOf(warm)}`;
      rows.push(row('flat: CPU', perIndex(large, 'cpuMs') / perIndex(warm, 'cpuMs'), 1.2, '×', on));
    }
    rows.push(row('a Job of 100,000', large.seconds, limits.largeSec, 's', nameOf(large)));
    rows.push(row('a Job of 100,000: memory, all processes', large.peakRssMb, limits.largeMb, 'MB', nameOf(large)));
  }
  return rows;
}

function heatRows(jobs: readonly JobFigures[]): readonly BudgetRow[] {
  const hottest = jobs.find(isShuffled(LARGEST))?.hottest ?? [];
  return (['item', 'partition'] as const).flatMap((level) => {
    const [most] = hottest.filter((found) => found.level === level).toSorted((a, b) => b.peak.units - a.peak.units);
    if (most === undefined) return [];
    return [row(`write units in any second, hottest ${level}`, most.peak.units, 1_000, '', most.kind)];
  });
}

const startRows = ({ times, helpMs, readyMs, onePodMs }: StartFigures): readonly BudgetRow[] => [
  row('`muster --help`', helpMs, 100, 'ms', `median of ${times}`),
  row('`muster local`, from its start to an answer of its API', readyMs, 400, 'ms', `median of ${times}`),
  row('a Job of one Pod, from create to Complete', onePodMs, 50, 'ms', `seen by a watch, median of ${times}`),
];

function lagRows({ idle, firstRunP50Ms }: LagFigures): readonly BudgetRow[] {
  const on = `p50 of ${idle.events} Jobs, nothing else running`;
  return [
    row('submit to first RunTask', firstRunP50Ms, 100, 'ms', on),
    row('stopped to counted', idle.p50Ms, 300, 'ms', on),
  ];
}

function limiterRows({ ratePerSec, sustainedShare, worstSecond }: RateFigures): readonly BudgetRow[] {
  const on = 'three dispatchers in processes of their own';
  const sustained = row(`${ratePerSec} launches a second: sustained`, sustainedShare, 0.95, '×', on);
  return [
    { ...sustained, side: 'at least', ok: sustainedShare >= sustained.limit },
    row(`${ratePerSec} launches a second: worst second`, worstSecond, ratePerSec, '', on),
  ];
}

function watchRows({ idle, indexes, alone, besideIdle, crowd }: WatchesFigures): readonly BudgetRow[] {
  const times = median(besideIdle.seconds) / median(alone.seconds);
  const on = `${crowd.writers} writers and ${crowd.watchers} watchers of all Jobs and Pods`;
  const oddities = crowd.told.reduce((count, told) => count + told.oddities.length, 0);
  return [
    row('beside idle watches', times, 1.3, '×', `a Job of ${indexes} beside ${idle}, medians`),
    row('many writers and watchers', crowd.seconds, 6, 's', on),
    row('events out of order', oddities, 0, '', on),
  ];
}

const besideRow = ({ perSec, differenceSec }: BesideFigures): BudgetRow =>
  row(
    '3 indexes beside 100,000: difference',
    differenceSec,
    5,
    's',
    `large Job launching at ${perSec}/s, medians of three`,
  );

type Countable = 'writeUnits' | 'readUnits' | 'cpuMs';
export const perIndex = (job: JobFigures, what: Countable): number => job[what] / job.indexes;

const isShuffled =
  (size: number) =>
  ({ indexes, shuffled }: JobFigures): boolean =>
    shuffled && indexes === size;

export const nameOf = ({ indexes, shuffled }: Pick<JobFigures, 'indexes' | 'shuffled'>): string =>
  `${indexes.toLocaleString('en')}${shuffled ? ', shuffled' : ''}`;

/** What a million costs by the largest Job that was measured, at the stack's pace and without a limit; null: none was. */
export function pricedJob(
  jobs: readonly JobFigures[],
  counting: Counting = 'usual',
): { readonly job: JobFigures; readonly lines: readonly CostLine[]; readonly unlimited: readonly CostLine[] } | null {
  const [job] = [...jobs].sort((a, b) => b.indexes - a.indexes);
  if (job === undefined) return null;
  const invocations = Object.values(job.invocations).reduce((sum, count) => sum + count, 0);
  const use = {
    writeUnits: perIndex(job, 'writeUnits'),
    readUnits: perIndex(job, 'readUnits'),
    sqsRequests: requestsOf(job, 'SQS') / job.indexes,
    invocations: invocations / job.indexes,
    cpuMs: perIndex(job, 'cpuMs'),
  };
  return {
    job,
    lines: costOfMillion(use, 'stack', counting),
    unlimited: costOfMillion(use, 'unlimited', counting),
  };
}
