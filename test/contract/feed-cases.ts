import { expect } from 'vitest';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import { IDLE_PACE } from '../../shared/domain/base/pace.ts';
import type { PartName, PublishedPart } from '../../shared/domain/scoreboard/published-pods.ts';
import type { FeedEntry } from '../../shared/ports/feed.ts';
import { MINUTE_MS, RETENTION_MS, type StoreCase, T0, aStoredJob, anEntry, at } from './store-under-test.ts';

const A = asJobUid('job-a');
const B = asJobUid('job-b');
const parts = (...each: readonly (readonly [PartName, PublishedPart])[]) => new Map(each);

/** The feed and the limits, one caller at a time. */
export const FEED_CASES: readonly StoreCase[] = [
  {
    name: 'an empty feed has head 0, no rows and no marks, and is never expired',
    async run({ feed }) {
      expect(await feed.head()).toBe(0);
      expect(await feed.read(0, 10)).toEqual({ kind: 'rows', rows: [] });
      expect(await feed.read(7, 10)).toEqual({ kind: 'rows', rows: [] });
      expect(await feed.readMark(A)).toBeNull();
    },
  },
  {
    name: 'rows are numbered from 1 without gaps and read as they were appended',
    async run({ feed }) {
      const entries: FeedEntry[] = [
        anEntry(A, 0, 1, {
          pods: [
            { index: 0, attempt: 1, state: 'claimed' },
            { index: 7, attempt: 2, state: 'running' },
            { index: 999_999, attempt: 12, state: 'failed' },
          ],
        }),
        anEntry(A, 1, 5, { type: 'DELETED', name: 'ä' }),
      ];
      expect(await feed.append([entries[0]!], T0)).toEqual({ kind: 'appended', number: 1 });
      expect(await feed.append([entries[1]!, anEntry(B, 0, 3)], at(7))).toEqual({ kind: 'appended', number: 2 });
      expect(await feed.head()).toBe(2);
      const rows = [
        { number: 1, at: T0, entries: [entries[0]] },
        { number: 2, at: at(7), entries: [entries[1], anEntry(B, 0, 3)] },
      ];
      expect(await feed.read(0, 10)).toEqual({ kind: 'rows', rows });
      expect(await feed.read(0, 1)).toEqual({ kind: 'rows', rows: rows.slice(0, 1) });
      expect(await feed.read(1, 10)).toEqual({ kind: 'rows', rows: rows.slice(1) });
      expect(await feed.read(1, 1)).toEqual({ kind: 'rows', rows: rows.slice(1) });
      expect(await feed.read(2, 10)).toEqual({ kind: 'rows', rows: [] });
      expect(await feed.read(99, 10)).toEqual({ kind: 'rows', rows: [] });
    },
  },
  {
    name: 'Pods are returned by index, whatever order they were published in',
    async run({ feed }) {
      const pods = [9, 3, 4_000, 0].map((index) => ({ index, attempt: 1, state: 'running' as const }));
      await feed.append([anEntry(A, 0, 1, { pods })], T0);
      const read = await feed.read(0, 1);
      const entry = read.kind === 'rows' ? read.rows[0]?.entries[0] : undefined;
      expect(entry?.pods.map(({ index }) => index)).toEqual([0, 3, 9, 4_000]);
    },
  },
  {
    name: 'a row moves the mark of every Job in it',
    async run({ feed }) {
      await feed.append([anEntry(A, 0, 4)], T0);
      await feed.append([anEntry(A, 4, 6), anEntry(B, 0, 2)], at(5));
      expect(await feed.readMark(A)).toEqual({ version: 6, seq: 60, number: 2, at: at(5), published: null });
      expect(await feed.readMark(B)).toEqual({ version: 2, seq: 20, number: 2, at: at(5), published: null });
    },
  },
  {
    name: 'a mark stores what was published of Pods, and the number of its own row; rows do not',
    async run({ feed }) {
      await feed.append([anEntry(B, 0, 1)], T0);
      const recent = [
        { index: 0, attempt: 2, state: 'running', number: 1 },
        { index: 7, attempt: 1, state: 'gone', number: 0 },
        { index: 999_999, attempt: 12, state: 'stopping', number: 0 },
      ] as const;
      const published = { base: 3, through: 1, ending: 0, recent };
      await feed.append([{ ...anEntry(A, 0, 4), published }], T0);
      expect((await feed.readMark(A))?.published).toEqual({
        base: 3,
        through: 1,
        ending: 2,
        recent: recent.map((pod) => ({ ...pod, number: pod.number || 2 })),
      });
      expect(await feed.read(1, 1)).toEqual({
        kind: 'rows',
        rows: [{ number: 2, at: T0, entries: [anEntry(A, 0, 4)] }],
      });
    },
  },
  {
    name: 'parts of what was published of Pods are stored beside the mark until newer parts replace them',
    async run({ feed }) {
      const part = (through: number, states: readonly ('running' | 'gone')[]) => ({
        through,
        pods: states.map((state, index) => ({ index, attempt: index + 1, state, number: through - index })),
      });
      expect(await feed.readPublished(A, ['tail', 0])).toEqual(new Map());
      await feed.writePublished(A, new Map([['tail', part(7, ['running', 'gone', 'running'])]]));
      await feed.writePublished(A, parts([0, part(5, ['running'])], [244, part(6, [])]));
      await feed.writePublished(A, parts(['tail', part(6, [])], [0, part(9, ['gone'])]));
      expect(await feed.readPublished(A, ['tail', 0, 1, 244])).toEqual(
        new Map<number | 'tail', unknown>([
          ['tail', part(7, ['running', 'gone', 'running'])],
          [0, part(9, ['gone'])],
          [244, part(6, [])],
        ]),
      );
      expect(await feed.readPublished(B, ['tail', 0])).toEqual(new Map());
    },
  },
  {
    name: 'an entry that does not follow its mark is outrun, and nothing of its row is written',
    async run({ feed }) {
      await feed.append([anEntry(A, 0, 4)], T0);
      const before = await feed.readMark(A);
      expect(await feed.append([anEntry(A, 0, 5)], at(1))).toEqual({ kind: 'outrun' });
      expect(await feed.append([anEntry(A, 3, 5)], at(1))).toEqual({ kind: 'outrun' });
      expect(await feed.append([anEntry(B, 0, 1), anEntry(A, 5, 6)], at(1))).toEqual({ kind: 'outrun' });
      expect(await feed.append([anEntry(B, 1, 2)], at(1))).toEqual({ kind: 'outrun' });
      expect(await feed.readMark(A)).toEqual(before);
      expect(await feed.readMark(B)).toBeNull();
      expect(await feed.head()).toBe(1);
      expect(await feed.append([anEntry(B, 0, 1), anEntry(A, 4, 6)], at(1))).toEqual({ kind: 'appended', number: 2 });
    },
  },
  {
    name: 'a row that is appended twice exists once',
    async run({ feed }) {
      expect(await feed.append([anEntry(A, 0, 1)], T0)).toEqual({ kind: 'appended', number: 1 });
      expect(await feed.append([anEntry(A, 0, 1)], T0)).toEqual({ kind: 'outrun' });
      expect(await feed.head()).toBe(1);
    },
  },
  {
    name: 'a row may list many Jobs and many Pods',
    async run({ feed }) {
      const pods = Array.from({ length: 2_000 }, (_, nth) => ({
        index: nth * 3,
        attempt: (nth % 5) + 1,
        state: 'succeeded' as const,
      }));
      const entries = Array.from({ length: 90 }, (_, nth) =>
        anEntry(asJobUid(`job-${nth}`), 0, 1, nth === 0 ? { pods } : {}),
      );
      expect(await feed.append(entries, T0)).toEqual({ kind: 'appended', number: 1 });
      expect(await feed.read(0, 1)).toEqual({ kind: 'rows', rows: [{ number: 1, at: T0, entries }] });
    },
  },
  {
    name: 'a reader behind removed rows gets expired; a reader that has seen all rows does not',
    async run({ feed, clock }) {
      for (let n = 1; n <= 4; n++) {
        await feed.append([anEntry(A, n - 1, n)], clock.now());
        clock.advance(RETENTION_MS / 4);
      }
      // Row n expires at n - 1 quarters more: now the first one has.
      expect(await feed.read(0, 10)).toEqual({ kind: 'expired' });
      const rest = await feed.read(1, 10);
      expect(rest.kind === 'rows' && rest.rows.map(({ number }) => number)).toEqual([2, 3, 4]);
      clock.advance(RETENTION_MS);
      expect(await feed.read(0, 1)).toEqual({ kind: 'expired' });
      expect(await feed.read(3, 10)).toEqual({ kind: 'expired' });
      expect(await feed.read(4, 10)).toEqual({ kind: 'rows', rows: [] });
    },
  },
  {
    name: 'numbers continue when all rows are gone',
    async run({ feed, clock }) {
      await feed.append([anEntry(A, 0, 1)], clock.now());
      clock.advance(RETENTION_MS);
      expect(await feed.head()).toBe(1);
      expect(await feed.append([anEntry(A, 1, 2)], clock.now())).toEqual({ kind: 'appended', number: 2 });
      const news = await feed.read(1, 10);
      expect(news.kind === 'rows' && news.rows.map(({ number }) => number)).toEqual([2]);
    },
  },
  {
    name: 'the mark of an expired Job disappears with it, and so does what was published of its Pods',
    async run(store) {
      const { uid } = await aStoredJob(store);
      const published = { base: 0, through: 1, ending: null, recent: [] };
      await store.feed.append([{ ...anEntry(uid, 0, 1), published }], T0);
      const part = { through: 1, pods: [] };
      await store.feed.writePublished(uid, parts(['tail', part], [0, part]));
      await store.jobs.expireJob(uid, 1, at(MINUTE_MS));
      await store.feed.append([{ ...anEntry(uid, 1, 2), published }], at(1));
      expect(await store.feed.readMark(uid)).toEqual({ version: 2, seq: 20, number: 2, at: at(1), published });
      expect((await store.feed.readPublished(uid, ['tail', 0])).size).toBe(2);
      store.clock.advance(MINUTE_MS);
      expect(await store.feed.readMark(uid)).toBeNull();
      expect((await store.feed.readPublished(uid, ['tail', 0])).size).toBe(0);
    },
  },
  {
    name: 'a limit is idle until it is written, then moves version by version',
    async run({ limits }) {
      const state = { nextFreeAt: asEpochMs(T0 + 0.5), cut: null, recent: null };
      expect(await limits.read('launch')).toEqual({ version: 0, state: IDLE_PACE });
      expect(await limits.commit('launch', 0, state)).toEqual({ kind: 'committed', row: { version: 1, state } });
      expect(await limits.read('launch')).toEqual({ version: 1, state });
      expect(await limits.read('stop')).toEqual({ version: 0, state: IDLE_PACE });
      const lost = { kind: 'lost', row: { version: 1, state } };
      expect(
        await limits.commit('launch', 0, { nextFreeAt: at(9), cut: { share: 0.5, at: at(8) }, recent: null }),
      ).toEqual(lost);
      expect(
        await limits.commit('launch', 2, { nextFreeAt: at(9), cut: { share: 0.5, at: at(8) }, recent: null }),
      ).toEqual(lost);
      expect(await limits.commit('stop', 3, state)).toEqual({ kind: 'lost', row: { version: 0, state: IDLE_PACE } });
      const recent = { at: at(7), namespaces: [{ namespace: 'default', granted: 12.5 }] };
      const next = { nextFreeAt: at(9), cut: { share: 0.5, at: at(8) }, recent };
      expect(await limits.commit('launch', 1, next)).toEqual({ kind: 'committed', row: { version: 2, state: next } });
      expect(await limits.read('launch')).toEqual({ version: 2, state: next });
    },
  },
];
