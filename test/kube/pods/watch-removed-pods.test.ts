import { expect, test } from 'vitest';
import type { World } from '../a-world.ts';
import { JOBS, PODS, START, aWorld, linesOf, manifest } from '../a-world.ts';
import { list } from './some-pods.ts';

// A Pod that has ended and is then deleted, as watches see it that select by phase.

type PodEvent = {
  type: string;
  object: { metadata: { name: string; resourceVersion: string }; status: { phase: string } };
};

const remove = async (world: World) => (await world.app.request(PODS, { method: 'DELETE' })).status;

async function watched(world: World, query: string, from: number) {
  const lines = await linesOf(await world.get(`${PODS}?watch=true&resourceVersion=${from}&timeoutSeconds=1${query}`));
  return (lines as unknown as readonly PodEvent[]).map(
    ({ type, object }) => `${type} ${object.status.phase} ${object.metadata.resourceVersion}`,
  );
}

/** A Pod that runs, which is row 3. */
async function aLife() {
  const world = await aWorld();
  await world.post(JOBS, manifest('a', { completions: 1, parallelism: 1 }));
  await world.commit('a', [{ op: 'claim', index: 0 }], { startTime: START });
  await world.launch('a', [{ index: 0, attempt: 1 }]);
  await world.commit('a', [{ op: 'running', index: 0 }]);
  return world;
}

async function ended(world: World, how: { readonly silent?: boolean } = {}) {
  await world.record('a', 0, 1, { cause: 'Completed', exitCode: 0, container: 'main', reason: '' });
  await world.commit('a', [{ op: 'succeeded', index: 0 }], how);
}

const phase = (selected: string) => `&fieldSelector=status.phase${encodeURIComponent(selected)}`;

test('one that selects what runs gets DELETED once, at the end; one that selects what has ended, when the Pod goes', async () => {
  const world = await aLife();
  await ended(world);
  expect(await remove(world)).toBe(200);
  expect(await watched(world, phase('=Running'), 3)).toEqual(['DELETED Succeeded 4']);
  expect(await watched(world, phase('=Succeeded'), 3)).toEqual(['ADDED Succeeded 4', 'DELETED Succeeded 5']);
  expect(await watched(world, phase('=Running'), 4)).toEqual([]);
  expect(await watched(world, phase('=Succeeded'), 4)).toEqual(['DELETED Succeeded 5']);
});

test('an end that is not published yet is published before its Pod is removed', async () => {
  const world = await aLife();
  await ended(world, { silent: true });
  const [pod] = (await list(world)).items;
  expect(pod?.status.phase).toBe('Running');
  expect((await world.app.request(`${PODS}/${pod?.metadata.name}`, { method: 'DELETE' })).status).toBe(200);
  expect(await watched(world, '', 3)).toEqual(['MODIFIED Succeeded 4', 'DELETED Succeeded 5']);
});
