import { expect } from 'vitest';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import { widestOf } from '../../shared/domain/items/job-items.ts';
import { type ContentHead, type ItemPart, REMOVAL_AFTER_MS } from '../../shared/ports/item-store.ts';
import { MINUTE_MS, type StoreCase, type StoreUnderTest, T0, at } from './store-under-test.ts';

const [A, B] = [asJobUid('uid-a'), asJobUid('uid-b')];
const CONTENT = '0b5dd5a2-0000-4000-8000-000000000001';

const aHead = (change: Partial<ContentHead> = {}) => ({
  content: CONTENT,
  namespace: 'default',
  name: 'fruits',
  columns: ['FRUIT', 'COLOR'],
  itemsPerPart: 1_000,
  createdAt: T0,
  accounts: ['reports'],
  ...change,
});

/** Items `first`..`last`; `mark` makes them different from others of the same numbers. */
const rowsOf = (first: number, last: number, mark = 'fruit') =>
  Array.from({ length: last - first + 1 }, (_, nth) => [`${mark} ${first + nth}: ä "ö" \t`, 'x'.repeat(nth % 60)]);

function aPart(no: number, rows: readonly (readonly string[])[], sha256 = `sha-${no}`): ItemPart {
  // As a later Muster writes it, and as one did that did not look at what parts say about tasks.
  const taskColumns = no === 0 ? {} : { taskColumns: SEALED.taskColumns };
  return { no, rows, count: rows.length, bytes: 60 * rows.length, sha256, widest: widestOf(2, rows), ...taskColumns };
}

const summary = ({ rows: _rows, ...rest }: ItemPart) => rest;
const SEALED = {
  count: 2_500,
  bytes: 150_000,
  sha256: 'all',
  widest: { columns: [20, 59], line: 80 },
  taskColumns: {
    resources: {
      cpu: { largest: { item: 7, value: '2' }, bad: null },
      'ephemeral-storage': { largest: null, bad: { item: 9, value: 'x' } },
    },
    images: { distinct: [{ item: 3, value: 'a:1' }], over: { item: 4, value: 'b' }, bad: { item: 5, value: '' } },
  },
};

/** 2,500 items in three parts, sealed. */
async function aSealedContent({ items }: StoreUnderTest): Promise<ContentHead> {
  const head = { ...aHead(), sealed: null };
  await items.begin(aHead());
  for (const [no, [first, last]] of [
    [0, 999],
    [1_000, 1_999],
    [2_000, 2_499],
  ].entries())
    await items.writePart(head, aPart(no, rowsOf(first ?? 0, last ?? 0)));
  await items.seal(CONTENT, SEALED);
  return { ...head, sealed: SEALED };
}

