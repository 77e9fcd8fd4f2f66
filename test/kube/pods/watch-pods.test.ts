import { expect, test } from 'vitest';
import type { Ending } from '../../../shared/domain/base/fact.ts';
import { JOBS, PODS, START, type World, aWorld, linesOf, manifest } from '../a-world.ts';

// A watch reports one Pod as a life: ADDED, then MODIFIED for each change, DELETED if it is deleted.

type PodEvent = {
  readonly type: string;
  readonly object: {
    readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
    readonly status: { readonly phase: string };
  };
};

/** A world in which one of the steps is taken at each read of the feed. */
const eventful = async (...steps: readonly ((world: World) => Promise<unknown>)[]): Promise<World> => {
  let next = 0;
  const world: World = await aWorld({}, { onSleep: async () => void (await steps[next++]?.(world)) });
  return world;
};

const watchFrom = async (world: World, version: number, query = '') =>
  (await linesOf(
    await world.get(`${PODS}?watch=true&resourceVersion=${version}&timeoutSeconds=20${query}`),
  )) as unknown as readonly PodEvent[];

const lives = (events: readonly PodEvent[]) =>
  events.map(
    ({ type, object: { metadata, status } }) =>
      `${type} ${metadata.name.replace(/-[a-z0-9]+$/, '')} ${status.phase} ${metadata.resourceVersion}`,
  );

const DONE: Ending = { cause: 'Completed', exitCode: 0, container: 'main', reason: '' };
const BAD: Ending = { cause: 'Error', exitCode: 1, container: 'main', reason: '' };
const STOPPED: Ending = { cause: 'Stopped', exitCode: null, container: null, reason: 'Muster: it was stopped' };

test('a Pod that started, or ended, before it was published is ADDED anyway', async () => {
  const world = await eventful(async (w) => {
    await w.record('a', 1, 1, DONE);
    await w.record('a', 2, 1, BAD);
    await w.commit('a', [
      { op: 'claim', index: 0 },
      { op: 'running', index: 0 },
      { op: 'claim', index: 1 },
      { op: 'succeeded', index: 1 },
      { op: 'claim', index: 2 },
      { op: 'failed', index: 2, notBefore: null },
      { op: 'claim', index: 2, attempt: 2 },
    ]);
  });
  await world.post(JOBS, manifest('a'));
  expect(lives(await watchFrom(world, 1))).toEqual([
    'ADDED a-0 Running 2',
    'ADDED a-1 Succeeded 2',
    'ADDED a-2 Failed 2',
    'ADDED a-2 Pending 2',
  ]);
});

test('a Pod that was claimed and withdrawn before it was published is not reported', async () => {
  const world = await eventful(async (w) =>
    w.commit('a', [
      { op: 'claim', index: 0 },
      { op: 'released', index: 0 },
      { op: 'claim', index: 1 },
    ]),
  );
  await world.post(JOBS, manifest('a'));
  expect(lives(await watchFrom(world, 1))).toEqual(['ADDED a-1 Pending 2']);
});

test('a Pod that was withdrawn before it had a task was never more than Pending', async () => {
  const world = await aWorld();
  await world.post(JOBS, manifest('a'));
  await world.commit('a', [{ op: 'claim', index: 0 }]);
  await world.commit('a', [{ op: 'released', index: 0 }]);
  expect(lives(await watchFrom(world, 2))).toEqual(['DELETED a-0 Pending 3']);
});

test('a Pod that continues in another task is MODIFIED, and is the same Pod', async () => {
  const world = await eventful(
    async (w) =>
      w.commit('a', [
        { op: 'claim', index: 0 },
        { op: 'running', index: 0 },
      ]),
    async (w) => {
      await w.record('a', 0, 1, BAD, { as: 'restarted', why: { kind: 'exited', exitCode: 1 } });
      await w.commit('a', [{ op: 'restart', index: 0, notBefore: START }]);
    },
    async (w) => w.commit('a', [{ op: 'relaunch', index: 0 }]),
    async (w) => w.commit('a', [{ op: 'running', index: 0 }]),
    async (w) => {
      await w.record('a', 0, 1, { ...BAD, cause: 'StartFailed' }, { as: 'unstarted', nonce: 1 });
      await w.commit('a', [{ op: 'unstarted', index: 0, notBefore: START, since: START }]);
    },
    async (w) => w.commit('a', [{ op: 'relaunch', index: 0 }]),
    async (w) => {
      await w.record('a', 0, 1, DONE, { nonce: 2 });
      await w.commit('a', [{ op: 'succeeded', index: 0 }]);
    },
  );
  await world.post(JOBS, manifest('a'));
  const events = await watchFrom(world, 1);
  expect(events.map(({ type }) => type)).toEqual(['ADDED', ...Array.from({ length: 6 }, () => 'MODIFIED')]);
  expect(new Set(events.map(({ object }) => object.metadata.uid)).size).toBe(1);
  expect(events.map(({ object }) => Number(object.metadata.resourceVersion))).toEqual([2, 3, 4, 5, 6, 7, 8]);
});

