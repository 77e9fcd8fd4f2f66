import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createMemoryRows } from '../../../shared/adapters/rows/memory.ts';
import type { Weather } from '../../../shared/adapters/rows/weather.ts';
import { ABSENT, is } from '../../../shared/store/rows/condition.ts';
import type { Fields, RowKey, Rows, Write } from '../../../shared/store/rows/row.ts';
import { HandClock, MINUTE_MS, T0 } from '../../contract/store-under-test.ts';

const A: RowKey = { partition: 'p', sort: 'a' };
const B: RowKey = { partition: 'p', sort: 'b' };
const C: RowKey = { partition: 'other', sort: 'c' };
const put = (key: RowKey, fields: Fields = {}): Write => ({ kind: 'put', key, fields });

function aTable(weather: Weather): { readonly rows: Rows; readonly clock: HandClock } {
  const clock = new HandClock();
  return { rows: createMemoryRows({ now: clock.now, weather }), clock };
}
const shown = async (rows: Rows, isEventual: boolean): Promise<string> => {
  const page = await rows.range({ partition: 'p', from: '', to: '~', isEventual });
  return page.rows.map(({ key, fields }) => `${key.sort}${String(fields['n'])}`).join(' ');
};
const dueIn = async (rows: Rows, shard = 0): Promise<string> => {
  const page = await rows.alarms({ shard, until: null, limit: 9, after: null });
  return page.alarms.map(({ minute, key }) => `${key.sort}${minute}`).join(' ');
};
const alarm = (key: RowKey, alarmMinute: number): Write => put(key, { alarmShard: 0, alarmMinute });
const fieldsAt = async (rows: Rows, key: RowKey): Promise<Fields | undefined> =>
  (await rows.get([key])).rows[0]?.fields;
const throttled = { name: 'ThrottlingException' };

describe('a stale read', () => {
  test('shows each row as it was before its latest write, while that is young', async () => {
    const { rows, clock } = aTable({ staleMs: () => 100 });
    await rows.write(put(A, { n: 1 }));
    await rows.write(put(B, { n: 1 }));
    expect(await shown(rows, true)).toBe('');
    clock.advance(100);
    expect(await shown(rows, true)).toBe('a1 b1');
    await rows.write(put(A, { n: 2 }));
    await rows.write({ kind: 'delete', key: B });
    clock.advance(99);
    expect(await shown(rows, true)).toBe('a1 b1');
    expect(await shown(rows, false)).toBe('a2');
    expect((await rows.get([A, B])).rows).toHaveLength(1);
    clock.advance(1);
    expect(await shown(rows, true)).toBe('a2');
  });

  test('knows only the latest write', async () => {
    const { rows, clock } = aTable({ staleMs: () => 100 });
    for (const n of [1, 2, 3]) {
      await rows.write(put(A, { n }));
      clock.advance(50);
    }
    expect(await shown(rows, true)).toBe('a2');
  });

  test('a row that was deleted is missing for whoever writes it anew', async () => {
    const { rows } = aTable({ staleMs: () => 100 });
    await rows.write(put(A, { n: 1 }));
    await rows.write({ kind: 'delete', key: A });
    expect(await rows.write({ ...put(A, { n: 2 }), condition: ABSENT })).toBeNull();
    expect(await shown(rows, false)).toBe('a2');
    expect(await shown(rows, true)).toBe('');
  });

  test('pages by what it shows', async () => {
    const { rows, clock } = aTable({ staleMs: () => 100 });
    await rows.write(put(B, { n: 1 }));
    clock.advance(100);
    await rows.write(put(A, { n: 1 }));
    const page = await rows.range({ partition: 'p', from: '', to: '~', isEventual: true, limit: 1 });
    expect([page.rows[0]?.key, page.next]).toEqual([B, B]);
  });
});

