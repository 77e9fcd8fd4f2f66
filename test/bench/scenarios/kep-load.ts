import { type Used, startBench } from './bench-runtime.ts';

/** The load of KEP-2214's own test, 101 Jobs of 1,200 indexes in all: 60 of 5, 40 of 20, one of 100. */
const SIZES = [...Array<number>(60).fill(5), ...Array<number>(40).fill(20), 100];

export type KepFigures = Used & {
  readonly jobs: number;
  readonly indexes: number;
  /** The same load on a process that has just started and has run one task: half of its time goes into compiling itself. */
  readonly first: Used;
};

/** All Jobs submitted at once, instant tasks, no launch limit: until every index is counted. Twice; the second time it is warm. */
export async function kepLoad(): Promise<KepFigures> {
  const indexes = SIZES.reduce((sum, size) => sum + size, 0);
  const bench = await startBench();
  try {
    const load = (round: number): Promise<Used> =>
      bench.measure(async () => {
        await Promise.all(SIZES.map((size, i) => bench.submit(`load-${round}-${i}`, size)));
        await bench.until(1 + round * indexes);
      });
    const first = await load(1);
    return { jobs: SIZES.length, indexes, first, ...(await load(2)) };
  } finally {
    await bench.stop();
  }
}
