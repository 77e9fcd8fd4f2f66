import { type EpochMs, type JobUid, plusMs, toTtl } from '../../domain/brand.ts';
import { inOrderOfPods } from '../../domain/journal.ts';
import type { Feed, FeedEntry, FeedMark, FeedRow } from '../../ports/feed.ts';
import type { ExpiringMap } from './expiring-map.ts';

/** How long a row of the feed can be read: as long as a watch may lag behind before it has to list anew. */
const FEED_RETENTION_MS = 2 * 60 * 60_000;

/**
 * {@link Feed} in this process's memory. The marks, by uid, belong to the Jobs: the store that lets a Job vanish lets
 * its mark vanish too.
 */
export function createMemoryFeed(
  marks: ExpiringMap<FeedMark>,
  now: () => EpochMs,
  retentionMs = FEED_RETENTION_MS,
): Feed {
  const rows: FeedRow[] = []; // row number n at n - 1
  const gone = (row: FeedRow): boolean => now() >= toTtl(plusMs(row.at, retentionMs)) * 1000;
  const versionOf = (uid: JobUid): number => marks.get(uid)?.version ?? 0;

  return {
    async readMark(uid) {
      return structuredClone(marks.get(uid) ?? null);
    },

    async append(entries, at) {
      if (entries.some((entry) => versionOf(entry.uid) !== entry.after)) return { kind: 'outrun' };
      const number = rows.length + 1;
      rows.push(structuredClone({ number, at, entries: entries.map(inOrder) }));
      for (const { uid, version, seq } of entries) marks.set(uid, { version, seq, number, at });
      return { kind: 'appended', number };
    },

    async head() {
      return rows.length;
    },

    async read(after, limit) {
      const page = rows.slice(after, after + limit);
      const [first] = page;
      if (first !== undefined && gone(first)) return { kind: 'expired' };
      return { kind: 'rows', rows: structuredClone(page) };
    },
  };
}

const inOrder = (entry: FeedEntry): FeedEntry => ({ ...entry, pods: inOrderOfPods(entry.pods) });
