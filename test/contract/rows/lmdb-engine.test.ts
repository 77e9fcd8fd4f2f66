import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { LmdbRows } from '../../../shared/adapters/rows/lmdb.ts';
import { NewerFormatError } from '../../../shared/domain/base/newer-format.ts';
import { UnreadableRow } from '../../../shared/domain/base/unreadable-row.ts';
import { ABSENT, EXISTS, is, lacks } from '../../../shared/store/rows/condition.ts';
import type { Fields, Range, RowKey } from '../../../shared/store/rows/row.ts';
import { putRaw } from './raw-rows.ts';
import { HandClock } from '../store-under-test.ts';

const dir = mkdtempSync(join(tmpdir(), 'muster-lmdb-engine-'));
const opened = new Set<LmdbRows>();
let files = 0;

afterEach(async () => {
  for (const rows of opened) await rows.close();
  opened.clear();
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const clock = new HandClock();
const newPath = (): string => join(dir, `${++files}.lmdb`);

function openRows(path = newPath()): LmdbRows {
  const rows = new LmdbRows(path, clock.now);
  opened.add(rows);
  return rows;
}

/** A process on a copy of the file as it is now, as after a crash. */
function afterCrash({ path }: LmdbRows): LmdbRows {
  const copy = newPath();
  copyFileSync(path, copy);
  return openRows(copy);
}

/** The rows as other bytes, written by somebody else. */
async function damaged(rows: LmdbRows, named: Record<string, Buffer>): Promise<LmdbRows> {
  await rows.close();
  opened.delete(rows);
  await putRaw(rows.path, named);
  return openRows(rows.path);
}

const A: RowKey = { partition: 'P', sort: 'A' };
const B: RowKey = { partition: 'P', sort: 'B' };
const body = Buffer.from([0, 1, 255]);
const fieldsOf = async (rows: LmdbRows, key: RowKey): Promise<Fields | null> =>
  (await rows.get([key])).rows[0]?.fields ?? null;
const put = async (rows: LmdbRows, key: RowKey, fields: Fields = {}) => rows.write({ kind: 'put', key, fields });
const sortsIn = async (rows: LmdbRows, range: Partial<Range> & Pick<Range, 'from' | 'to'>) =>
  (await rows.range({ partition: 'P', ...range })).rows.map(({ key }) => key.sort);
const alarmsIn = async (rows: LmdbRows, shard: number, until: number | null = null) =>
  (await rows.alarms({ shard, until, limit: 100, after: null })).alarms.map(
    ({ minute, key }) => `${minute} ${key.partition} ${key.sort}`,
  );

describe('fields', () => {
  test.each<Fields>([
    {},
    { version: 0 },
    { version: 2 ** 53 - 1, by: 'token', ttl: 4_294_967_295, body },
    { body: Buffer.alloc(0), alarmShard: 3, alarmMinute: 29_000_000.012_345 },
    { text: 'Zoë 💥', number: -1.5, other: Buffer.from([0, 200]), body: Buffer.alloc(300_000, 7) },
  ])('come back as they were', async (fields) => {
    const rows = openRows();
    await put(rows, A, fields);
    expect(await fieldsOf(rows, A)).toEqual(fields);
    await put(rows, B, { body });
    expect(await fieldsOf(rows, A)).toEqual(fields); // not a view of memory that is used again
  });

  test('are set and removed one by one, and the others stay, above all the end of life', async () => {
    const rows = openRows();
    await put(rows, A, { version: 1, ttl: 900, body, by: 'x', at: 5 });
    await rows.write({ kind: 'update', key: A, set: { version: 2, at: 6 }, remove: ['by', 'none'] });
    expect(await fieldsOf(rows, A)).toEqual({ version: 2, ttl: 900, body, at: 6 });
    await rows.write({ kind: 'update', key: B, set: { at: 1 } });
    expect(await fieldsOf(rows, B)).toEqual({ at: 1 });
    await put(rows, A, { version: 3 });
    expect(await fieldsOf(rows, A)).toEqual({ version: 3 });
  });

  test('that no engine can store are refused', async () => {
    const rows = openRows();
    for (const fields of [{ at: Number.NaN }, { ttl: -1 }, { alarmShard: 0, alarmMinute: -1 }])
      await expect(put(rows, A, fields)).rejects.toThrow(/at is NaN|out of range|-1 is no place/);
    expect(await fieldsOf(rows, A)).toBeNull();
  });
});

describe('keys', () => {
  const SORTS = [' ', '!', 'A', 'A\0', 'A\0A', 'A\u0001', 'Aé', 'A\uffee', 'A💥', 'B', `B${'x'.repeat(1_000)}`];

  test('sort by bytes of UTF-8, partition by partition', async () => {
    const rows = openRows();
    for (const partition of ['O', 'P', 'P\u0001', 'P!', 'PA', 'Q'])
      for (const sort of SORTS.toReversed()) await put(rows, { partition, sort }, { at: 1 });
    expect(await sortsIn(rows, { from: ' ', to: '~' })).toEqual(SORTS);
    expect(await sortsIn(rows, { from: ' ', to: '~', reverse: true })).toEqual(SORTS.toReversed());
    expect(await sortsIn(rows, { from: 'A', to: 'A💥' })).toEqual(SORTS.slice(2, 9));
    expect(await sortsIn(rows, { from: 'A', to: 'A💥', reverse: true })).toEqual(SORTS.slice(2, 9).toReversed());
    expect(await sortsIn(rows, { from: 'AA', to: 'Az', reverse: true })).toEqual([]);
    expect(await sortsIn(rows, { from: 'C', to: 'D' })).toEqual([]);
  });

  test.each(['', 'P\0', 'P\0A', '\ud800', 'x'.repeat(2_000)])(
    '%j is no partition, and finds nothing',
    async (partition) => {
      const rows = openRows();
      await put(rows, A);
      await put(rows, { partition: 'P', sort: 'A\0A' });
      const key = { partition, sort: 'A' };
      expect(await rows.get([key])).toEqual({ rows: [], unread: [] });
      expect(await rows.range({ partition, from: ' ', to: '~' })).toEqual({ rows: [], next: null });
      await expect(put(rows, key)).rejects.toThrow('cannot be a row');
    },
  );
});

describe('a range', () => {
  test.each([true, false])('comes in pages of a limit, reverse: %s', async (reverse) => {
    const rows = openRows();
    const sorts = Array.from({ length: 10 }, (_, n) => `S${n}`);
    for (const sort of ['R', ...sorts, 'T']) await put(rows, { partition: 'P', sort });
    const seen: string[][] = [];
    for (let after: RowKey | null = null; ; ) {
      const page = await rows.range({ partition: 'P', from: 'S0', to: 'S9', limit: 5, after, reverse });
      seen.push(page.rows.map(({ key }) => key.sort));
      after = page.next;
      if (after === null) break;
    }
    const all = reverse ? sorts.toReversed() : sorts;
    expect(seen).toEqual([all.slice(0, 5), all.slice(5)]);
  });

  test('comes in pages of about a megabyte', async () => {
    const rows = openRows();
    for (let n = 0; n < 5; n++) await put(rows, { partition: 'P', sort: `S${n}` }, { body: Buffer.alloc(600_000) });
    const page = await rows.range({ partition: 'P', from: 'S', to: 'T' });
    expect([page.rows.length, page.next]).toEqual([2, { partition: 'P', sort: 'S1' }]);
    expect(await sortsIn(rows, { from: 'S', to: 'T', after: page.next, limit: 1 })).toEqual(['S2']);
  });

  test('goes on after a row that is gone meanwhile', async () => {
    const rows = openRows();
    for (const sort of ['A', 'C']) await put(rows, { partition: 'P', sort });
    expect(await sortsIn(rows, { from: 'A', to: 'D', after: B })).toEqual(['C']);
    expect(await sortsIn(rows, { from: 'A', to: 'D', after: B, reverse: true })).toEqual(['A']);
  });

  test('of keys only has no fields', async () => {
    const rows = openRows();
    await put(rows, A, { version: 1, body });
    const page = await rows.range({ partition: 'P', from: 'A', to: 'A', keysOnly: true });
    expect(page).toEqual({ rows: [{ key: A, fields: {} }], next: null });
  });
});

describe('conditions', () => {
  test('refuse a write, and bring the existing row where it is wanted', async () => {
    const rows = openRows();
    await put(rows, A, { version: 1 });
    const update = { kind: 'update', key: A, set: { version: 9 }, condition: is('version', 2) } as const;
    expect(await rows.write(update)).toEqual({ kind: 'condition', row: null });
    expect(await rows.write({ ...update, returnOld: true })).toMatchObject({ row: { key: A, fields: { version: 1 } } });
    const absent = { kind: 'delete', key: B, condition: EXISTS, returnOld: true } as const;
    expect(await rows.write(absent)).toEqual({ kind: 'condition', row: null });
    expect(await rows.write({ kind: 'delete', key: A, condition: EXISTS })).toBeNull();
    expect(await fieldsOf(rows, A)).toBeNull();
  });

  test('of a transaction hold all, or nothing is written', async () => {
    const rows = openRows();
    await put(rows, A, { version: 1 });
    const set = { kind: 'put', key: B, fields: { at: 1 }, condition: ABSENT } as const;
    const check = { kind: 'check', key: A, condition: is('version', 2), returnOld: true } as const;
    const refusals = await rows.transact('t', [set, check]);
    expect(refusals).toMatchObject([null, { kind: 'condition', row: { key: A } }]);
    expect(await fieldsOf(rows, B)).toBeNull();
    expect(await rows.transact('t', [set, { ...check, condition: is('version', 1) }])).toBeNull();
    expect([await fieldsOf(rows, A), await fieldsOf(rows, B)]).toEqual([{ version: 1 }, { at: 1 }]);
  });

  test('of a transaction that throws leave nothing behind', async () => {
    const rows = openRows();
    const bad = { kind: 'put', key: B, fields: { at: Number.NaN } } as const;
    await expect(rows.transact('t', [{ kind: 'put', key: A, fields: {} }, bad])).rejects.toThrow('at is NaN');
    await put(rows, B);
    expect(await fieldsOf(rows, A)).toBeNull();
  });

  test('are decided on the newest rows, stored or not, and reads see the disk', async () => {
    const rows = openRows();
    const winners = Array.from({ length: 3 }, async () =>
      rows.write({ kind: 'update', key: A, set: { version: 1 }, condition: lacks('version') }),
    );
    expect(await fieldsOf(rows, A)).toBeNull();
    expect((await Promise.all(winners)).map((refusal) => refusal === null)).toEqual([true, false, false]);
    expect(await fieldsOf(rows, A)).toEqual({ version: 1 });
  });
});

describe('a write', () => {
  test('is answered when it is on the disk, and so is a refusal by it', async () => {
    const rows = openRows();
    for (let version = 1; version <= 20; version++) {
      void put(rows, A, { version });
      const refusal = await rows.write({ kind: 'delete', key: A, condition: ABSENT });
      expect([refusal?.kind, await fieldsOf(afterCrash(rows), A)]).toEqual(['condition', { version }]);
    }
  });

  test('shares its flush with others of its turn, and with those that arrive during a flush', async () => {
    const rows = openRows();
    const before = rows.commits;
    const waves: Promise<unknown>[] = [];
    for (let wave = 0; wave < 10; wave++) {
      for (let n = 0; n < 100; n++) waves.push(put(rows, { partition: `${wave}`, sort: `${n}` }));
      await Promise.resolve();
    }
    waves.push(rows.batch([{ kind: 'put', key: A, fields: {} }]));
    await Promise.all(waves);
    expect(rows.commits - before).toBeLessThanOrEqual(2);
  });

  test('of a row that is not there costs no flush', async () => {
    const rows = openRows();
    const before = rows.commits;
    await rows.write({ kind: 'delete', key: A });
    await rows.transact('t', [{ kind: 'check', key: A, condition: ABSENT }]);
    expect(rows.commits).toBe(before);
  });
});

describe('the index of alarms', () => {
  const alarm = (alarmShard: number, alarmMinute: number): Fields => ({ alarmShard, alarmMinute });

  test('follows its rows', async () => {
    const rows = openRows();
    await put(rows, A, alarm(1, 20));
    await rows.write({ kind: 'update', key: B, set: { ...alarm(1, 3.5), version: 1 } });
    await put(rows, { partition: 'Q', sort: 'S' }, alarm(2, 1));
    expect(await alarmsIn(rows, 1)).toEqual(['3.5 P B', '20 P A']);
    await rows.write({ kind: 'update', key: A, set: alarm(1, 2) });
    await rows.write({ kind: 'update', key: B, set: { version: 2 } });
    expect(await alarmsIn(rows, 1)).toEqual(['2 P A', '3.5 P B']);
    await rows.write({ kind: 'update', key: A, set: {}, remove: ['alarmShard', 'alarmMinute'] });
    await put(rows, { partition: 'Q', sort: 'S' }, {});
    expect([await alarmsIn(rows, 1), await alarmsIn(rows, 2)]).toEqual([['3.5 P B'], []]);
    await rows.write({ kind: 'delete', key: B });
    expect(await alarmsIn(rows, 1)).toEqual([]);
  });

  test('is read up to a moment, in pages', async () => {
    const rows = openRows();
    const minutes = [0, 9.999_999, 10, 10.000_001, 100, 29_000_000];
    for (const [n, minute] of minutes.entries()) await put(rows, { partition: `P${n}`, sort: 'S' }, alarm(0, minute));
    await put(rows, { partition: 'P', sort: 'S' }, alarm(0, 10));
    expect((await alarmsIn(rows, 0, 10)).map((each) => each.split(' ')[0])).toEqual(['0', '9.999999', '10', '10']);
    const seen: string[] = [];
    for (let after: Awaited<ReturnType<LmdbRows['alarms']>>['next'] = null; ; ) {
      const page = await rows.alarms({ shard: 0, until: null, limit: 3, after });
      seen.push(...page.alarms.map(({ key }) => key.partition));
      after = page.next;
      if (after === null) break;
    }
    expect(seen).toEqual(['P0', 'P1', 'P', 'P2', 'P3', 'P4', 'P5']);
  });
});

describe('a row that cannot be decoded', () => {
  const NEWER = Buffer.alloc(40, 4);
  const TORN = Buffer.from([3, 1, 0]);

  test('names itself and what its owner can do, and one of a later release is left to it', async () => {
    let rows = openRows();
    await put(rows, A, { version: 1, body });
    rows = await damaged(rows, { 'P B': TORN, 'P C': NEWER });
    const { rows: found } = await rows.range({ partition: 'P', from: 'A', to: 'Z' });
    expect(found.map(({ fields }) => fields)).toEqual([{ version: 1, body }, {}, {}]);
    expect(found[1]?.fault).toBeInstanceOf(UnreadableRow);
    expect(found[1]?.fault?.message).toContain(`start it once with --discard-row 'P B'`);
    expect(found[2]?.fault).toEqual(new NewerFormatError('row P C', 4, 3));
    expect(found[0]?.unreadable?.(new Error('why')).message).toContain('row P A of');
    const keys = await rows.range({ partition: 'P', from: 'A', to: 'Z', keysOnly: true });
    expect(keys.rows.map(({ fault }) => fault?.name)).toEqual([undefined, 'UnreadableRow', 'NewerFormatError']);
  });

  test('refuses what depends on it, and can be replaced and removed, with its alarm', async () => {
    let rows = openRows();
    for (const key of [A, B]) await put(rows, key, { version: 1, alarmShard: 0, alarmMinute: 5 });
    rows = await damaged(rows, { 'P A': TORN, 'P B': NEWER });
    await expect(rows.write({ kind: 'update', key: A, set: {}, condition: is('version', 1) })).rejects.toThrow(
      'row P A of',
    );
    await expect(rows.write({ kind: 'update', key: B, set: {} })).rejects.toThrow(NewerFormatError);
    const refusal = await rows.write({ kind: 'put', key: A, fields: {}, condition: ABSENT, returnOld: true });
    expect(refusal).toMatchObject({ kind: 'condition', row: { fault: { name: 'UnreadableRow' } } });
    expect(await alarmsIn(rows, 0)).toEqual(['5 P A', '5 P B']);
    await rows.write({ kind: 'delete', key: A });
    await put(rows, B, { version: 2 });
    expect([await alarmsIn(rows, 0), await fieldsOf(rows, A), await fieldsOf(rows, B)]).toEqual([
      [],
      null,
      { version: 2 },
    ]);
  });
});

test('slices bring the rows of all partitions with a prefix, in order', async () => {
  const rows = openRows();
  for (const partition of ['JOB#a', 'JOB#b', 'NS#x', 'JO'])
    for (const sort of ['1', '2']) await put(rows, { partition, sort }, { alarmShard: 0, alarmMinute: 1 });
  const name = ({ key }: { key: RowKey }) => `${key.partition} ${key.sort}`;
  const first = rows.slice('JOB#', null, 3);
  expect(first.map(name)).toEqual(['JOB#a 1', 'JOB#a 2', 'JOB#b 1']);
  expect(rows.slice('JOB#', first[2]!.key).map(name)).toEqual(['JOB#b 2']);
  expect(rows.slice('', null)).toHaveLength(8);
});
