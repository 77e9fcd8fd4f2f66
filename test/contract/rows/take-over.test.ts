import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type LmdbStore, openLmdbStore } from '../../../local/store/lmdb-store.ts';
import { LmdbRows } from '../../../shared/adapters/rows/lmdb.ts';
import { HandClock, MINUTE_MS, T0, anAttempt, anEntry, at } from '../store-under-test.ts';
import { isThere } from '../../support/kinds-there.ts';
import { HAS_SCHEDULERS } from '../a-scheduler-row.ts';
import * as old from './format-2.ts';
import { json } from '../../../shared/store/rows/fields.ts';
import { putRaw } from './raw-rows.ts';

// What an earlier release of Muster has written is taken over whole, or not at all.

const clock = new HandClock();
/** The header of a row of format 2 that has a body and nothing else. */
const A_BODY = Buffer.concat([Buffer.of(2, 2), Buffer.alloc(16)]);
const UNREADABLE = Buffer.concat([A_BODY, Buffer.from('{"uid":')]);

async function aFile(rows: Parameters<typeof old.writeFormat2>[1] = old.EVERY_KIND): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'muster-take-over-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, 'jobs.lmdb');
  await old.writeFormat2(path, rows);
  writeFileSync(`${path}-made`, '');
  return path;
}

/** The store over the file, until the test is over, and what was said. */
async function openStore(
  path: string,
  discard: string | null = null,
): Promise<LmdbStore & { said: readonly string[] }> {
  const said: string[] = [];
  const store = await openLmdbStore(path, clock.now, discard, (line) => void said.push(line));
  onTestFinished(async () => store.close());
  return { ...store, said };
}

