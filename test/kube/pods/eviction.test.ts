import { expect, test } from 'vitest';
import { PODS, aWorld, manifest } from '../a-world.ts';
import { JOBS, send } from '../write/a-client.ts';

const eviction = (name: string, more: object = {}) => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name, namespace: 'default' },
  ...more,
});

/** A Job with one running Pod. */
async function withPod() {
  const world = await aWorld();
  await send(world, 'POST', JOBS, manifest('sums'));
  await world.commit('sums', [
    { op: 'claim', index: 0 },
    { op: 'running', index: 0 },
  ]);
  await world.launch('sums', [{ index: 0, attempt: 1 }]);
  const { items } = (await (await world.get(PODS)).json()) as { items: { metadata: { name: string; uid: string } }[] };
  const { name, uid } = items[0]!.metadata;
  return { world, name, uid, url: `${PODS}/${name}/eviction` };
}

const EVICTED = [{ index: 0, attempt: 1, nonce: 0, how: 'evicted' }];

test('an eviction stops the Pod, and says that it was one', async () => {
  const { world, name, url } = await withPod();
  const { code, body } = await send(world, 'POST', url, eviction(name));
  expect([code, body]).toMatchObject([201, { kind: 'Status', status: 'Success', code: 201 }]);
  expect(world.deletedPods).toEqual(EVICTED);
});

test('a Pod that is being evicted shows the condition DisruptionTarget', async () => {
  const { world, name } = await withPod();
  const conditions = async () =>
    ((await send(world, 'GET', `${PODS}/${name}`)).body.status as { conditions: { type: string }[] }).conditions;
  expect((await conditions()).map(({ type }) => type)).not.toContain('DisruptionTarget');
  await world.commit('sums', [{ op: 'evicted', index: 0 }]);
  expect((await conditions()).find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  });
});

test.each([
  ['in the query', '?dryRun=All', {}],
  ['in the body', '', { deleteOptions: { dryRun: ['All'] } }],
  ['in both', '?dryRun=All', { deleteOptions: { dryRun: ['All'] } }],
])('a dry run, asked for %s, stops nothing', async (_, query, more) => {
  const { world, name, url } = await withPod();
  expect((await send(world, 'POST', `${url}${query}`, eviction(name, more))).code).toBe(201);
  expect(world.deletedPods).toEqual([]);
});

test.each([
  ['another name', { metadata: { name: 'other' } }, 400, 'name in URL does not match name in Eviction object'],
  ['another namespace', { metadata: { name: 'NAME', namespace: 'other' } }, 400, 'does not match the namespace'],
  ['another kind', { kind: 'Pod', apiVersion: 'v1' }, 400, 'cannot be handled as a Eviction'],
  ['an unknown field', { delteOptions: {} }, 400, 'unknown field "delteOptions"'],
  ['a grace that is none', { deleteOptions: { gracePeriodSeconds: -1 } }, 400, 'not negative'],
  ['a grace of another type', { deleteOptions: { gracePeriodSeconds: '1' } }, 400, 'cannot unmarshal string'],
  ['another uid', { deleteOptions: { preconditions: { uid: 'x' } } }, 409, 'UID in precondition: x'],
])('%s is refused', async (_, more, code, message) => {
  const { world, name, url } = await withPod();
  const wish = JSON.parse(JSON.stringify(eviction(name, more)).replace('NAME', name)) as unknown;
  const answer = await send(world, 'POST', `${url}?fieldValidation=Strict`, wish);
  expect([answer.code, answer.body.message]).toEqual([code, expect.stringContaining(message)]);
  expect(world.deletedPods).toEqual([]);
});

test('what is not there cannot be evicted, nor can it be done otherwise than by POST', async () => {
  const { world, name, url, uid } = await withPod();
  expect((await send(world, 'POST', `${PODS}/sums-3-aaaaa/eviction`, eviction('sums-3-aaaaa'))).code).toBe(404);
  expect((await send(world, 'PUT', url, eviction(name))).code).toBe(405);
  const wish = eviction(name, { deleteOptions: { preconditions: { uid } } });
  expect((await send(world, 'POST', url, wish)).code).toBe(201);
});
