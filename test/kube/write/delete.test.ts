import { describe, expect, test } from 'vitest';
import { aWorld } from '../a-world.ts';
import { JOBS, MERGE, type World, job, send } from './a-client.ts';

const URL = `${JOBS}/sums`;
const remove = async (world: World, options: object = {}, path = URL) =>
  send(world, 'DELETE', path, { kind: 'DeleteOptions', apiVersion: 'v1', ...options });

async function running(metadata: object = {}): Promise<World> {
  const world = await aWorld();
  await send(world, 'POST', JOBS, job('sums', {}, metadata));
  await world.commit('sums', [{ index: 0, op: 'claim' }]);
  return world;
}

test('in the background: gone at once, and the name is free', async () => {
  const world = await running();
  const { body } = await send(world, 'GET', URL);
  expect(await remove(world, { propagationPolicy: 'Background' })).toMatchObject({
    code: 200,
    body: {
      kind: 'Status',
      status: 'Success',
      details: { name: 'sums', group: 'batch', kind: 'jobs', uid: body.metadata.uid },
    },
  });
  expect((await send(world, 'GET', URL)).code).toBe(404);
  expect((await send(world, 'POST', JOBS, job('sums'))).code).toBe(201);
});

test('in the foreground: shown with its finalizer while its tasks stop', async () => {
  const world = await running();
  const { code, body } = await remove(world, { propagationPolicy: 'Foreground' });
  expect(code).toBe(200);
  expect(body.metadata).toMatchObject({
    finalizers: ['foregroundDeletion'],
    deletionTimestamp: expect.any(String) as unknown,
    deletionGracePeriodSeconds: 0,
    generation: 2,
  });
  expect((await send(world, 'POST', JOBS, job('sums'))).code).toBe(409);
  // A repeated request changes nothing; then, in the background, it is deleted.
  expect((await remove(world, { propagationPolicy: 'Foreground' })).body.metadata.generation).toBe(2);
  expect((await remove(world, { propagationPolicy: 'Background' })).body.kind).toBe('Status');
  expect((await send(world, 'GET', URL)).code).toBe(404);
});

test('a finished Job has nothing to wait for', async () => {
  const world = await running();
  const verdict = { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null } as const;
  const at = world.clock.now();
  await world.commit(
    'sums',
    [
      { index: 0, op: 'launched' },
      { index: 0, op: 'running' },
      { index: 0, op: 'succeeded' },
    ],
    {
      phase: { kind: 'finished', since: at, at, verdict },
    },
  );
  expect((await remove(world, { propagationPolicy: 'Foreground' })).body.kind).toBe('Status');
});

describe('finalizers', () => {
  test('hold a Job until they are removed', async () => {
    const world = await running({ finalizers: ['example.com/hold'] });
    const { body } = await remove(world);
    expect(body).toMatchObject({
      kind: 'Job',
      metadata: { finalizers: ['example.com/hold'], deletionTimestamp: expect.any(String) as unknown },
    });
    const added = await send(world, 'PATCH', URL, { metadata: { finalizers: ['example.com/hold', 'a/b'] } }, MERGE);
    expect(added).toMatchObject({
      code: 422,
      body: {
        message:
          'Job.batch "sums" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/b"}',
      },
    });
    const released = await send(world, 'PATCH', URL, { metadata: { finalizers: null } }, MERGE);
    expect(released.code).toBe(200);
    expect((await send(world, 'GET', URL)).code).toBe(404);
    expect((await send(world, 'POST', JOBS, job('sums'))).code).toBe(201);
  });

  test('a foreground deletion on top of another is the same deletion', async () => {
    const world = await running({ finalizers: ['example.com/hold'] });
    const { body: first } = await remove(world);
    const { body } = await remove(world, { propagationPolicy: 'Foreground' });
    expect(body.metadata).toMatchObject({
      finalizers: ['example.com/hold', 'foregroundDeletion'],
      generation: first.metadata.generation,
      deletionTimestamp: first.metadata.deletionTimestamp,
    });
  });

  test('the end of a Job stays seen', async () => {
    const world = await running({ finalizers: ['example.com/hold'] });
    const verdict = { kind: 'complete', reason: 'CompletionsReached', message: 'm', decidedBy: null } as const;
    const at = world.clock.now();
    await world.commit(
      'sums',
      [
        { index: 0, op: 'launched' },
        { index: 0, op: 'running' },
        { index: 0, op: 'succeeded' },
      ],
      {
        phase: { kind: 'finished', since: at, at, verdict },
      },
    );
    const { body: before } = await send(world, 'GET', URL);
    const { body } = await remove(world);
    expect(body.status).toEqual(before.status);
  });
});

