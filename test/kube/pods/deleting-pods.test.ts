import { describe, expect, test } from 'vitest';
import { PODS, type World } from '../a-world.ts';
import { aBusyJob, list } from './some-pods.ts';

test('deleting a Pod stops its attempt; what has ended is removed; one that was deleted is gone', async () => {
  const world = await aBusyJob();
  const { items } = await list(world);
  const answers = await Promise.all(
    items.map(async ({ metadata, status }) => {
      const answer = await world.app.request(`${PODS}/${metadata.name}`, { method: 'DELETE' });
      return `${status.phase} ${answer.status}`;
    }),
  );
  expect([...new Set(answers)].sort()).toEqual(['Failed 200', 'Pending 200', 'Running 200', 'Succeeded 200']);
  expect(world.deletedPods.length).toBe(answers.filter((answer) => /Pending|Running/.test(answer)).length);
  const left = (await list(world)).items;
  expect(left.map(({ status }) => status.phase)).toEqual(['Running', 'Pending', 'Pending']);
  const name = left[1]?.metadata.name ?? '';
  await world.commit('sums', [{ op: 'failed', index: 2, notBefore: null }]);
  await world.record('sums', 2, 1, {
    cause: 'Stopped',
    exitCode: 143,
    container: 'main',
    reason: 'Muster: the Pod was deleted: Essential',
    podDeleted: true,
  });
  expect((await world.get(`${PODS}/${name}`)).status).toBe(404);
});

describe('stopping Pods', () => {
  const stop = async (world: World, path: string, body: object = {}) =>
    world.app.request(`${PODS}${path}`, {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  test('the answer is the Pod as it goes; force and grace are accepted', async () => {
    const world = await aBusyJob();
    const pod = (await list(world)).items.find(({ status }) => status.phase === 'Running');
    const answer = await stop(world, `/${pod?.metadata.name}`, { gracePeriodSeconds: 0, propagationPolicy: 'Orphan' });
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      {
        metadata: {
          name: pod?.metadata.name,
          deletionTimestamp: '2023-11-14T22:13:20Z',
          deletionGracePeriodSeconds: 30,
        },
      },
    ]);
    expect(world.deletedPods).toEqual([{ index: 0, attempt: 2, nonce: 0 }]);
  });

  test.each([
    [{ preconditions: { uid: 'other' } }, 409],
    [{ preconditions: { resourceVersion: '1' } }, 409],
    [{ preconditions: { resourceVersion: '4' } }, 200],
    [{ dryRun: ['All'] }, 200],
    [{ gracePeriodSeconds: -1 }, 400],
  ])('%j: %i', async (body, code) => {
    const world = await aBusyJob();
    const pod = (await list(world)).items.find(({ status }) => status.phase === 'Running');
    const answer = await stop(world, `/${pod?.metadata.name}`, body);
    expect(answer.status).toBe(code);
    expect(world.deletedPods).toHaveLength(code === 200 && !('dryRun' in body) ? 1 : 0);
  });

  test('a collection: those that are live, and that the selectors show', async () => {
    const world = await aBusyJob();
    const dry = await stop(world, '?dryRun=All');
    expect([dry.status, world.deletedPods]).toEqual([200, []]);
    await stop(world, '?labelSelector=batch.kubernetes.io/job-completion-index%3D2');
    expect(world.deletedPods.map(({ index }) => index)).toEqual([2]);
    const answer = await stop(world, '');
    expect([answer.status, await answer.json()]).toMatchObject([200, { kind: 'Status', status: 'Success' }]);
    expect(world.deletedPods.map(({ index }) => index)).toEqual([2, 0, 2, 3]);
  });

  test.each([
    ['PUT', '', 'not changed'],
    ['PATCH', '', 'not changed'],
    ['PUT', '/status', 'not changed'],
    ['DELETE', '/log', 'not changed'],
  ])("%s of a Job's Pod%s is refused", async (method, path, why) => {
    const world = await aBusyJob();
    const [pod] = (await list(world)).items;
    const answer = await world.app.request(`${PODS}/${pod?.metadata.name}${path}`, { method, body: '{}' });
    const status = (await answer.json()) as { message: string; reason: string };
    expect([answer.status, status.reason]).toEqual([405, 'MethodNotAllowed']);
    expect(status.message).toContain(why);
  });

  test('the status of a Pod is the Pod', async () => {
    const world = await aBusyJob();
    for (const pod of (await list(world)).items)
      expect(await (await world.get(`${PODS}/${pod.metadata.name}/status`)).json()).toEqual(pod);
  });
});
