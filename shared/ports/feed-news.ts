import type { StoredKind } from './object-store.ts';

/** A feed: that of Jobs and all that is derived from them, or that of a stored kind. */
export type FeedName = 'Job' | StoredKind;

/** Tells at once of rows that this very process appends. Those of other processes are found by looking. */
export type FeedNews = { subscribe(feed: FeedName, onRow: () => void): void };
