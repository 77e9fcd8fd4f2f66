import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type LmdbStore, openLmdbStore } from '../../../local/store/lmdb-store.ts';
import { LmdbRows } from '../../../shared/adapters/rows/lmdb.ts';
import { HandClock, MINUTE_MS, T0, anAttempt, anEntry, at } from '../store-under-test.ts';
import * as old from './format-1.ts';
import { putRaw } from './raw-rows.ts';

// What an earlier release of Muster has written is taken over whole, or not at all.

const clock = new HandClock();
const UNREADABLE = Buffer.concat([Buffer.of(1), Buffer.alloc(12), Buffer.from('{"uid":')]);

async function aFile(rows: Parameters<typeof old.writeFormat1>[1] = old.EVERY_KIND): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'muster-take-over-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, 'jobs.lmdb');
  await old.writeFormat1(path, rows);
  writeFileSync(`${path}-made`, '');
  return path;
}

/** The store over the file, until the test is over, and what was said. */
async function openStore(
  path: string,
  discard: string | null = null,
): Promise<LmdbStore & { said: readonly string[] }> {
  const said: string[] = [];
  const store = await openLmdbStore({ path, now: clock.now }, discard, (line) => void said.push(line));
  onTestFinished(async () => store.close());
  return { ...store, said };
}

const faultOf = async (path: string, discard: string | null = null): Promise<string> =>
  openStore(path, discard).then(
    () => 'it is open',
    (error: Error) => error.message,
  );

async function namesIn(path: string): Promise<readonly string[]> {
  const rows = new LmdbRows(path, clock.now);
  const names = rows.slice('', null, 99_999).map(({ key }) => `${key.partition} ${key.sort}`);
  await rows.close();
  return names;
}

const PAGE = { namespace: null, after: null, limit: 10 };

test('every kind of row reads as before: Jobs', async () => {
  const { jobs, feed } = await openStore(await aFile());
  expect(await jobs.readSpec(old.UID)).toEqual(old.SPEC);
  expect([await jobs.readStatus(old.UID), await jobs.readStatus(old.GONE)]).toEqual([old.STATUS, old.GONE_STATUS]);
  expect(await jobs.readChunks(old.UID, [0, 1])).toEqual(new Map([[1, { version: 4, chunk: old.CHUNK }]]));
  expect(await jobs.readTemplates(old.UID)).toEqual([old.TEMPLATE]);
  expect(await jobs.readTemplates(old.GONE)).toEqual([old.TEMPLATE, old.TEMPLATE]);
  const mark = { version: 5, seq: 50, number: 3, at: T0, published: old.PUBLISHED, shown: old.SHOWN };
  expect(await feed.readMark(old.UID)).toEqual(mark);
  expect(await feed.readMark(old.GONE)).toEqual({ version: 1, seq: 10, number: 1, at: T0, published: null });
  expect(await jobs.readAnnounced(old.UID)).toBe(3);
  const part = { through: 2, pods: old.RECENT };
  expect(await feed.readPublished(old.UID, [1, 'tail'])).toEqual(
    new Map([
      [1, part],
      ['tail', part],
    ] as never),
  );
  expect(await jobs.readLaunches(old.UID, 0)).toEqual({ row: 0, version: 2, slots: [old.SLOT] });
  expect(await jobs.readAttempts(old.UID, 4_096, 8_191)).toEqual([anAttempt(4_097), anAttempt(4_098, 2, 1)]);
  expect(await jobs.listJobs(PAGE)).toEqual({
    jobs: [
      { namespace: 'default', name: 'other', uid: old.GONE, ownerUid: null },
      { namespace: 'default', name: 'sums', uid: old.UID, ownerUid: 'o-1' },
    ],
    next: null,
  });
  const due = async (now: number) => (await jobs.dueJobs({ now: at(now), after: null, limit: 10 })).uids;
  expect([await due(90_000), await due(120_000)]).toEqual([[], [old.UID]]);
  const rows = await feed.read(2, 10);
  const pods = [{ index: 1, attempt: 1, state: 'running' }];
  expect(rows).toEqual({ kind: 'rows', rows: [{ number: 3, at: T0, entries: [{ ...anEntry(old.UID, 0, 1), pods }] }] });
});

