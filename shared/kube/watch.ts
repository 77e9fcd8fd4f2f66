import type { Clock } from '../ports/clock.ts';
import type { Feed, FeedRow } from '../ports/feed.ts';
import { type StatusError, expired } from './status-error.ts';

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: Bookmark }
  | { readonly type: 'ERROR'; readonly object: StatusError };

type Bookmark = {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly creationTimestamp: null;
    readonly annotations?: Readonly<Record<string, string>>;
  };
};

/** What is watched. */
export type WatchSource<T> = {
  readonly kind: string;
  readonly apiVersion: string;
  /** Everything there is, for a watch that begins without a resourceVersion. */
  present(): AsyncIterable<T>;
  /** What one row of the feed tells, in the row's own version. */
  changes(row: FeedRow): AsyncIterable<Change<T>>;
};

export type Change<T> = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T };

export type WatchOptions = {
  /** Number of the feed after which changes are told; null: everything that is present first, then what follows. */
  readonly after: number | null;
  readonly bookmarks: boolean;
  /** Ends what was present with the bookmark that WatchList clients wait for. */
  readonly announceEnd: boolean;
  readonly endsAt: number;
  readonly pollMs: number;
  /** The client has gone. */
  readonly isCancelled: () => boolean;
};

const ROWS_PER_READ = 100;
/** Long enough not to matter, short enough for a gateway that cuts idle streams after five minutes. */
const BOOKMARK_EVERY_MS = 60_000;

/**
 * Follows the feed: each row's number at most once, in order, nothing left out. It ends at `endsAt` with a bookmark (if
 * those are wanted), or with 410 when rows that were to come have vanished: then the client lists anew.
 */
export async function* watch<T>(
  source: WatchSource<T>,
  options: WatchOptions,
  { feed, clock }: { readonly feed: Feed; readonly clock: Clock },
): AsyncGenerator<WatchEvent<T>> {
  const bookmark = (version: number, annotations?: Readonly<Record<string, string>>): WatchEvent<T> => ({
    type: 'BOOKMARK',
    object: {
      kind: source.kind,
      apiVersion: source.apiVersion,
      metadata: {
        resourceVersion: String(version),
        creationTimestamp: null,
        ...(annotations === undefined ? {} : { annotations }),
      },
    },
  });
  let version = options.after ?? (await feed.head());
  let bookmarkAt = clock.now() + BOOKMARK_EVERY_MS;
  if (options.after === null) {
    for await (const object of source.present()) yield { type: 'ADDED', object };
    if (options.announceEnd) yield bookmark(version, { 'k8s.io/initial-events-end': 'true' });
  }
  while (!options.isCancelled()) {
    const page = await feed.read(version, ROWS_PER_READ);
    if (page.kind === 'expired') {
      yield { type: 'ERROR', object: expired(`too old resource version: ${version} (${await feed.head()})`) };
      return;
    }
    for (const row of page.rows) {
      for await (const change of source.changes(row)) yield change;
      version = row.number;
    }
    if (page.rows.length === ROWS_PER_READ) continue;
    const leftMs = options.endsAt - clock.now();
    if (leftMs <= 0) break;
    if (options.bookmarks && clock.now() >= bookmarkAt) {
      yield bookmark(version);
      bookmarkAt = clock.now() + BOOKMARK_EVERY_MS;
    }
    await clock.sleep(Math.min(options.pollMs, leftMs));
  }
  if (options.bookmarks) yield bookmark(version);
}
