import type { JobUid } from '../../domain/base/ids.ts';
import type { JobIdentity } from '../../domain/manifests/job.ts';
import { podChanges } from '../../domain/scoreboard/journal.ts';
import { DELETED_VERSION, type Status, isEnding, isHidden } from '../../domain/scoreboard/status.ts';
import {
  NOTHING_PUBLISHED,
  type PublishedPods,
  chunksOfTail,
  grownChunk,
  grownTail,
  isFull,
  nextPublished,
  numbered,
} from '../../domain/scoreboard/published-pods.ts';
import { shownStatus, unpublishedStops } from '../../domain/scoreboard/shown-status.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { Feed, FeedEntry, FeedMark } from '../../ports/feed.ts';
import { tryOnConflict } from '../../store/retry-on-conflict.ts';

/** Publishes what was committed to the feed. One per process. */
export type Publisher = {
  /**
   * Resolves when the feed has this version of the Job, no matter which process published it. If other publishers win too often, it is left to
   * them: STATUS still says that it is unpublished, so a later pass checks again. Idempotent.
   *
   * @param since how far the feed had the Job a moment ago; omitted: it is read
   * @param before the spec that a user's change, published here, has replaced
   */
  publish(job: JobIdentity, status: Status, since?: Since, before?: StoredSpec): Promise<void>;
  /** What this process last published about the Job, if it remembers: the feed may have more by now, never less. */
  lastPublished(uid: JobUid): Since | undefined;
};

/** What the feed has of a Job. */
type Since = Pick<FeedMark, 'version' | 'seq' | 'at'>;

type Order = {
  readonly job: JobIdentity;
  readonly status: Status;
  readonly since: Since | undefined;
  readonly before: StoredSpec | undefined;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
};

/** Jobs in one row: a transaction takes 100 items, and a row should not cost too much in one write. */
const JOBS_PER_ROW = 25;
const TRIES_MAX = 5;

/**
 * While one row is being appended, everything else that this process has to publish collects for the next: a hundred busy Jobs
 * do not compete for the head of the feed.
 */
export function createPublisher(ports: { readonly feed: Feed; readonly clock: Clock }): Publisher {
  let waiting: Order[] = [];
  let running = false;
  const lastPublished = new Map<JobUid, FeedMark>();
  const run = async (): Promise<void> => {
    running = true;
    while (waiting.length > 0) {
      const orders = waiting.slice(0, JOBS_PER_ROW);
      waiting = waiting.slice(JOBS_PER_ROW);
      try {
        await publishAll(orders, lastPublished, ports);
        for (const { done } of orders) done();
      } catch (error) {
        for (const { failed } of orders) failed(error);
      }
    }
    running = false;
  };
  return {
    publish: (job, status, since, before) =>
      new Promise((done, failed) => {
        waiting.push({ job, status, since, before, done, failed });
        if (!running) void run();
      }),
    lastPublished(uid) {
      const mark = lastPublished.get(uid);
      return mark === undefined ? undefined : { version: mark.version, seq: mark.seq, at: mark.at };
    },
  };
}

/**
 * The feed accepts an entry only if the Job's mark is where the entry begins: two publishers, or one that crashed and comes
 * back, publish a change once.
 */
