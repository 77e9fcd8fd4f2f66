import Table from 'cli-table3';
import {
  type BudgetRow,
  type EarlyFigures,
  type Peaked,
  type Results,
  budgetOf,
  nameOf,
  perIndex,
  pricedJob,
} from './budget.ts';
import { requestsOf } from './meter.ts';
import { median } from './quantiles.ts';
import type { Calibration } from './scenarios/calibration.ts';
import { type CostLine, PRICES, idleMonth, sumOf } from './prices.ts';
import type { RatioRow } from './ratios.ts';
import type { JobFigures } from './scenarios/jobs.ts';

/** What all figures were measured on. */
export type Machine = {
  readonly node: string;
  readonly cores: number;
  /** Mean number of busy processes in the minute before: above the number of cores times are too long. */
  readonly loadAtStart: number;
  readonly engine: string;
  /** What one conditional UpdateItem takes here: times are to be read by it. */
  readonly calibration: Calibration;
  readonly commit: string;
};

const NOTES_IN_PROCESS = [
  'CPU and memory are those of the whole runtime, one process; nothing is sent that could be counted. Left out: API readers and',
  'watches, tasks themselves (simulated), logs of tasks.',
];

const NOTES = [
  'Counted by SDK clients against emulators in one process: DynamoDB units as its engine reports them (refused writes by the row in',
  'the way), SQS requests and bytes as sent; events one request each, as EventBridge sends them. CPU and memory are those of the',
  'runtime with its emulators and the DynamoDB engine. Left out: API readers and watches, cold starts, caches that several Lambda',
  'processes do not share, ECS’s and the network’s own time, tasks themselves (simulated), logs of tasks.',
];

/** All that was measured, as tables for people. Pure. */
export function render(machine: Machine, results: Results, ratios: readonly RatioRow[] | null): string {
  const isCounted = results.wiring !== 'inProcess';
  const jobs = results.jobs ?? [];
  const parts = [
    `node ${machine.node}, ${machine.cores} cores, load ${machine.loadAtStart.toFixed(1)} at the start, ${machine.engine}, ${machine.commit}\n${speed(machine.calibration)}`,
    (isCounted ? NOTES : NOTES_IN_PROCESS).join('\n'),
    ...(jobs.length === 0 ? [] : [jobTable(jobs, isCounted)]),
    ...besides(results),
    ...(isCounted ? costTables(jobs) : []),
    ...(isCounted && results.early !== undefined ? earlyTables(results.early) : []),
    budgetTable(budgetOf(results)),
  ];
  if (ratios !== null) parts.push(ratioTable(ratios));
  return parts.join('\n\n');
}

function costTables(jobs: readonly Peaked<JobFigures>[]): readonly string[] {
  const priced = pricedJob(jobs);
  const idle = costTable('Idle, a month', idleMonth());
  if (priced === null) return [idle];
  const title = `A million indexes at list price (${PRICES.region}, ${PRICES.date}), by ${nameOf(priced.job)}`;
  const unlimited = costTable('The same with launches that nothing limits', priced.unlimited);
  return [costTable(title, priced.lines), unlimited, idle];
}

function earlyTables({ early }: EarlyFigures): readonly string[] {
  const priced = pricedJob([early], 'early');
  if (priced === null) return [];
  const title = `A million indexes with earlyCounting, by ${nameOf(early)}`;
  const unlimited = costTable('The same with launches that nothing limits', priced.unlimited);
  return [costTable(title, priced.lines), unlimited];
}

const plain = { style: { head: [], border: [] } };

function jobTable(jobs: readonly Peaked<JobFigures>[], isCounted: boolean): string {
  const table = new Table({ head: ['a Job of', ...jobs.map(nameOf)], ...plain });
  const row = (name: string, pick: (job: Peaked<JobFigures>) => number, digits = 2): void => {
    table.push([name, ...jobs.map((job) => pick(job).toFixed(digits))]);
  };
  if (isCounted) {
    row('write units an index', (job) => perIndex(job, 'writeUnits'));
    row('of these refused', (job) => job.refusedUnits / job.indexes);
    row('read units an index', (job) => perIndex(job, 'readUnits'));
    row('SQS requests an index', (job) => requestsOf(job, 'SQS') / job.indexes);
    row('bytes of messages an index', (job) => job.messageBytes / job.indexes, 0);
    row('DynamoDB calls an index', (job) => requestsOf(job, 'DynamoDB') / job.indexes);
    row('ECS calls an index', (job) => requestsOf(job, 'ECS') / job.indexes);
  }
  row('CPU ms an index', (job) => perIndex(job, 'cpuMs'));
  if (isCounted) row('of these the engine’s', (job) => job.engineCpuMs / job.indexes);
  row('seconds', (job) => job.seconds, 1);
  row('MB at most, all processes', (job) => job.peakRssMb, 0);
  return table.toString();
}

