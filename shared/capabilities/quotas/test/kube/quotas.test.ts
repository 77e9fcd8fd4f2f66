import { describe, expect, test } from 'vitest';
import { sweepQuotas } from '../../control/sweep-quotas.ts';
import { DONE } from '../../../../../test/support/a-stage.ts';
import { aWorld } from '../../../../../test/kube/a-world.ts';
import { APPLY, JOBS, MERGE, type World, job, send } from '../../../../../test/kube/write/a-client.ts';

const QUOTAS = '/api/v1/namespaces/default/resourcequotas';

const quota = (hard: object, name = 'team') => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name },
  spec: { hard },
});

/** A Job of so many Pods at a time; each requests `requests`. */
const wide = (name: string, parallelism: number, { suspend = false, requests = {} } = {}) => ({
  ...job(name),
  spec: {
    completionMode: 'Indexed',
    completions: parallelism,
    parallelism,
    suspend,
    template: {
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', resources: { requests } }] },
    },
  },
});

const SIX = { parallelism: 6, completions: 6 };
const statusOf = async (world: World, name = 'team') => (await send(world, 'GET', `${QUOTAS}/${name}`)).body.status;
const create = async (world: World, body: object) => send(world, 'POST', JOBS, body);
const swept = async (world: World) => sweepQuotas(world.deps, 10_000);

describe('a ResourceQuota', () => {
  test('has all of the verbs, and its status can only be read', async () => {
    const world = await aWorld();
    const one = `${QUOTAS}/team`;
    const created = await send(world, 'POST', QUOTAS, quota({ pods: '10' }));
    expect([created.code, created.body.status]).toEqual([201, { hard: { pods: '10' }, used: { pods: '0' } }]);
    expect((await send(world, 'POST', QUOTAS, quota({ pods: '10' }))).code).toBe(409);
    const patched = await send(world, 'PATCH', one, { spec: { hard: { pods: '20' } } }, MERGE);
    expect(patched.body).toMatchObject({ spec: { hard: { pods: '20' } }, status: { hard: { pods: '20' } } });
    expect((await send(world, 'PUT', one, patched.body)).body.metadata.resourceVersion).toBe(
      patched.body.metadata.resourceVersion,
    );
    const applied = await send(world, 'PATCH', `${one}?fieldManager=me&force=true`, quota({ pods: '30' }), APPLY);
    expect([applied.code, applied.body.status]).toEqual([200, { hard: { pods: '30' }, used: { pods: '0' } }]);
    expect((await send(world, 'GET', `${one}/status`)).body).toEqual((await send(world, 'GET', one)).body);
    expect((await send(world, 'PUT', `${one}/status`, applied.body)).code).toBe(405);
    expect((await send(world, 'DELETE', one)).code).toBe(200);
    expect((await send(world, 'GET', one)).code).toBe(404);
    await send(world, 'POST', QUOTAS, quota({ pods: '10' }));
    await send(world, 'DELETE', QUOTAS);
    expect((await send(world, 'GET', '/api/v1/resourcequotas')).body).toMatchObject({ items: [] });
  });

  test('keeps what is used, and what is reserved, when its labels change', async () => {
    const world = await aWorld();
    await send(world, 'POST', QUOTAS, quota({ pods: '10' }));
    await create(world, wide('a', 3));
    const counted = async () => {
      const { document } = (await world.objects.read('ResourceQuota', { namespace: 'default', name: 'team' }))!;
      return { status: document['status'], ledger: document['ledger'] };
    };
    const before = await counted();
    expect(before).toMatchObject({ status: { used: { pods: '3' } }, ledger: expect.anything() as unknown });
    const labeled = await send(world, 'PATCH', `${QUOTAS}/team`, { metadata: { labels: { a: 'b' } } }, MERGE);
    expect(labeled.code).toBe(200);
    expect(await counted()).toEqual(before);
  });

  test('shows nobody how it counts', async () => {
    const world = await aWorld();
    await send(world, 'POST', QUOTAS, quota({ pods: '10' }));
    await create(world, wide('a', 3));
    const shown = await send(world, 'GET', `${QUOTAS}/team`);
    expect(Object.keys(shown.body).toSorted()).toEqual(['apiVersion', 'kind', 'metadata', 'spec', 'status']);
    const changes = await world.objects.changes('ResourceQuota', 0, 10);
    expect(JSON.stringify(changes)).toContain('"ledger"');
    const listed = await world.app.request(`${QUOTAS}?watch=1&timeoutSeconds=1`);
    expect(await listed.text()).not.toContain('ledger');
  });

  test('is shown as kubectl shows one', async () => {
    const world = await aWorld();
    await send(
      world,
      'POST',
      QUOTAS,
      quota({ pods: 100, 'requests.cpu': '4', 'limits.cpu': '4000m', 'count/jobs.batch': '5' }),
    );
    await create(world, wide('a', 2, { requests: { cpu: '500m', memory: '1Gi' } }));
    const response = await world.app.request(QUOTAS, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    });
    const table = (await response.json()) as {
      columnDefinitions: readonly { name: string }[];
      rows: readonly { cells: readonly string[] }[];
    };
    expect(table.columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Request', 'Limit', 'Age']);
    expect(table.rows[0]?.cells.slice(0, 3)).toEqual([
      'team',
      'count/jobs.batch: 1/5, pods: 2/100, requests.cpu: 1/4',
      'limits.cpu: 1/4',
    ]);
  });

  test('goes with its namespace', async () => {
    const world = await aWorld();
    await send(world, 'POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'short' },
    });
    await send(world, 'POST', '/api/v1/namespaces/short/resourcequotas', quota({ pods: '1' }));
    await send(world, 'DELETE', '/api/v1/namespaces/short');
    expect(await world.objects.list('ResourceQuota', { namespace: null, after: null, limit: 10 })).toEqual({
      objects: [],
      next: null,
    });
    expect(await world.objects.read('Namespace', { namespace: '', name: 'short' })).toBeNull();
  });
});

