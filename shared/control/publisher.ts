import type { JobUid } from '../domain/brand.ts';
import type { JobIdentity } from '../domain/job.ts';
import { podChanges } from '../domain/journal.ts';
import { DELETED_VERSION, type Status, isEnding, isHidden } from '../domain/status.ts';
import {
  NOTHING_TOLD,
  type Told,
  chunksOfTail,
  grownChunk,
  grownTail,
  isFull,
  nextTold,
  numbered,
} from '../domain/told-pods.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredSpec } from '../ports/job-store.ts';
import type { Feed, FeedEntry, FeedMark } from '../ports/feed.ts';

/** Tells the feed what was committed. One a process. */
export type Publisher = {
  /**
   * Resolves when the feed knows this version of the Job, whoever told it, or when others have told of the Job so often
   * meanwhile that it is left to them: STATUS still says that it is untold, so a later pass looks again. Idempotent.
   *
   * @param since how far the feed had the Job a moment ago; left out: it is read
   * @param before the spec that a user's change, which this tells of, has replaced
   */
  publish(job: JobIdentity, status: Status, since?: Since, before?: StoredSpec): Promise<void>;
  /** What this process has told of the Job last, if it remembers: the feed may know more by now, never less. */
  told(uid: JobUid): Since | undefined;
};

/** What the feed knows of a Job. */
type Since = Pick<FeedMark, 'version' | 'seq' | 'at'>;

type Order = {
  readonly job: JobIdentity;
  readonly status: Status;
  readonly since: Since | undefined;
  readonly before: StoredSpec | undefined;
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
  const told = new Map<JobUid, FeedMark>();
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
    publish: (job, status, since, before) =>
      new Promise((done, failed) => {
        waiting.push({ job, status, since, before, done, failed });
        if (!running) void run();
      }),
    told(uid) {
      const mark = told.get(uid);
      return mark === undefined ? undefined : { version: mark.version, seq: mark.seq, at: mark.at };
    },
  };
}

/**
 * The feed takes an entry only where the Job's mark stands where the entry begins: two publishers, or one that crashed
 * and comes again, tell a change once.
 */
async function publishAll(
  orders: readonly Order[],
  told: Map<JobUid, FeedMark>,
  { feed, clock }: { readonly feed: Feed; readonly clock: Clock },
): Promise<void> {
  const newest = new Map<JobUid, Order>();
  for (const order of orders) {
    const other = newest.get(order.job.uid);
    const later = other === undefined || other.status.version < order.status.version ? order : other;
    newest.set(order.job.uid, { ...later, before: earlier(other?.before, order.before) });
  }
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const entries = await Promise.all(
      [...newest.values()].map(async (order) => {
        const { job, status, since } = order;
        // Of a Job that has just been made nothing was told; should that or what is remembered be wrong, the mark refuses the row.
        if (attempt === 0 && status.version === 1) return publication(order, null, feed);
        const own = attempt === 0 ? told.get(job.uid) : undefined;
        const isNewest = own !== undefined && own.version >= (since?.version ?? 0);
        return publication(order, isNewest ? own : await feed.readMark(job.uid), feed);
      }),
    );
    const untold = entries.filter((entry) => entry !== null);
    if (untold.length === 0) return;
    const at = clock.now();
    const appended = await feed.append(untold, at);
    if (appended.kind === 'outrun') continue;
    const { number } = appended;
    for (const { uid, version, seq, told: pods } of untold)
      remember(told, uid, { version, seq, at, number, told: numbered(pods, number) });
    return;
  }
}

/** Of changes that one row tells together, what was there before the first. */
const earlier = (a: StoredSpec | undefined, b: StoredSpec | undefined): StoredSpec | undefined =>
  a !== undefined && (b === undefined || a.revision < b.revision) ? a : b;

const TOLD_MAX = 512;

function remember(told: Map<JobUid, FeedMark>, uid: JobUid, mark: FeedMark): void {
  told.delete(uid);
  told.set(uid, mark);
  const [oldest] = told.keys();
  if (told.size > TOLD_MAX && oldest !== undefined) told.delete(oldest);
}

/** What the feed does not know of `status`, and what is known of its Pods then; null: it knows all of it. */
async function publication(order: Order, mark: FeedMark | null, feed: Feed) {
  const { job, status } = order;
  const entry = feedEntry(order, mark);
  if (entry === null) return null;
  const before = mark === null ? NOTHING_TOLD : await roomy(job.uid, mark, feed);
  // Watchers of a Job that is deleted hear of the end of all that they have heard of, and of nothing more.
  return { ...entry, told: entry.type === 'DELETED' ? before : nextTold(before, entry.pods, isEnding(status.phase)) };
}

/** What was told of the Job's Pods, with room in its mark: what is too much for it is stored beside it first. */
async function roomy(uid: JobUid, { told, number }: FeedMark, feed: Feed): Promise<Told> {
  if (told === null) return { ...NOTHING_TOLD, base: number };
  if (!isFull(told)) return told;
  const stored = told.through === 0 ? null : ((await feed.readTold(uid, ['tail'])).get('tail') ?? null);
  const tail = grownTail(told, stored, number);
  if (tail !== null) await feed.writeTold(uid, new Map([['tail', tail]]));
  else {
    const nos = chunksOfTail(told, stored);
    const chunks = await feed.readTold(uid, nos);
    const grown = nos.map((no) => [no, grownChunk(told, stored, chunks.get(no) ?? null, no, number)] as const);
    await feed.writeTold(uid, new Map(grown));
    // After the chunks: until then the tail still has what they had not.
    await feed.writeTold(uid, new Map([['tail', { through: number, pods: [] }]]));
  }
  return { ...told, through: number, recent: [] };
}

/** What the feed does not know of `status`; null: nothing. */
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
    // Nobody has seen what a Job was before it was told of first.
    ...(before === undefined || mark === null || before.revision >= status.revision ? {} : { specBefore: before }),
    pods: podChanges(status.journal, mark?.seq ?? 0),
    ...(!deleted && isEnding(status.phase) && mark?.told?.ending === null ? { ends: true } : {}),
    ...(relabelled === null || mark === null || relabelled.version <= mark.version
      ? {}
      : { labelsBefore: relabelled.labels }),
  };
}
