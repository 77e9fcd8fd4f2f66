import { median, quantile } from '../quantiles.ts';
import { type BenchRuntime, startBench } from './bench-runtime.ts';
import { Spy } from './spy.ts';

export type LagFigures = {
  readonly idle: Lag;
  readonly busy: Lag;
  /** From the POST of a Job to the first RunTask call, nothing else running. */
  readonly firstRunP50Ms: number;
  readonly firstRunWorstMs: number;
};
export type Lag = { readonly events: number; readonly p50Ms: number; readonly p99Ms: number; readonly worstMs: number };

const SINGLES = 30;
const BUSY = { indexes: 2_000, perSec: 100 };

/** From a STOPPED event to the commit that counts it: one task at a time, then at 100 tasks a second. */
export async function lag(): Promise<LagFigures> {
  const idle = await alone();
  const spy = new Spy();
  const bench = await startBench({
    script: { runMs: [0, 2_000] },
    launchesPerSec: BUSY.perSec,
    onClient: spy.watch,
  });
  try {
    const from = bench.succeeded();
    await bench.submit('busy', BUSY.indexes);
    await bench.until(from + BUSY.indexes);
  } finally {
    await bench.stop();
  }
  return { ...idle, busy: lagOf(spy.lagsMs()) };
}

async function alone(): Promise<Omit<LagFigures, 'busy'>> {
  const spy = new Spy();
  const bench = await startBench({ script: { runMs: 50 }, onClient: spy.watch });
  try {
    const waits: number[] = [];
    for (let n = 0; n < SINGLES; n++) waits.push(await firstRun(bench, spy, `single-${n}`));
    return { idle: lagOf(spy.lagsMs()), firstRunP50Ms: median(waits), firstRunWorstMs: Math.max(...waits) };
  } finally {
    await bench.stop();
  }
}

async function firstRun(bench: BenchRuntime, spy: Spy, name: string): Promise<number> {
  const askedAt = performance.now();
  const uid = await bench.submit(name, 1);
  await spy.finished(uid, 30);
  await new Promise((resolve) => setTimeout(resolve, 200)); // the pass is behind us
  return (spy.firstRunAt.get(uid) ?? Number.NaN) - askedAt;
}

const lagOf = (sample: readonly number[]): Lag => ({
  events: sample.length,
  p50Ms: median(sample),
  p99Ms: quantile(sample, 0.99),
  worstMs: Math.max(...sample),
});
