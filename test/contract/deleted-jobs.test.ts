import { describe, expect, test } from 'vitest';
import { LmdbRows } from '../../shared/adapters/rows/lmdb.ts';
import type { LmdbStore } from '../../local/store/lmdb-store.ts';
import { type JobUid, asJobUid } from '../../shared/domain/base/ids.ts';
import { type Status, requestDeletion } from '../../shared/domain/scoreboard/status.ts';
import type { HandClock, StoreUnderTest } from './store-under-test.ts';
import { MINUTE_MS, RETENTION_MS, aChunk, aStoredJob, anArn, anAttempt, anEntry, at } from './store-under-test.ts';
import { aLmdbStore } from './lmdb-fixture.ts';

// How the embedded store removes deleted Jobs. On AWS their rows only have an expiry date.

const MONTH = at(30 * 86_400_000);
const HOUR_MS = 60 * MINUTE_MS;
const KEPT_MS = RETENTION_MS + HOUR_MS;
const ATTEMPTS = 2_500; // more than one slice

/** Gives a test access to every row. */
class SeenRows extends LmdbRows {
  static newest: LmdbRows;
  constructor(...args: ConstructorParameters<typeof LmdbRows>) {
    super(...args);
    SeenRows.newest = this;
  }
}

type Kept = StoreUnderTest & LmdbStore & { readonly clock: HandClock; readonly rows: LmdbRows };

async function aStore(): Promise<Kept> {
  const store = await aLmdbStore(SeenRows);
  return { ...store, rows: SeenRows.newest };
}

/** The remaining rows of a Job. */
const keysOf = ({ rows }: Kept, uid: JobUid): readonly string[] =>
  rows
    .slice('', null, 99_999)
    .map(({ key }) => `${key.partition} ${key.sort}`)
    .filter((key) => key.includes(uid));

/** A Job with all kinds of rows. Its attempts and a launch slot name tasks. */
async function aJobOf(store: Kept, uid: string, attempts = 3): Promise<{ readonly uid: JobUid; status: Status }> {
  const job = await aStoredJob(store, { uid: asJobUid(uid), name: `job-${uid}`, completions: 10_000 });
  const { jobs, feed } = store;
  const records = Array.from({ length: attempts }, (_, index) => anAttempt(index));
  await jobs.writeAttempts(job.uid, records, MONTH);
  const launched = {
    index: 9_000,
    attempt: 1,
    nonce: 1,
    state: 'launched',
    taskArn: anArn(9_000),
    since: at(0),
  } as const;
  await jobs.writeLaunches(job.uid, { row: 900, version: 0, slots: [launched] }, MONTH);
  await jobs.addTemplate(job.uid, 0, { taskDefinition: 'td', containers: ['main'], placement: '{}' });
  await feed.append([anEntry(job.uid, 0, 1)], at(0));
  const status = { ...job.status, version: 2 };
  expect(await jobs.commitPass(job.uid, status, [aChunk(status, 0, 0, { state: 'succeeded' })])).toEqual({
    kind: 'committed',
  });
  return { uid: job.uid, status };
}

/** The state after a user's delete and the last pass, with `change` applied. */
async function deleteIt(
  store: Kept,
  job: { readonly uid: JobUid; readonly status: Status },
  change: Partial<Status> = {},
) {
  const { jobs, clock } = store;
  const spec = (await jobs.readSpec(job.uid))!;
  const purging = requestDeletion(job.status, clock.now())!;
  await jobs.commitDeletion(spec.identity, purging);
  await jobs.expireJob(job.uid, purging.chunks.length, MONTH);
  const phase = { kind: 'deleted', since: clock.now(), at: clock.now() } as const;
  await jobs.commitPass(job.uid, { ...purging, version: purging.version + 1, phase, alarms: [], ...change }, []);
}

const nothing = (): void => undefined;

