import { WriteHeat, type Peak } from '../../support/write-heat.ts';
import { type Used, startBench } from './bench-runtime.ts';

export type JobFigures = Used & {
  readonly indexes: number;
  /** Completions come in any order: tasks run up to a quarter of a second for every 1,000 indexes. Else they end at once. */
  readonly shuffled: boolean;
  /** Hottest items and partition keys by kind, where they were looked at. */
  readonly hottest: readonly { readonly level: 'item' | 'partition'; readonly kind: string; readonly peak: Peak }[];
};

/** One Job of so many indexes on a runtime of its own, from its creation until it is complete, everything counted. */
export async function jobs({
  indexes,
  shuffled,
}: {
  readonly indexes: number;
  readonly shuffled: boolean;
}): Promise<JobFigures> {
  const heat = new WriteHeat();
  const bench = await startBench({
    script: shuffled ? { runMs: [0, indexes / 4] } : {},
    onClient(client) {
      if (shuffled && client.config.serviceId === 'DynamoDB') heat.watch(client as never);
    },
  });
  try {
    const used = await bench.measure(async () => {
      await bench.submit('bench', indexes);
      await bench.until(1 + indexes, 30 + indexes / 50);
    });
    const levels = ['partition', 'item'] as const;
    const hottest = levels.flatMap((level) => heat.byKind(level).map((found) => ({ level, ...found })));
    return { indexes, shuffled, hottest, ...used };
  } finally {
    await bench.stop();
  }
}
