import { afterEach, expect, test, vi } from 'vitest';
import { JOBS, type World, aWorld, linesOf, manifest } from './a-world.ts';

afterEach(() => vi.restoreAllMocks());

const WATCHERS = 100;
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

/** A hundred watch all Jobs, half of them as kubectl's tables, while one is changed three times; what that asked for. */
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

test('a row is read, rendered and written once for all who watch Jobs, in each form', async () => {
  const { told, reads, looks, written } = await crowd('/apis/batch/v1/jobs');
  expect(told.map((events) => events.length)).toEqual(told.map(() => 3));
  expect(new Set(told.map((events) => JSON.stringify(events))).size).toBe(2);
  expect(reads).toBe(2 * 3); // one by each commit, and one for all watchers
  expect(looks).toBe(2 * WATCHERS + 4); // each for itself at its begin and its end; the reader once a second
  // Columns are named in the first row of a table only.
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

test('of a row of very many Pods each watcher reads for itself what is not held, and is told of all', async () => {
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
