import { type BenchRuntime, type Used, startBench } from './bench-runtime.ts';

/** What one of several equal things has used. */
type Each = { readonly writeUnits: number; readonly readUnits: number; readonly ms: number };

export type ChainFigures = {
  /** Jobs of one index, each after the one before; their tasks end at once. */
  readonly steps: number;
  readonly step: Each;
  /** As many such Jobs that wait for none, one after the other: what of a step is the Job itself. */
  readonly alone: Each;
  /** Indexes of two Jobs, those of the second each after that of the first. */
  readonly indexes: number;
  /** An index of the second Job, with what its waiting costs the first. */
  readonly paired: Each;
  /** An index of two such Jobs that wait for nothing. */
  readonly unpaired: Each;
};

const AFTER = 'muster.run/after';
const AFTER_INDEXES = 'muster.run/after-indexes';

/** A chain of Jobs, and a Job whose indexes wait for another's, each beside the same without waiting. */
export async function chains({ steps, indexes }: { readonly steps: number; readonly indexes: number }) {
  const figures: ChainFigures = {
    steps,
    ...(await measureChain(steps)),
    indexes,
    ...(await measurePairs(indexes)),
  };
  return figures;
}

/** The last Job of the chain is created first, so that all are held until the first one comes. */
async function measureChain(steps: number): Promise<Pick<ChainFigures, 'step' | 'alone'>> {
  const bench = await startBench();
  try {
    for (let n = steps - 1; n > 0; n--) await bench.submit(`step-${n}`, 1, { [AFTER]: `step-${n - 1}` });
    const chain = await bench.measure(async () => {
      await bench.submit('step-0', 1);
      await bench.until(1 + steps);
    });
    const alone = await bench.measure(async () => {
      for (let n = 0; n < ALONE; n++) {
        await bench.submit(`alone-${n}`, 1);
        await bench.until(1 + steps + n + 1);
      }
    });
    return { step: each(chain, steps), alone: each(alone, ALONE) };
  } finally {
    await bench.stop();
  }
}

/** Enough to know what one costs. */
const ALONE = 50;

async function measurePairs(indexes: number): Promise<Pick<ChainFigures, 'paired' | 'unpaired'>> {
  const unpaired = await measureTwo(indexes, {});
  const paired = await measureTwo(indexes, { [AFTER_INDEXES]: 'first' });
  return { paired, unpaired };
}

/** Completions come in any order, as on AWS. */
async function measureTwo(indexes: number, annotations: Readonly<Record<string, string>>): Promise<Each> {
  const bench: BenchRuntime = await startBench({ script: { runMs: [0, indexes / 4] } });
  try {
    const used = await bench.measure(async () => {
      await bench.submit('first', indexes);
      await bench.submit('second', indexes, annotations);
      await bench.until(1 + 2 * indexes);
    });
    return each(used, 2 * indexes);
  } finally {
    await bench.stop();
  }
}

const each = ({ writeUnits, readUnits, seconds }: Used, count: number): Each => ({
  writeUnits: writeUnits / count,
  readUnits: readUnits / count,
  ms: (seconds * 1_000) / count,
});