async function publishAll(
  orders: readonly Order[],
  marks: Map<JobUid, FeedMark>,
  { feed, clock }: { readonly feed: Feed; readonly clock: Clock },
): Promise<void> {
  const newest = new Map<JobUid, Order>();
  for (const order of orders) {
    const other = newest.get(order.job.uid);
    const later = other === undefined || other.status.version < order.status.version ? order : other;
    newest.set(order.job.uid, { ...later, before: earlier(other?.before, order.before) });
  }
  await tryOnConflict(TRIES_MAX, async (nth) => {
    const entries = await Promise.all(
      [...newest.values()].map(async (order) => {
        const { job, status, since } = order;
        // Nothing was published about a new Job; if that or the remembered state is wrong, the mark refuses the row.
        if (nth === 0 && status.version === 1) return publication(order, null, feed);
        const own = nth === 0 ? marks.get(job.uid) : undefined;
        const isNewest = own !== undefined && own.version >= (since?.version ?? 0);
        return publication(order, isNewest ? own : await feed.readMark(job.uid), feed);
      }),
    );
    const unpublished = entries.filter((entry) => entry !== null);
    if (unpublished.length === 0) return 'done';
    const at = clock.now();
    const appended = await feed.append(unpublished, at);
    if (appended.kind === 'outrun') return 'conflict';
    const { number } = appended;
    for (const { uid, version, seq, published: pods, shown } of unpublished)
      remember(marks, uid, { version, seq, at, number, published: numbered(pods, number), shown });
    return 'done';
  });
}

/** If one row publishes several changes, the state before the first of them. */
const earlier = (a: StoredSpec | undefined, b: StoredSpec | undefined): StoredSpec | undefined =>
  a !== undefined && (b === undefined || a.revision < b.revision) ? a : b;

const MARKS_MAX = 512;

function remember(marks: Map<JobUid, FeedMark>, uid: JobUid, mark: FeedMark): void {
  marks.delete(uid);
  marks.set(uid, mark);
  const [oldest] = marks.keys();
  if (marks.size > MARKS_MAX && oldest !== undefined) marks.delete(oldest);
}

/** What the feed does not have of `status`, and what was published about its Pods; null: it has everything. */
async function publication(order: Order, mark: FeedMark | null, feed: Feed) {
  const { job, status } = order;
  const entry = feedEntry(order, mark);
  if (entry === null) return null;
  const before = mark === null ? NOTHING_PUBLISHED : await roomy(job.uid, mark, feed);
  const stops = unpublishedStops(status.journal, { seq: mark?.seq ?? 0 });
  // Watches of a deleted Job see the end of everything that they have seen, and nothing more.
  return {
    ...entry,
    published:
      entry.type === 'DELETED'
        ? before
        : nextPublished(before, entry.pods, { stops, isEnding: isEnding(status.phase) }),
    shown: shownStatus(status),
  };
}

/** What was published about the Job's Pods, with room in its mark: whatever does not fit is stored separately first. */
async function roomy(uid: JobUid, { published, number }: FeedMark, feed: Feed): Promise<PublishedPods> {
  if (published === null) return { ...NOTHING_PUBLISHED, base: number };
  if (!isFull(published)) return published;
  const stored = published.through === 0 ? null : ((await feed.readPublished(uid, ['tail'])).get('tail') ?? null);
  const tail = grownTail(published, stored, number);
  if (tail !== null) await feed.writePublished(uid, new Map([['tail', tail]]));
  else {
    const nos = chunksOfTail(published, stored);
    const chunks = await feed.readPublished(uid, nos);
    const grown = nos.map((no) => [no, grownChunk(published, stored, chunks.get(no) ?? null, no, number)] as const);
    await feed.writePublished(uid, new Map(grown));
    // After the chunks: until then, the tail still has what they do not.
    await feed.writePublished(uid, new Map([['tail', { through: number, pods: [] }]]));
  }
  return { ...published, through: number, recent: [] };
}

/** What the feed does not have of `status`; null: nothing. */
function feedEntry({ job, status, before }: Order, mark: FeedMark | null): FeedEntry | null {
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
    revision: status.revision,
    // The state of a Job before its first publication was never visible.
    ...(before === undefined || mark === null || before.revision >= status.revision ? {} : { specBefore: before }),
    pods: podChanges(status.journal, mark?.seq ?? 0),
    ...(!deleted && isEnding(status.phase) && mark?.published?.ending === null ? { ends: true } : {}),
    ...(relabelled === null || mark === null || relabelled.version <= mark.version
      ? {}
      : { labelsBefore: relabelled.labels }),
  };
}
