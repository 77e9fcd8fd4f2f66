import { setImmediate, setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../shared/runtime/memory-store.ts';
import type { JobUid } from '../../shared/domain/base/ids.ts';
import { podChanges } from '../../shared/domain/scoreboard/journal.ts';
import { DELETED_VERSION } from '../../shared/domain/scoreboard/status.ts';
import { aClient, endpoint, makeDynamoStore, stopEngineAfterwards } from '../contract/dynamo-fixture.ts';
import { HandClock, type StoreUnderTest } from '../contract/store-under-test.ts';
import { Crew, SIZES } from '../support/a-crew.ts';
import { type Told, listAndWatch, truthOf } from '../support/a-watcher.ts';
import { informerOf, listsOf } from '../support/an-informer.ts';
import { Random } from './random.ts';
import { openNamespace } from '../support/a-namespace.ts';

const WATCHERS = 4;
/** Against the engine, where each Pod costs requests: the seeds in memory have the large Jobs. */
const ENGINE_SIZES = [1, 3, 3, 5, 5];

/**
 * Eight writers create, change, run and delete Jobs and die at any await, while watchers list and then follow the feed
 * from where it stood when they listed. Whichever process died: once the sweep's passes ran, every watcher knows what the store knows.
 */
async function runStorm(
  seed: number,
  store: StoreUnderTest,
  turn: () => Promise<void>,
  { sizes = SIZES, poll = turn }: { readonly sizes?: readonly number[]; readonly poll?: () => Promise<void> } = {},
): Promise<void> {
  await openNamespace(store.objects, 'default', store.clock.now());
  const crew = new Crew(seed, store, turn, sizes);
  let over = false;
  const watch = async (): Promise<Told> => listAndWatch(store, poll, () => over);
  const watches = [watch()];
  const begun: Promise<void>[] = [];
  const inform = async (kind: 'jobs' | 'pods') => {
    let listed: () => void = () => undefined;
    begun.push(new Promise((resolve) => (listed = resolve)));
    return informerOf(kind, store, poll, () => over, listed);
  };
  const informers = { jobs: [inform('jobs'), inform('jobs')], pods: [inform('pods'), inform('pods')] };
  await Promise.all(begun); // else one of two that are to hear the same could list what the other hears of
  await crew.work((actions) => {
    if (actions % 15 !== 0 || watches.length >= WATCHERS) return;
    watches.push(watch());
    informers.jobs.push(inform('jobs'));
    informers.pods.push(inform('pods'));
  });
  await crew.settle();
  over = true;
  const told = await Promise.all(watches);

  expect(crew.crashes).toBeGreaterThan(5);
  expect(told).toHaveLength(WATCHERS);
  const [truth, head] = [await truthOf(store), await store.feed.head()];
  for (const { from, numbers, oddities, jobs } of told) {
    expect(oddities).toEqual([]);
    expect(numbers).toEqual(Array.from({ length: head - from }, (_, nth) => from + 1 + nth));
    expect(jobs).toEqual(truth);
  }
  // What an informer knows in the end is what a list shows, version by version; those who began together hear the same.
  const lists = listsOf(store);
  for (const kind of ['jobs', 'pods'] as const) {
    const informed = await Promise.all(informers[kind]);
    const listed = await lists[kind]();
    for (const { cache, oddities } of informed) {
      expect(oddities).toEqual([]);
      expect(cache).toEqual(listed);
    }
    expect(informed[0]?.events.length).toBeGreaterThan(10);
    expect(informed[1]?.events).toEqual(informed[0]?.events);
  }
  for (const uid of crew.uids) {
    const { committed, published } = await versionsOf(uid, store, truth.has(uid));
    expect(published, uid).toBe(committed);
  }
}

/** A Job's version in the store and in the feed; what its last commits changed that nobody sees needs no row. */
async function versionsOf(uid: JobUid, { jobs, feed }: StoreUnderTest, isLive: boolean) {
  const [status, mark] = [await jobs.readStatus(uid), await feed.readMark(uid)];
  const told = mark?.version ?? null;
  if (status === null) return { committed: null, published: told }; // its writer died first, or the name was taken
  if (!isLive) return { committed: DELETED_VERSION, published: told };
  return { committed: status.version, published: Math.max(told ?? 0, status.published.version) };
}

test.each(Array.from({ length: 12 }, (_, seed) => seed))(
  'in memory, watchers miss nothing and see nothing twice (seed %i)',
  async (seed) => {
    expect.hasAssertions();
    const clock = new HandClock();
    const random = new Random(seed + 1_000);
    const turn = async (): Promise<void> => {
      for (let n = random.between(0, 5); n > 0; n--) await Promise.resolve();
    };
    await runStorm(seed, { ...createMemoryStore({ now: clock.now }), clock }, turn);
  },
);

test('a launch that is refused is no change of its Pod, that it is to stop is one', () => {
  const steps = [
    { index: 0, attempt: 1, op: 'renonce' },
    { index: 1, attempt: 2, op: 'running' },
    { index: 1, attempt: 2, op: 'stopping' },
    { index: 2, attempt: 1, op: 'stopping' },
  ] as const;
  const entries = steps.map((transition, seq) => ({ seq, transition }));
  expect(podChanges({ nextSeq: steps.length, entries }, 0)).toEqual([
    { index: 1, attempt: 2, state: 'running' },
    { index: 2, attempt: 1, state: 'stopping' },
  ]);
});

stopEngineAfterwards();

describe.skipIf(endpoint === null)('on the DynamoDB engine', () => {
  const client = aClient();
  // Who asks without a pause takes the engine from those who write.
  const poll = async (): Promise<void> => setTimeout(20);
  test.each([0, 1, 2])('watchers miss nothing and see nothing twice (seed %i)', async (seed) => {
    expect.hasAssertions();
    await runStorm(seed, await makeDynamoStore(client), async () => setImmediate(), { sizes: ENGINE_SIZES, poll });
  });
});
