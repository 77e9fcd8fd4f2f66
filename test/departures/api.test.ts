import { expect, test } from 'vitest';
import { MANIFEST_BYTES_MAX } from '../../shared/schema/text/document.ts';
import { reconcileBatch } from '../../shared/control/reconcile/reconcile.ts';
import { aWorld, linesOf } from '../kube/a-world.ts';
import { aGuardedWorld, grants, rule } from '../../shared/capabilities/access/test/kube/a-guarded-world.ts';
import { JOBS, MERGE, job, send } from '../kube/write/a-client.ts';

const URL = `${JOBS}/sums`;

test('a deleted Job stops its tasks at once, whatever still holds it', async () => {
  const world = await aWorld();
  await send(world, 'POST', JOBS, job('sums', {}, { finalizers: ['example.com/hold'] }));
  await world.commit('sums', [
    { index: 0, op: 'claim' },
    { index: 0, op: 'launched' },
    { index: 0, op: 'running' },
  ]);
  expect((await send(world, 'DELETE', URL)).body.status).toMatchObject({ terminating: 1 });
  expect((await send(world, 'GET', URL)).body.status).not.toHaveProperty('active');
});

test('deleting a Job without a propagationPolicy takes its Pods with it, and Orphan is refused', async () => {
  const world = await aWorld();
  await send(world, 'POST', JOBS, job('sums'));
  expect((await send(world, 'DELETE', URL, { propagationPolicy: 'Orphan' })).body.message).toMatch(
    /"Orphan" is not supported: a Job's tasks are stopped with it/,
  );
  const uid = await world.uidOf('sums');
  expect((await send(world, 'DELETE', URL)).code).toBe(200);
  expect((await world.jobs.readStatus(uid))?.phase.kind).toBe('purging');
});

test('the Event of a suspend and of a resume names the user, after the words of Kubernetes', async () => {
  const world = await aWorld({ userOf: () => ({ username: 'kim', groups: [] }) });
  await send(world, 'POST', JOBS, job('sums'));
  for (const suspend of [true, false]) {
    await send(world, 'PATCH', URL, { spec: { suspend, parallelism: suspend ? 2 : 1 } }, MERGE);
    await reconcileBatch([{ uid: await world.uidOf('sums'), facts: [] }], world.deps);
  }
  const { items } = (await (await world.get('/api/v1/events')).json()) as { items: { message: string }[] };
  const messages = items.map(({ message }) => message).filter((message) => message.startsWith('Job '));
  expect(messages.toSorted()).toEqual([
    'Job resized by kim: parallelism 1 to 2',
    'Job resized by kim: parallelism 2 to 1',
    'Job resumed by kim',
    'Job suspended by kim',
  ]);
});

test('of a status that clients write, only their own conditions are kept', async () => {
  const world = await aWorld();
  await send(world, 'POST', JOBS, job('sums'));
  const audited = { type: 'Audited', status: 'True' };
  const wish = { status: { active: 9, conditions: [audited] } };
  const { code, body, warnings } = await send(world, 'PATCH', `${URL}/status`, wish, MERGE);
  expect([code, warnings.length]).toEqual([200, 1]);
  expect(body.status).toEqual({ ready: 0, terminating: 0, uncountedTerminatedPods: {}, conditions: [audited] });
});

test('a namespace is emptied before it goes, whatever its finalizers', async () => {
  const world = await aWorld();
  const team = '/api/v1/namespaces/team';
  await send(world, 'POST', '/api/v1/namespaces', { metadata: { name: 'team' } });
  await send(world, 'POST', JOBS.replace('default', 'team'), job('sums', {}, { finalizers: ['example.com/hold'] }));
  const { body } = await send(world, 'DELETE', team);
  await send(world, 'PUT', `${team}/finalize`, { ...body, spec: { finalizers: [] } });
  expect((await send(world, 'GET', team)).body.status).toEqual({ phase: 'Terminating' });
  await send(world, 'PATCH', `${JOBS.replace('default', 'team')}/sums`, { metadata: { finalizers: null } }, MERGE);
  await send(world, 'DELETE', team);
  expect((await send(world, 'GET', team)).code).toBe(404);
});

test('lists are of now', async () => {
  const world = await aWorld();
  await send(world, 'POST', JOBS, job('sums'));
  await send(world, 'PATCH', URL, { metadata: { labels: { a: 'b' } } }, MERGE);
  const list = async (query: string) => (await send(world, 'GET', `${JOBS}?${query}`)).code;
  expect(await list('resourceVersion=1&resourceVersionMatch=NotOlderThan')).toBe(200);
  expect(await list('resourceVersion=1&resourceVersionMatch=Exact')).toBe(410);
  expect(await list('resourceVersion=2&resourceVersionMatch=Exact')).toBe(200);
});

test('a watch shows the status of its version or a later one, never of an earlier', async () => {
  const world = await aWorld();
  await send(world, 'POST', JOBS, job('sums'));
  await world.commit('sums', [{ index: 0, op: 'claim' }]);
  await world.commit(
    'sums',
    [
      { index: 0, op: 'launched' },
      { index: 0, op: 'running' },
    ],
    { silent: true },
  );
  const events = await linesOf(await world.get(`${JOBS}?watch=1&resourceVersion=1&timeoutSeconds=1`));
  // Told of in version 2, when the task did not run yet.
  expect(events).toMatchObject([{ object: { metadata: { resourceVersion: '2' }, status: { active: 1, ready: 0 } } }]);
});

test('a body has 256 KiB at most', async () => {
  const world = await aWorld();
  const annotations = { note: 'x'.repeat(MANIFEST_BYTES_MAX) };
  expect(await send(world, 'POST', JOBS, job('sums', {}, { annotations }))).toMatchObject({
    code: 413,
    body: {
      message: expect.stringMatching(
        /^Request entity too large: limit is 262144; .*kubectl apply --server-side/,
      ) as string,
    },
  });
});

test('a page does not always say how many objects are left', async () => {
  const world = await aWorld();
  for (let i = 0; i < 130; i++) await send(world, 'POST', JOBS, job(`job-${String(i).padStart(3, '0')}`));
  const left = async (limit: number) =>
    ((await (await world.get(`${JOBS}?limit=${limit}`)).json()) as { metadata: { remainingItemCount?: number } })
      .metadata.remainingItemCount;
  expect([await left(10), await left(120)]).toEqual([undefined, 10]);
});

test('a watch ends when the right to it is gone', async () => {
  const policy = grants({ user: 'jane', namespace: 'team-a', rules: [rule('watch batch/jobs')] });
  const world = await aGuardedWorld(policy, { streamMaxSec: 3600 });
  const path = '/apis/batch/v1/namespaces/team-a/jobs?watch=true';
  const began = world.clock.now();
  const response = await world.send('GET', path);
  expect(response.status).toBe(200);
  world.allow(grants());
  await response.text();
  expect(world.clock.now() - began).toBeLessThan(360_000);
  expect((await world.send('GET', path)).status).toBe(403);
});