test('every kind of row reads as before: all else', async () => {
  const store = await openStore(await aFile());
  const { hosts, objects, crons, limits, deadLetters, items, waiters, feed } = store;
  expect(await hosts.readHosts(old.UID, 0)).toEqual({ row: 0, version: 6, hosts: [old.HOST] });
  expect(await hosts.reservations()).toEqual([old.RESERVATION]);
  const key = old.CHANGE.key;
  expect(await objects.list('Role', PAGE)).toMatchObject({ objects: [{ key, version: 7, document: old.DOCUMENT }] });
  expect(await objects.changes('Role', 6, 10)).toMatchObject({
    rows: [{ type: 'ADDED', object: { key, version: 7 } }],
  });
  expect([await objects.head('Role'), await feed.head()]).toEqual([7, 3]);
  expect(await crons.read('c-1')).toEqual({ uid: 'c-1', version: 8, ...old.CRON });
  const due = async (until: number) => (await crons.due({ until: at(until), after: null, limit: 10 })).crons;
  expect([await due(12_344), await due(12_345)]).toEqual([[], [{ uid: 'c-1', alarmAt: at(12_345) }]]);
  expect(await limits.read('launch')).toEqual({ version: 9, state: old.PACE });
  expect(await limits.read('stop')).toEqual({ version: 2, state: { nextFreeAt: T0, cut: null, recent: null } });
  expect(await deadLetters.newest(9)).toEqual({ deadLetters: [old.LETTER], more: false });
  expect(await items.readHead(old.CONTENT)).toEqual(old.HEAD);
  expect(await items.listParts(old.CONTENT)).toEqual([old.PART]);
  expect(await items.readItems(old.CONTENT, 1)).toEqual(old.RUN);
  expect(await items.listReservations(old.CONTENT)).toEqual([old.USE]);
  expect(await items.listContents({ after: null, limit: 9 })).toEqual({ contents: [old.CONTENT], next: null });
  expect(await waiters.list('default', 'prepare')).toEqual([old.WAITER]);
});

test('the next write of every kind depends on the version that its row has', async () => {
  const { jobs, feed, hosts, objects, crons, limits, items } = await openStore(await aFile());
  const next = { ...old.STATUS, version: old.STATUS.version + 1, alarms: [at(0)] };
  const chunk = { no: 1, expectedVersion: 4, chunk: old.CHUNK, length: 904 };
  expect(await jobs.commitPass(old.UID, next, [chunk])).toEqual({ kind: 'committed' });
  expect((await jobs.dueJobs({ now: null, after: null, limit: 9 })).uids).toEqual([old.UID]);
  expect(await jobs.addTemplate(old.UID, 1, old.TEMPLATE)).toHaveLength(2);
  expect(await jobs.addTemplate(old.GONE, 2, old.TEMPLATE)).toHaveLength(3);
  const slots = { row: 0, version: 2, slots: [] };
  expect(await jobs.writeLaunches(old.UID, slots, at(MINUTE_MS))).toMatchObject({ kind: 'written' });
  expect(await feed.append([anEntry(old.UID, 5, 6)], T0)).toEqual({ kind: 'appended', number: 4 });
  const hostRow = { row: 0, version: 6, hosts: [old.HOST] };
  expect(await hosts.writeHosts(old.UID, hostRow, at(MINUTE_MS))).toMatchObject({ kind: 'written' });
  await hosts.release(old.UID);
  expect(await hosts.reservations()).toEqual([]);
  const change = { key: old.CHANGE.key, was: 7, document: old.DOCUMENT };
  expect(await objects.commit('Role', change)).toEqual({ kind: 'committed', version: 8 });
  expect(await crons.write({ uid: 'c-1', version: 8, ...old.CRON })).toEqual({ kind: 'written' });
  expect((await limits.commit('launch', 9, old.PACE)).kind).toBe('committed');
  await items.release(old.CONTENT, old.UID);
  expect(await items.remove(old.CONTENT)).toEqual({ kind: 'marked' });
});

