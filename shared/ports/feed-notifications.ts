import type { StoredKind } from './object-store.ts';

/** A feed: that of Jobs and everything derived from them, or that of a stored kind. */
export type FeedName = 'Job' | StoredKind;

/** Reports rows that this process appends immediately. Rows of other processes are found by polling. */
export type FeedNotifications = { subscribe(feed: FeedName, onRow: () => void): void };