/** The items of WorkLists, one caller at a time. */
export const ITEM_CASES: readonly StoreCase[] = [
  {
    name: 'every item of a sealed content is read by its number, and none beyond',
    async run(store) {
      const head = await aSealedContent(store);
      expect(await store.items.readHead(CONTENT)).toEqual(head);
      for (const number of [0, 1, 77, 999, 1_000, 1_600, 1_999, 2_000, 2_499]) {
        const run = await store.items.readItems(CONTENT, number);
        expect(run?.rows[number - run.first]).toEqual(rowsOf(Math.floor(number / 1_000) * 1_000, number).at(-1));
      }
      expect(await store.items.readItems(CONTENT, 2_500)).toBeNull();
      expect(await store.items.readItems('0b5dd5a2-0000-4000-8000-00000000000f', 0)).toBeNull();
    },
  },
  {
    name: 'a part that comes twice is one part; another of its number is a conflict and changes nothing',
    async run({ items }) {
      const head = { ...aHead(), sealed: null };
      await items.begin(aHead());
      const part = aPart(1, rowsOf(1_000, 1_009));
      expect(await items.writePart(head, part)).toEqual({ kind: 'written' });
      expect(await items.writePart(head, part)).toEqual({ kind: 'written' });
      expect(await items.writePart(head, aPart(1, rowsOf(1_000, 1_009, 'other'), 'other'))).toEqual({
        kind: 'conflict',
      });
      expect(await items.writePart(head, aPart(0, rowsOf(0, 2)))).toEqual({ kind: 'written' });
      expect(await items.listParts(CONTENT)).toEqual([summary(aPart(0, rowsOf(0, 2))), summary(part)]);
      expect(await items.readPart(CONTENT, 1)).toEqual(summary(part));
      expect(await items.readPart(CONTENT, 2)).toBeNull();
      expect(await items.readPart('0b5dd5a2-0000-4000-8000-00000000000f', 1)).toBeNull();
      await items.seal(CONTENT, SEALED);
      expect((await items.readItems(CONTENT, 1_003))?.rows[3]).toEqual(rowsOf(1_003, 1_003)[0]?.with(1, 'xxx'));
    },
  },
  {
    name: 'begin and seal are safe to repeat, and what is sealed stays as it is',
    async run(store) {
      const head = await aSealedContent(store);
      await store.items.begin(aHead({ columns: ['OTHER'] }));
      expect(await store.items.seal(CONTENT, { ...SEALED, count: 1 })).toBe(true);
      expect(await store.items.readHead(CONTENT)).toEqual(head);
      expect(await store.items.seal('0b5dd5a2-0000-4000-8000-00000000000f', SEALED)).toBe(false);
    },
  },
  {
    name: 'only a sealed content can be reserved; a reservation keeps its first time, and releasing twice is harmless',
    async run(store) {
      const { items } = store;
      await items.begin(aHead());
      expect(await items.reserve(CONTENT, A, T0)).toBe(false);
      expect(await items.listReservations(CONTENT)).toEqual([]);
      await aSealedContent(store);
      expect(await items.reserve(CONTENT, A, at(1))).toBe(true);
      expect(await items.reserve(CONTENT, B, at(2))).toBe(true);
      expect((await items.listReservations(CONTENT)).map(({ job }) => job).sort()).toEqual([A, B]);
      await items.release(CONTENT, A);
      await items.release(CONTENT, A);
      expect(await items.listReservations(CONTENT)).toEqual([{ job: B, at: at(2) }]);
      expect(await items.reserve('0b5dd5a2-0000-4000-8000-00000000000f', A, T0)).toBe(false);
    },
  },
  {
    name: 'a reserved content is not removed; one that nobody needs is hidden at once and deleted half an hour later',
    async run(store) {
      const { items, clock } = store;
      await aSealedContent(store);
      await items.reserve(CONTENT, A, T0);
      expect(await items.remove(CONTENT)).toEqual({ kind: 'reserved' });
      expect(await items.readHead(CONTENT)).not.toBeNull();
      await items.release(CONTENT, A);
      expect(await items.remove(CONTENT)).toEqual({ kind: 'marked' });
      expect(await items.readHead(CONTENT)).toBeNull();
      expect(await items.reserve(CONTENT, B, T0)).toBe(false);
      clock.advance(REMOVAL_AFTER_MS - MINUTE_MS);
      expect(await items.remove(CONTENT)).toEqual({ kind: 'marked' });
      expect((await items.listContents({ after: null, limit: 10 })).contents).toEqual([CONTENT]);
      clock.advance(MINUTE_MS);
      expect(await items.remove(CONTENT)).toEqual({ kind: 'removed' });
      expect(await items.readItems(CONTENT, 0)).toBeNull();
      expect(await items.listParts(CONTENT)).toEqual([]);
      expect(await items.readPart(CONTENT, 0)).toBeNull();
      expect(await items.listContents({ after: null, limit: 10 })).toEqual({ contents: [], next: null });
      expect(await items.remove(CONTENT)).toEqual({ kind: 'removed' });
    },
  },
  {
    name: 'contents are listed page by page, each once',
    async run({ items }) {
      const ids = Array.from({ length: 7 }, (_, nth) => `0b5dd5a2-0000-4000-8000-00000000000${nth}`);
      for (const content of ids.toReversed()) await items.begin(aHead({ content }));
      const found: string[] = [];
      let after: string | null = null;
      do {
        const page = await items.listContents({ after, limit: 3 });
        expect(page.contents.length).toBeLessThanOrEqual(3);
        found.push(...page.contents);
        after = page.next;
      } while (after !== null);
      expect(found).toEqual(ids);
    },
  },
];

/** The same with many callers at once. */
export const ITEM_RACES: readonly StoreCase[] = [
  {
    name: 'eight senders of different parts under one number: one of them is stored, whole',
    async run({ items }) {
      const head = { ...aHead(), sealed: null };
      await items.begin(aHead());
      const senders = Array.from({ length: 8 }, (_, nth) => aPart(0, rowsOf(0, 999, `sender ${nth}`), `sha-${nth}`));
      const answers = await Promise.all(senders.map((part) => items.writePart(head, part)));
      const winners = senders.filter((_, nth) => answers[nth]?.kind === 'written');
      expect(winners).toHaveLength(1);
      await items.seal(CONTENT, { ...SEALED, count: 1_000 });
      for (const number of [0, 300, 600, 999]) {
        const run = await items.readItems(CONTENT, number);
        expect(run?.rows[number - run.first]).toEqual(winners[0]?.rows[number]);
      }
      expect((await items.listParts(CONTENT)).map(({ sha256 }) => sha256)).toEqual(winners.map(({ sha256 }) => sha256));
    },
  },
  {
    name: 'a removal and reservations at the same moment: what is reserved keeps its items',
    async run(store) {
      const { items, clock } = store;
      await aSealedContent(store);
      const jobs = Array.from({ length: 8 }, (_, nth) => asJobUid(`uid-${nth}`));
      const [removed, ...reserved] = await Promise.all([
        items.remove(CONTENT),
        ...jobs.map((job) => items.reserve(CONTENT, job, T0)),
      ]);
      expect(['reserved', 'marked']).toContain(typeof removed === 'object' ? removed.kind : removed);
      const isReserved = reserved.includes(true);
      // Both may have given way to each other: then nobody needs it, and it is marked now.
      await items.remove(CONTENT);
      clock.advance(REMOVAL_AFTER_MS);
      expect((await items.remove(CONTENT)).kind).toBe(isReserved ? 'reserved' : 'removed');
      expect((await items.readItems(CONTENT, 5)) !== null).toBe(isReserved);
    },
  },
];
