import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Table from 'cli-table3';
import { type LocalRuntime, startLocalRuntime } from '../../local/runtime.ts';
import { Meter, type Reading, difference } from './meter.ts';

/**
 * `npm run bench [-- --json] [--indexes 10,1000]`: what one index costs, by counting what the real SDK clients consume
 * against the embedded engines with simulated tasks that end at once, one message an event. Nobody watches.
 */
const args = process.argv.slice(2);
const json = args.includes('--json');
const list = args[args.indexOf('--indexes') + 1];
const sizes = args.includes('--indexes') && list !== undefined ? list.split(',').map(Number) : [10, 1_000, 10_000];

type Figures = {
  readonly indexes: number;
  readonly seconds: number;
  readonly cpuMs: number;
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly refusedUnits: number;
  readonly sqsRequests: number;
  readonly ecsCalls: number;
  readonly dynamoCalls: number;
  readonly requests: Readonly<Record<string, number>>;
};

async function main(): Promise<void> {
  const figures: Figures[] = [];
  for (const indexes of sizes) figures.push(await measure(indexes));
  if (json) process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
  else process.stdout.write(`${render(figures)}\n`);
}

/** One Job on a runtime of its own, from its creation until it is complete. */
async function measure(indexes: number): Promise<Figures> {
  const dataDir = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const meter = new Meter();
  const runtime = await startLocalRuntime({
    port: null,
    dataDir,
    workspaceDir: dataDir,
    driver: 'simulated',
    onClient: meter.watch,
    say: (line) => process.stderr.write(`${line}\n`),
  });
  if (runtime.kind !== 'started') throw new Error(runtime.reason);
  try {
    await run(runtime, 1, 'warm-up');
    const before = meter.read();
    const cpu = process.cpuUsage();
    const startedAt = performance.now();
    await run(runtime, indexes, 'bench');
    const seconds = (performance.now() - startedAt) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    return figuresOf(indexes, seconds, (user + system) / 1000, difference(before, meter.read()));
  } finally {
    await runtime.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Waits by the log of handlers, not by the API: a reader would consume units that are nobody's. */
async function run({ url, options }: LocalRuntime, completions: number, name: string): Promise<void> {
  const response = await fetch(`${url}/apis/batch/v1/namespaces/default/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name },
      spec: {
        completions,
        parallelism: completions,
        completionMode: 'Indexed',
        template: {
          spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'none', command: ['true'] }] },
        },
      },
    }),
  });
  if (response.status !== 201) throw new Error(await response.text());
  const counts = countsOf(options);
  const target = counts() + completions;
  while (counts() < target) await new Promise((resolve) => setTimeout(resolve, 20));
  await new Promise((resolve) => setTimeout(resolve, 1_500)); // the last publication, and what is still on its way
}

/** Successes that were committed so far. */
function countsOf({ telemetry }: LocalRuntime['options']): () => number {
  if (!('counts' in telemetry)) throw new Error('the embedded runtime counts');
  const { counts } = telemetry as { counts: () => { readonly IndexesSucceeded?: number } };
  return () => counts().IndexesSucceeded ?? 0;
}

function figuresOf(indexes: number, seconds: number, cpuMs: number, reading: Reading): Figures {
  const calls = (service: string): number =>
    [...reading.requests].filter(([key]) => key.startsWith(`${service}.`)).reduce((sum, [, count]) => sum + count, 0);
  return {
    indexes,
    seconds: seconds - 1.5,
    cpuMs,
    writeUnits: reading.writeUnits,
    readUnits: reading.readUnits,
    refusedUnits: reading.refusedUnits,
    sqsRequests: calls('SQS'),
    ecsCalls: calls('ECS'),
    dynamoCalls: calls('DynamoDB'),
    requests: Object.fromEntries([...reading.requests].sort(([a], [b]) => a.localeCompare(b))),
  };
}

function render(figures: readonly Figures[]): string {
  const each = (value: number, { indexes }: Figures): string => (value / indexes).toFixed(2);
  const table = new Table({
    head: ['each index', ...figures.map(({ indexes }) => indexes.toLocaleString('en')), 'at most'],
    style: { head: [], border: [] },
  });
  const row = (name: string, pick: (f: Figures) => string, most = ''): void => {
    table.push([name, ...figures.map(pick), most]);
  };
  row('DynamoDB write units', (f) => each(f.writeUnits, f), '3.5');
  row('DynamoDB read units', (f) => each(f.readUnits, f), '2');
  row('SQS requests, EventBridge’s sends included', (f) => each(f.sqsRequests, f), '3');
  row('DynamoDB calls', (f) => each(f.dynamoCalls, f));
  row('ECS calls', (f) => each(f.ecsCalls, f));
  row('CPU ms, this process', (f) => each(f.cpuMs, f), '6');
  row('of the write units: refused writes', (f) => each(f.refusedUnits, f));
  row('seconds in all', (f) => f.seconds.toFixed(1), '20 for 10,000');
  return table.toString();
}

await main();
