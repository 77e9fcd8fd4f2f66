import { plusMs } from '../../domain/base/time.ts';
import { numbered } from '../../domain/scoreboard/published-pods.ts';
import type { Feed, FeedRow } from '../../ports/feed.ts';
import {
  FeedRowSchema,
  MarkSchema,
  PublishedPodListSchema,
  packMark,
  packPods,
  packPublished,
} from '../../store/programs/row-bodies.ts';
import { feedKey, headKey, markKey, numberInFeedKey, publishedKey } from './lmdb-keys.ts';
import { EMPTY, jsonIn, jsonRow } from './lmdb-row.ts';
import type { LmdbRows, Transaction } from './lmdb-rows.ts';

/** {@link Feed} as a row a number, beside a row that holds the head. */
export const feed = (rows: LmdbRows, retentionMs: number): Feed => ({
  async readMark(uid) {
    const row = rows.read(markKey(uid));
    return row === null ? null : { version: row.version, ...jsonIn(row, MarkSchema) };
  },

  async append(entries, at) {
    return rows.transact((now) => {
      if (entries.some(({ uid, after }) => (now.get(markKey(uid))?.version ?? 0) !== after)) return { kind: 'outrun' };
      const number = nextNumber(now, 'Job');
      const listed = entries.map(({ published: _published, ...entry }) => ({
        ...entry,
        pods: packPods(entry.pods),
      }));
      now.put(feedKey('Job', number), jsonRow({ at, entries: listed }, 0, plusMs(at, retentionMs)));
      for (const { uid, version, seq, published, shown } of entries) {
        const mark = {
          seq,
          number,
          at,
          published: published === undefined ? null : packMark(numbered(published, number)),
          shown,
        };
        now.put(markKey(uid), jsonRow(mark, version));
      }
      return { kind: 'appended', number };
    });
  },

  async readPublished(uid, names) {
    return new Map(
      names.flatMap((name) => {
        const row = rows.read(publishedKey(uid, name));
        return row === null
          ? []
          : [[name, { through: row.version, pods: jsonIn(row, PublishedPodListSchema) }] as const];
      }),
    );
  },

  async writePublished(uid, parts) {
    await rows.transact((now) => {
      for (const [name, { through, pods }] of parts) {
        const key = publishedKey(uid, name);
        if ((now.get(key)?.version ?? 0) < through) now.put(key, jsonRow(packPublished(pods), through));
      }
    });
  },

  async head() {
    return headOf(rows, 'Job');
  },

  async read(after, limit) {
    const page = readFeedPage(rows, 'Job', after, limit);
    if (page.kind === 'expired') return page;
    return {
      kind: 'rows',
      rows: page.rows.map(([number, row]): FeedRow => ({ number, ...jsonIn(row, FeedRowSchema) })),
    };
  },
});

type FeedName = Parameters<typeof headKey>[0];

/** Number of a feed's newest row; 0 if there is none. */
export const headOf = (rows: LmdbRows, name: FeedName): number => rows.read(headKey(name))?.version ?? 0;

/** Moves a feed's head to its next number, and returns that. */
export function nextNumber(rows: Transaction, name: FeedName): number {
  const number = (rows.get(headKey(name))?.version ?? 0) + 1;
  rows.put(headKey(name), { version: number, body: EMPTY });
  return number;
}

/** At most `limit` rows of a feed with the numbers that follow `after`. `expired`: the next one is gone already. */
export function readFeedPage(rows: LmdbRows, name: FeedName, after: number, limit: number) {
  const found: (readonly [number: number, row: Parameters<typeof jsonIn>[0]])[] = [];
  for (const [key, row] of rows.range(feedKey(name, after + 1), feedKey(name, after + limit))) {
    const number = numberInFeedKey(key);
    // After a clock was set back, a row may expire before the one in front of it: what follows is not for this page.
    if (number !== after + 1 + found.length) break;
    found.push([number, row]);
  }
  const isGone = found.length === 0 && headOf(rows, name) > after;
  return isGone ? ({ kind: 'expired' } as const) : ({ kind: 'rows', rows: found } as const);
}
