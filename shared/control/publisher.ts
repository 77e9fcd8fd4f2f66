import type { JobUid } from '../domain/brand.ts';
import type { JobIdentity } from '../domain/job.ts';
import { podChanges } from '../domain/journal.ts';
import { DELETED_VERSION, type Status, isHidden } from '../domain/status.ts';
import type { Clock } from '../ports/clock.ts';
import type { Feed, FeedEntry, FeedMark } from '../ports/feed.ts';

/** Tells the feed what was committed. One a process. */
export type Publisher = {
  /**
   * Resolves when the feed knows this version of the Job, whoever told it, or when others have told of the Job so often
   * meanwhile that it is left to them: STATUS still says that it is untold, so a later pass looks again. Idempotent.
   *
   * @param since how far the feed had the Job a moment ago; left out: it is read
   */
  publish(job: JobIdentity, status: Status, since?: Told): Promise<void>;
  /** What this process has told of the Job last, if it remembers: the feed may know more by now, never less. */
  told(uid: JobUid): Told | undefined;
};

/** What the feed knows of a Job. */
type Told = Pick<FeedMark, 'version' | 'seq' | 'at'>;

type Order = {
  readonly job: JobIdentity;
  readonly status: Status;
  readonly since: Told | undefined;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
};

/** Jobs in one row: a transaction takes 100 items, and a row must not grow beyond what one write should cost. */
const JOBS_PER_ROW = 25;
const TRIES_MAX = 5;

/**
 * While one row is being appended, all else that this process has to tell gathers for the next: a hundred busy Jobs do
 * not fight one another for the head of the feed.
 */
export function createPublisher(ports: { readonly feed: Feed; readonly clock: Clock }): Publisher {
  let waiting: Order[] = [];
  let running = false;
  const told = new Map<JobUid, Told>();
  const run = async (): Promise<void> => {
    running = true;
    while (waiting.length > 0) {
      const orders = waiting.slice(0, JOBS_PER_ROW);
      waiting = waiting.slice(JOBS_PER_ROW);
      try {
        await publishAll(orders, told, ports);
        for (const { done } of orders) done();
      } catch (error) {
        for (const { failed } of orders) failed(error);
      }
    }
    running = false;
  };
  return {
    publish: (job, status, since) =>
      new Promise((done, failed) => {
        waiting.push({ job, status, since, done, failed });
        if (!running) void run();
      }),
    told: (uid) => told.get(uid),
  };
}

/**
 * The feed takes an entry only where the Job's mark stands where the entry begins: two publishers, or one that crashed
 * and comes again, tell a change once.
 */
async function publishAll(
  orders: readonly Order[],
  told: Map<JobUid, Told>,
  { feed, clock }: { readonly feed: Feed; readonly clock: Clock },
): Promise<void> {
  const newest = new Map<JobUid, Order>();
  for (const order of orders) {
    const other = newest.get(order.job.uid);
    if (other === undefined || other.status.version < order.status.version) newest.set(order.job.uid, order);
  }
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const entries = await Promise.all(
      [...newest.values()].map(async ({ job, status, since }) => {
        // Of a Job that has just been made nothing was told; should that or `since` be wrong, the mark refuses the row.
        if (attempt === 0 && status.version === 1) return feedEntry(job, status, null);
        const known = attempt === 0 ? newer(since, told.get(job.uid)) : undefined;
        const mark = known ?? (await feed.readMark(job.uid));
        return feedEntry(job, status, mark);
      }),
    );
    const untold = entries.filter((entry) => entry !== null);
    if (untold.length === 0) return;
    const at = clock.now();
    const appended = await feed.append(untold, at);
    if (appended.kind === 'outrun') continue;
    for (const { uid, version, seq } of untold) remember(told, uid, { version, seq, at });
    return;
  }
}

/** A pass that has read the mark may have been overtaken by one of this very process. */
const newer = (since: Told | undefined, last: Told | undefined): Told | undefined =>
  last !== undefined && last.version > (since?.version ?? 0) ? last : since;

const TOLD_MAX = 512;

function remember(told: Map<JobUid, Told>, uid: JobUid, mark: Told): void {
  told.delete(uid);
  told.set(uid, mark);
  const [oldest] = told.keys();
  if (told.size > TOLD_MAX && oldest !== undefined) told.delete(oldest);
}

/** What the feed does not know of `status`; null: nothing. */
function feedEntry(job: JobIdentity, status: Status, mark: Told | null): FeedEntry | null {
  if (mark !== null && mark.version >= status.version) return null;
  const deleted = isHidden(status.phase);
  const { relabelled } = status;
  return {
    uid: job.uid,
    namespace: job.namespace,
    name: job.name,
    type: deleted ? 'DELETED' : mark === null ? 'ADDED' : 'MODIFIED',
    after: mark?.version ?? 0,
    version: deleted ? DELETED_VERSION : status.version,
    seq: status.journal.nextSeq,
    pods: podChanges(status.journal, mark?.seq ?? 0),
    ...(relabelled === null || mark === null || relabelled.version <= mark.version
      ? {}
      : { labelsBefore: relabelled.labels }),
  };
}
