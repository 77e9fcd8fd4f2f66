import type { Feed, FeedRow } from '../ports/feed.ts';
import type { ObjectChange, ObjectStore, StoredKind } from '../ports/object-store.ts';

/** Something that happens in one numeric order: rows without gaps, which can be read for some time. */
export type NumberedFeed<R> = {
  /** Number of the newest row, 0 for none. */
  head(): Promise<number>;
  /** Rows above `after`, ascending. `expired`: some of them are gone already. */
  read(
    after: number,
    limit: number,
  ): Promise<{ readonly kind: 'rows'; readonly rows: readonly R[] } | { readonly kind: 'expired' }>;
  numberOf(row: R): number;
};

/** The feed of Jobs and all that is derived from them. */
export const jobFeed = (feed: Feed): NumberedFeed<FeedRow> => ({
  head: () => feed.head(),
  read: (after, limit) => feed.read(after, limit),
  numberOf: ({ number }) => number,
});

/** The feed of a kind whose objects are stored as they are. */
export const objectFeed = (objects: ObjectStore, kind: StoredKind): NumberedFeed<ObjectChange> => ({
  head: () => objects.head(kind),
  read: (after, limit) => objects.changes(kind, after, limit),
  numberOf: ({ object }) => object.version,
});

/** What is watched, as rows of a feed tell of it. */
export type WatchSource<T, R = FeedRow> = {
  readonly kind: string;
  readonly apiVersion: string;
  /** Everything there is, for a watch that begins without a resourceVersion. */
  present(): AsyncIterable<T>;
  /** What one row of the feed tells, in the row's own version. */
  changes(row: R): AsyncIterable<Change<T>>;
};

export type Change<T> = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T };

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
};

export type WatchedRow<T> = { readonly number: number; changes(): AsyncIterable<Change<T>> };

/** Ties a source to its feed. */
export const followed = <T, R>(feed: NumberedFeed<R>, source: WatchSource<T, R>): Watched<T> => ({
  kind: source.kind,
  apiVersion: source.apiVersion,
  present: () => source.present(),
  head: () => feed.head(),
  async read(after, limit) {
    const page = await feed.read(after, limit);
    if (page.kind === 'expired') return page;
    const rows = page.rows.map((row) => ({ number: feed.numberOf(row), changes: () => source.changes(row) }));
    return { kind: 'rows', rows };
  },
});