test('the end of an attempt is reported once, with its replacement or before it', async () => {
  const world = await eventful(
    async (w) => {
      await w.record('a', 0, 1, BAD);
      await w.commit('a', [{ op: 'failed', index: 0, notBefore: null }]);
    },
    async (w) => w.commit('a', [{ op: 'claim', index: 0, attempt: 2 }]),
    async (w) => {
      await w.record('a', 0, 2, BAD);
      await w.commit('a', [
        { op: 'failed', index: 0, attempt: 2, notBefore: null },
        { op: 'claim', index: 0, attempt: 3 },
      ]);
    },
  );
  await world.post(JOBS, manifest('a'));
  await world.commit('a', [{ op: 'claim', index: 0 }]);
  expect(lives(await watchFrom(world, 2))).toEqual([
    'MODIFIED a-0 Failed 3',
    'ADDED a-0 Pending 4',
    'MODIFIED a-0 Failed 5',
    'ADDED a-0 Pending 5',
  ]);
});

test('a Pod that is stopped is MODIFIED when that is requested, DELETED when it has stopped, and gone from lists', async () => {
  const world = await eventful(
    async (w) => w.commit('a', [{ op: 'stopping', index: 0 }]),
    async (w) => {
      await w.record('a', 0, 1, STOPPED, { as: 'released', why: { kind: 'scaledDown' } });
      await w.commit('a', [{ op: 'released', index: 0 }]);
    },
    async (w) => {
      await w.record('a', 1, 1, { ...DONE }, { gone: true });
      await w.commit('a', [{ op: 'succeeded', index: 1, gone: true }]);
    },
  );
  await world.post(JOBS, manifest('a'));
  await world.commit('a', [
    { op: 'claim', index: 0 },
    { op: 'running', index: 0 },
    { op: 'claim', index: 1 },
    { op: 'running', index: 1 },
  ]);
  const events = await watchFrom(world, 2);
  expect(lives(events)).toEqual(['MODIFIED a-0 Running 3', 'DELETED a-0 Failed 4', 'DELETED a-1 Succeeded 5']);
  expect(events[0]?.object.metadata).toHaveProperty('deletionTimestamp');
  const { items } = (await (await world.get(PODS)).json()) as { items: readonly unknown[] };
  expect(items).toEqual([]);
  const name = events[1]?.object.metadata.name ?? '';
  expect((await world.get(`${PODS}/${name}`)).status).toBe(404);
});

test('Pods that a suspend between two tasks ends are gone, too', async () => {
  const world = await aWorld();
  await world.post(JOBS, manifest('a'));
  await world.record('a', 0, 1, BAD, { as: 'restarted', why: { kind: 'exited', exitCode: 1 } });
  await world.commit('a', [
    { op: 'claim', index: 0 },
    { op: 'running', index: 0 },
    { op: 'restart', index: 0, notBefore: START },
  ]);
  const before = (await (await world.get(PODS)).json()) as { items: readonly unknown[] };
  expect(before.items).toHaveLength(1);
  await world.commit('a', [{ op: 'released', index: 0 }], { phase: { kind: 'suspended', since: START } });
  expect(await (await world.get(PODS)).json()).toMatchObject({ items: [] });
});

test('the log of a Pod that was stopped is read as long as its attempt is remembered', async () => {
  const world = await aWorld();
  await world.post(JOBS, manifest('a'));
  await world.commit('a', [
    { op: 'claim', index: 0 },
    { op: 'running', index: 0 },
  ]);
  const { items } = (await (await world.get(PODS)).json()) as { items: readonly PodEvent['object'][] };
  const name = items[0]?.metadata.name ?? '';
  world.print(0, 1, 'main', 'half of it');
  await world.record('a', 0, 1, STOPPED, { as: 'released', why: { kind: 'jobSuspended' }, gone: true });
  await world.commit('a', [{ op: 'released', index: 0 }], { phase: { kind: 'suspended', since: START } });
  expect((await world.get(`${PODS}/${name}`)).status).toBe(404);
  expect(await (await world.get(`${PODS}/${name}/log`)).text()).toBe('half of it\n');
  const never = name.replace('a-0', 'a-1');
  expect((await world.get(`${PODS}/${never}/log`)).status).toBe(404);
});

type Listed = {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly PodEvent['object'][];
};
const listed = async (world: World): Promise<Listed> => (await (await world.get(PODS)).json()) as Listed;
const versions = ({ items }: Listed) =>
  items.map(({ metadata }) => `${metadata.name.replace(/-[a-z0-9]+$/, '')} ${metadata.resourceVersion}`);

