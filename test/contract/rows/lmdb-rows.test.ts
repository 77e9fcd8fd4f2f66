import { copyFileSync, mkdtempSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { feed } from '../../../shared/adapters/lmdb/lmdb-feed.ts';
import { NewerFormatError } from '../../../shared/domain/base/newer-format.ts';
import { LmdbRows } from '../../../shared/adapters/lmdb/lmdb-rows.ts';
import { decodeRow, encodeRow, jsonRow } from '../../../shared/adapters/lmdb/lmdb-row.ts';
import { aDisk, fill } from '../../support/a-disk.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { plusMs } from '../../../shared/domain/base/time.ts';
import { HandClock, anEntry, at } from '../store-under-test.ts';

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

const versionOf = (rows: LmdbRows, key: string): number => rows.read(key)?.version ?? 0;
const increment = (rows: LmdbRows, key: string): Promise<number> =>
  rows.transact((now) => {
    const version = (now.get(key)?.version ?? 0) + 1;
    now.put(key, jsonRow({}, version));
    return version;
  });

describe('a decision', () => {
  test('is answered when it is on disk', async () => {
    const path = newPath();
    const rows = openRows(path);
    for (let n = 1; n <= 20; n++) {
      expect(await increment(rows, 'a')).toBe(n);
      expect(versionOf(afterCrash(path), 'a')).toBe(n);
    }
  });

  test('is invisible to a plain read before it is on disk', async () => {
    const rows = openRows(newPath());
    const written = increment(rows, 'a');
    expect(versionOf(rows, 'a')).toBe(0);
    await written;
    expect(versionOf(rows, 'a')).toBe(1);
  });

  test('sees all earlier decisions, stored or not', async () => {
    const rows = openRows(newPath());
    const first = Array.from({ length: 5 }, async () => increment(rows, 'a'));
    await new Promise((resolve) => setImmediate(resolve)); // their flush is in progress
    const second = Array.from({ length: 5 }, async () => increment(rows, 'a'));
    expect(await Promise.all([...first, ...second])).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test('that changes nothing is answered when the rows that it read are on disk', async () => {
    const path = newPath();
    const rows = openRows(path);
    void increment(rows, 'a');
    const seen = await rows.transact((now) => now.get('a')?.version ?? 0);
    expect([seen, versionOf(afterCrash(path), 'a')]).toEqual([1, 1]);
  });

  test('that throws stores nothing and delays no others', async () => {
    const rows = openRows(newPath());
    const failed = rows.transact((now) => {
      now.put('a', jsonRow({}, 1));
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect([await increment(rows, 'b'), versionOf(rows, 'a')]).toEqual([1, 0]);
  });

  test('shares its flush with others of its turn, and with those that arrive during a flush', async () => {
    const rows = openRows(newPath());
    const before = rows.commits;
    const waves: Promise<number>[] = [];
    for (let wave = 0; wave < 10; wave++) {
      for (let n = 0; n < 100; n++) waves.push(increment(rows, `${wave}/${n}`));
      await Promise.resolve();
    }
    await Promise.all(waves);
    expect(rows.commits - before).toBeLessThanOrEqual(2);
  });

  test('keeps the expiry of its row', async () => {
    const rows = openRows(newPath());
    await rows.transact((now) => now.put('a', jsonRow({}, 1, at(60_000))));
    await increment(rows, 'a');
    expect(rows.read('a')?.ttl).toBe(at(60_000) / 1000);
  });
});

test('expired rows are removed, and all others stay', async () => {
  const rows = openRows(newPath());
  const count = 5_000; // more than one slice
  await rows.transact((now) => {
    for (let n = 0; n < count; n++)
      now.put(`k${String(n).padStart(4, '0')}`, n < count / 2 ? jsonRow({}, n) : jsonRow({}, n, at(1_000)));
  });
  expect(await rows.removeExpired()).toBe(0);
  clock.advance(2_000);
  const used = rows.size().usedBytes;
  expect(await rows.removeExpired()).toBe(count / 2);
  expect([...rows.range('k', 'k~')]).toHaveLength(count / 2);
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
    for (let n = 0; n < 500; n++) void rows.transact((now) => now.put(`k${n}`, jsonRow('x'.repeat(1_000))));
    await close(rows);
    truncateSync(path, bytes);
    expect(() => openRows(path)).toThrow(/ is damaged: it has \d+ of \d+ bytes; put a copy of it in its place/);
  });

  test('that is a link is not followed', () => {
    const path = newPath();
    symlinkSync(newPath(), path);
    expect(() => openRows(path)).toThrow(/ELOOP/);
  });

  test('of a later format is refused with a message', async () => {
    const path = newPath();
    const rows = openRows(path);
    await rows.transact((now) => now.put('FORMAT', { version: 2, body: Buffer.alloc(0) }));
    await close(rows);
    expect(() => openRows(path)).toThrow(`${path} has format 2; this version of Muster knows 1`);
  });
});

test('on a full disk a commit fails and stores nothing, and commits continue when there is space', async ({ skip }) => {
  const disk = aDisk(4_096);
  if (disk === null) return skip();
  const path = join(disk.dir, 'a.lmdb');
  const rows = openRows(path);
  const put = (n: number) => rows.transact((now) => now.put(`k${n}`, jsonRow('x'.repeat(100_000), n + 1)));
  await put(0);
  writeFileSync(join(disk.dir, 'beside'), Buffer.alloc(1_000_000));
  let failed = 1;
  let failure: unknown = null;
  for (; failure === null; failed++) {
    const [answer] = await Promise.allSettled([put(failed), increment(rows, 'beside')]);
    if (answer.status === 'rejected') failure = answer.reason;
  }
  failed--;
  expect(failure).toMatchObject({ code: 'ENOSPC', path });
  expect([versionOf(rows, `k${failed}`), versionOf(rows, 'beside')]).toEqual([0, failed - 1]);
  rmSync(join(disk.dir, 'beside'));
  await put(failed);
  expect(await increment(rows, 'beside')).toBe(failed);
  expect([...rows.range('k', 'k~')]).toHaveLength(failed + 1);
  expect(versionOf(afterCrash(path), 'beside')).toBe(failed);
  await close(rows); // before the disk is gone
});

test('a commit has space in its file even if another program takes the rest of the disk', async ({ skip }) => {
  const disk = aDisk(16 * 1024);
  if (disk === null) return skip();
  const path = join(disk.dir, 'a.lmdb');
  const rows = openRows(path);
  for (let wave = 1; wave <= 12; wave++) {
    const stored = rows.transact((now) => {
      for (let n = 0; n < 300; n++) {
        const key = `k${String((n * 7919) % 1_000)}`;
        if (n % wave === 5) now.remove(key);
        else now.put(key, jsonRow('x'.repeat((n * wave) % 6_000)));
      }
    });
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

test('a page of the feed ends before a missing row, whatever the clock did', async () => {
  const feedOf = feed(openRows(newPath()), 10_000);
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
  await increment(rows, 'a');
  const removing = rows.removeExpired();
  await rows.close();
  await removing.catch(() => undefined);
  expect(() => rows.read('a')).toThrow('is closed');
  expect(() => [...rows.range('a', 'b')]).toThrow('is closed');
  await expect(increment(rows, 'a')).rejects.toThrow('is closed');
  await expect(rows.removeExpired()).rejects.toThrow('is closed');
});

test('a row of a later layout is left to a later release, and one without a layout is refused', () => {
  const bytes = encodeRow({ version: 1, ttl: null, body: Buffer.of(7) });
  expect(decodeRow('a', bytes)).toEqual({ version: 1, ttl: null, body: Buffer.of(7) });
  bytes[0] = 2;
  expect(() => decodeRow('a', bytes)).toThrow(new NewerFormatError('row a', 2, 1));
  bytes[0] = 0;
  expect(() => decodeRow('a', bytes)).toThrow('row a has layout 0');
});