const speed = ({ clientCpuMs, engineCpuMs, perSec }: Calibration): string =>
  `a conditional UpdateItem takes ${clientCpuMs.toFixed(2)} ms of CPU, and ${engineCpuMs.toFixed(2)} ms of the engine’s; ${Math.round(perSec).toLocaleString('en')} a second from one process`;

/** What the budget has no line for. */
function besides({ lag, beside, planner, watches }: Results): readonly string[] {
  const lines: string[] = [];
  if (lag !== undefined) {
    const of = ({ p50Ms, p99Ms, worstMs, events }: typeof lag.idle): string =>
      `p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms, worst ${worstMs.toFixed(0)} ms of ${events}`;
    lines.push(`STOPPED event to its commit: one at a time ${of(lag.idle)}; at 100 tasks a second ${of(lag.busy)}`);
  }
  if (planner !== undefined)
    lines.push(
      `a pass over ${planner.indexes.toLocaleString('en')} indexes with ${planner.facts} facts: nothing cached p50 ${planner.coldP50Ms.toFixed(1)} ms, worst ${planner.coldWorstMs.toFixed(1)} ms; ` +
        `chunks at hand p50 ${planner.warmP50Ms.toFixed(1)} ms, worst ${planner.warmWorstMs.toFixed(1)} ms (rows as bytes; without the table’s own time)`,
    );
  if (beside !== undefined) {
    const seconds = (sample: readonly number[]): string => sample.map((value) => value.toFixed(1)).join(', ');
    lines.push(
      `a Job of 3 (tasks of 1 s): alone ${seconds(beside.aloneSec)} s; beside ${beside.largeIndexes.toLocaleString('en')} at ${beside.perSec}/s ${seconds(beside.besideSec)} s`,
    );
  }
  if (watches !== undefined) {
    const { idle, indexes, alone, besideIdle, besideFollowers, crowd } = watches;
    const each = ({ seconds, cpuMs }: typeof alone): string =>
      `${median(seconds).toFixed(2)} s, ${(cpuMs / seconds.length).toFixed(0)} ms of CPU`;
    lines.push(
      `a Job of ${indexes}: nobody watching ${each(alone)}; ${idle} idle watches open ${each(besideIdle)}; ${idle} watches of all Jobs ${each(besideFollowers)}`,
      `${crowd.writers} writers: ${crowd.unwatchedSec.toFixed(1)} s, ${crowd.unwatchedCpuMs.toFixed(0)} ms of CPU; beside ${crowd.watchers} watchers of all Jobs and Pods ${crowd.seconds.toFixed(1)} s, ${crowd.cpuMs.toFixed(0)} ms of CPU (the engine’s and the watchers’ own left out)`,
      ...crowd.told.flatMap(({ oddities }) => oddities.map((odd) => `  out of order: ${odd}`)),
    );
  }
  return lines.length === 0 ? [] : [lines.join('\n')];
}

function costTable(title: string, lines: readonly CostLine[]): string {
  const table = new Table({ head: [title, '', '$'], ...plain });
  const push = (line: CostLine): void => void table.push([line.what, line.count, line.dollars.toFixed(2)]);
  for (const line of lines) if (line.beside !== true) push(line);
  table.push(['sum', '', sumOf(lines).toFixed(2)]);
  for (const line of lines) if (line.beside === true) push(line);
  return table.toString();
}

function budgetTable(rows: readonly BudgetRow[]): string {
  const table = new Table({ head: ['budget', 'figure', 'limit', '', 'measured on'], ...plain });
  for (const { what, figure, limit, side, unit, ok, on } of rows)
    table.push([what, withUnit(figure, unit), `${side} ${withUnit(limit, unit)}`, ok ? 'ok' : 'over', on]);
  return table.toString();
}

function ratioTable(rows: readonly RatioRow[]): string {
  const table = new Table({
    head: ['against the other checkout', 'here', 'there', 'here / there', 'measured on'],
    ...plain,
  });
  for (const { what, on, here, there, ratio } of rows)
    table.push([
      what,
      rounded(here),
      there === null ? '–' : rounded(there),
      ratio === null ? '–' : ratio.toFixed(2),
      on,
    ]);
  return table.toString();
}

const withUnit = (value: number, unit: string): string =>
  unit === '$' ? `$${rounded(value)}` : unit === '' ? rounded(value) : `${rounded(value)} ${unit}`;

/** Three digits that count, none behind the point of what is large. */
const rounded = (value: number): string =>
  Number.isInteger(value)
    ? value.toLocaleString('en')
    : value >= 100
      ? Math.round(value).toLocaleString('en')
      : value.toFixed(2);