describe('a deleted Job', () => {
  test('is removed with all its rows when no watch can ask for it, after its tasks are forgotten', async () => {
    const store = await aStore();
    const [gone, kept] = [await aJobOf(store, 'gone', ATTEMPTS), await aJobOf(store, 'kept')];
    const before = keysOf(store, kept.uid);
    await deleteIt(store, gone);
    await store.removeOld(nothing);
    store.clock.advance(KEPT_MS - 1);
    await store.removeOld(nothing);
    expect(keysOf(store, gone.uid).length).toBeGreaterThan(ATTEMPTS);

    store.clock.advance(1);
    await store.removeOld(nothing); // finds it
    const used = store.size().usedBytes;
    let forgotten: ReadonlySet<string> = new Set();
    let leftMeanwhile = 0;
    await store.removeOld((tasks) => {
      forgotten = tasks;
      leftMeanwhile = keysOf(store, gone.uid).length;
    });
    expect(keysOf(store, gone.uid)).toEqual([]);
    expect(leftMeanwhile).toBeGreaterThan(ATTEMPTS);
    expect(forgotten.size).toBe(ATTEMPTS + 1);
    expect(forgotten.has(anArn(9_000))).toBe(true);
    expect(store.size().usedBytes).toBeLessThan(used / 2);
    expect(keysOf(store, kept.uid)).toEqual(before);
  });

  test('is removed at once at the start of a process, whose queues are empty', async () => {
    const store = await aStore();
    const job = await aJobOf(store, 'gone');
    await deleteIt(store, job);
    store.clock.advance(KEPT_MS);
    expect(await store.removeOld(nothing)).toBeGreaterThan(5);
    expect(keysOf(store, job.uid)).toEqual([]);
  });

  test('is kept until the next check after a jump of the clock, because an older message may still arrive', async () => {
    const store = await aStore();
    await store.removeOld(nothing);
    const job = await aJobOf(store, 'asleep');
    await deleteIt(store, job);
    store.clock.advance(KEPT_MS + HOUR_MS);
    await store.removeOld(nothing);
    expect((await store.jobs.readLaunches(job.uid, 900)).slots).toHaveLength(1);
    await store.removeOld(nothing);
    expect(keysOf(store, job.uid)).toEqual([]);
  });

  test.each<[string, (store: Kept, job: Awaited<ReturnType<typeof aJobOf>>) => Promise<unknown>]>([
    ['still stops its tasks', async (store, job) => deleteIt(store, job, { phase: { kind: 'purging', since: at(0) } })],
    ['has an alarm, because the feed may not know it', async (store, job) => deleteIt(store, job, { alarms: [at(0)] })],
    [
      'has names',
      async (store, job) => {
        await store.hosts.reserve(job.uid, 1, 10, at(0));
        await deleteIt(store, job);
      },
    ],
    ['is not deleted, but finished', async ({ jobs }, { uid, status }) => jobs.commitPass(uid, finished(status), [])],
  ])('stays if it %s', async (_, end) => {
    const store = await aStore();
    const job = await aJobOf(store, 'stays');
    await end(store, job);
    store.clock.advance(KEPT_MS);
    const before = keysOf(store, job.uid);
    for (let nth = 0; nth < 3; nth++) await store.removeOld(nothing);
    expect(keysOf(store, job.uid)).toEqual(before);
  });

  test('is removed the next time if its tasks could not be forgotten', async () => {
    const store = await aStore();
    const job = await aJobOf(store, 'gone');
    await deleteIt(store, job);
    store.clock.advance(KEPT_MS);
    const before = keysOf(store, job.uid);
    const failing = store.removeOld(() => {
      throw new Error('the disk');
    });
    await expect(failing).rejects.toThrow('the disk');
    expect(keysOf(store, job.uid)).toEqual(before);
    await store.removeOld(nothing);
    expect(keysOf(store, job.uid)).toEqual([]);
  });
});

const finished = (status: Status): Status => ({
  ...status,
  version: status.version + 1,
  alarms: [],
  phase: {
    kind: 'finished',
    verdict: { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null },
    since: at(0),
    at: at(0),
  },
});