test('rows live as long as before', async () => {
  const path = await aFile();
  const later = at(10 * MINUTE_MS);
  const store = await openLmdbStore({ path, now: () => later }, null, () => undefined);
  await store.removeOld(() => undefined);
  await store.close();
  const left = await namesIn(path);
  expect(left.filter((name) => /u-2|ANNOUNCED|LAUNCH|HOSTS#|TASK|FEED#\w+ 0|DEAD|AFTER/.test(name))).toEqual([]);
  expect(left).toHaveLength(23);
});

test('a file is taken over once, and its rows are in more than one slice', async () => {
  const attempts: Record<string, old.OldRow> = {};
  for (let n = 0; n < 5_000; n++)
    attempts[`ATTEMPT#u-1#${String(n).padStart(6, '0')}#000001`] = { body: anAttempt(n), ttl: old.TTL };
  const path = await aFile({ ...old.EVERY_KIND, ...attempts });
  const first = await openStore(path);
  expect(first.said).toEqual([
    `${path} is from an earlier version of Muster: its rows are taken over`,
    `${Object.keys(old.EVERY_KIND).length + 5_000 - 1} rows were taken over`,
  ]);
  expect(await first.jobs.readAttempts(old.UID, 0, 4_095)).toHaveLength(4_096);
  await first.close();
  expect(readdirSync(dirname(path)).toSorted()).toEqual(['jobs.lmdb', 'jobs.lmdb-lock', 'jobs.lmdb-made']);
  expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  expect((await openStore(path)).said).toEqual([]);
});

test('a start that failed halfway leaves the file as it was, for the next', async () => {
  const path = await aFile();
  const failing = openLmdbStore({ path, now: clock.now }, null, () => {
    writeFileSync(`${path}-draft`, 'half of a file');
    throw new Error('the process ends');
  });
  await expect(failing).rejects.toThrow('the process ends');
  for (const left of ['draft', 'draft-lock', 'draft-made']) writeFileSync(`${path}-${left}`, 'of a process that died');
  const { jobs } = await openStore(path);
  expect(await jobs.readSpec(old.UID)).toEqual(old.SPEC);
  expect(existsSync(`${path}-draft`)).toBe(false);
});

test.each([
  ['JOB#u-1#MARK', UNREADABLE],
  ['NAME#default!sums', UNREADABLE],
  ['CRON#c-1', UNREADABLE],
  ['JOB#u-1#STATUS', Buffer.alloc(40)],
  ['OBJECT#Role#team!a!b/ä', Buffer.of(1, 0)],
  ['SOMETHING#else', Buffer.concat([Buffer.of(1), Buffer.alloc(12)])],
])('a row that cannot be taken over is named, and can be discarded: %s', async (key, bytes) => {
  const path = await aFile({ ...old.EVERY_KIND, [key]: bytes });
  const message = await faultOf(path);
  expect(message.startsWith(`row ${key} of ${path} cannot be decoded (`)).toBe(true);
  const advice = `): put a copy of the file in its place, or start Muster once with --discard-row '${key}'`;
  expect(message.endsWith(advice)).toBe(true);
  const store = await openStore(path, key);
  expect(store.said[0]).toMatch(/^row .+ is gone/);
  const isOfJob = /u-1|sums/.test(key);
  expect((await store.jobs.readSpec(old.UID)) === null).toBe(isOfJob);
  expect(await store.jobs.findJob('default', 'sums')).toBe(isOfJob ? null : old.UID);
  expect(await store.jobs.findJob('default', 'other')).toBe(old.GONE);
  expect(await store.feed.read(3, 9)).toEqual(isOfJob ? { kind: 'expired' } : { kind: 'rows', rows: [] });
  expect((await store.objects.changes('Role', 7, 9)).kind).toBe(key.startsWith('OBJECT') ? 'expired' : 'rows');
  await store.close();
  expect((await namesIn(path)).filter((name) => /u-1|sums/.test(name) && !/ITEMS|AFTER/.test(name)).length > 0).toBe(
    !isOfJob,
  );
});

test('of two rows that cannot be taken over each can be discarded, one after the other', async () => {
  const path = await aFile({ ...old.EVERY_KIND, 'CRON#c-1': UNREADABLE, 'LIMIT#stop': UNREADABLE });
  expect(await faultOf(path, 'CRON#c-1')).toContain('row LIMIT#stop of');
  const { crons, limits } = await openStore(path, 'LIMIT#stop');
  expect([await crons.read('c-1'), (await limits.read('stop')).version]).toEqual([null, 0]);
});

test.each([
  ['LIMIT#none', /has no row LIMIT#none: start without --discard-row/],
  ['HEAD#Job', /row HEAD#Job of .* numbers all others/],
])('a row that cannot be discarded: %s', async (key, why) => {
  const path = await aFile();
  await expect(openStore(path, key)).rejects.toThrow(why);
  expect(await (await openStore(path)).feed.head()).toBe(3);
});

test('a file of a later format is refused', async () => {
  const path = await aFile();
  const format = Buffer.alloc(13);
  format.writeUInt8(1);
  format.writeDoubleBE(3, 5);
  await putRaw(path, { FORMAT: format });
  await expect(openStore(path)).rejects.toThrow(`${path} has format 3; this version of Muster knows 2`);
});
