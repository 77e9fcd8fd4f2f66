import { median } from '../quantiles.ts';
import { type BenchRuntime, startBench } from './bench-runtime.ts';
import { Spy } from './spy.ts';

export type BesideFigures = {
  readonly perSec: number;
  readonly largeIndexes: number;
  /** A Job of 3, from its POST until it is complete: each time, in order. */
  readonly aloneSec: readonly number[];
  readonly besideSec: readonly number[];
  /** Between the medians. */
  readonly differenceSec: number;
};

const SMALL = 3;
const PER_SEC = 20;
/** The large Job has filled its window of claims by then. */
const SETTLE_MS = 10_000;

/** A Job of 3 alone, and beside one of `largeIndexes` that is being launched at 20 a second; tasks run for a second. */
export async function beside({ largeIndexes }: { readonly largeIndexes: number }): Promise<BesideFigures> {
  const spy = new Spy();
  const bench = await startBench({ script: { runMs: 1_000 }, launchesPerSec: PER_SEC, onClient: spy.watch });
  try {
    const aloneSec = await threeTimes(bench, spy, 'alone');
    await bench.submit('large', largeIndexes);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const besideSec = await threeTimes(bench, spy, 'beside');
    return { perSec: PER_SEC, largeIndexes, aloneSec, besideSec, differenceSec: median(besideSec) - median(aloneSec) };
  } finally {
    await bench.stop();
  }
}

async function threeTimes(bench: BenchRuntime, spy: Spy, name: string): Promise<readonly number[]> {
  const seconds: number[] = [];
  for (const n of [1, 2, 3]) {
    const askedAt = performance.now();
    const uid = await bench.submit(`${name}-${n}`, SMALL);
    seconds.push(((await spy.finished(uid, 120)) - askedAt) / 1_000);
  }
  return seconds;
}
