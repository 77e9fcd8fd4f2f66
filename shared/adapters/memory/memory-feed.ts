import { type EpochMs, plusMs, toTtl } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import { inOrderOfPods } from '../../domain/scoreboard/journal.ts';
import { type PartName, type PublishedPart, numbered } from '../../domain/scoreboard/published-pods.ts';
import {
  FEED_RETENTION_MS,
  type Feed,
  type FeedEntry,
  type FeedMark,
  type FeedRow,
  type Publication,
} from '../../ports/feed.ts';
import type { ExpiringMap } from './expiring-map.ts';

/**
 * {@link Feed} in this process's memory. The marks, by uid, and the parts belong to the Jobs: the store that removes a Job
 * removes them too.
 */
export function createMemoryFeed(
  marks: ExpiringMap<FeedMark>,
  parts: ExpiringMap<PublishedPart>,
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
      for (const { uid, version, seq, published = null, shown } of entries)
        marks.set(
          uid,
          structuredClone({ version, seq, number, at, published: published && numbered(published, number), shown }),
        );
      return { kind: 'appended', number };
    },

    async readPublished(uid, names) {
      const found = names.map((name) => [name, parts.get(partKey(uid, name))] as const);
      return new Map(found.flatMap(([name, part]) => (part === undefined ? [] : [[name, structuredClone(part)]])));
    },

    async writePublished(uid, written) {
      for (const [name, part] of written) {
        const key = partKey(uid, name);
        if ((parts.get(key)?.through ?? 0) < part.through) parts.set(key, structuredClone(part));
      }
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

/** The key of a part of what was published about a Job. */
export const partKey = (uid: JobUid, part: PartName): string => `${uid}/${part}`;

const inOrder = ({ published: _published, ...entry }: Publication): FeedEntry => ({
  ...entry,
  pods: inOrderOfPods(entry.pods),
});
