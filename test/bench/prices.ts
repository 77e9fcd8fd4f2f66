/** List prices of us-east-1 in dollars, as AWS's pricing pages had them in November 2026. */
export const PRICES = {
  date: '2026-11',
  region: 'us-east-1',
  /** on demand, a million units */
  dynamoWrites: { perMillion: 0.625 },
  dynamoReads: { perMillion: 0.125 },
  /** history that is kept, with point-in-time recovery */
  dynamoStorage: { perGbMonth: 0.45 },
  /** standard queues; 64 KB are a request */
  sqs: { perMillion: 0.4 },
  /** AWS services' own events, rules and targets in the same account */
  eventBridge: { perMillion: 0 },
  lambdaRequests: { perMillion: 0.2 },
  /** arm64 */
  lambdaTime: { perGbSec: 0.0000133334 },
  logs: { perGb: 0.5 },
  metric: { perMonth: 0.3 },
  alarm: { perMonth: 0.1 },
  /** An instance's share of a month, by the hour. */
  cloudMap: { perMonth: 0.1 },
  fargateArm: { perVcpuSec: 0.0000089944, perGbSec: 0.0000009889 },
  publicIpv4: { perHour: 0.005 },
} as const;

const HOURS_PER_MONTH = 720;

/** What one index has used, measured; units, requests and invocations a piece, the rest as said. */
export type IndexUse = {
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly sqsRequests: number;
  readonly invocations: number;
  /** CPU of this index's share of all functions, the emulators' own included. */
  readonly cpuMs: number;
};

export type CostLine = {
  readonly what: string;
  readonly count: string;
  readonly dollars: number;
  /** Paid by the hour, not by the index: beside the sum. */
  readonly beside?: boolean;
};

/** A vCPU of Lambda's comes with so much memory (aws.md 8); CPU time costs the same whatever the function's size. */
const MB_PER_VCPU = 1_769;
const DISPATCH_GB = 0.25;
/** Launches a second, as the stack sets them: dispatch waits for its moments, and that is paid for. */
const LAUNCHES_PER_SEC = 18;
/** Lines of metrics that an invocation prints, with what CloudWatch adds. */
const LOG_BYTES_PER_INVOCATION = 900;
/** Kubernetes' own metrics and ours at most (docs/metrics.md). */
const METRICS_MAX = 66;

/** What a million indexes cost at list price, one attempt each. Pure. */
export function costOfMillion(use: IndexUse): readonly CostLine[] {
  const million = 1_000_000;
  const cpuGbSec = (use.cpuMs / 1_000) * (MB_PER_VCPU / 1_024) * million;
  const waitGbSec = (million / LAUNCHES_PER_SEC) * DISPATCH_GB;
  const logGb = (use.invocations * million * LOG_BYTES_PER_INVOCATION) / 2 ** 30;
  const hours = million / LAUNCHES_PER_SEC / 3_600;
  const fargate = 600 * (0.25 * PRICES.fargateArm.perVcpuSec + 0.5 * PRICES.fargateArm.perGbSec) * million;
  return [
    {
      what: 'DynamoDB, writes',
      count: millions(use.writeUnits),
      dollars: use.writeUnits * PRICES.dynamoWrites.perMillion,
    },
    { what: 'DynamoDB, reads', count: millions(use.readUnits), dollars: use.readUnits * PRICES.dynamoReads.perMillion },
    { what: 'SQS', count: millions(use.sqsRequests), dollars: use.sqsRequests * PRICES.sqs.perMillion },
    { what: 'EventBridge, events of ECS', count: millions(2), dollars: 2 * PRICES.eventBridge.perMillion },
    {
      what: 'Lambda, invocations',
      count: millions(use.invocations),
      dollars: use.invocations * PRICES.lambdaRequests.perMillion,
    },
    { what: 'Lambda, CPU', count: gbSeconds(cpuGbSec), dollars: cpuGbSec * PRICES.lambdaTime.perGbSec },
    {
      what: 'Lambda, dispatch waiting for its turn',
      count: gbSeconds(waitGbSec),
      dollars: waitGbSec * PRICES.lambdaTime.perGbSec,
    },
    { what: 'Lambda, logs', count: `${logGb.toFixed(2)} GB`, dollars: logGb * PRICES.logs.perGb },
    {
      what: `CloudWatch, ${METRICS_MAX} metrics for ${hours.toFixed(1)} h`,
      count: '',
      dollars: (METRICS_MAX * PRICES.metric.perMonth * hours) / HOURS_PER_MONTH,
      beside: true,
    },
    {
      what: `sweep for ${hours.toFixed(1)} h`,
      count: '',
      dollars: (sweepDollars() * hours) / HOURS_PER_MONTH,
      beside: true,
    },
    {
      what: 'hostnames, 10 minutes each, where asked for',
      count: '',
      dollars: (PRICES.cloudMap.perMonth / HOURS_PER_MONTH / 6) * million,
      beside: true,
    },
    { what: 'Fargate, 10 minutes of 0.25 vCPU and 0.5 GB on arm64', count: '', dollars: fargate, beside: true },
  ];
}

