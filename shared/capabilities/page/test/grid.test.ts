import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { plusMs } from '../../../domain/base/time.ts';
import { JOBS, START, type World, aWorld, manifest } from '../../../../test/kube/a-world.ts';
import { type GridAnswer, seenGrid } from './seen-grid.ts';

const PATH = '/muster/v1/namespaces/default/jobs/sums/grid';

async function aJob(spec: object = {}, more: object = {}): Promise<World> {
  const world = await aWorld();
  const created = await world.post(JOBS, manifest('sums', { completions: 8, parallelism: 8, ...spec }, more));
  expect(created.status).toBe(201);
  return world;
}

async function gridOf(world: World, since?: GridAnswer): Promise<GridAnswer> {
  const answer = await world.get(since === undefined ? PATH : `${PATH}?since=${since.cursor}`);
  expect(answer.status).toBe(200);
  return (await answer.json()) as GridAnswer;
}

const claims = (...indexes: readonly number[]) => indexes.map((index) => ({ op: 'claim' as const, index }));
const running = (...indexes: readonly number[]) => indexes.map((index) => ({ op: 'running' as const, index }));
const patched = async (world: World, body: object): Promise<void> => {
  const answer = await world.app.request(`${JOBS}/sums`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
};

describe('the grid of a Job', () => {
  test('says what each index does, in the words of its progress', async () => {
    const world = await aJob();
    await world.commit('sums', claims(0, 1, 2, 3, 4), { startTime: START });
    await world.commit('sums', [
      ...running(0, 1, 2, 3),
      { op: 'succeeded', index: 0 },
      { op: 'failed', index: 1, notBefore: plusMs(START, 60_000) },
      { op: 'stopping', index: 2 },
      { op: 'hold', index: 6, attempt: 0 },
      { op: 'exclude', index: 7, attempt: 0 },
    ]);
    const grid = await gridOf(world);
    expect(grid).toMatchObject({ complete: true, completions: 8, indexed: true });
    expect(seenGrid(grid)).toEqual([
      'succeeded',
      'retrying',
      'stopping',
      'running',
      'starting',
      'waiting',
      'held',
      'cancelled',
    ]);
  });

  test('says which failure used up its attempts, and which success was not the first try', async () => {
    const world = await aJob(
      { backoffLimitPerIndex: 1 },
      { metadata: { name: 'sums', annotations: { 'muster.run/indexes': '0-5' } } },
    );
    await world.commit('sums', claims(0, 1, 2), { startTime: START });
    await world.commit('sums', [
      ...running(0, 1, 2),
      { op: 'failed', index: 0, notBefore: null },
      { op: 'failed', index: 1, notBefore: null },
      { op: 'failedForGood', index: 2 },
      ...[0, 1].flatMap((index) => [
        { op: 'claim' as const, index, attempt: 2 },
        { op: 'running' as const, index, attempt: 2 },
      ]),
      { op: 'succeeded', index: 0, attempt: 2 },
      { op: 'failedForGood', index: 1, attempt: 2 },
    ]);
    expect(seenGrid(await gridOf(world))).toEqual([
      'recovered',
      'failed',
      'failedEarly',
      'waiting',
      'waiting',
      'waiting',
      'excluded',
      'excluded',
    ]);
  });

  test('after a cursor has only what has changed since', async () => {
    const world = await aJob({ completions: 10_000 });
    const first = await gridOf(world);
    expect(first.chunks.map(({ first: at, count }) => [at, count])).toEqual([
      [0, 4096],
      [4096, 4096],
      [8192, 1808],
    ]);
    expect((await gridOf(world, first)).chunks).toEqual([]);
    await world.commit('sums', claims(3, 5, 4_100, 4_900), { startTime: START });
    const second = await gridOf(world, first);
    expect(second.complete).toBe(false);
    expect(second.chunks.map(({ first: at, count }) => [at, count])).toEqual([
      [3, 3],
      [4_100, 1],
      [4_900, 1],
    ]);
    expect(seenGrid(first, second)).toEqual(seenGrid(await gridOf(world)));
    expect((await gridOf(world, second)).chunks).toEqual([]);
  });

  test('has what has changed also when its chunk was stored again meanwhile', async () => {
    const world = await aJob({ completions: 5_000 });
    const first = await gridOf(world);
    await world.commit('sums', claims(1), { startTime: START, fold: true });
    const second = await gridOf(world, first);
    expect(second.chunks.map(({ first: at, count }) => [at, count])).toEqual([[1, 1]]);
    expect(seenGrid(first, second)).toEqual(seenGrid(await gridOf(world)));
  });

  test('is sent as a whole when each cell may look different: suspended, over, resized, or another Job', async () => {
    const world = await aJob();
    await world.commit('sums', [...claims(0, 1), ...running(0, 1)], { startTime: START });
    const open = await gridOf(world);
    await world.commit('sums', [], { phase: { kind: 'suspended', since: START } });
    const ending = await gridOf(world, open);
    expect(ending.complete).toBe(true);
    expect(seenGrid(ending).slice(0, 2)).toEqual(['stopping', 'stopping']);
    await patched(world, { spec: { completions: 4, parallelism: 4 } });
    const smaller = await gridOf(world, ending);
    expect(smaller).toMatchObject({ complete: true, completions: 4 });
    expect(seenGrid(smaller)).toHaveLength(4);
    for (const cursor of ['x', '../../etc', `${smaller.cursor}9`, smaller.cursor.replace(/^\d/, '9')])
      expect(((await (await world.get(`${PATH}?since=${cursor}`)).json()) as GridAnswer).complete).toBe(true);
    const ahead = smaller.cursor.replace(/\.\d+\./, '.999999.');
    expect(((await (await world.get(`${PATH}?since=${ahead}`)).json()) as GridAnswer).complete).toBe(true);
  });

  test('of a Job whose Pods have no indexes has slots', async () => {
    const world = await aJob({ completionMode: 'NonIndexed', parallelism: 3 });
    const grid = await gridOf(world);
    expect(grid.indexed).toBe(false);
    expect(seenGrid(grid)).toHaveLength(grid.completions);
  });

  test('of 1,000,000 indexes is small, is read in pieces, and compressed', async () => {
    const world = await aJob({ completions: 1_000_000, parallelism: 100_000 });
    const text = await (await world.get(PATH)).text();
    expect(text.length).toBeLessThan(1_000_000);
    expect(seenGrid(JSON.parse(text) as GridAnswer).every((cell) => cell === 'waiting')).toBe(true);
    const answer = await world.get(PATH, { 'accept-encoding': 'gzip' });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.length).toBeLessThan(50_000);
    expect(gunzipSync(bytes).toString()).toBe(text);
  });

  test('costs reads of what has changed, and none of what was never stored', async () => {
    const world = await aJob({ completions: 1_000_000, parallelism: 100_000 });
    await world.commit('sums', claims(1), { startTime: START, fold: true });
    const { jobs } = world.deps;
    const wanted: (readonly number[])[] = [];
    const readChunks = jobs.readChunks.bind(jobs);
    const noted: typeof readChunks = async (uid, nos) => {
      wanted.push(nos);
      return readChunks(uid, nos);
    };
    Object.assign(jobs, { readChunks: noted });
    const first = await gridOf(world);
    // Chunks that STATUS says are not stored need no read.
    expect(wanted).toEqual([[0]]);
    await world.commit('sums', claims(2, 999_999));
    wanted.length = 0;
    expect((await gridOf(world, first)).chunks.map(({ first: at, count }) => [at, count])).toEqual([
      [2, 1],
      [999_999, 1],
    ]);
    expect(wanted).toEqual([[0]]);
    await gridOf(world, await gridOf(world));
    expect(wanted).toEqual([[0], [0]]);
  });

  test('of no Job, and by other methods', async () => {
    const world = await aWorld();
    expect((await world.get(PATH)).status).toBe(404);
    expect((await world.post(PATH, {})).status).toBe(405);
  });
});