describe('an index that is behind', () => {
  test('shows changes late, in their order', async () => {
    const lags = [100, 10, 0];
    const { rows, clock } = aTable({ indexLagMs: () => lags.shift() ?? 0 });
    await rows.write(alarm(A, 1));
    await rows.write(alarm(A, 2));
    await rows.write(alarm(B, 3));
    expect(await dueIn(rows)).toBe('');
    clock.advance(99);
    expect(await dueIn(rows)).toBe('');
    clock.advance(1);
    expect(await dueIn(rows)).toBe('a2 b3');
  });

  test('still has what was deleted', async () => {
    let lag = 0;
    const { rows, clock } = aTable({ indexLagMs: () => lag });
    await rows.write(alarm(A, 1));
    lag = 100;
    await rows.write({ kind: 'delete', key: A });
    expect(await dueIn(rows)).toBe('a1');
    expect(await fieldsAt(rows, A)).toBeUndefined();
    clock.advance(100);
    expect(await dueIn(rows)).toBe('');
  });

  test('is asked only for writes that change it', async () => {
    let asked = 0;
    const { rows } = aTable({ indexLagMs: () => (++asked, 0) });
    await rows.write(alarm(A, 1));
    await rows.write({ kind: 'update', key: A, set: { n: 1 } });
    await rows.write(put(B));
    expect(asked).toBe(1);
  });
});

describe('a conflict', () => {
  test('refuses a write, whatever its condition, and nothing is written', async () => {
    const { rows } = aTable({ conflicts: () => 0 });
    for (const write of [put(A), { ...put(A), condition: is('n', 1) }])
      expect(await rows.write(write)).toEqual({ kind: 'conflict' });
    expect(await fieldsAt(rows, A)).toBeUndefined();
  });

  test('refuses a transaction for one of its writes, beside those whose conditions do not hold', async () => {
    const asked: (readonly Write[])[] = [];
    const { rows } = aTable({ conflicts: (writes) => asked.push(writes) });
    const writes: readonly Write[] = [{ ...put(A), condition: is('n', 1) }, put(B), put(C)];
    expect(await rows.transact('t-1', writes)).toEqual([{ kind: 'condition', row: null }, { kind: 'conflict' }, null]);
    expect(asked).toEqual([writes]);
    expect((await rows.get([A, B, C])).rows).toEqual([]);
  });
});

describe('a lost answer', () => {
  test('a single write is checked against its condition again, and meets its own row', async () => {
    const { rows } = aTable({ repeats: () => true });
    const create: Write = { ...put(A, { by: 'me' }), condition: ABSENT, returnOld: true };
    expect(await rows.write(create)).toEqual({ kind: 'condition', row: { key: A, fields: { by: 'me' } } });
    expect(await rows.write(put(B, { n: 1 }))).toBeNull();
    expect(await rows.write({ kind: 'delete', key: B, condition: is('n', 1) })).toEqual({
      kind: 'condition',
      row: null,
    });
  });

  test('a refusal is not lost, since nothing has been carried out', async () => {
    const asked: (readonly Write[])[] = [];
    const { rows } = aTable({ repeats: (writes) => asked.push(writes) === 0 });
    expect(await rows.write({ ...put(A), condition: is('n', 1) })).toEqual({ kind: 'condition', row: null });
    expect(asked).toEqual([]);
  });

  test('a transaction is recognized by its token', async () => {
    const { rows } = aTable({ repeats: () => true });
    const create: Write = { ...put(A, { by: 'me' }), condition: ABSENT, returnOld: true };
    expect(await rows.transact('t-1', [create])).toBeNull();
  });

  test('a token is known for ten minutes', async () => {
    const { rows, clock } = aTable({});
    const create: readonly Write[] = [{ ...put(A, { by: 'me' }), condition: ABSENT }];
    expect(await rows.transact('t-1', create)).toBeNull();
    clock.advance(10 * MINUTE_MS - 1);
    expect(await rows.transact('t-1', create)).toBeNull();
    clock.advance(1);
    expect(await rows.transact('t-1', create)).toEqual([{ kind: 'condition', row: null }]);
  });
});