const millions = (perIndex: number): string => `${perIndex.toFixed(2)} M`;
const gbSeconds = (gbSec: number): string => `${Math.round(gbSec).toLocaleString('en')} GB-s`;

/** What is paid for by the index. */
export const sumOf = (lines: readonly CostLine[]): number =>
  lines.reduce((sum, { dollars, beside }) => sum + (beside === true ? 0 : dollars), 0);

const SWEEPS_PER_MONTH = 43_200;
const SWEEP_SEC = 0.2;
const SWEEP_GB = 0.25;
/** Four shards of alarms, and one for CronJobs, at half a unit; one for namespaces. */
const SWEEP_READ_UNITS = 3.5;
const POLLERS = 5;
const QUEUES = 3;
const POLLS_PER_MINUTE = 3;
const MINUTES_PER_MONTH = 43_200;
const ALARMS = 10;
const HISTORY_GB = 0.1;

const sweepInvocations = (): number => (SWEEPS_PER_MONTH / 1e6) * PRICES.lambdaRequests.perMillion;
const sweepTime = (): number => SWEEPS_PER_MONTH * SWEEP_SEC * SWEEP_GB * PRICES.lambdaTime.perGbSec;
const sweepReads = (): number => ((SWEEPS_PER_MONTH * SWEEP_READ_UNITS) / 1e6) * PRICES.dynamoReads.perMillion;
/** Millions. */
const deadLooks = (): number => (QUEUES * SWEEPS_PER_MONTH) / 1e6;
const sweepDollars = (): number =>
  sweepInvocations() + sweepTime() + sweepReads() + deadLooks() * PRICES.sqs.perMillion;

/** What a month costs in which nothing happens: 30 days, no free tier. docs/deploy.md shows these lines. Pure. */
export function idleMonth(): readonly CostLine[] {
  const polls = (QUEUES * POLLERS * POLLS_PER_MINUTE * MINUTES_PER_MONTH) / 1e6;
  return [
    { what: 'alarms', count: String(ALARMS), dollars: ALARMS * PRICES.alarm.perMonth },
    {
      what: 'Lambda polls three queues',
      count: `${polls.toFixed(2)} M requests`,
      dollars: polls * PRICES.sqs.perMillion,
    },
    { what: 'sweep, invocations', count: SWEEPS_PER_MONTH.toLocaleString('en'), dollars: sweepInvocations() },
    { what: 'sweep, run time', count: gbSeconds(SWEEPS_PER_MONTH * SWEEP_SEC * SWEEP_GB), dollars: sweepTime() },
    {
      what: 'sweep, reads',
      count: `${((SWEEPS_PER_MONTH * SWEEP_READ_UNITS) / 1e6).toFixed(2)} M`,
      dollars: sweepReads(),
    },
    {
      what: 'sweep, a look at three dead-letter queues a minute',
      count: `${deadLooks().toFixed(2)} M requests`,
      dollars: deadLooks() * PRICES.sqs.perMillion,
    },
    {
      what: 'table: 100 MB of history with point-in-time recovery',
      count: `${HISTORY_GB} GB`,
      dollars: HISTORY_GB * PRICES.dynamoStorage.perGbMonth,
    },
  ];
}
