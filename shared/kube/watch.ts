import type { Clock } from '../ports/clock.ts';
import { type StatusError, expired } from './status-error.ts';
import type { Change, Watched, WatchedRow } from './watched.ts';

export type { Change, WatchSource } from './watched.ts';

export type WatchEvent<T> =
  | Change<T>
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
  /** Number of the feed after which changes are told; null: everything that is present first, then what follows. */
  readonly after: number | null;
  readonly bookmarks: boolean;
  /** Ends what was present with the bookmark that WatchList clients wait for. */
  readonly announceEnd: boolean;
  /**
   * When it ends. `atNews`: also at the first look at the feed that found something to tell, or once everything present
   * was told; for an answer that can only be sent as a whole.
   */
  readonly ends: 'atTime' | 'atNews';
  readonly endsAt: number;
  /** A quiet watch gives a sign of life this often. */
  readonly heartbeatMs: number;
  /** The client has gone. */
  readonly isCancelled: () => boolean;
};

const ROWS_PER_READ = 100;
const NO_ROWS = { kind: 'rows', rows: [] } as const;
/** Kubernetes' own interval: clients that resume from a bookmark list nothing again. */
const BOOKMARK_EVERY_MS = 60_000;

/** Events that are sent in one piece at most: about 300 KB of Pods. */
const EVENTS_PER_PIECE = 100;

/**
 * Follows the feed: each row's number at most once, in order, nothing left out. It ends at `endsAt` with a bookmark (if
 * those are wanted), or with 410 when rows that were to come have vanished, or when there never were so many: then the
 * client lists anew. While there is nothing to tell it yields nothing at all (an empty array) now and then: a heartbeat.
 *
 * What it yields ought to be sent in one piece: all events of a row have its number, so a client that is cut off between
 * two of them and goes on from there never hears of the second.
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
    // A number from another life of this server: waiting for it would tell nothing of what happens meanwhile.
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
    // At its end it looks for itself: a short one tells what there was when it began.
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
    const news = await source.awaitNews(version, { until, isCancelled });
    version = news.at;
    isNews = news.isThere;
  }
  if (options.bookmarks && !isCancelled()) yield [bookmark(version)];
}

async function* piecesOf<T>(row: WatchedRow<T>): AsyncGenerator<readonly Change<T>[]> {
  let piece: Change<T>[] = [];
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