const faultOf = async (path: string): Promise<string> =>
  openStore(path).then(
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
  const { hosts, objects, limits, deadLetters, items, waiters, feed } = store;
  expect(await hosts.readHosts(old.UID, 0)).toEqual({ row: 0, version: 6, hosts: [old.HOST] });
  expect(await hosts.reservations()).toEqual([old.RESERVATION]);
  const key = old.CHANGE.key;
  expect(await objects.list('ServiceAccount', PAGE)).toMatchObject({
    objects: [{ key, version: 7, document: old.DOCUMENT }],
  });
  expect(await objects.changes('ServiceAccount', 6, 10)).toMatchObject({
    rows: [{ type: 'ADDED', object: { key, version: 7 } }],
  });
  expect([await objects.head('ServiceAccount'), await feed.head()]).toEqual([7, 3]);
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

test.runIf(HAS_SCHEDULERS)('a row of a scheduler reads as before', async () => {
  const { crons } = await openStore(await aFile());
  expect(await crons.read('c-1')).toEqual({ uid: 'c-1', version: 8, ...old.CRON });
  const due = async (until: number) => (await crons.due({ until: at(until), after: null, limit: 10 })).crons;
  expect([await due(12_344), await due(12_345)]).toEqual([[], [{ uid: 'c-1', alarmAt: at(12_345) }]]);
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
  expect(await objects.commit('ServiceAccount', change)).toEqual({ kind: 'committed', version: 8 });
  expect(await crons.write({ uid: 'c-1', version: 8, ...old.CRON })).toEqual({ kind: 'written' });
  expect((await limits.commit('launch', 9, old.PACE)).kind).toBe('committed');
  await items.release(old.CONTENT, old.UID);
  expect(await items.remove(old.CONTENT)).toEqual({ kind: 'marked' });
});

test('rows live as long as before', async () => {
  const path = await aFile();
  const later = at(10 * MINUTE_MS);
  const store = await openLmdbStore(
    path,
    () => later,
    null,
    () => undefined,
  );
  await store.removeOld(() => undefined);
  await store.close();
  const left = await namesIn(path);
  expect(left.filter((name) => /u-2|ANNOUNCED|LAUNCH|HOSTS#|TASK|FEED#\w+ 0|DEAD|AFTER/.test(name))).toEqual([]);
  expect(left).toHaveLength(23);
});

test('a file is taken over once, and its rows are in more than one slice', async () => {
  const attempts: Record<string, old.OldRow> = {};
  for (let n = 0; n < 5_000; n++) attempts[old.nameOfAttempt(n, 1)] = { ttl: old.TTL, body: json(anAttempt(n)) };
  const path = await aFile({ ...old.EVERY_KIND, ...attempts });
  const first = await openStore(path);
  expect(first.said).toEqual([
    `${path} is from an earlier version of Muster: its rows are taken over`,
    `${Object.keys({ ...old.EVERY_KIND, ...attempts }).length} rows were taken over`,
  ]);
  expect(await first.jobs.readAttempts(old.UID, 0, 4_095)).toHaveLength(4_096);
  await first.close();
  expect(readdirSync(dirname(path)).toSorted()).toEqual(['jobs.lmdb', 'jobs.lmdb-lock', 'jobs.lmdb-made']);
  expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  expect((await openStore(path)).said).toEqual([]);
});

test('a start that failed halfway leaves the file as it was, for the next', async () => {
  const path = await aFile();
  const failing = openLmdbStore(path, clock.now, null, () => {
    writeFileSync(`${path}-draft`, 'half of a file');
    throw new Error('the process ends');
  });
  await expect(failing).rejects.toThrow('the process ends');
  for (const left of ['draft', 'draft-lock', 'draft-made']) writeFileSync(`${path}-${left}`, 'of a process that died');
  const { jobs } = await openStore(path);
  expect(await jobs.readSpec(old.UID)).toEqual(old.SPEC);
  expect(existsSync(`${path}-draft`)).toBe(false);
});

const NO_ROW = Buffer.alloc(40);

test.each([
  ['JOB#u-1 SPEC', NO_ROW],
  ['JOB#u-1 SPEC', UNREADABLE],
  ['JOB#u-1 STATUS', NO_ROW],
  ['JOB#u-1 STATUS', A_BODY],
  ['JOB#u-1 STATUS', Buffer.concat([A_BODY, old.oldStatus(old.STATUS).subarray(0, 30)])],
  ['JOB#u-1 STATUS', Buffer.concat([A_BODY, Buffer.of(9), Buffer.alloc(30)])],
  ['JOB#u-1 BOARD#001', Buffer.of(2)],
  ['JOB#u-1 TOLD#tail', Buffer.of()],
  ['JOB#u-1 LAUNCH#000000', NO_ROW],
  [old.nameOfAttempt(4_097, 1), NO_ROW],
  [old.nameOfAttempt(4_097, 1), UNREADABLE],
  ['NS#default NAME#Job#sums', Buffer.of(1, 0)],
  ['LIMIT#hosts LIMIT', NO_ROW],
  ['OBJECT#ServiceAccount team!a!b/ä', Buffer.of(1, 0)],
  ['FEED#ServiceAccount 000000000000007', NO_ROW],
  ['CRON#c-1 STATE', UNREADABLE],
  ['FORMAT1 JOB#u-1', Buffer.concat([Buffer.of(1), Buffer.alloc(12)])],
])('a row that cannot be decoded stays as it is, and can be discarded: %s', async (name, bytes) => {
  const path = await aFile({ ...old.EVERY_KIND, [name]: bytes });
  const first = await openStore(path);
  expect(first.said).toContain(`1 of them cannot be decoded and stay as they are: ${name}`);
  expect(await first.jobs.findJob('default', 'other')).toBe(old.GONE);
  await first.close();
  const rows = new LmdbRows(path, clock.now);
  const all = rows.slice('', null, 99_999);
  const unreadable = all.filter(({ fault }) => fault !== undefined);
  expect(unreadable.map(({ key }) => `${key.partition} ${key.sort}`)).toEqual([name]);
  await rows.close();
  const store = await openStore(path, name);
  const { jobs, feed, objects, said } = store;
  expect(said).toEqual([expect.stringMatching(/^row .+ is gone/)]);
  const isOfJob = /^(JOB|TASK|NS)#/.test(name);
  expect((await jobs.readSpec(old.UID)) === null).toBe(isOfJob);
  expect(await jobs.findJob('default', 'sums')).toBe(isOfJob ? null : old.UID);
  expect(await jobs.findJob('default', 'other')).toBe(old.GONE);
  expect(await feed.read(3, 9)).toEqual(isOfJob ? { kind: 'expired' } : { kind: 'rows', rows: [] });
  expect((await objects.changes('ServiceAccount', 7, 9)).kind).toBe(name.startsWith('OBJECT') ? 'expired' : 'rows');
  await store.close();
  const left = await namesIn(path);
  expect(left).not.toContain(name);
  expect(left.some((each) => /u-1|sums/.test(each) && !/ITEMS|AFTER|FORMAT1/.test(each))).toBe(!isOfJob);
});

test('a row that cannot be decoded is named to the request that needs it, and no other', async () => {
  const path = await aFile({ ...old.EVERY_KIND, 'JOB#u-1 SPEC': UNREADABLE, 'JOB#u-1 MARK': UNREADABLE });
  const { jobs, feed, said } = await openStore(path);
  // What its body says is looked at only where it changes.
  expect(said.at(-1)).toBe('1 of them cannot be decoded and stay as they are: JOB#u-1 SPEC');
  await expect(feed.readMark(old.UID)).rejects.toThrow(/^row JOB#u-1 MARK of .* --discard-row 'JOB#u-1 MARK'$/);
  await expect(jobs.readSpec(old.UID)).rejects.toThrow(/^row JOB#u-1 SPEC of .* --discard-row 'JOB#u-1 SPEC'$/);
  expect(await jobs.readStatus(old.UID)).toEqual(old.STATUS);
  expect((await jobs.dueJobs({ now: at(120_000), after: null, limit: 10 })).uids).toEqual([old.UID]);
});

test('a STATUS that cannot be decoded keeps its alarm', async () => {
  const { jobs } = await openStore(await aFile({ ...old.EVERY_KIND, ...damaged() }));
  expect((await jobs.dueJobs({ now: at(120_000), after: null, limit: 10 })).uids).toEqual([old.UID]);
  await expect(jobs.readStatus(old.UID)).rejects.toThrow(/^row JOB#u-1 STATUS of .* has layout 2; this version/);
});

/** The same STATUS, cut off, with its alarm. */
function damaged(): Readonly<Record<string, old.OldRow>> {
  const { 'JOB#u-1 STATUS': status } = old.EVERY_KIND;
  if (status === undefined || Buffer.isBuffer(status)) throw new Error('there is a STATUS');
  return { 'JOB#u-1 STATUS': { ...status, body: old.oldStatus(old.STATUS).subarray(0, 30) } };
}

test.runIf(isThere('CronJob'))('what older releases left out of a row of a CronJob is filled in', async () => {
  const { kind: _kind, ...cron } = old.CRON;
  const row = { version: 1, body: json({ ...cron, alarmAt: null }) };
  const store = await openStore(await aFile({ ...old.EVERY_KIND, 'CRON#c-2 STATE': row }));
  expect(await store.crons.read('c-2')).toEqual({ uid: 'c-2', version: 1, ...old.CRON, alarmAt: null });
});

test('what older releases left out is filled in', async () => {
  const { revision: _revision, ...spec } = old.SPEC;
  const {
    judgement: _judgement,
    failures: _failures,
    ignored: _ignored,
    restarts: _restarts,
    ...attempt
  } = anAttempt(4_097);
  const { container: _container, ...ending } = attempt.ending;
  const store = await openStore(
    await aFile({
      ...old.EVERY_KIND,
      'JOB#u-1 SPEC': { body: json(spec) },
      [old.nameOfAttempt(4_097, 1)]: { ttl: old.TTL, body: json({ ...attempt, ending }) },
    }),
  );
  expect(store.said).toHaveLength(2);
  expect(await store.jobs.readSpec(old.UID)).toEqual({ ...old.SPEC, revision: spec.generation });
  const judgement = { as: 'failed', why: { kind: 'said', sentence: '' } };
  const { container, ...rest } = { container: null, judgement, failures: 0, ignored: 0, restarts: 0 };
  const found = await store.jobs.readAttempts(old.UID, 4_097, 4_097);
  expect(found).toEqual([{ ...attempt, ending: { ...ending, container }, ...rest }]);
});

test('why an attempt counts as it does was a sentence, and is data', async () => {
  const judgement = { as: 'failed', because: 'exit code 3' };
  const name = old.nameOfAttempt(4_097, 1);
  const file = { ...old.EVERY_KIND, [name]: { ttl: old.TTL, body: json({ ...anAttempt(4_097), judgement }) } };
  const store = await openStore(await aFile(file));
  const [found] = await store.jobs.readAttempts(old.UID, 4_097, 4_097);
  expect(found?.judgement).toEqual({ as: 'failed', why: { kind: 'exited', exitCode: 3 } });
});

test('of many rows that cannot be decoded, some are named', async () => {
  const many = Array.from({ length: 11 }, (_, n) => [`X#${String(n).padStart(2, '0')} A`, NO_ROW] as const);
  const { said } = await openStore(await aFile(Object.fromEntries(many)));
  const names = many.slice(0, 10).map(([key]) => key);
  expect(said.slice(1)).toEqual([
    '11 rows were taken over',
    `11 of them cannot be decoded and stay as they are: ${names.join(', ')}, …`,
  ]);
});

test.each([
  ['JOB#u-1 SPEC', Buffer.concat([Buffer.of(3), Buffer.alloc(20)]), 'row JOB#u-1 SPEC has format 3', 2],
  ['SOMETHING else', Buffer.concat([Buffer.of(3), Buffer.alloc(20)]), 'row SOMETHING else has format 3', 2],
  ['JOB#u-1 STATUS', Buffer.concat([A_BODY, Buffer.of(10), Buffer.alloc(20)]), 'a STATUS has format 10', 9],
])('a row of a later release keeps the file as it is: %s', async (key, bytes, which, known) => {
  const path = await aFile({ ...old.EVERY_KIND, [key]: bytes });
  const message = `${which}, of a later release of Muster; this one reads up to ${known}`;
  expect([await faultOf(path), await faultOf(path)]).toEqual([message, message]);
  expect(readdirSync(dirname(path)).filter((name) => name.includes('draft'))).toEqual([]);
});

test('the number of all others cannot be discarded, also where it cannot be decoded', async () => {
  const path = await aFile({ ...old.EVERY_KIND, 'FEED#Job HEAD': NO_ROW });
  await expect(openStore(path, 'FEED#Job HEAD')).rejects.toThrow(/row FEED#Job HEAD of .* numbers all others/);
  await expect((await openStore(path)).feed.head()).rejects.toThrow('row FEED#Job HEAD of');
});

test('a file of a later format is refused', async () => {
  const path = await aFile();
  const format = Buffer.alloc(13);
  format.writeUInt8(1);
  format.writeDoubleBE(4, 5);
  await putRaw(path, { FORMAT: format });
  await expect(openStore(path)).rejects.toThrow(`${path} has format 4; this version of Muster knows 3`);
});