describe('a Job in a namespace with a quota', () => {
  test('is refused in the words of a cluster if it would take more than is left', async () => {
    const world = await aWorld();
    await send(world, 'POST', QUOTAS, quota({ pods: '100', 'count/jobs.batch': '3' }));
    expect((await create(world, wide('a', 95))).code).toBe(201);
    const refused = await create(world, wide('b', 10));
    expect(refused.code).toBe(403);
    expect(refused.body).toMatchObject({
      reason: 'Forbidden',
      message:
        'jobs.batch "b" is forbidden: exceeded quota: team, requested: pods=10, used: pods=95, limited: pods=100',
      details: { name: 'b', group: 'batch', kind: 'jobs' },
    });
    expect((await send(world, 'GET', `${JOBS}/b`)).code).toBe(404);
    expect((await create(world, wide('b', 5))).code).toBe(201);
    expect(await statusOf(world)).toMatchObject({ used: { pods: '100', 'count/jobs.batch': '2' } });
  });

  test('of an existing name is a conflict, whatever is left', async () => {
    const world = await aWorld();
    await send(world, 'POST', QUOTAS, quota({ 'count/jobs.batch': '1' }));
    await create(world, wide('a', 1));
    expect((await create(world, wide('a', 1))).code).toBe(409);
    const used = { used: { 'count/jobs.batch': '1' } };
    expect(await statusOf(world)).toMatchObject(used);
    await send(world, 'PATCH', `${QUOTAS}/team`, { spec: { hard: { 'count/jobs.batch': '9' } } }, MERGE);
    expect((await create(world, wide('a', 1))).code).toBe(409);
    expect(await statusOf(world)).toMatchObject(used);
  });

  test('is tried out against the quota', async () => {
    const world = await aWorld();
    await send(world, 'POST', QUOTAS, quota({ pods: '3' }));
    const dry = async (body: object) => (await send(world, 'POST', `${JOBS}?dryRun=All`, body)).code;
    expect([await dry(wide('a', 4)), await dry(wide('a', 3))]).toEqual([403, 201]);
    expect(await statusOf(world)).toMatchObject({ used: { pods: '0' } });
  });

  test.each([
    ['more Pods at a time', { ...SIX }, 403],
    ['as many as there is room for', { parallelism: 5, completions: 5 }, 200],
    ['fewer', { parallelism: 1 }, 200],
    ['a resume', { suspend: false, ...SIX }, 403],
  ])('is tried out against the quota when it changes: %s', async (_, change, code) => {
    const world = await aWorld();
    await send(world, 'POST', QUOTAS, quota({ pods: '5' }));
    const isResume = 'suspend' in change;
    const { body } = await create(world, wide('a', isResume ? 6 : 3, { suspend: isResume }));
    const usage = async () => (await send(world, 'GET', `${QUOTAS}/team`)).body;
    const used = await usage();
    const wish = { ...body, spec: { ...(body['spec'] as object), ...change } };
    const asked = [
      ['PUT', wish, 'application/json'],
      ['PATCH', { spec: change }, MERGE],
    ] as const;
    for (const [method, document, type] of asked) {
      const dry = await send(world, method, `${JOBS}/a?dryRun=All`, document, type);
      expect([method, dry.code]).toEqual([method, code]);
      expect(await usage()).toEqual(used);
      const real = code === 403 ? await send(world, method, `${JOBS}/a`, document, type) : dry;
      expect([real.code, real.body.message]).toEqual([code, dry.body.message]);
    }
  });

  test('must say what its containers request, where that is limited', async () => {
    const world = await aWorld();
    await send(world, 'POST', QUOTAS, quota({ 'requests.cpu': '4', memory: '4Gi' }));
    const refused = await create(world, wide('a', 1, { requests: { memory: '1Gi' } }));
    expect(refused.body.message).toBe(
      'jobs.batch "a" is forbidden: failed quota: team: must specify requests.cpu for: main',
    );
    expect((await create(world, wide('a', 1))).body.message).toBe(
      'jobs.batch "a" is forbidden: failed quota: team: must specify memory for: main; requests.cpu for: main',
    );
    expect((await create(world, wide('rests', 1, { suspend: true }))).code).toBe(201);
    const fits = wide('a', 3, { requests: { memory: '1.5Gi', cpu: '0.1' } });
    expect((await create(world, fits)).body.message).toBe(
      'jobs.batch "a" is forbidden: exceeded quota: team, requested: memory=6Gi, used: memory=0, limited: memory=4Gi',
    );
    expect((await create(world, wide('a', 2, { requests: { memory: '1.5Gi', cpu: '0.1' } }))).code).toBe(201);
    expect(await statusOf(world)).toMatchObject({ used: { 'requests.cpu': '500m', memory: '4Gi' } });
  });

  test('counts for what its tasks get, as its attempts say it', async () => {
    const world = await aWorld();
    await send(world, 'POST', QUOTAS, quota({ 'requests.cpu': '1', 'requests.memory': '4Gi' }));
    const tiny = { requests: { cpu: '1n', memory: '1' } };
    expect((await create(world, wide('a', 5, tiny))).body.message).toBe(
      'jobs.batch "a" is forbidden: exceeded quota: team, requested: requests.cpu=1250m, used: requests.cpu=0, limited: requests.cpu=1',
    );
    expect((await create(world, wide('a', 4, tiny))).code).toBe(201);
    expect(await statusOf(world)).toMatchObject({ used: { 'requests.cpu': '1', 'requests.memory': '2Gi' } });
    await world.record('a', 0, 1, DONE);
    await world.commit(
      'a',
      (['claim', 'launched', 'succeeded'] as const).map((op) => ({ index: 0, op })),
    );
    const { body } = await send(world, 'GET', '/muster/v1/namespaces/default/jobs/a/attempts');
    expect(body).toMatchObject({ items: [{ index: 0, vcpu: 1 / 4 }] });
  });

  test('counts only as an object while it is suspended, and is refused when it resumes, grows, or may run wider', async () => {
    const world = await aWorld();
    await send(world, 'POST', QUOTAS, quota({ pods: '10', 'count/jobs.batch': '9' }));
    await create(world, wide('a', 8));
    await create(world, wide('rests', 5, { suspend: true }));
    expect(await statusOf(world)).toMatchObject({ used: { pods: '8', 'count/jobs.batch': '2' } });
    const change = async (name: string, spec: object) => send(world, 'PATCH', `${JOBS}/${name}`, { spec }, MERGE);
    expect((await change('rests', { suspend: false })).body.message).toBe(
      'jobs.batch "rests" is forbidden: exceeded quota: team, requested: pods=5, used: pods=8, limited: pods=10',
    );
    expect((await change('a', { completions: 11, parallelism: 11 })).body.message).toBe(
      'jobs.batch "a" is forbidden: exceeded quota: team, requested: pods=3, used: pods=8, limited: pods=10',
    );
    expect((await change('a', { completions: 10, parallelism: 10 })).code).toBe(200);
    expect((await change('a', { parallelism: 4 })).code).toBe(200);
    expect(await statusOf(world)).toMatchObject({ used: { pods: '10' } });
    // Counted when somebody would be refused, and each minute.
    await world.clock.sleep(10_000);
    expect((await change('rests', { suspend: false })).code).toBe(200);
    expect(await statusOf(world)).toMatchObject({ used: { pods: '9' } });
    expect((await change('rests', { suspend: true })).code).toBe(200);
    await swept(world);
    expect(await statusOf(world)).toMatchObject({ used: { pods: '4', 'count/jobs.batch': '2' } });
  });

  test('gives back what it took when it is deleted', async () => {
    const world = await aWorld();
    await send(world, 'POST', QUOTAS, quota({ pods: '10' }));
    await create(world, wide('a', 8));
    await send(world, 'DELETE', `${JOBS}/a`);
    expect(await statusOf(world)).toMatchObject({ used: { pods: '8' } });
    expect((await create(world, wide('b', 10))).code).toBe(201);
    expect(await statusOf(world)).toMatchObject({ used: { pods: '10' } });
  });

  test('is not stopped by a quota that comes later, or is lowered', async () => {
    const world = await aWorld();
    await create(world, wide('a', 8));
    const late = await send(world, 'POST', QUOTAS, quota({ pods: '5' }));
    expect(late.body.status).toEqual({ hard: { pods: '5' }, used: { pods: '8' } });
    expect((await create(world, wide('b', 1))).code).toBe(403);
    // A smaller Job is no new use.
    const narrower = await send(world, 'PATCH', `${JOBS}/a`, { spec: { parallelism: 7 } }, MERGE);
    expect(narrower.code).toBe(200);
    expect((await create(world, wide('rests', 3, { suspend: true }))).code).toBe(201);
  });

  test('needs room in all quotas', async () => {
    const world = await aWorld();
    await send(world, 'POST', QUOTAS, quota({ pods: '10' }, 'a-wide'));
    await send(world, 'POST', QUOTAS, quota({ pods: '5' }, 'b-narrow'));
    expect((await create(world, wide('a', 6))).body.message).toContain('exceeded quota: b-narrow, requested: pods=6');
    expect((await create(world, wide('a', 5))).code).toBe(201);
    for (const name of ['a-wide', 'b-narrow'])
      expect(await statusOf(world, name)).toMatchObject({ used: { pods: '5' } });
  });

  test('may be resized by applying it, and a new one created so, within the quota', async () => {
    const world = await aWorld();
    await send(world, 'POST', QUOTAS, quota({ pods: '5' }));
    const apply = async (body: object) => send(world, 'PATCH', `${JOBS}/a?fieldManager=me`, body, APPLY);
    expect((await apply(wide('a', 6))).code).toBe(403);
    expect((await apply(wide('a', 4))).code).toBe(201);
    expect((await apply(wide('a', 6))).code).toBe(403);
    expect((await apply(wide('a', 5))).code).toBe(200);
    const { body } = await send(world, 'GET', `${JOBS}/a`);
    expect((await send(world, 'PUT', `${JOBS}/a`, { ...body, spec: { ...body.spec, ...SIX } })).code).toBe(403);
  });
});

test('a namespace without quotas is asked for them once a Job, and another namespace is not concerned', async () => {
  const world = await aWorld();
  await send(world, 'POST', QUOTAS, quota({ pods: '0' }));
  await send(world, 'POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'free' } });
  expect((await send(world, 'POST', '/apis/batch/v1/namespaces/free/jobs', wide('a', 3))).code).toBe(201);
  expect((await create(world, wide('a', 1))).code).toBe(403);
});
