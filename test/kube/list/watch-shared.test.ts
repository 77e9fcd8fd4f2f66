import { afterEach, expect, test, vi } from 'vitest';
import { JOBS, type World, aWorld, linesOf, manifest } from '../a-world.ts';

afterEach(() => vi.restoreAllMocks());

const WATCHERS = 100;
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

/**
 * A hundred watches on all Jobs, half of them as kubectl's tables, while one is changed three times; the requests that this
 * caused.
 */
async function crowd(path: string) {
  let step = 0;
  const world: World = await aWorld(
    {},
    {
      async onSleep() {
        // Time does not pass before all have begun.
        while (looks.mock.calls.length < WATCHERS) await new Promise((resolve) => setImmediate(resolve));
        if (++step <= 3) await world.commit('a', [{ op: 'claim', index: step - 1 }]);
      },
    },
  );
  await world.post(JOBS, manifest('a'));
  const reads = vi.spyOn(world.jobs, 'readStatus');
  const looks = vi.spyOn(world.feed, 'read');
  const texts = vi.spyOn(JSON, 'stringify');
  const answers = await Promise.all(
    Array.from({ length: WATCHERS }, async (_, i) =>
      world.get(`${path}?watch=1&resourceVersion=1&timeoutSeconds=5`, i % 2 === 0 ? {} : TABLE),
    ),
  );
  const told = await Promise.all(answers.map(linesOf));
  const written = texts.mock.calls.filter(([value]) => {
    const { kind } = (value ?? {}) as { readonly kind?: string };
    return kind === 'Job' || kind === 'Pod' || kind === 'Table';
  });
  return { told, reads: reads.mock.calls.length, looks: looks.mock.calls.length, written: written.length };
}

test('a row is read, rendered, and written once for all watches of Jobs, in each form', async () => {
  const { told, reads, looks, written } = await crowd('/apis/batch/v1/jobs');
  expect(told.map((events) => events.length)).toEqual(told.map(() => 3));
  expect(new Set(told.map((events) => JSON.stringify(events))).size).toBe(2);
  expect(reads).toBe(2 * 3); // one by each commit, and one for all watches
  expect(looks).toBe(2 * WATCHERS + 4); // each for itself at its beginning and its end; the reader once per second
  // Only the first row of a table has column definitions.
  expect(written).toBe(2 * 3);
});

test('so are the Pods of a row', async () => {
  const { told, reads, looks, written } = await crowd('/api/v1/pods');
  expect(told.map((events) => events.map(({ type }) => type))).toEqual(told.map(() => ['ADDED', 'ADDED', 'ADDED']));
  expect(new Set(told.map((events) => JSON.stringify(events))).size).toBe(2);
  expect(reads).toBe(2 * 3);
  expect(looks).toBe(2 * WATCHERS + 4);
  expect(written).toBe(2 * 3);
});

test('for a row with very many Pods, each watch reads for itself what is not kept, and receives all', async () => {
  const indexes = Array.from({ length: 250 }, (_, index) => index);
  let hasBegun = false;
  const world: World = await aWorld(
    {},
    {
      onSleep: async () => {
        if (hasBegun) return;
        hasBegun = true;
        await world.commit(
          'a',
          indexes.map((index) => ({ op: 'claim', index })),
        );
      },
    },
  );
  await world.post(JOBS, manifest('a', { completions: 250, parallelism: 250 }));
  const answers = await Promise.all(
    [1, 2, 3].map(async () => world.get('/api/v1/pods?watch=1&resourceVersion=1&timeoutSeconds=3')),
  );
  for (const answer of answers) {
    const told = (await linesOf(answer)) as unknown as { object: { metadata: { name: string } } }[];
    const names = told.map(({ object }) => /^a-(\d+)-/.exec(object.metadata.name)?.[1]);
    expect(names).toEqual(indexes.map(String));
  }
});

test('a hundred that begin at once read ten at a time, so that others come to the store between them', async () => {
  const world = await aWorld();
  for (const name of ['a', 'b', 'c']) await world.post(JOBS, manifest(name));
  let [underWay, most] = [0, 0];
  for (const [of, name] of [
    [world.feed, 'head'],
    [world.feed, 'read'],
    [world.jobs, 'readSpec'],
  ] as const) {
    const real = (of as Record<string, (...args: unknown[]) => Promise<unknown>>)[name]!.bind(of);
    Object.assign(of, {
      [name]: async (...args: unknown[]) => {
        most = Math.max(most, ++underWay);
        await new Promise((resolve) => setImmediate(resolve));
        const answer = await real(...args);
        underWay--;
        return answer;
      },
    });
  }
  const answers = await Promise.all(
    Array.from({ length: WATCHERS }, async () => world.get('/apis/batch/v1/jobs?watch=1&timeoutSeconds=1')),
  );
  const told = await Promise.all(answers.map(linesOf));
  expect(told.map((events) => events.length)).toEqual(told.map(() => 3));
  expect(most).toBeLessThanOrEqual(11); // and the one reader
});

test('watches that begin at versions of long ago share what they read, and rows that show a Job as it was', async () => {
  const CHANGES = 40;
  const world = await aWorld();
  await world.post(JOBS, manifest('a'));
  for (let change = 1; change <= CHANGES; change++) {
    const body = JSON.stringify({ metadata: { labels: { change: String(change) } } });
    const headers = { 'content-type': 'application/merge-patch+json' };
    expect((await world.app.request(`${JOBS}/a`, { method: 'PATCH', headers, body })).status).toBe(200);
  }
  const looks = vi.spyOn(world.feed, 'read');
  const reads = vi.spyOn(world.jobs, 'readStatus');
  for (let version = 1; version <= CHANGES; version++) {
    const answer = await world.get(`/apis/batch/v1/jobs?watch=1&resourceVersion=${version}&timeoutSeconds=1`);
    const told = (await linesOf(answer)) as unknown as { object: { metadata: { labels: { change: string } } } }[];
    const changes = told.map(({ object }) => Number(object.metadata.labels.change));
    expect(changes).toEqual(Array.from({ length: CHANGES + 1 - version }, (_, nth) => version + nth));
  }
  expect(reads).toHaveBeenCalledTimes(CHANGES); // one per row, however many watches there are
  // One row per watch would be about 800.
  expect(looks.mock.calls.length).toBeLessThan(5 * CHANGES);
});