describe('preconditions', () => {
  test('uid and resourceVersion', async () => {
    const world = await running();
    const { body } = await send(world, 'GET', URL);
    const { uid, resourceVersion } = body.metadata;
    expect(await remove(world, { preconditions: { uid: 'other' } })).toMatchObject({
      code: 409,
      body: {
        message: expect.stringContaining(
          `Precondition failed: UID in precondition: other, UID in object meta: ${uid}`,
        ) as unknown,
      },
    });
    expect((await remove(world, { preconditions: { resourceVersion: '1' } })).code).toBe(409);
    expect((await remove(world, { preconditions: { uid, resourceVersion } })).code).toBe(200);
  });
});

test.each([
  [{ propagationPolicy: 'Orphan' }, /"Orphan" is not supported: a Job's tasks are stopped with it; use "Background"/],
  [{ orphanDependents: true }, /"Orphan" is not supported/],
  [{ propagationPolicy: 'Some' }, /Unsupported value: "Some"/],
  [{ propagationPolicy: 'Background', orphanDependents: false }, /cannot both be set/],
  [{ gracePeriodSeconds: -1 }, /gracePeriodSeconds/],
  [{ dryRun: ['Some'] }, /dryRun/],
  [{ nonsense: 1 }, /no DeleteOptions/],
])('%j is refused, and the Job stays', async (options, message) => {
  const world = await running();
  const { code, body } = await remove(world, options);
  expect(code).toBe(400);
  expect(body.message).toMatch(message);
  expect((await send(world, 'GET', URL)).body.metadata).not.toHaveProperty('deletionTimestamp');
});

test('--now and --force are fine; a dry run deletes nothing', async () => {
  const world = await running();
  expect((await remove(world, { dryRun: ['All'] })).code).toBe(200);
  expect((await send(world, 'DELETE', `${URL}?dryRun=All`)).code).toBe(200);
  expect((await send(world, 'GET', URL)).code).toBe(200);
  expect((await remove(world, { gracePeriodSeconds: 0 })).code).toBe(200);
  expect((await remove(world)).code).toBe(404);
});

test('a collection: what the selector shows, and nothing else', async () => {
  const world = await aWorld();
  for (const [name, team] of [
    ['a', 'x'],
    ['b', 'y'],
    ['c', 'x'],
  ] as const)
    await send(world, 'POST', JOBS, job(name, {}, { labels: { team } }));
  const { code, body } = await send(world, 'DELETE', `${JOBS}?labelSelector=team%3Dx`);
  expect(code).toBe(200);
  expect(body).toMatchObject({ kind: 'Status', status: 'Success' });
  const left = (await send(world, 'GET', JOBS)).body as unknown as { items: { metadata: { name: string } }[] };
  expect(left.items.map(({ metadata }) => metadata.name)).toEqual(['b']);
  expect((await send(world, 'DELETE', `${JOBS}?labelSelector=%21%21`)).code).toBe(400);
});

test('a name is taken until what has it is gone, and the answer says that it is going', async () => {
  const world = await aWorld();
  const held = { finalizers: ['example.com/hold'] };
  await send(world, 'POST', JOBS, job('sums', {}, held));
  const again = async () => (await send(world, 'POST', JOBS, job('sums'))).body;
  expect(await again()).toMatchObject({ code: 409, message: 'jobs.batch "sums" already exists' });
  await send(world, 'DELETE', `${JOBS}/sums`, { propagationPolicy: 'Foreground' });
  expect(await again()).toMatchObject({
    code: 409,
    reason: 'AlreadyExists',
    message: 'object is being deleted: jobs.batch "sums" already exists',
  });
});
