import { type EpochMs, type JobUid, plusMs, toTtl } from '../../domain/brand.ts';
import { inOrderOfPods } from '../../domain/journal.ts';
import { type PartName, type ToldPart, numbered } from '../../domain/told-pods.ts';
import type { Feed, FeedEntry, FeedMark, FeedRow, Publication } from '../../ports/feed.ts';
import type { ExpiringMap } from './expiring-map.ts';

/** How long a row of the feed can be read: as long as a watch may lag behind before it has to list anew. */
const FEED_RETENTION_MS = 2 * 60 * 60_000;

/**
 * {@link Feed} in this process's memory. The marks, by uid, and the parts belong to the Jobs: the store that lets a Job
 * vanish lets these vanish too.
 */
export function createMemoryFeed(
  marks: ExpiringMap<FeedMark>,
  parts: ExpiringMap<ToldPart>,
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
      for (const { uid, version, seq, told = null } of entries)
        marks.set(uid, structuredClone({ version, seq, number, at, told: told && numbered(told, number) }));
      return { kind: 'appended', number };
    },

    async readTold(uid, names) {
      const found = names.map((name) => [name, parts.get(partKey(uid, name))] as const);
      return new Map(found.flatMap(([name, part]) => (part === undefined ? [] : [[name, structuredClone(part)]])));
    },

    async writeTold(uid, written) {
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

/** Under which a part of what was told of a Job is kept. */
export const partKey = (uid: JobUid, part: PartName): string => `${uid}/${part}`;

const inOrder = ({ told: _told, ...entry }: Publication): FeedEntry => ({ ...entry, pods: inOrderOfPods(entry.pods) });
