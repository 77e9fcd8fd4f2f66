import { describe, expect, test } from 'vitest';
import { aWorld, linesOf } from '../a-world.ts';
import { APPLY, JOBS, JSON_PATCH, MERGE, STRATEGIC, type World, job, send } from './a-client.ts';

const URL = `${JOBS}/sums`;
const STATUS = `${URL}/status`;
const NOW = '2024-01-01T00:00:00Z';
const OTHERS = { managedBy: 'example.com/queue' };
const CUSTOM = { type: 'Custom', status: 'True', lastTransitionTime: NOW };

async function withJob(spec: object = {}): Promise<World> {
  const world = await aWorld();
  expect((await send(world, 'POST', JOBS, { ...job('sums', spec), status: { active: 7 } })).code).toBe(201);
  return world;
}

describe('the status of a Job that another controller runs', () => {
  test('says nothing before that has written it', async () => {
    const world = await withJob(OTHERS);
    const { body } = await send(world, 'GET', STATUS);
    expect(body.status).toEqual({});
    expect(await send(world, 'GET', URL)).toMatchObject({ body });
  });

  test.each([
    ['merge', MERGE, { status: { active: 2, startTime: '2024-01-01T02:00:00.5+02:00' } }],
    ['strategic', STRATEGIC, { status: { active: 2, startTime: NOW } }],
    ['json', JSON_PATCH, [{ op: 'add', path: '/status', value: { active: 2, startTime: NOW } }]],
    ['apply', APPLY, { apiVersion: 'batch/v1', kind: 'Job', status: { active: 2, startTime: NOW } }],
  ])('is changed by a %s patch, in the name of its writer', async (name, type, patch) => {
    const world = await withJob(OTHERS);
    const { body: before } = await send(world, 'GET', URL);
    const { code, body } = await send(world, 'PATCH', `${STATUS}?fieldManager=queue`, patch, type);
    expect([code, body.status]).toEqual([200, { active: 2, startTime: NOW }]);
    expect(body.metadata.generation).toBe(1);
    expect(body.spec).toEqual(before.spec);
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
    expect(body.metadata.managedFields?.find(({ manager }) => manager === 'queue')).toMatchObject({
      operation: name === 'apply' ? 'Apply' : 'Update',
      subresource: 'status',
      fieldsV1: { 'f:status': { 'f:active': {}, 'f:startTime': {} } },
    });
    expect(await send(world, 'GET', URL)).toMatchObject({ body });
  });

  test('is replaced as a whole, its Job is not', async () => {
    const world = await withJob(OTHERS);
    const { body } = await send(world, 'GET', URL);
    const wish = { ...body, spec: { ...body.spec, parallelism: 9 }, status: { ready: 0, conditions: [CUSTOM] } };
    const { body: after } = await send(world, 'PUT', STATUS, wish);
    expect([after.spec, after.status]).toEqual([body.spec, { conditions: [CUSTOM], ready: 0 }]);
    const { code, body: none } = await send(world, 'PUT', STATUS, { ...after, status: undefined });
    expect([code, none.status]).toEqual([200, {}]);
  });

  test('stays when the Job is changed, whatever that says of it', async () => {
    const world = await withJob(OTHERS);
    const { body } = await send(world, 'PATCH', STATUS, { status: { active: 2 } }, MERGE);
    const change = { ...body, spec: { ...body.spec, backoffLimit: 1 }, status: { active: 5, failed: 3 } };
    expect((await send(world, 'PUT', URL, change)).body.status).toEqual({ active: 2 });
    expect((await send(world, 'PATCH', URL, { status: { active: 5 } }, MERGE)).body.status).toEqual({ active: 2 });
  });

  test('keeps to the rules of a status', async () => {
    const world = await withJob(OTHERS);
    const complete = { conditions: [{ type: 'Complete', status: 'True' }] };
    const { code, body } = await send(world, 'PATCH', STATUS, { status: complete }, MERGE);
    expect([code, body.reason, body.details?.causes?.map(({ field }) => field)]).toEqual([
      422,
      'Invalid',
      ['status.completionTime', 'status.conditions', 'status.startTime'],
    ]);
    expect((await send(world, 'GET', URL)).body.status).toEqual({});
  });

  test('is read strictly', async () => {
    const world = await withJob(OTHERS);
    const put = async (status: unknown) =>
      send(world, 'PUT', `${STATUS}?fieldValidation=Strict`, { ...job('sums', OTHERS), status });
    expect(await put({ active: 'x' })).toMatchObject({ code: 400 });
    expect(await put({ startTime: 'yesterday' })).toMatchObject({ code: 400 });
    expect(await put({ startTime: '2023-02-29T00:00:00Z' })).toMatchObject({ code: 400 });
    expect(await put({ actve: 1 })).toMatchObject({
      code: 400,
      body: { message: expect.stringContaining('unknown field "status.actve"') as string },
    });
  });

  test('of a version that is gone is a conflict; a dry run stores nothing', async () => {
    const world = await withJob(OTHERS);
    const { body } = await send(world, 'GET', URL);
    const tried = await send(world, 'PATCH', `${STATUS}?dryRun=All`, { status: { active: 2 } }, MERGE);
    expect([tried.code, tried.body.status]).toEqual([200, { active: 2 }]);
    expect((await send(world, 'GET', URL)).body).toEqual(body);
    await send(world, 'PATCH', STATUS, { status: { active: 2 } }, MERGE);
    expect(await send(world, 'PUT', STATUS, { ...body, status: { active: 3 } })).toMatchObject({
      code: 409,
      body: { reason: 'Conflict' },
    });
  });

  test('that is written again unchanged makes no new version', async () => {
    const world = await withJob(OTHERS);
    const { body } = await send(world, 'PATCH', STATUS, { status: { active: 2 } }, MERGE);
    await world.clock.sleep(60_000);
    expect((await send(world, 'PATCH', STATUS, { status: { active: 2 } }, MERGE)).body).toEqual(body);
  });

  test('is seen by watches, and prints as its word', async () => {
    const world = await withJob(OTHERS);
    const { body } = await send(world, 'GET', URL);
    const failed = {
      startTime: NOW,
      conditions: ['FailureTarget', 'Failed'].map((type) => ({ type, status: 'True', reason: 'Gone' })),
    };
    expect((await send(world, 'PATCH', STATUS, { status: failed }, MERGE)).code).toBe(200);
    const from = `watch=1&timeoutSeconds=1&resourceVersion=${body.metadata.resourceVersion}`;
    expect(await linesOf(await world.get(`${JOBS}?${from}`))).toMatchObject([
      { type: 'MODIFIED', object: { status: failed } },
    ]);
    const table = await world.get(URL, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    const { rows } = (await table.json()) as { rows: { cells: unknown[] }[] };
    expect(rows[0]?.cells[1]).toBe('Failed');
  });

  test('takes what another manager has applied only with force', async () => {
    const world = await withJob(OTHERS);
    const config = (active: number) => ({ apiVersion: 'batch/v1', kind: 'Job', status: { active } });
    const apply = async (who: string, active: number, force = false) =>
      send(world, 'PATCH', `${STATUS}?fieldManager=${who}&force=${force}`, config(active), APPLY);
    expect((await apply('one', 1)).code).toBe(200);
    expect(await apply('two', 2)).toMatchObject({
      code: 409,
      body: { details: { causes: [{ field: '.status.active' }] } },
    });
    expect((await apply('two', 2, true)).body.status).toEqual({ active: 2 });
  });
});

describe('the status of a Job of our own', () => {
  test('has room for conditions of others, and for annotations', async () => {
    const world = await withJob();
    await world.commit('sums', [], { startTime: world.clock.now() });
    const patch = { metadata: { annotations: { patched: 'true' } }, status: { conditions: [CUSTOM] } };
    const { code, body, warnings } = await send(world, 'PATCH', STATUS, patch, MERGE);
    expect([code, warnings]).toEqual([200, []]);
    expect(body).toMatchObject({ metadata: { annotations: { patched: 'true' } }, status: { conditions: [CUSTOM] } });
    const later = { ...CUSTOM, lastTransitionTime: '2024-01-01T00:00:09Z' };
    const wish = { ...body, status: { ...(body.status as object), conditions: [later] } };
    expect((await send(world, 'PUT', STATUS, wish)).body.status).toEqual({
      ...(body.status as object),
      conditions: [later],
    });
    await world.commit('sums', [{ op: 'claim', index: 0 }]);
    expect((await send(world, 'GET', URL)).body.status).toMatchObject({ active: 1, conditions: [later] });
    expect(
      (await send(world, 'PATCH', STATUS, { status: { conditions: null } }, MERGE)).body.status,
    ).not.toHaveProperty('conditions');
  });

  test('is otherwise ours: what others write there is not kept, and they are warned', async () => {
    const world = await withJob();
    const { body: before } = await send(world, 'GET', URL);
    const { code, body, warnings } = await send(world, 'PATCH', STATUS, { status: { active: 5 } }, MERGE);
    expect([code, body.status]).toEqual([200, before.status]);
    expect(warnings).toEqual([expect.stringContaining('Muster runs this Job and writes its status')]);
    expect((await send(world, 'PATCH', STATUS, { status: { failed: -1 } }, MERGE)).code).toBe(422);
  });
});

test.each([
  ['PUT', 'application/json', job('none')],
  ['PATCH', MERGE, { status: {} }],
  ['PATCH', APPLY, { apiVersion: 'batch/v1', kind: 'Job', status: {} }],
])('there is no status without a Job: %s %s', async (method, type, body) => {
  const world = await aWorld();
  const path = `${JOBS}/none/status?fieldManager=me`;
  expect(await send(world, method, path, body, type)).toMatchObject({ code: 404, body: { reason: 'NotFound' } });
  expect((await send(world, 'GET', JOBS)).body).toMatchObject({ items: [] });
});

describe('namespaces', () => {
  const TEAM = '/api/v1/namespaces/team';
  async function withNamespace(): Promise<World> {
    const world = await aWorld();
    await send(world, 'POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'team' },
    });
    return world;
  }

  test('take conditions in their status, and no other phase', async () => {
    const world = await withNamespace();
    const condition = { type: 'Checked', status: 'True', reason: 'E2E', message: 'by a test' };
    const { body } = await send(world, 'PATCH', `${TEAM}/status`, { status: { conditions: [condition] } }, MERGE);
    expect(body.status).toEqual({ phase: 'Active', conditions: [condition] });
    const second = { ...condition, type: 'Again' };
    const wish = { ...body, status: { phase: 'Active', conditions: [condition, second] } };
    expect((await send(world, 'PUT', `${TEAM}/status`, wish)).body.status).toEqual(wish.status);
    expect(await send(world, 'PATCH', `${TEAM}/status`, { status: { phase: 'Terminating' } }, MERGE)).toMatchObject({
      code: 422,
      body: { message: expect.stringContaining("may only be 'Active' if `deletionTimestamp` is empty") as string },
    });
    expect((await send(world, 'PATCH', TEAM, { status: { conditions: null } }, MERGE)).body.status).toEqual(
      wish.status,
    );
  });

  test('wait for those whom finalize has named', async () => {
    const world = await withNamespace();
    const { body } = await send(world, 'GET', TEAM);
    const held = { ...body, spec: { finalizers: ['kubernetes', 'example.com/archive'] } };
    const { code, body: after } = await send(world, 'PUT', `${TEAM}/finalize`, held);
    expect([code, after.spec]).toEqual([200, held.spec]);
    // Nowhere else.
    expect((await send(world, 'PATCH', TEAM, { spec: { finalizers: [] } }, MERGE)).body.spec).toEqual(held.spec);
    await send(world, 'DELETE', TEAM);
    const { body: waiting } = await send(world, 'GET', TEAM);
    expect(waiting.status).toEqual({ phase: 'Terminating' });
    const wrong = { ...waiting, spec: { finalizers: ['nobody'] } };
    expect((await send(world, 'PUT', `${TEAM}/finalize`, wrong)).code).toBe(422);
    await send(world, 'PUT', `${TEAM}/finalize`, { ...waiting, spec: { finalizers: ['kubernetes'] } });
    expect((await send(world, 'GET', TEAM)).code).toBe(404);
  });
});