describe('a busy partition', () => {
  const { rows } = aTable({ throttles: (partition) => partition === 'p' || partition === 'alarms 1' });

  test('refuses requests before they have an effect', async () => {
    await expect(rows.write(put(A))).rejects.toMatchObject(throttled);
    await expect(rows.transact('t-1', [put(C), put(A)])).rejects.toMatchObject(throttled);
    await expect(rows.range({ partition: 'p', from: 'a', to: 'b' })).rejects.toMatchObject(throttled);
    await expect(rows.alarms({ shard: 1, until: null, limit: 1, after: null })).rejects.toMatchObject(throttled);
    expect(await dueIn(rows, 0)).toBe('');
    expect((await rows.get([C])).rows).toEqual([]);
  });

  test('leaves some of several keys and of a batch undone, but not all', async () => {
    expect(await rows.batch([put(A), put(C, { n: 1 })])).toEqual([put(A)]);
    expect(await rows.get([A, C])).toEqual({ rows: [{ key: C, fields: { n: 1 } }], unread: [A] });
    await expect(rows.batch([put(A), put(B)])).rejects.toMatchObject(throttled);
    await expect(rows.get([A])).rejects.toMatchObject(throttled);
  });
});

describe('expired rows', () => {
  const over = (key: RowKey): Write => put(key, { ttl: T0 / 1000, alarmShard: 0, alarmMinute: 1, n: 1 });

  test('stay, unless the weather removes them', async () => {
    const { rows, clock } = aTable({});
    await rows.write(over(A));
    clock.advance(10 * 24 * 60 * MINUTE_MS);
    expect(await shown(rows, false)).toBe('a1');
  });

  test('are removed so late, whatever looks at them first', async () => {
    const looks: readonly ((rows: Rows) => Promise<unknown>)[] = [
      async (rows) => rows.get([A]),
      async (rows) => shown(rows, false),
      async (rows) => rows.write({ ...put(B), key: A, condition: ABSENT }),
      async (rows) => rows.alarms({ shard: 0, until: null, limit: 9, after: null }),
    ];
    for (const look of looks) {
      const { rows, clock } = aTable({ expiryLateMs: 1_000 });
      await rows.write(over(A));
      clock.advance(999);
      expect([await shown(rows, false), await dueIn(rows)]).toEqual(['a1', 'a1']);
      clock.advance(1);
      await look(rows);
      expect(await dueIn(rows)).toBe('');
    }
  });
});

test('calls take effect in their order, before any of them is answered', async () => {
  const { rows } = aTable({});
  const first = rows.write({ ...put(A, { n: 1 }), condition: ABSENT });
  const read = rows.get([A]);
  const second = rows.transact('t-1', [{ ...put(A, { n: 2 }), condition: is('n', 1) }]);
  const page = rows.range({ partition: 'p', from: 'a', to: 'b' });
  expect(await Promise.all([first, second])).toEqual([null, null]);
  expect([(await read).rows[0]?.fields, (await page).rows[0]?.fields]).toEqual([{ n: 1 }, { n: 2 }]);
});

test('at most 16 MB are read at once; the other keys are to be asked for again', async () => {
  const { rows } = aTable({});
  const body = randomBytes(390 * 1024); // nothing that could be compressed
  const keys = Array.from({ length: 45 }, (_, n) => ({ partition: 'p', sort: `s${n}` }));
  for (const key of keys) await rows.write(put(key, { body }));
  const answer = await rows.get(keys);
  expect([answer.rows.length, answer.unread]).toEqual([42, keys.slice(42)]);
});

test('a page that ends at its last row leads to an empty one', async () => {
  const { rows } = aTable({});
  for (const key of [A, B]) await rows.write(put(key));
  const page = await rows.range({ partition: 'p', from: 'a', to: 'z', limit: 2 });
  expect(page.next).toEqual(B);
  expect(await rows.range({ partition: 'p', from: 'a', to: 'z', limit: 2, after: B })).toEqual({
    rows: [],
    next: null,
  });
});
