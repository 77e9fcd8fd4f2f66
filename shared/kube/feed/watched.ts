import { invariant } from '../../domain/base/invariant.ts';
import type { Feed, FeedRow } from '../../ports/feed.ts';
import type { FeedName, FeedNotifications } from '../../ports/feed-notifications.ts';
import { type ObjectChange, type ObjectStore, STORED_KINDS, type StoredKind } from '../../ports/object-store.ts';
import { createGate } from './gate.ts';
import { type AwaitedRow, type NumberedFeed, type Tail, type TailOptions, type Wait, createTail } from './feed-tail.ts';

/** The feeds of one process, each with the one reader that its watches share. */
export type Tails = {
  readonly jobs: Tail<FeedRow>;
  of(kind: StoredKind): Tail<ObjectChange>;
  /** For kinds without objects. */
  readonly none: Tail<never>;
};

/** An empty collection has a version too, from which a watch can continue. */
const EMPTY_VERSION = 1;

/** Concurrent reads of watches; each takes a few requests. */
const READS_AT_ONCE = 10;

/** @param news rings for rows that this process appends; omitted: nothing rings */
export function createTails(
  { feed, objects }: { readonly feed: Feed; readonly objects: ObjectStore },
  {
    notifications,
    ...given
  }: Omit<TailOptions, 'onAppend' | 'gate'> & { readonly notifications: FeedNotifications | undefined },
): Tails {
  const options = { ...given, gate: createGate(READS_AT_ONCE) };
  const tailOf = <R>(name: FeedName, numbered: NumberedFeed<R>): Tail<R> =>
    createTail(numbered, { ...options, onAppend: (ring) => notifications?.subscribe(name, ring) });
  const stored = new Map(STORED_KINDS.map((kind) => [kind, tailOf(kind, objectFeed(objects, kind))]));
  return {
    jobs: tailOf('Job', jobFeed(feed)),
    of(kind) {
      const tail = stored.get(kind);
      invariant(tail !== undefined, `no feed of ${kind}`);
      return tail;
    },
    none: createTail(EMPTY_FEED, { ...options, onAppend: () => undefined }),
  };
}

const EMPTY_FEED: NumberedFeed<never> = {
  head: async () => EMPTY_VERSION,
  read: async () => ({ kind: 'rows', rows: [] }),
  numberOf: () => EMPTY_VERSION,
  sizeOf: () => 0,
};

/** The feed of Jobs and everything derived from them. */
const jobFeed = (feed: Feed): NumberedFeed<FeedRow> => ({
  head: () => feed.head(),
  read: (after, limit) => feed.read(after, limit),
  numberOf: ({ number }) => number,
  sizeOf: ({ entries }) => entries.reduce((objects, { pods }) => objects + 1 + pods.length, 0),
});

/** The feed of a kind whose objects are stored as they are. */
const objectFeed = (objects: ObjectStore, kind: StoredKind): NumberedFeed<ObjectChange> => ({
  head: () => objects.head(kind),
  read: (after, limit) => objects.changes(kind, after, limit),
  numberOf: ({ object }) => object.version,
  sizeOf: () => 1,
});

/** What is watched, in terms of its feed's rows. */
export type WatchSource<T, R = FeedRow> = {
  readonly kind: string;
  readonly apiVersion: string;
  /** All existing objects, for a watch that begins without a resourceVersion. */
  present(): AsyncIterable<T>;
  /** Whether a row may be relevant; other rows are not even read. */
  concerns(row: R): boolean;
  /** The changes in one row of the feed, in the row's own version. */
  changes(row: R): AsyncIterable<WatchedChange<T>>;
};

export type WatchedChange<T> = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T };

/** A source with the feed that drives it. */
export type Watched<T> = {
  readonly kind: string;
  readonly apiVersion: string;
  present(): AsyncIterable<T>;
  head(): Promise<number>;
  read(
    after: number,
    limit: number,
  ): Promise<{ readonly kind: 'rows'; readonly rows: readonly WatchedRow<T>[] } | { readonly kind: 'expired' }>;
  /** See {@link Tail.awaitRow}. */
  awaitRow(after: number, wait: Omit<Wait<never>, 'concerns'>): Promise<AwaitedRow>;
};

export type WatchedRow<T> = { readonly number: number; changes(): AsyncIterable<WatchedChange<T>> };

/** Connects a source to its feed. */
export const followed = <T, R>(feed: Tail<R>, source: WatchSource<T, R>): Watched<T> => ({
  kind: source.kind,
  apiVersion: source.apiVersion,
  async *present() {
    const objects = source.present()[Symbol.asyncIterator]();
    for (;;) {
      const next = await feed.gate(async () => objects.next());
      if (next.done === true) return;
      yield next.value;
    }
  },
  head: () => feed.head(),
  async read(after, limit) {
    const page = await feed.read(after, limit);
    if (page.kind === 'expired') return page;
    const rows = page.rows.map((row) => ({ number: feed.numberOf(row), changes: () => source.changes(row) }));
    return { kind: 'rows', rows };
  },
  awaitRow: (after, wait) => feed.awaitRow(after, { ...wait, concerns: (row) => source.concerns(row) }),
});
