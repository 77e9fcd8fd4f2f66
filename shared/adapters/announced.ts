import type { Feed } from '../ports/feed.ts';
import type { FeedName, FeedNews } from '../ports/feed-news.ts';
import type { ObjectStore } from '../ports/object-store.ts';

/** The same stores, which tell subscribers of every row that is appended through them. */
export function announced({ feed, objects }: { readonly feed: Feed; readonly objects: ObjectStore }): {
  readonly feed: Feed;
  readonly objects: ObjectStore;
  readonly news: FeedNews;
} {
  const subscribers = new Map<FeedName, (() => void)[]>();
  const tell = (name: FeedName): void => {
    for (const onRow of subscribers.get(name) ?? []) onRow();
  };
  return {
    feed: {
      ...feed,
      async append(entries, at) {
        const appended = await feed.append(entries, at);
        if (appended.kind === 'appended') tell('Job');
        return appended;
      },
    },
    objects: {
      ...objects,
      async commit(kind, change) {
        const committed = await objects.commit(kind, change);
        if (committed.kind === 'committed') tell(kind);
        return committed;
      },
    },
    news: {
      subscribe(name, onRow) {
        subscribers.set(name, [...(subscribers.get(name) ?? []), onRow]);
      },
    },
  };
}
