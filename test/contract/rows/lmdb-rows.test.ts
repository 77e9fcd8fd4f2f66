import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { openLmdbStore, storeOf } from '../../../local/store/lmdb-store.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { plusMs } from '../../../shared/domain/base/time.ts';
import { LmdbRows } from '../../../shared/adapters/rows/lmdb.ts';
import type { Row, RowKey, Write } from '../../../shared/store/rows/row.ts';
import { aDisk, fill } from '../../support/a-disk.ts';
import { HandClock, T0, anEntry } from '../store-under-test.ts';
import { EVERY_KIND, SPEC, UID, writeFormat2 } from './format-2.ts';
import { putRaw } from './raw-rows.ts';

const dir = mkdtempSync(join(tmpdir(), 'muster-lmdb-rows-'));
const opened = new Set<LmdbRows>();
let files = 0;

afterEach(async () => {
  for (const rows of opened) await rows.close();
  opened.clear();
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const clock = new HandClock();
const newPath = (): string => join(dir, `${++files}.lmdb`);

function openRows(path: string): LmdbRows {
  const rows = new LmdbRows(path, clock.now);
  opened.add(rows);
  return rows;
}

async function close(rows: LmdbRows): Promise<void> {
  opened.delete(rows);
  await rows.close();
}

/** A runtime on a copy of the file as it is now, as after a crash. */
function afterCrash(path: string): LmdbRows {
  const copy = newPath();
  copyFileSync(path, copy);
  return openRows(copy);
}

const keyOf = (sort: string): RowKey => ({ partition: 'P', sort });
const rowAt = async (rows: LmdbRows, sort: string): Promise<Row | undefined> => (await rows.get([keyOf(sort)])).rows[0];
const versionOf = async (rows: LmdbRows, sort: string): Promise<unknown> =>
  (await rowAt(rows, sort))?.fields['version'];
/** A row with a body of `bytes` bytes. */
const aPut = (sort: string, version = 0, bytes = 2, ttl: { readonly ttl?: number } = {}): Write => ({
  kind: 'put',
  key: keyOf(sort),
  fields: { version, body: Buffer.alloc(bytes, 'x'), ...ttl },
});
const put = async (rows: LmdbRows, ...wanted: Parameters<typeof aPut>) => rows.write(aPut(...wanted));
const countOf = (rows: LmdbRows): number => rows.slice('P', null, 99_999).length;

test('expired rows are removed with their alarms, and all others stay', async () => {
  const rows = openRows(newPath());
  const count = 5_000; // more than one slice
  const ttl = T0 / 1000 + 1;
  const alarm = { alarmShard: 0, alarmMinute: 1 };
  const fieldsOf = (n: number) => ({ ...(n < count / 2 ? {} : { ttl }), ...(n % 100 === 0 ? alarm : {}) });
  const sort = (n: number): string => String(n).padStart(4, '0');
  const all = Array.from(
    { length: count },
    (_, n): Write => ({ kind: 'put', key: keyOf(sort(n)), fields: fieldsOf(n) }),
  );
  await rows.transact('all', all);
  expect(await rows.removeExpired()).toBe(0);
  clock.advance(2_000);
  const used = rows.size().usedBytes;
  expect(await rows.removeExpired()).toBe(count / 2);
  expect(countOf(rows)).toBe(count / 2);
  expect((await rows.alarms({ shard: 0, until: null, limit: 99, after: null })).alarms).toHaveLength(25);
  expect(await rows.removeExpired()).toBe(0);
  expect(rows.size().usedBytes).toBeLessThan(used);
});

describe('a file', () => {
  test('is readable only by its owner', () => {
    const path = newPath();
    openRows(path);
    expect([path, `${path}-lock`].map((file) => (statSync(file).mode & 0o777).toString(8))).toEqual(['600', '600']);
  });

  test('of another program is refused with a message', () => {
    for (const bytes of ['hello', 'SQLite format 3\0'.repeat(5_000)]) {
      const path = newPath();
      writeFileSync(path, bytes);
      expect(() => openRows(path)).toThrow(`${path} is damaged: it is not a store of Muster's; put a copy`);
    }
  });

  test.each([5_000, 50_000, 400_000])('that was cut off at %i bytes is refused with a message', async (bytes) => {
    const path = newPath();
    const rows = openRows(path);
    for (let n = 0; n < 500; n++) void put(rows, `k${n}`, 0, 1_000);
    await close(rows);
    truncateSync(path, bytes);
    expect(() => openRows(path)).toThrow(/ is damaged: it has \d+ of \d+ bytes; put a copy of it in its place/);
  });

  test('that is a link is not followed', () => {
    const path = newPath();
    symlinkSync(newPath(), path);
    expect(() => openRows(path)).toThrow(/ELOOP/);
  });

  test.each([
    [4, 'has format 4; this version of Muster knows 3: install a newer one, or give --data another folder'],
    [2, 'has format 2, of an earlier version of Muster: only `muster local` takes it over'],
  ])('of format %i is refused with a message', async (format, message) => {
    const path = newPath();
    await close(openRows(path));
    const row = Buffer.alloc(13, 0);
    row.writeUInt8(1);
    row.writeDoubleBE(format, 5);
    await putRaw(path, { FORMAT: row });
    expect(() => openRows(path)).toThrow(`${path} ${message}`);
  });

  test('of another program that uses LMDB is refused with a message', async () => {
    const path = newPath();
    await putRaw(path, { A: Buffer.of(1) });
    expect(() => openRows(path)).toThrow(`${path} is not a store of Muster's; give --data another folder`);
  });
});

test('on a full disk a commit fails and stores nothing, and commits continue when there is space', async ({ skip }) => {
  const disk = aDisk(4_096);
  if (disk === null) return skip();
  const path = join(disk.dir, 'a.lmdb');
  const rows = openRows(path);
  const fillUp = async (n: number) => put(rows, `k${n}`, n + 1, 100_000);
  const increment = async (version: number) => put(rows, 'beside', version);
  await fillUp(0);
  writeFileSync(join(disk.dir, 'beside'), Buffer.alloc(1_000_000));
  let failed = 1;
  let failure: unknown = null;
  for (; failure === null; failed++) {
    const [answer] = await Promise.allSettled([fillUp(failed), increment(failed)]);
    if (answer.status === 'rejected') failure = answer.reason;
  }
  failed--;
  expect(failure).toMatchObject({ code: 'ENOSPC', path });
  expect([await versionOf(rows, `k${failed}`), await versionOf(rows, 'beside')]).toEqual([undefined, failed - 1]);
  rmSync(join(disk.dir, 'beside'));
  await fillUp(failed);
  await increment(failed);
  expect(countOf(rows)).toBe(failed + 2);
  expect(await versionOf(afterCrash(path), 'beside')).toBe(failed);
  await close(rows); // before the disk is gone
});

test('a commit has space in its file even if another program takes the rest of the disk', async ({ skip }) => {
  const disk = aDisk(16 * 1024);
  if (disk === null) return skip();
  const path = join(disk.dir, 'a.lmdb');
  const rows = openRows(path);
  for (let wave = 1; wave <= 12; wave++) {
    const stored = rows.transact(
      'wave',
      Array.from({ length: 300 }, (_, n): Write => {
        const sort = `k${String((n * 7919) % 1_000)}`;
        return n % wave === 5 ? { kind: 'delete', key: keyOf(sort) } : aPut(sort, 0, (n * wave) % 6_000);
      }),
    );
    // The flush begins in this turn, too, before the disk is filled.
    const spaceBytes = await new Promise<number>((resolve) =>
      setImmediate(() => {
        resolve(statSync(path).size);
        fill(disk.dir);
      }),
    );
    await stored;
    expect(rows.size().fileBytes).toBeLessThanOrEqual(spaceBytes);
    rmSync(join(disk.dir, 'filling'));
  }
  await close(rows); // before the disk is gone
});

test('on a full disk a file of format 2 stays as it was, and is taken over when there is space', async ({ skip }) => {
  const disk = aDisk(8 * 1024);
  if (disk === null) return skip();
  const path = join(disk.dir, 'jobs.lmdb');
  await writeFormat2(path, { ...EVERY_KIND, 'AFTER#z z!z': { body: Buffer.alloc(1_000_000) } });
  const beside = join(disk.dir, 'beside');
  writeFileSync(beside, Buffer.alloc(4 * 1024 * 1024));
  await expect(openLmdbStore(path, clock.now, null, () => undefined)).rejects.toMatchObject({
    code: 'ENOSPC',
  });
  expect(readdirSync(disk.dir).filter((name) => name.includes('draft'))).toEqual([]);
  rmSync(beside);
  const store = await openLmdbStore(path, clock.now, null, () => undefined);
  expect(await store.jobs.readSpec(UID)).toEqual(SPEC);
  await store.close(); // before the disk is gone
});

test('a page of the feed ends before a missing row, whatever the clock did', async () => {
  const { feed: feedOf } = storeOf(openRows(newPath()), clock.now, 10_000);
  const now = clock.now();
  for (const [nth, lateMs] of [5_000, 0, 5_000].entries()) {
    const uid = asJobUid(`job-${nth}`);
    await feedOf.append([anEntry(uid, 0, 1)], plusMs(now, lateMs));
  }
  clock.advance(12_000);
  const page = await feedOf.read(0, 10);
  expect(page.kind === 'rows' ? page.rows.map(({ number }) => number) : page).toEqual([1]);
  expect(await feedOf.read(1, 10)).toEqual({ kind: 'expired' });
  expect(await feedOf.read(3, 10)).toEqual({ kind: 'rows', rows: [] });
});

test('a closed file refuses requests', async () => {
  const rows = openRows(newPath());
  await put(rows, 'a');
  const removing = rows.removeExpired();
  await rows.close();
  await removing.catch(() => undefined);
  await expect(rowAt(rows, 'a')).rejects.toThrow('is closed');
  await expect(rows.range({ partition: 'P', from: 'a', to: 'b' })).rejects.toThrow('is closed');
  await expect(rows.alarms({ shard: 0, until: null, limit: 1, after: null })).rejects.toThrow('is closed');
  await expect(put(rows, 'a')).rejects.toThrow('is closed');
  await expect(rows.removeExpired()).rejects.toThrow('is closed');
});
