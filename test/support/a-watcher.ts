import { createItemCache } from '../../shared/store/read-items.ts';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import type { JobUid } from '../../shared/domain/base/ids.ts';
import { isHidden } from '../../shared/domain/scoreboard/status.ts';
import { podFactsOf } from '../../shared/kube/pods/read-pods.ts';
import type { FeedEntry } from '../../shared/ports/feed.ts';
import type { Stores } from '../contract/store-under-test.ts';

/** Jobs by uid; of each its Pods, by index and attempt: their states and versions. */
type Jobs = Map<JobUid, ReadonlyMap<string, string>>;

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
const NO_PACE = { now: asEpochMs(0), perSec: null, fullPerSec: null, namespaces: 1, namesPerSec: null };

/** Lists all Jobs, then follows the feed from the head that there was before it listed, until `isDone` and no row is left. */
export async function listAndWatch(stores: Stores, turn: () => Promise<void>, isDone: () => boolean): Promise<Told> {
  const from = await stores.feed.head();
  const jobs: Jobs = new Map(await truthOf(stores));
  // Rows up to here may tell what was listed already.
  const listed = await stores.feed.head();
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
        // What was not listed and is not ADDED was deleted while others were listed: watches do not send it.
        const ofPods = entry.type === 'ADDED' || jobs.has(entry.uid) ? follow(jobs, entry, number) : [];
        if (number > listed || from === 0) oddities.push(...ofPods.map((odd) => `${number}: ${entry.uid} ${odd}`));
      }
    }
    if (wasDone && page.rows.length === 0) return { from, numbers, oddities, jobs };
    await turn();
  }
}

/** Takes in a row; returns what cannot be the life of a Pod: ADDED first, once, and nothing after its end. */
function follow(jobs: Jobs, { uid, type, pods, ends }: FeedEntry, number: number): readonly string[] {
  if (type === 'DELETED') {
    jobs.delete(uid);
    return [];
  }
  const odd: string[] = [];
  const known = new Map(jobs.get(uid));
  for (const { index, attempt, state, isNew } of pods) {
    const key = `${index}/${attempt}`;
    const before = known.get(key);
    // It was listed with what this row, or a later one, tells.
    if (before !== undefined && Number(before.split(' ')[1]) >= number) continue;
    if ((before === undefined) !== (isNew === true)) odd.push(`${key} is ${isNew === true ? 'new again' : 'not new'}`);
    if (state === 'gone') known.delete(key);
    else known.set(key, `${state === 'stopping' ? (before?.split(' ')[0] ?? '') : state} ${number}`);
  }
  if (ends === true)
    for (const [key, before] of known)
      if (/^(claimed|launched|running|waiting) /.test(before)) known.set(key, `${before.split(' ')[0]} ${number}`);
  jobs.set(uid, known);
  return odd;
}

/** Whether an entry cannot follow the one before it; `before` is all there was if it was watched from the first row on. */
function oddOf(entry: FeedEntry, before: FeedEntry | undefined, fromFirst: boolean): readonly string[] {
  const odd: string[] = [];
  const expected = before?.version ?? (fromFirst ? 0 : entry.after);
  if (entry.after !== expected) odd.push(`follows ${entry.after}, not ${expected}`);
  if (entry.version <= entry.after) odd.push(`says ${entry.version} after ${entry.after}`);
  if (before?.type === 'DELETED') odd.push('is sent after its end');
  if ((entry.type === 'ADDED') !== (entry.after === 0) && entry.type !== 'DELETED') odd.push(`is ${entry.type} late`);
  if (before !== undefined && entry.seq < before.seq) odd.push(`goes back to ${entry.seq} from ${before.seq}`);
  return odd;
}

/** What a user who lists sees: live Jobs, and every Pod that they ever had. */
export async function truthOf(stores: Stores): Promise<Jobs> {
  const reads = { ...stores, taskNames: stores.hosts, itemCache: createItemCache(), launchPace: async () => NO_PACE };
  const jobs: Jobs = new Map();
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Stores['jobs']['listJobs']>> = await stores.jobs.listJobs({
      namespace: null,
      after,
      limit: 10,
    });
    for (const { uid } of page.jobs) {
      const pods = new Map<string, string>();
      for await (const { index, attempt, state, version } of podFactsOf(uid, { index: 0, attempt: 1 }, reads))
        pods.set(`${index}/${attempt}`, `${state === 'ended' ? 'pending' : state} ${version}`);
      const status = await stores.jobs.readStatus(uid);
      if (status !== null && !isHidden(status.phase)) jobs.set(uid, pods);
    }
    after = page.next;
  } while (after !== null);
  return jobs;
}
