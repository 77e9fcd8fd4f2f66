import { requestsOf } from '../meter.ts';
import { type BenchRuntime, type Used, manifestOf, startBench } from './bench-runtime.ts';

/** What one of several equal things has used. */
type Each = { readonly writeUnits: number; readonly readUnits: number; readonly sqsRequests: number };

export type CronFigures = {
  readonly crons: number;
  readonly due: number;
  /** From the minute in which they are due until all of their Jobs, of one index each, were complete. */
  readonly allSec: number;
  /** Of that minute's Jobs, how many there are in the end; one each. */
  readonly made: number;
  /** A slot with its Job, and such a Job alone. */
  readonly slot: Each;
  readonly alone: Each;
  /** The day's look at all CronJobs. */
  readonly daily: Each;
};

const CRONJOBS = '/apis/batch/v1/namespaces/default/cronjobs';
const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const AT_ONCE = 20;
/** A wake-up that the sweep sends, and none that was sent when the CronJob was created. */
const AHEAD_MS = 100_000;
/** The last moment before the minute at which counting begins. */
const BEFORE_MS = 2_000;

/** Many CronJobs of which some are due in one and the same minute, and as many Jobs without a CronJob. */
export async function crons({ crons: total, due }: { readonly crons: number; readonly due: number }) {
  const bench = await startBench();
  try {
    const later = new Date(Date.now() + 40 * 86_400_000);
    await inTurns(total - due, async (n) => create(bench, `later-${n}`, later));
    const minute = new Date(Math.ceil((Date.now() + AHEAD_MS) / 60_000) * 60_000);
    await inTurns(due, async (n) => create(bench, `due-${n}`, minute));
    await sleep(minute.getTime() - BEFORE_MS - Date.now());
    let allSec = Number.NaN;
    const fired = await bench.measure(async () => {
      await bench.until(1 + due);
      allSec = (Date.now() - minute.getTime()) / 1_000;
    });
    const made = await countJobs(bench, 'due-');
    const alone = await bench.measure(async () => {
      await inTurns(due, async (n) => void (await bench.submit(`alone-${n}`, 1)));
      await bench.until(1 + 2 * due);
    });
    const daily = await bench.measure(async () => bench.sweep(new Date('2026-01-01T00:00:00Z')));
    const figures: CronFigures = {
      crons: total,
      due,
      allSec,
      made,
      slot: each(fired, due),
      alone: each(alone, due),
      daily: each(daily, total),
    };
    return figures;
  } finally {
    await bench.stop();
  }
}

const each = (used: Used, count: number): Each => ({
  writeUnits: used.writeUnits / count,
  readUnits: used.readUnits / count,
  sqsRequests: requestsOf(used, 'SQS') / count,
});

/** Once a year, in this minute. */
async function create(bench: BenchRuntime, name: string, at: Date): Promise<void> {
  const { spec } = manifestOf(name, 1);
  const schedule = `${at.getUTCMinutes()} ${at.getUTCHours()} ${at.getUTCDate()} ${at.getUTCMonth() + 1} *`;
  await bench.post(CRONJOBS, {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name },
    spec: { schedule, jobTemplate: { spec } },
  });
}

/** Jobs whose name begins so, each name once. */
async function countJobs(bench: BenchRuntime, start: string): Promise<number> {
  const { items } = (await (await fetch(`${bench.url}${JOBS}`)).json()) as {
    readonly items: readonly { readonly metadata: { readonly name: string } }[];
  };
  const names = items
    .map(({ metadata }) => metadata.name.replace(/-\d+$/, ''))
    .filter((name) => name.startsWith(start));
  return new Set(names).size === names.length ? names.length : Number.NaN;
}

async function inTurns(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
