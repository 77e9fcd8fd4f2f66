import { createHash } from 'node:crypto';
import { WriteHeat, type Peak } from '../../support/write-heat.ts';
import { type BenchRuntime, type Used, startBench } from './bench-runtime.ts';

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
  itemBytes = null,
  counting = null,
}: {
  readonly indexes: number;
  readonly shuffled: boolean;
  /** The Job has a list of items of this size, which is uploaded before; null: it has none. */
  readonly itemBytes?: number | null;
  /** STOPPED comes a second after DEPROVISIONING, which counts, or does not; null: at once. */
  readonly counting?: 'usual' | 'early' | null;
}): Promise<JobFigures> {
  const heat = new WriteHeat();
  const bench = await startBench({
    script: shuffled ? { runMs: [0, indexes / 4] } : {},
    ...(counting === null ? {} : { earlyCounting: counting === 'early', events: { deprovisionMs: 1_000 } }),
    onClient(client) {
      if (shuffled && client.config.serviceId === 'DynamoDB') heat.watch(client as never);
    },
  });
  try {
    const used = await bench.measure(async () => {
      if (itemBytes !== null) await upload(bench, indexes, itemBytes);
      await bench.submit('bench', indexes, itemBytes === null ? {} : { 'muster.run/work-list': LIST });
      await bench.until(1 + indexes);
    });
    const levels = ['partition', 'item'] as const;
    const hottest = levels.flatMap((level) => heat.byKind(level).map((found) => ({ level, ...found })));
    return { indexes, shuffled, hottest, ...used };
  } finally {
    await bench.stop();
  }
}

const LIST = 'bench';
const WORK_LISTS = '/apis/muster.run/v1/namespaces/default/worklists';
const ITEMS_PER_PART = 2_000;

/** Makes a WorkList of so many items, in parts. */
async function upload(bench: BenchRuntime, count: number, itemBytes: number): Promise<void> {
  const spec = { columns: ['ITEM'], itemsPerPart: ITEMS_PER_PART };
  await bench.post(WORK_LISTS, { apiVersion: 'muster.run/v1', kind: 'WorkList', metadata: { name: LIST }, spec });
  for (let first = 0; first < count; first += ITEMS_PER_PART) {
    const length = Math.min(ITEMS_PER_PART, count - first);
    const items = Array.from({ length }, (_, nth) => [anItem(first + nth, itemBytes)]);
    await bench.post(`${WORK_LISTS}/${LIST}/parts/${first / ITEMS_PER_PART}`, { items });
  }
  await bench.post(`${WORK_LISTS}/${LIST}/seal`, { items: count });
}

/** Nothing in it repeats, so it takes the room that the longest names take. */
const anItem = (number: number, bytes: number): string =>
  createHash('sha512').update(`${number}`).digest('base64').slice(0, bytes);
