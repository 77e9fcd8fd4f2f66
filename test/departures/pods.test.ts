import { expect, test } from 'vitest';
import { JOBS, PODS, START, aWorld, manifest } from '../kube/a-world.ts';

const aJobWithPods = async () => {
  const world = await aWorld();
  await world.post(JOBS, manifest('sums'));
  await world.record('sums', 0, 1, { cause: 'Completed', exitCode: 0, container: 'main', reason: '' });
  await world.commit(
    'sums',
    [
      { op: 'claim', index: 0 },
      { op: 'succeeded', index: 0 },
      { op: 'claim', index: 1 },
      { op: 'running', index: 1 },
    ],
    { startTime: START },
  );
  const { items } = (await (await world.get(PODS)).json()) as { items: { metadata: { name: string } }[] };
  const [ended = '', live = ''] = items.map(({ metadata }) => metadata.name);
  const remove = async (path: string) => world.app.request(path, { method: 'DELETE' });
  return { world, ended, live, remove };
};

test('a Pod that has ended goes with its Job only', async () => {
  const { world, ended, remove } = await aJobWithPods();
  expect((await remove(`${PODS}/${ended}`)).status).toBe(409);
  expect((await world.get(`${PODS}/${ended}`)).status).toBe(200);
  expect((await remove(`${JOBS}/sums`)).status).toBe(200);
  expect((await world.get(`${PODS}/${ended}`)).status).toBe(404);
});

test("a Pod is stopped with its template's grace, whatever a delete asks for", async () => {
  const { world, live, remove } = await aJobWithPods();
  const answer = await remove(`${PODS}/${live}?gracePeriodSeconds=0`);
  expect([answer.status, await answer.json()]).toMatchObject([200, { metadata: { deletionGracePeriodSeconds: 30 } }]);
  expect(world.deletedPods).toHaveLength(1);
});

test('Events are derived from Jobs and Pods, and go with them', async () => {
  const { world, remove } = await aJobWithPods();
  const events = async () => ((await (await world.get('/api/v1/events')).json()) as { items: unknown[] }).items;
  expect((await events()).length).toBeGreaterThan(3);
  await remove(`${JOBS}/sums`);
  expect(await events()).toEqual([]);
});
