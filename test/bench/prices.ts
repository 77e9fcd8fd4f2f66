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
/** Kubernetes' own metrics and ours at most (docs/metrics.md). */
const METRICS_MAX = 72;
/** Bytes of metric lines that an invocation prints, with what CloudWatch adds: some eight lines while a Job runs. */
const LOG_BYTES_PER_INVOCATION = 2_400;

/**
 * What the measured run does not have, because its launches are not limited: functions that wait, and batches that are not full.
 * Sizes and concurrency are the stack's (cdk/muster-stack.ts).
 */
const STACK = {
  launchesPerSec: 18,
  /** Both environments of reconcile work or wait for more facts all the time (300 ms a pass). */
  reconcile: { atOnce: 2, gb: 0.5 },
  /** Three invocations of dispatch hold moments that are not there yet. */
  dispatch: { atOnce: 3, gb: 0.25 },
  /** Each launch and each end is a message; 36 a second fill a batch of ten to six. */
  usual: { messagesPerIndex: 2, batchPaced: 6 },
  /** Each end is two, so as many passes find more. */
  early: { messagesPerIndex: 3, batchPaced: 9 },
  batchFull: 10,
} as const;

/** `stack`: at the launch limit of the stack. `unlimited`: as measured. */
export type Pace = 'stack' | 'unlimited';

/** `early`: with the setting earlyCounting. */
export type Counting = 'usual' | 'early';

/** What pace adds for an index: requests of SQS (received and deleted in more batches, each with a receive that finds nothing), and invocations. */
const addedBy = (pace: Pace, counting: Counting): { readonly sqsRequests: number; readonly invocations: number } => {
  if (pace === 'unlimited') return { sqsRequests: 0, invocations: 0 };
  const { messagesPerIndex, batchPaced } = STACK[counting];
  const more = messagesPerIndex * (1 / batchPaced - 1 / STACK.batchFull);
  return { sqsRequests: 2 * more + messagesPerIndex / batchPaced, invocations: messagesPerIndex / batchPaced };
};

/** GB-seconds that a function waits for a million indexes. */
const waits = (pace: Pace, { atOnce, gb }: { readonly atOnce: number; readonly gb: number }): number =>
  pace === 'unlimited' ? 0 : (1_000_000 / STACK.launchesPerSec) * atOnce * gb;

/** What a million indexes cost at list price, one attempt each. Pure. */
export function costOfMillion(use: IndexUse, pace: Pace = 'stack', counting: Counting = 'usual'): readonly CostLine[] {
  const million = 1_000_000;
  const added = addedBy(pace, counting);
  const sqs = use.sqsRequests + added.sqsRequests;
  const invocations = use.invocations + added.invocations;
  const cpuGbSec = (use.cpuMs / 1_000) * (MB_PER_VCPU / 1_024) * million;
  const logGb = (invocations * million * LOG_BYTES_PER_INVOCATION) / 2 ** 30;
  const time = (what: string, gbSec: number): CostLine => ({
    what,
    count: gbSeconds(gbSec),
    dollars: gbSec * PRICES.lambdaTime.perGbSec,
  });
  return [
    {
      what: 'DynamoDB, writes',
      count: millions(use.writeUnits),
      dollars: use.writeUnits * PRICES.dynamoWrites.perMillion,
    },
    { what: 'DynamoDB, reads', count: millions(use.readUnits), dollars: use.readUnits * PRICES.dynamoReads.perMillion },
    { what: 'SQS', count: millions(sqs), dollars: sqs * PRICES.sqs.perMillion },
    {
      what: 'EventBridge, events of ECS',
      count: millions(STACK[counting].messagesPerIndex),
      dollars: STACK[counting].messagesPerIndex * PRICES.eventBridge.perMillion,
    },
    {
      what: 'Lambda, invocations',
      count: millions(invocations),
      dollars: invocations * PRICES.lambdaRequests.perMillion,
    },
    time('Lambda, CPU', cpuGbSec),
    time('Lambda, reconcile waiting for more facts', waits(pace, STACK.reconcile)),
    time('Lambda, dispatch waiting for its turn', waits(pace, STACK.dispatch)),
    { what: 'Lambda, logs', count: `${logGb.toFixed(2)} GB`, dollars: logGb * PRICES.logs.perGb },
    ...(pace === 'stack' ? hourly() : []),
    ...besides(),
  ];
}

/** What is paid by the hour, for as long as a million launches take at the stack's limit. */
function hourly(): readonly CostLine[] {
  const hours = 1_000_000 / STACK.launchesPerSec / 3_600;
  const beside = (what: string, perMonth: number): CostLine => ({
    what: `${what} for ${hours.toFixed(1)} h`,
    count: '',
    dollars: (perMonth * hours) / HOURS_PER_MONTH,
    beside: true,
  });
  return [
    beside(`CloudWatch, ${METRICS_MAX} metrics`, METRICS_MAX * PRICES.metric.perMonth),
    beside('sweep', sweepDollars()),
    beside('one watch', HOURS_PER_MONTH * 3_600 * WATCH_GB * PRICES.lambdaTime.perGbSec),
  ];
}

/** The API's memory, which an open watch holds. */
const WATCH_GB = 0.5;
const TASK_MINUTES = 10;
const TASK_LOG_BYTES = 10_000;

/** What the tasks themselves cost, and what they may ask for. */
function besides(): readonly CostLine[] {
  const million = 1_000_000;
  const fargate = (minutes: number): number =>
    60 * minutes * (0.25 * PRICES.fargateArm.perVcpuSec + 0.5 * PRICES.fargateArm.perGbSec) * million;
  const beside = (what: string, dollars: number): CostLine => ({ what, count: '', dollars, beside: true });
  return [
    beside('hostnames, 10 minutes each, where asked for', (PRICES.cloudMap.perMonth / HOURS_PER_MONTH / 6) * million),
    beside('Fargate, 10 minutes of 0.25 vCPU and 0.5 GB on arm64', fargate(TASK_MINUTES)),
    beside('Fargate, tasks of up to a minute: a minute is the least that is billed', fargate(1)),
    beside('public IPv4 addresses, 10 minutes each', (PRICES.publicIpv4.perHour / 60) * TASK_MINUTES * million),
    beside('what tasks print, 10 KB each', ((million * TASK_LOG_BYTES) / 2 ** 30) * PRICES.logs.perGb),
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
