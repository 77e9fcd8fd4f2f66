import type { Feed } from '../ports/feed.ts';
import type { FeedName, FeedNotifications } from '../ports/feed-notifications.ts';
import type { ObjectStore } from '../ports/object-store.ts';

/** The same stores, which tell subscribers of every row that is appended through them. */
export function announced({ feed, objects }: { readonly feed: Feed; readonly objects: ObjectStore }): {
  readonly feed: Feed;
  readonly objects: ObjectStore;
  readonly notifications: FeedNotifications;
} {
  const subscribers = new Map<FeedName, (() => void)[]>();
  const notify = (name: FeedName): void => {
    for (const onRow of subscribers.get(name) ?? []) onRow();
  };
  return {
    feed: {
      ...feed,
      async append(entries, at) {
        const appended = await feed.append(entries, at);
        if (appended.kind === 'appended') notify('Job');
        return appended;
      },
    },
    objects: {
      ...objects,
      async commit(kind, change) {
        const committed = await objects.commit(kind, change);
        if (committed.kind === 'committed') notify(kind);
        return committed;
      },
    },
    notifications: {
      subscribe(name, onRow) {
        subscribers.set(name, [...(subscribers.get(name) ?? []), onRow]);
      },
    },
  };
}
