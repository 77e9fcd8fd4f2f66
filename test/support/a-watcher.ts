import type { JobUid } from '../../shared/domain/brand.ts';
import { readJob } from '../../shared/kube/read-job.ts';
import type { FeedEntry } from '../../shared/ports/feed.ts';
import type { Stores } from '../contract/store-under-test.ts';

/** Jobs by uid; of each its Pods, as "attempt state" by index. */
type Jobs = Map<JobUid, ReadonlyMap<number, string>>;

/** What one watcher has come to know. */
export type Told = {
  /** The feed's head when it listed. */
  readonly from: number;
  /** Numbers of the rows that it got, as they came. */
  readonly numbers: readonly number[];
  /** What no feed may say. */
  readonly oddities: readonly string[];
  readonly jobs: Jobs;
};

const PAGE = 7;

/** Lists all Jobs, then follows the feed from the head that there was before it listed, until `isDone` and no row is left. */
export async function listAndWatch(stores: Stores, turn: () => Promise<void>, isDone: () => boolean): Promise<Told> {
  const from = await stores.feed.head();
  const jobs: Jobs = new Map(await truthOf(stores));
  const numbers: number[] = [];
  const oddities: string[] = [];
  const last = new Map<JobUid, FeedEntry>();
  let after = from;
  for (;;) {
    const wasDone = isDone();
    const page = await stores.feed.read(after, PAGE);
    if (page.kind === 'expired') throw new Error('rows expired while they were watched');
    for (const { number, entries } of page.rows) {
      numbers.push(number);
      after = number;
      for (const entry of entries) {
        oddities.push(...oddOf(entry, last.get(entry.uid), from === 0).map((odd) => `${number}: ${entry.uid} ${odd}`));
        last.set(entry.uid, entry);
        follow(jobs, entry);
      }
    }
    if (wasDone && page.rows.length === 0) return { from, numbers, oddities, jobs };
    await turn();
  }
}

function follow(jobs: Jobs, { uid, type, pods }: FeedEntry): void {
  if (type === 'DELETED') return void jobs.delete(uid);
  const known = new Map(jobs.get(uid));
  for (const { index, attempt, state } of pods) known.set(index, `${attempt} ${state}`);
  jobs.set(uid, known);
}

/** Whether an entry cannot follow the one before it; `before` is all there was if it was watched from the first row on. */
function oddOf(entry: FeedEntry, before: FeedEntry | undefined, fromFirst: boolean): readonly string[] {
  const odd: string[] = [];
  const expected = before?.version ?? (fromFirst ? 0 : entry.after);
  if (entry.after !== expected) odd.push(`follows ${entry.after}, not ${expected}`);
  if (entry.version <= entry.after) odd.push(`says ${entry.version} after ${entry.after}`);
  if (before?.type === 'DELETED') odd.push('is told of after its end');
  if ((entry.type === 'ADDED') !== (entry.after === 0) && entry.type !== 'DELETED') odd.push(`is ${entry.type} late`);
  if (before !== undefined && entry.seq < before.seq) odd.push(`goes back to ${entry.seq} from ${before.seq}`);
  return odd;
}

/** What a user who lists sees: live Jobs, and every Pod that they ever had. */
export async function truthOf(stores: Stores): Promise<Jobs> {
  const jobs: Jobs = new Map();
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Stores['jobs']['listJobs']>> = await stores.jobs.listJobs({
      namespace: null,
      after,
      limit: 10,
    });
    for (const { uid } of page.jobs) {
      const view = await readJob(uid, stores, ({ chunks }) => [...chunks.keys()]);
      if (view === null) continue;
      const pods = new Map<number, string>();
      for (let index = 0; index < view.board.size; index++) {
        const record = view.board.record(index);
        if (record !== null && record.attempt > 0) pods.set(index, `${record.attempt} ${record.state}`);
      }
      jobs.set(uid, pods);
    }
    after = page.next;
  } while (after !== null);
  return jobs;
}