test('a Pod that does not change keeps its version, in lists, alone and in watches', async () => {
  const world = await aWorld();
  await world.post(JOBS, manifest('a'));
  await world.commit('a', [
    { op: 'claim', index: 0 },
    { op: 'claim', index: 1 },
  ]);
  await world.commit('a', [{ op: 'running', index: 1 }], { fold: true });
  await world.commit('a', [{ op: 'claim', index: 2 }]);
  expect(versions(await listed(world))).toEqual(['a-0 2', 'a-1 3', 'a-2 4']);
  const { items } = await listed(world);
  for (const { metadata } of items)
    expect(await (await world.get(`${PODS}/${metadata.name}`)).json()).toMatchObject({ metadata });
  const watched = await linesOf(await world.get(`${PODS}?watch=true&timeoutSeconds=1`));
  expect(watched.map(({ object }) => object)).toEqual(items);
});

test('what is committed and not published is not shown yet', async () => {
  const world = await aWorld();
  await world.post(JOBS, manifest('a'));
  await world.commit('a', [{ op: 'claim', index: 0 }]);
  await world.commit('a', [{ op: 'running', index: 0 }], { silent: true });
  await world.commit('a', [{ op: 'claim', index: 1 }], { silent: true });
  expect((await listed(world)).items.map(({ status }) => status.phase)).toEqual(['Pending']);
  await world.commit('a', [{ op: 'claim', index: 2 }]);
  expect(versions(await listed(world))).toEqual(['a-0 3', 'a-1 3', 'a-2 3']);
});

test("a delete with the version of a client's cache is about that version", async () => {
  const world = await aWorld();
  await world.post(JOBS, manifest('a'));
  await world.commit('a', [{ op: 'claim', index: 0 }]);
  await world.commit('a', [{ op: 'claim', index: 1 }]);
  const [pod] = (await listed(world)).items;
  const remove = async (resourceVersion: string) =>
    world.app.request(`${PODS}/${pod?.metadata.name}`, {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { resourceVersion } }),
    });
  expect((await remove('3')).status).toBe(409);
  expect((await remove('2')).status).toBe(200);
  expect(world.deletedPods).toHaveLength(1);
});

test('a suspend changes every running Pod, in the row of its Job', async () => {
  const world = await eventful(async (w) => w.commit('a', [], { phase: { kind: 'suspended', since: START } }));
  await world.post(JOBS, manifest('a'));
  await world.record('a', 1, 1, DONE);
  await world.commit('a', [
    { op: 'claim', index: 0 },
    { op: 'running', index: 0 },
    { op: 'claim', index: 1 },
    { op: 'succeeded', index: 1 },
  ]);
  const events = await watchFrom(world, 2);
  expect(lives(events)).toEqual(['MODIFIED a-0 Running 3']);
  expect(events[0]?.object.metadata).toMatchObject({ deletionTimestamp: '2023-11-14T22:13:20Z' });
  expect(versions(await listed(world))).toEqual(['a-0 3', 'a-1 2']);
});

test('a deleted Job takes with it whatever Pods were published, and no others', async () => {
  const world = await eventful(
    async (w) => w.commit('a', [{ op: 'claim', index: 2 }], { silent: true }),
    async (w) => {
      // It has stopped by the time a watch reads, and no later row reports it.
      await w.record('a', 1, 1, STOPPED, { as: 'released', why: { kind: 'jobDeleted' }, gone: true });
      await w.app.request(`${JOBS}/a`, { method: 'DELETE' });
    },
  );
  await world.post(JOBS, manifest('a'));
  await world.commit('a', [
    { op: 'claim', index: 0 },
    { op: 'claim', index: 1 },
    { op: 'running', index: 1 },
  ]);
  expect(lives(await watchFrom(world, 2))).toEqual(['DELETED a-0 Pending 3', 'DELETED a-1 Running 3']);
});

test('a Pod that was published as stopping, and stops as its Job is deleted, exists until the row of the Job', async () => {
  const world = await eventful(async (w) => {
    await w.app.request(`${JOBS}/a`, { method: 'DELETE' });
  });
  await world.post(JOBS, manifest('a'));
  await world.commit('a', [
    { op: 'claim', index: 0 },
    { op: 'running', index: 0 },
  ]);
  await world.commit('a', [{ op: 'stopping', index: 0 }]);
  await world.record('a', 0, 1, STOPPED, { as: 'released', why: { kind: 'scaledDown' }, gone: true });
  await world.commit('a', [{ op: 'released', index: 0 }], { silent: true });
  const { items } = (await (await world.get(PODS)).json()) as { items: readonly PodEvent['object'][] };
  expect(items.map(({ metadata }) => metadata.resourceVersion)).toEqual(['3']);
  const path = `${PODS}/${items[0]?.metadata.name}`;
  expect((await world.get(path)).status).toBe(200);
  expect((await world.app.request(path, { method: 'DELETE' })).status).toBe(200); // it is being deleted already
  expect(lives(await watchFrom(world, 3))).toEqual(['DELETED a-0 Running 4']);
});
