import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { discardRow } from '../../../local/store/discard-row.ts';
import { storeOf } from '../../../local/store/lmdb-store.ts';
import { LmdbRows } from '../../../shared/adapters/rows/lmdb.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { UnreadableRow, unreadableRows } from '../../../shared/domain/base/unreadable-row.ts';
import { openNamespace } from '../../support/a-namespace.ts';
import { putRaw } from './raw-rows.ts';
import { HandClock, RETENTION_MS, aChunk, aStoredJob, anArn, anAttempt, anEntry, at } from '../store-under-test.ts';

const dir = mkdtempSync(join(tmpdir(), 'muster-unreadable-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const clock = new HandClock();
const [GOOD, BAD] = ['good', 'bad'].map(asJobUid) as [ReturnType<typeof asJobUid>, ReturnType<typeof asJobUid>];
let path = '';
let files = 0;

/** A store with two Jobs of all kinds of rows, ServiceAccounts of two namespaces, and a CronJob that is due. */
beforeEach(async () => {
  path = join(dir, `${++files}.lmdb`);
  await using({}, async (store) => {
    for (const uid of [GOOD, BAD]) {
      const { status } = await aStoredJob(store, { uid, name: `job-${uid}`, completions: 10 });
      await store.jobs.writeAttempts(uid, [anAttempt(0)], at(RETENTION_MS));
      const slot = { index: 0, attempt: 1, nonce: 1, state: 'launched', taskArn: anArn(0), since: at(0) } as const;
      await store.jobs.writeLaunches(uid, { row: 0, version: 0, slots: [slot] }, at(RETENTION_MS));
      await store.feed.append([anEntry(uid, 0, 1)], at(0));
      const next = { ...status, version: 2, alarms: [at(0)] };
      await store.jobs.commitPass(uid, next, [aChunk(next, 0, 0, { state: 'succeeded' })]);
    }
    await openNamespace(store.objects, 'team');
    for (const [namespace, name] of [
      ['default', 'a'],
      ['default', 'b'],
      ['default', 'c'],
      ['team', 'd'],
    ] as const)
      await store.objects.commit('ServiceAccount', {
        key: { namespace, name },
        was: 0,
        document: { metadata: { uid: name } },
      });
  });
});

/** Replaces rows by bytes that mean nothing, then opens the file. */
async function using<T>(
  damage: Readonly<Record<string, Buffer>>,
  use: (store: ReturnType<typeof storeOf>, rows: LmdbRows) => Promise<T>,
): Promise<T> {
  if (Object.keys(damage).length > 0) {
    await putRaw(path, damage);
  }
  const rows = new LmdbRows(path, clock.now);
  try {
    return await use(storeOf(rows, clock.now, RETENTION_MS), rows);
  } finally {
    await rows.close();
  }
}

const NO_LAYOUT = Buffer.alloc(40);
/** The header of a row, then no JSON. */
const NO_JSON = Buffer.concat([Buffer.of(3, 2), Buffer.alloc(16), Buffer.from('\0{"uid":')]);
/** The names of all rows. */
const namesIn = (rows: LmdbRows): readonly string[] =>
  rows.slice('', null, 99_999).map(({ key }) => `${key.partition} ${key.sort}`);
const keysOf = async (promise: Promise<unknown>): Promise<readonly string[]> =>
  promise.then(
    () => [],
    (error: unknown) => unreadableRows(error).map(({ key }) => key),
  );

describe.each([
  ['without a layout', NO_LAYOUT],
  ['with half of its body', NO_JSON],
])('a row %s', (_, bytes) => {
  test.each<[string, (store: ReturnType<typeof storeOf>) => Promise<unknown>]>([
    ['JOB#bad SPEC', async ({ jobs }) => jobs.readSpec(BAD)],
    ['JOB#bad STATUS', async ({ jobs }) => jobs.readStatus(BAD)],
    ['JOB#bad BOARD#000', async ({ jobs }) => jobs.readChunks(BAD, [0])],
    ['NS#default NAME#Job#job-bad', async ({ jobs }) => jobs.findJob('default', 'job-bad')],
    [
      'OBJECT#ServiceAccount default!b',
      async ({ objects }) => objects.read('ServiceAccount', { namespace: 'default', name: 'b' }),
    ],
    ['FEED#ServiceAccount 000000000000002', async ({ objects }) => objects.changes('ServiceAccount', 0, 10)],
  ])('is named: %s', async (key, read) => {
    await using({ [key]: bytes }, async (store) => {
      const failure = await read(store).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(UnreadableRow);
      const start = `row ${key} of ${path} cannot be decoded (`;
      const end = `): put a copy of the file in its place, or stop Muster and start it once with --discard-row '${key}'`;
      expect((failure as Error).message.startsWith(start) && (failure as Error).message.endsWith(end)).toBe(true);
    });
  });

  test('does not keep others from being read, woken, or removed', async () => {
    const damage = {
      'JOB#bad STATUS': bytes,
      'JOB#bad SPEC': bytes,
      'TASK#bad#000#0 000000#000001': bytes,
    };
    await using(damage, async (store, rows) => {
      expect((await store.jobs.readSpec(GOOD))?.identity.name).toBe('job-good');
      const { jobs } = await store.jobs.listJobs({ namespace: 'default', after: null, limit: 10 });
      expect(jobs.map(({ name }) => name)).toEqual(['job-bad', 'job-good']);
      const due = await store.jobs.dueJobs({ now: null, after: null, limit: 10 });
      expect(due.uids.toSorted()).toEqual([BAD, GOOD]);
      const old = 'TASK#good#000#0 000000#000001';
      clock.advance(2 * RETENTION_MS);
      await store.removeOld(() => undefined);
      expect(namesIn(rows)).not.toContain(old);
      expect(namesIn(rows)).toContain('JOB#bad STATUS');
    });
  });
});

test('a list names all objects that cannot be read, those of its namespace only', async () => {
  const keys = ['OBJECT#ServiceAccount default!a', 'OBJECT#ServiceAccount default!c'];
  await using(Object.fromEntries(keys.map((key) => [key, NO_JSON])), async ({ objects }) => {
    const list = async (namespace: string | null) =>
      objects.list('ServiceAccount', { namespace, after: null, limit: 10 });
    expect(await keysOf(list('default'))).toEqual(keys);
    expect(await keysOf(list(null))).toEqual(keys);
    expect((await list('team')).objects.map(({ key }) => key.name)).toEqual(['d']);
  });
});

describe('a row is discarded', () => {
  test.each(['JOB#bad SPEC', 'JOB#bad STATUS', 'JOB#bad LAUNCH#000000', 'TASK#bad#000#0 000000#000001'])(
    '%s: with its whole Job, and no other',
    async (key) => {
      await using({ [key]: NO_JSON }, async (store, rows) => {
        const before = namesIn(rows);
        const gone = await discardRow(rows, key);
        const left = namesIn(rows);
        expect(left).toEqual(before.filter((each) => !/[#-]bad([# ]|$)/.test(each)));
        expect(gone).toBe(before.length - left.length);
        expect(await store.jobs.findJob('default', 'job-bad')).toBeNull();
        expect((await store.jobs.readStatus(GOOD))?.version).toBe(2);
      });
    },
  );

  test('a name: with the Job that says that it has it', async () => {
    await using({ 'NS#default NAME#Job#job-bad': NO_JSON }, async ({ jobs }, rows) => {
      await discardRow(rows, 'NS#default NAME#Job#job-bad');
      expect([await jobs.readStatus(BAD), (await jobs.readStatus(GOOD))?.version]).toEqual([null, 2]);
      expect((await jobs.listJobs({ namespace: null, after: null, limit: 9 })).jobs.map(({ name }) => name)).toEqual([
        'job-good',
      ]);
    });
  });

  test('and watches that go on from before must list again', async () => {
    await using(
      { 'OBJECT#ServiceAccount default!b': NO_JSON, 'JOB#bad SPEC': NO_JSON },
      async ({ objects, feed }, rows) => {
        const [roles, jobs] = [await objects.head('ServiceAccount'), await feed.head()];
        await discardRow(rows, 'OBJECT#ServiceAccount default!b');
        await discardRow(rows, 'JOB#bad SPEC');
        expect(await objects.changes('ServiceAccount', roles, 10)).toEqual({ kind: 'expired' });
        expect(await feed.read(jobs, 10)).toEqual({ kind: 'expired' });
        const list = await objects.list('ServiceAccount', { namespace: 'default', after: null, limit: 10 });
        expect(list.objects.map(({ key }) => key.name)).toEqual(['a', 'c']);
      },
    );
  });

  test.each([
    [
      'OBJECT#ServiceAccount default!none',
      /has no row OBJECT#ServiceAccount default!none: start without --discard-row/,
    ],
    ['FEED#Job HEAD', /row FEED#Job HEAD of .* numbers all others: put a copy of the file in its place/],
    ['FORMAT', /row FORMAT of .* numbers all others/],
  ])('but not %s', async (key, why) => {
    await using({}, async (_, rows) => {
      const before = namesIn(rows);
      await expect(discardRow(rows, key)).rejects.toThrow(why);
      expect(namesIn(rows)).toEqual(before);
    });
  });
});
