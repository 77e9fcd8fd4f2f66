import type { Clock } from '../../ports/clock.ts';
import { type StatusError, expired } from '../http/status-error.ts';
import type { WatchedChange, Watched, WatchedRow } from '../feed/watched.ts';

export type { WatchedChange, WatchSource } from '../feed/watched.ts';

export type WatchEvent<T> =
  | WatchedChange<T>
  | { readonly type: 'BOOKMARK'; readonly object: Bookmark }
  | { readonly type: 'ERROR'; readonly object: StatusError };

export type Bookmark = {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly creationTimestamp: null;
    readonly annotations?: Readonly<Record<string, string>>;
  };
};

export type WatchOptions = {
  /** Number of the feed after which changes are sent; null: first all existing objects, then what follows. */
  readonly after: number | null;
  readonly bookmarks: boolean;
  /** Ends the existing objects with the bookmark that WatchList clients wait for. */
  readonly announceEnd: boolean;
  /**
   * When it ends. `atNews`: also at the first read of the feed that found an event, or once all existing objects were sent; for
   * an answer that can only be sent as a whole.
   */
  readonly ends: 'atTime' | 'atNews';
  readonly endsAt: number;
  /** A quiet watch sends a sign of life this often. */
  readonly heartbeatMs: number;
  /** The client has disconnected. */
  readonly isCancelled: () => boolean;
};

const ROWS_PER_READ = 100;
const NO_ROWS = { kind: 'rows', rows: [] } as const;
/** Kubernetes' own interval: clients that resume from a bookmark do not list again. */
const BOOKMARK_EVERY_MS = 60_000;

/** The most events that are sent in one piece: about 300 KB of Pods. */
const EVENTS_PER_PIECE = 100;

/**
 * Follows the feed: each row's number at most once, in order, without gaps. It ends at `endsAt` with a bookmark (if requested),
 * or with 410 if the next rows have expired or never existed: the client then lists again. While there are no events, it yields
 * an empty array now and then: a heartbeat.
 *
 * Each yielded array should be sent in one piece: all events of a row have its number, so a client that is cut off between two
 * of them and resumes from there never gets the second.
 */
export async function* watch<T>(
  source: Watched<T>,
  options: WatchOptions,
  clock: Clock,
): AsyncGenerator<readonly WatchEvent<T>[]> {
  const { endsAt, heartbeatMs, isCancelled } = options;
  const bookmark = bookmarksOf(source);
  const head = await source.head();
  let version = options.after ?? head;
  if (version > head) {
    // A number from another life of this server: waiting for it would miss everything that happens until then.
    yield [{ type: 'ERROR', object: expired(`too large resource version: ${version} (${head})`) }];
    return;
  }
  let bookmarkAt = clock.now() + BOOKMARK_EVERY_MS;
  let told = 0;
  let spokeAt = clock.now();
  if (options.after === null) {
    for await (const object of source.present()) {
      if (isCancelled()) return;
      yield [{ type: 'ADDED', object }];
      told++;
    }
    if (options.announceEnd) {
      yield [bookmark(version, { 'k8s.io/initial-events-end': 'true' })];
      told++;
    }
  }
  for (let isNews = true; !isCancelled(); ) {
    // At its end it reads once more: a short watch reports what had happened when it began.
    const page = isNews || clock.now() >= endsAt ? await source.read(version, ROWS_PER_READ) : NO_ROWS;
    if (page.kind === 'expired') {
      yield [{ type: 'ERROR', object: expired(`too old resource version: ${version} (${await source.head()})`) }];
      return;
    }
    for (const row of page.rows) {
      for await (const piece of piecesOf(row)) {
        if (isCancelled()) return;
        yield piece;
        told += piece.length;
        spokeAt = clock.now();
      }
      version = row.number;
    }
    if (page.rows.length === ROWS_PER_READ) continue;
    const now = clock.now();
    if (now >= endsAt || (options.ends === 'atNews' && told > 0)) break;
    const isBookmarkDue = options.bookmarks && now >= bookmarkAt;
    if (isBookmarkDue || now >= spokeAt + heartbeatMs) {
      yield isBookmarkDue ? [bookmark(version)] : [];
      spokeAt = now;
    }
    if (isBookmarkDue) bookmarkAt = now + BOOKMARK_EVERY_MS;
    const until = Math.min(endsAt, spokeAt + heartbeatMs, options.bookmarks ? bookmarkAt : endsAt);
    const notifications = await source.awaitRow(version, { until, isCancelled });
    version = notifications.at;
    isNews = notifications.isThere;
  }
  if (options.bookmarks && !isCancelled()) yield [bookmark(version)];
}

async function* piecesOf<T>(row: WatchedRow<T>): AsyncGenerator<readonly WatchedChange<T>[]> {
  let piece: WatchedChange<T>[] = [];
  for await (const change of row.changes()) {
    piece.push(change);
    if (piece.length < EVENTS_PER_PIECE) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

const bookmarksOf =
  ({ kind, apiVersion }: Pick<Watched<unknown>, 'kind' | 'apiVersion'>) =>
  (version: number, annotations?: Readonly<Record<string, string>>) =>
    ({
      type: 'BOOKMARK',
      object: {
        kind,
        apiVersion,
        metadata: {
          resourceVersion: String(version),
          creationTimestamp: null,
          ...(annotations === undefined ? {} : { annotations }),
        },
      },
    }) as const;
