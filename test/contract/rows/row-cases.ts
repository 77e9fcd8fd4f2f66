import { expect } from 'vitest';
import { ABSENT, EXISTS, type Condition, is } from '../../../shared/store/rows/condition.ts';
import type { Fields, Range, RowKey, Rows, Write } from '../../../shared/store/rows/row.ts';
import { T0 } from '../store-under-test.ts';
import { expectAnyProgram, noise, shown, walk, walkAlarms } from './any-program.ts';

/** A promise of engines. It is data, so that it can be asked of engines that others wrote. `rows` may hold what cases before left. */
export type RowCase = { readonly name: string; run(rows: Rows): Promise<void> };

let partitions = 0;
/** A partition that no case has used. */
const aPartition = (): string => `case-${++partitions}`;
/** A shard of the index that no case has used. */
const aShard = (): number => 1_000_000 + ++partitions;

const keyIn = (partition: string, sort: string): RowKey => ({ partition, sort });
const put = (partition: string, sort: string, fields: Fields = {}): Write => ({
  kind: 'put',
  key: keyIn(partition, sort),
  fields,
});
const all = (partition: string): Range => ({ partition, from: '', to: '\u{10ffff}' });
const sortsOf = (found: readonly { readonly key: RowKey }[]): string => found.map(({ key }) => key.sort).join(' ');
const fieldsOf = async (rows: Rows, key: RowKey): Promise<unknown> =>
  shown((await rows.get([key])).rows[0]?.fields ?? null);
async function fill(rows: Rows, partition: string, sorts: readonly string[], fields: Fields = {}): Promise<void> {
  expect(await rows.batch(sorts.map((sort) => put(partition, sort, fields)))).toEqual([]);
}

const LETTERS = ['a', 'b', 'c', 'd', 'e'];
const OVER = T0 / 1000 - 1;

