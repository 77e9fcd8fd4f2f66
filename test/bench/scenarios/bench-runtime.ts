import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contextOf } from '../../../local/event-source/mapping.ts';
import type { Handlers } from '../../../local/handlers.ts';
import { type LocalOptions, startLocalRuntime } from '../../../local/runtime.ts';
import { benchWiring } from './bench-wiring.ts';
import { childrenCpuMs } from '../processes.ts';
import { type Reading, Meter, difference } from '../meter.ts';

/** What one measurement has used: counted by SDK clients, and CPU time of this process and of the engine's. */
export type Used = Reading & {
  readonly seconds: number;
  readonly cpuMs: number;
  /** Of that the DynamoDB engine's, a process of its own. */
  readonly engineCpuMs: number;
  /** Calls of the Lambda functions, by name. */
  readonly invocations: Readonly<Record<string, number>>;
};

export type BenchRuntime = {
  readonly url: string;
  /** Successes, committed since the start. */
  succeeded(): number;
  /** Creates an Indexed Job with as much parallelism as it has indexes; resolves with its uid. Throws what the API says. */
  submit(name: string, completions: number, annotations?: Readonly<Record<string, string>>): Promise<string>;
  /** Sends an object to a path of the API. Throws what the API says. */
  post(path: string, body: object): Promise<unknown>;
  /** A run of the sweep, as at this time. */
  sweep(time: Date): Promise<void>;
  /** Resolves when so many successes are committed since the start. Throws when none has been for two minutes. */
  until(succeeded: number): Promise<void>;
  /** Measures `work`, without the quiet second in which what it has left behind is published. */
  measure(work: () => Promise<void>): Promise<Used>;
  stop(): Promise<void>;
};

/** The sweep's timeout on AWS. */
const SWEEP_MS = 55_000;
/** The last publication, and what is still on its way. */
const QUIET_MS = 1_500;
/** Only what hangs is broken off, however busy the machine. */
const STANDSTILL_MS = 120_000;

/**
 * An embedded runtime with simulated tasks in a folder of its own, with one Job behind it: everything is loaded and warm. The first
 * of `users` sends what it sends.
 */
export async function startBench(
  options: Partial<
    Pick<LocalOptions, 'script' | 'events' | 'earlyCounting' | 'launchesPerSec' | 'users' | 'onClient'>
  > = {},
): Promise<BenchRuntime> {
  const dataDir = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true })); // also if it is broken off
  const meter = new Meter();
  let handlers: Handlers | null = null as Handlers | null;
  const started = await startLocalRuntime({
    port: null,
    dataDir,
    workspaceDir: dataDir,
    driver: 'simulated',
    wiring: benchWiring(),
    say: (line) => process.stderr.write(`${line}\n`),
    ...options,
    onClient(client) {
      meter.watch(client);
      options.onClient?.(client);
    },
    handlers: async (own) => (handlers = meter.watchHandlers('reconcile' in own ? own : await formerHandlers())),
  });
  if (started.kind !== 'started') throw new Error(started.reason);
  const { url } = started;
  const succeeded = countsOf('runtime' in started ? started.runtime.deps.telemetry : formerTelemetry(started));

  const [user] = options.users ?? [];
  const signIn = user === undefined ? {} : { authorization: `Bearer ${user.token}` };
  const bench: BenchRuntime = {
    url,
    succeeded,
    async post(path, body) {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...signIn },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(await response.text());
      return response.json();
    },
    async submit(name, completions, annotations = {}) {
      const manifest = manifestOf(name, completions);
      const job = { ...manifest, metadata: { ...manifest.metadata, annotations } };
      const created = await bench.post('/apis/batch/v1/namespaces/default/jobs', job);
      return (created as { readonly metadata: { readonly uid: string } }).metadata.uid;
    },
    async sweep(time) {
      await handlers?.sweep({ time: time.toISOString() }, contextOf('sweep', SWEEP_MS));
    },
    async until(target) {
      let toldAt = performance.now();
      let last = { count: succeeded(), at: toldAt };
      while (succeeded() < target) {
        if (succeeded() > last.count) last = { count: succeeded(), at: performance.now() };
        if (performance.now() > last.at + STANDSTILL_MS)
          throw new Error(`${last.count} of ${target} indexes were counted, and no other for two minutes`);
        if (performance.now() > toldAt + 10_000) {
          toldAt = performance.now();
          process.stderr.write(`  ${succeeded().toLocaleString('en')} of ${target.toLocaleString('en')} counted\n`);
        }
        await sleep(10);
      }
      if (succeeded() > target) throw new Error(`${succeeded()} successes were counted, where ${target} can be`);
    },
    async measure(work) {
      const before = meter.read();
      const cpu = process.cpuUsage();
      const engineBefore = childrenCpuMs();
      const startedAt = performance.now();
      await work();
      const seconds = (performance.now() - startedAt) / 1_000;
      await sleep(QUIET_MS);
      const { user, system } = process.cpuUsage(cpu);
      const engineCpuMs = childrenCpuMs() - engineBefore;
      return {
        ...difference(before, meter.read()),
        seconds,
        cpuMs: (user + system) / 1_000 + engineCpuMs,
        engineCpuMs,
      };
    },
    async stop() {
      await started.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  await bench.submit('warm-up', 1);
  await bench.until(1);
  await sleep(QUIET_MS);
  return bench;
}

/** Another checkout, from before functions were handed to `handlers`, has them here. */
async function formerHandlers(): Promise<Handlers> {
  const module: { readonly ownHandlers: () => Handlers | Promise<Handlers> } = (await import(
    '../../../local/handlers.ts'
  )) as never;
  return module.ownHandlers();
}
const formerTelemetry = (started: { readonly options: { readonly telemetry: object } }): object =>
  started.options.telemetry;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits by what passes have counted, not by the API: a reader would consume units that are nobody's. */
function countsOf(telemetry: object): () => number {
  if (!('counts' in telemetry)) throw new Error('the embedded runtime counts');
  const { counts } = telemetry as { counts: () => { readonly IndexesSucceeded?: number } };
  return () => counts().IndexesSucceeded ?? 0;
}

/** An Indexed Job with as much parallelism as it has indexes. */
export const manifestOf = (name: string, completions: number) => ({
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
});