export const ROW_CASES: readonly RowCase[] = [
  {
    name: 'a put replaces all fields; an update keeps the others, removes fields, and makes a row; a deletion removes it',
    async run(rows) {
      const key = keyIn(aPartition(), 'a');
      await rows.write({ kind: 'update', key, set: { n: 1, body: Uint8Array.of(1), name: 'x' } });
      expect(await fieldsOf(rows, key)).toEqual({ n: 1, body: 'bytes \u0001', name: 'x' });
      await rows.write({ kind: 'update', key, set: { n: 2 }, remove: ['name', 'nothing'] });
      expect(await fieldsOf(rows, key)).toEqual({ n: 2, body: 'bytes \u0001' });
      await rows.write({ kind: 'put', key, fields: { m: 3 } });
      expect(await fieldsOf(rows, key)).toEqual({ m: 3 });
      for (let times = 0; times < 2; times++) expect(await rows.write({ kind: 'delete', key })).toBeNull();
      expect(await fieldsOf(rows, key)).toBeNull();
    },
  },
  {
    name: 'who ends the life of a row that exists keeps the rest',
    async run(rows) {
      const key = keyIn(aPartition(), 'a');
      const end: Write = { kind: 'update', key, set: { ttl: 5 }, condition: EXISTS };
      expect(await rows.write(end)).toEqual({ kind: 'condition', row: null });
      await rows.write({ kind: 'put', key, fields: { n: 1 } });
      expect(await rows.write(end)).toBeNull();
      expect(await fieldsOf(rows, key)).toEqual({ n: 1, ttl: 5 });
    },
  },
  {
    name: 'a refusal brings the row that is there, also an expired one, if it is wanted',
    async run(rows) {
      const key = keyIn(aPartition(), 'a');
      const fields = { ttl: OVER, name: 'x' };
      await rows.write({ kind: 'put', key, fields });
      const kinds: readonly Write[] = [
        { kind: 'put', key, fields: {} },
        { kind: 'update', key, set: { n: 1 } },
        { kind: 'delete', key },
      ];
      for (const [nth, write] of kinds.entries())
        for (const returnOld of [true, false]) {
          const refusal = { kind: 'condition', row: returnOld ? { key, fields } : null };
          const refused = { ...write, condition: ABSENT, returnOld };
          expect(shown(await rows.write(refused))).toEqual(refusal);
          expect(shown(await rows.transact(`${key.partition}-${nth}${String(returnOld)}`, [refused]))).toEqual([
            refusal,
          ]);
        }
      expect(await fieldsOf(rows, key)).toEqual(fields);
    },
  },
  {
    name: 'a transaction is carried out as a whole, or not at all, and says why for each write in order',
    async run(rows) {
      const p = aPartition();
      await fill(rows, p, ['a', 'b', 'c'], { version: 1 });
      const at = (sort: string, version: number): { readonly key: RowKey; readonly condition: Condition } => ({
        key: keyIn(p, sort),
        condition: is('version', version),
      });
      const writes = (version: number): readonly Write[] => [
        { kind: 'put', ...at('a', 1), fields: { version: 2 } },
        { kind: 'update', ...at('b', version), set: { version: 2 }, returnOld: true },
        { kind: 'check', ...at('c', version) },
        { kind: 'delete', key: keyIn(p, 'd') },
      ];
      expect(shown(await rows.transact(`${p}-1`, writes(9)))).toEqual([
        null,
        { kind: 'condition', row: { key: keyIn(p, 'b'), fields: { version: 1 } } },
        { kind: 'condition', row: null },
        null,
      ]);
      expect((await walk(rows, all(p))).map(({ fields }) => fields['version'])).toEqual([1, 1, 1]);
      expect(await rows.transact(`${p}-2`, writes(1))).toBeNull();
      expect((await walk(rows, all(p))).map(({ fields }) => fields['version'])).toEqual([2, 2, 1]);
    },
  },
  {
    name: 'of two writers at once one wins, and both see who it was',
    async run(rows) {
      const key = keyIn(aPartition(), 'a');
      const wins = await Promise.all(
        ['x', 'y'].map(async (by) =>
          rows.write({ kind: 'put', key, fields: { by }, condition: ABSENT, returnOld: true }),
        ),
      );
      expect(wins.filter((refusal) => refusal === null)).toHaveLength(1);
      const by = wins[0] === null ? 'x' : 'y';
      expect(shown(wins.find((refusal) => refusal !== null))).toEqual({
        kind: 'condition',
        row: { key, fields: { by } },
      });
      expect(await fieldsOf(rows, key)).toEqual({ by });
    },
  },
  {
    name: 'rows are in order of the bytes of their keys, which is not that of JavaScript',
    async run(rows) {
      const p = aPartition();
      await fill(rows, p, ['\u{1f600}', 'b', '\uffee', 'a', 'a#', 'é', 'B']);
      const order = 'B a a# b é \uffee \u{1f600}';
      expect(sortsOf(await walk(rows, all(p)))).toBe(order);
      expect(sortsOf(await walk(rows, { ...all(p), reverse: true }))).toBe(order.split(' ').toReversed().join(' '));
      expect(sortsOf(await walk(rows, { ...all(p), after: keyIn(p, '\uffee') }))).toBe('\u{1f600}');
    },
  },
  {
    name: 'a range holds both its ends, of one partition; one that ends before it begins holds nothing',
    async run(rows) {
      const p = aPartition();
      await fill(rows, p, LETTERS);
      await fill(rows, `${p}#`, LETTERS);
      const found = async (from: string, to: string): Promise<string> =>
        sortsOf(await walk(rows, { partition: p, from, to }));
      expect(await found('b', 'd')).toBe('b c d');
      expect(await found('b', 'b')).toBe('b');
      expect(await found('bb', 'cc')).toBe('c');
      expect(await found('', 'b')).toBe('a b');
      expect(await found('d', 'b')).toBe('');
      expect(await found('a', '')).toBe('');
      expect(await found('f', 'z')).toBe('');
    },
  },
  {
    name: 'a page has at most as many rows as wanted, expired ones too, and the next one goes on after them',
    async run(rows) {
      const p = aPartition();
      await fill(rows, p, ['a', 'b', 'c'], { ttl: OVER });
      await fill(rows, p, ['d', 'e'], { n: 1 });
      const first = await rows.range({ ...all(p), limit: 2 });
      expect([sortsOf(first.rows), first.next]).toEqual(['a b', keyIn(p, 'b')]);
      const second = await rows.range({ ...all(p), limit: 2, after: first.next });
      expect([sortsOf(second.rows), second.next]).toEqual(['c d', keyIn(p, 'd')]);
      const back = await rows.range({ ...all(p), limit: 2, reverse: true, after: keyIn(p, 'c') });
      expect([sortsOf(back.rows), back.next?.sort ?? 'a']).toEqual(['b a', 'a']);
      for (let limit = 1; limit <= 6; limit++)
        expect(sortsOf(await walk(rows, { ...all(p), limit }))).toBe(LETTERS.join(' '));
    },
  },
  {
    name: 'a page ends at about 1 MB of rows, whether or not their fields are wanted',
    async run(rows) {
      const p = aPartition();
      for (const sort of LETTERS) await rows.write(put(p, sort, { body: noise(300_000) }));
      for (const keysOnly of [false, true]) {
        const page = await rows.range({ ...all(p), keysOnly });
        expect(['a b c', 'a b c d']).toContain(sortsOf(page.rows));
        expect(page.next).toEqual(page.rows.at(-1)?.key);
        for (const reverse of [false, true])
          expect(sortsOf(await walk(rows, { ...all(p), reverse, keysOnly }))).toBe(
            (reverse ? LETTERS.toReversed() : LETTERS).join(' '),
          );
      }
    },
  },
  {
    name: 'a range of keys has rows without fields',
    async run(rows) {
      const p = aPartition();
      await fill(rows, p, ['a', 'b'], { n: 1, body: Uint8Array.of(1) });
      const found = await walk(rows, { ...all(p), keysOnly: true });
      expect(shown(found)).toEqual(['a', 'b'].map((sort) => ({ key: keyIn(p, sort), fields: {} })));
    },
  },
  {
    name: 'what a caller writes or reads is its own: what becomes of it changes no row',
    async run(rows) {
      const key = keyIn(aPartition(), 'a');
      const body = Uint8Array.of(1, 2, 3);
      const fields: Record<string, Fields[string]> = { n: 1, body };
      const written = rows.write({ kind: 'put', key, fields });
      await written;
      body.fill(9);
      fields['n'] = 2;
      const kept = { n: 1, body: 'bytes \u0001\u0002\u0003' };
      const read = (await rows.get([key])).rows[0]?.fields ?? {};
      expect(shown(read)).toEqual(kept);
      (read['body'] as Uint8Array).fill(8);
      Object.assign(read, { n: 3 });
      expect(await fieldsOf(rows, key)).toEqual(kept);
    },
  },
  {
    name: 'many keys are read at once, and those that are missing are left out',
    async run(rows) {
      const p = aPartition();
      await fill(rows, p, LETTERS);
      const keys = Array.from({ length: 100 }, (_, n) => keyIn(p, LETTERS[n] ?? `none-${n}`));
      const found = await rows.get(keys);
      expect(found.unread).toEqual([]);
      expect(sortsOf(found.rows.toSorted((a, b) => (a.key.sort < b.key.sort ? -1 : 1)))).toBe(LETTERS.join(' '));
    },
  },
  {
    name: 'a batch of 25 puts rows and removes others, whether or not they are there',
    async run(rows) {
      const p = aPartition();
      await fill(rows, p, LETTERS, { n: 1 });
      const removed = ['a', 'b', 'x'].map((sort): Write => ({ kind: 'delete', key: keyIn(p, sort) }));
      const added = Array.from({ length: 22 }, (_, n) => put(p, `n${String(n).padStart(2, '0')}`));
      expect(await rows.batch([...removed, ...added])).toEqual([]);
      expect(await walk(rows, all(p))).toHaveLength(3 + 22);
    },
  },
  {
    name: 'the index has the rows with both of its fields, by their minute, and follows them',
    async run(rows) {
      const [p, shard] = [aPartition(), aShard()];
      const alarm = (sort: string, minute: number): Write =>
        put(p, sort, { alarmShard: shard, alarmMinute: minute, n: 1 });
      await rows.batch([alarm('c', 1), alarm('b', 2), alarm('a', 3), alarm('d', 2), put(p, 'e', { alarmMinute: 1 })]);
      await rows.write(put(p, 'f', { alarmShard: shard }));
      await rows.write(put(p, 'g', { alarmShard: aShard(), alarmMinute: 1 }));
      const found = async (until: number | null, limit = 9): Promise<string> =>
        (await walkAlarms(rows, { shard, until, limit })).map(({ minute, key }) => `${key.sort}${minute}`).join(' ');
      for (const limit of [1, 2, 3, 4, 9]) expect(await found(null, limit)).toBe('c1 b2 d2 a3');
      expect([await found(2), await found(1.5), await found(0.5)]).toEqual(['c1 b2 d2', 'c1', '']);
      await rows.write({ kind: 'update', key: keyIn(p, 'c'), set: { alarmMinute: 4 } });
      await rows.write({ kind: 'update', key: keyIn(p, 'b'), set: {}, remove: ['alarmShard'] });
      await rows.write({ kind: 'delete', key: keyIn(p, 'a') });
      expect(await found(null)).toBe('d2 c4');
      await rows.transact(`${p}-1`, [put(p, 'c', { n: 1 }), alarm('d', 7)]);
      expect(await found(null)).toBe('d7');
    },
  },
  {
    name: 'random programs do what a map does',
    async run(rows) {
      await expectAnyProgram(rows, 200);
    },
  },
];
