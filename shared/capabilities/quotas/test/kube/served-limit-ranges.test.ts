import { describe, expect, test } from 'vitest';
import { aWorld } from '../../../../../test/kube/a-world.ts';
import { APPLY, JOBS, MERGE, type World, job, send } from '../../../../../test/kube/write/a-client.ts';

const RANGES = '/api/v1/namespaces/default/limitranges';
const QUOTAS = '/api/v1/namespaces/default/resourcequotas';
const SAID = 'LimitRanger plugin set: cpu, memory request for container main; cpu, memory limit for container main';

const range = (limits: readonly object[], name = 'limits') => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name },
  spec: { limits },
});
const DEFAULTS = {
  type: 'Container',
  default: { cpu: '1', memory: '2Gi' },
  defaultRequest: { cpu: '500m', memory: '1Gi' },
};
const MAX = { type: 'Container', max: { cpu: '2' } };

/** A Job whose only container has these resources. */
const withResources = (name: string, resources: object, spec: object = {}, metadata: object = {}) => ({
  ...job(name, spec, metadata),
  spec: { ...spec, template: templateWith(resources) },
});
const templateWith = (resources: object) => ({
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', command: ['true'], resources }] },
});
const aLimitedWorld = async (...limits: readonly object[]): Promise<World> => {
  const world = await aWorld();
  expect((await send(world, 'POST', RANGES, range(limits))).code).toBe(201);
  return world;
};
const create = async (world: World, body: object) => send(world, 'POST', JOBS, body);

describe('a LimitRange', () => {
  test('has all of the verbs, and no status', async () => {
    const world = await aLimitedWorld(MAX);
    const one = `${RANGES}/limits`;
    const filled = { max: { cpu: '2' }, default: { cpu: '2' }, defaultRequest: { cpu: '2' } };
    expect((await send(world, 'GET', one)).body.spec).toEqual({ limits: [{ type: 'Container', ...filled }] });
    expect((await send(world, 'POST', RANGES, range([MAX]))).code).toBe(409);
    const limits = [{ type: 'Pod', max: { cpu: '4' } }];
    expect((await send(world, 'PATCH', one, { spec: { limits } }, MERGE)).body.spec).toEqual({ limits });
    expect((await send(world, 'PATCH', `${one}?fieldManager=me&force=true`, range([MAX]), APPLY)).code).toBe(200);
    expect((await send(world, 'PUT', one, range([DEFAULTS]))).code).toBe(200);
    expect((await send(world, 'GET', `${one}/status`)).code).toBe(404);
    const response = await world.app.request(RANGES, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    });
    expect(await response.json()).toMatchObject({
      columnDefinitions: [{ name: 'Name' }, { name: 'Created At' }],
      rows: [{ cells: ['limits', '2023-11-14T22:13:20Z'] }],
    });
    expect((await send(world, 'DELETE', one)).code).toBe(200);
    expect((await send(world, 'GET', '/api/v1/limitranges')).body).toMatchObject({ items: [] });
  });

  test('is refused with its paths if something of it would do nothing', async () => {
    const world = await aWorld();
    const refused = await send(
      world,
      'POST',
      RANGES,
      range([{ type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }]),
    );
    expect([refused.code, refused.body.details?.causes?.map(({ field }) => field)]).toEqual([
      422,
      ['spec.limits[0].type'],
    ]);
  });

  test('goes with its namespace', async () => {
    const world = await aWorld();
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'short' } };
    await send(world, 'POST', '/api/v1/namespaces', namespace);
    await send(world, 'POST', '/api/v1/namespaces/short/limitranges', range([MAX]));
    await send(world, 'DELETE', '/api/v1/namespaces/short');
    expect((await send(world, 'GET', '/api/v1/limitranges')).body).toMatchObject({ items: [] });
    expect(await world.objects.read('Namespace', { namespace: '', name: 'short' })).toBeNull();
  });
});

describe('a Job in a namespace with a LimitRange', () => {
  test('gets what its containers do not say, and its template says so', async () => {
    const world = await aLimitedWorld(DEFAULTS);
    const filled = {
      metadata: { annotations: { 'kubernetes.io/limit-ranger': SAID } },
      spec: { containers: [{ resources: { requests: DEFAULTS.defaultRequest, limits: DEFAULTS.default } }] },
    };
    const dry = await send(world, 'POST', `${JOBS}?dryRun=All`, job('sums'));
    expect([dry.code, dry.body.spec]).toEqual([201, expect.objectContaining({})]);
    expect(dry.body.spec['template']).toMatchObject(filled);
    const created = await create(world, job('sums'));
    expect(created.body.spec['template']).toMatchObject(filled);
    expect((await send(world, 'GET', `${JOBS}/sums`)).body.spec['template']).toMatchObject(filled);
  });

  test('may be applied again as it was written', async () => {
    const world = await aLimitedWorld(DEFAULTS);
    const apply = async (body: object) => send(world, 'PATCH', `${JOBS}/sums?fieldManager=me`, body, APPLY);
    const first = await apply(job('sums'));
    expect(first.code).toBe(201);
    const again = await apply(job('sums', { parallelism: 0 }));
    expect(again.body).toMatchObject({ spec: { parallelism: 0, template: first.body.spec['template'] } });
    const other = withResources('sums', { requests: { cpu: '600m' } });
    expect((await apply(other)).body.message).toContain('field is immutable');
  });

  test('is refused in the words of a cluster', async () => {
    const world = await aLimitedWorld({ type: 'Container', max: { cpu: '2', memory: '1Gi' } });
    const refused = await create(world, withResources('large', { limits: { cpu: '4' } }));
    expect([refused.code, refused.body]).toMatchObject([
      403,
      {
        reason: 'Forbidden',
        message: 'jobs.batch "large" is forbidden: maximum cpu usage per Container is 2, but limit is 4',
        details: { name: 'large', group: 'batch', kind: 'jobs' },
      },
    ]);
    const both = withResources('large', { limits: { cpu: '4', memory: '2Gi' } });
    expect((await send(world, 'POST', `${JOBS}?dryRun=All`, both)).body.message).toBe(
      'jobs.batch "large" is forbidden: [maximum cpu usage per Container is 2, but limit is 4, maximum memory usage per Container is 1Gi, but limit is 2Gi]',
    );
    expect((await send(world, 'GET', `${JOBS}/large`)).code).toBe(404);
    expect((await create(world, withResources('large', { limits: { cpu: '2' } }))).code).toBe(201);
    // A client that has lost the answer learns that it is there.
    expect((await create(world, withResources('large', { limits: { cpu: '4' } }))).code).toBe(409);
  });

  test('is invalid if what was filled in does not fit what it says, or any task', async () => {
    const world = await aLimitedWorld(DEFAULTS);
    const more = await create(world, withResources('sums', { requests: { cpu: '4' } }));
    expect([more.code, more.body.message]).toEqual([
      422,
      'Job.batch "sums" is invalid: spec.template.spec.containers[0].resources.requests[cpu]: Invalid value: "4": must be less than or equal to cpu limit of 1',
    ]);
    await send(world, 'PUT', `${RANGES}/limits`, range([{ type: 'Container', defaultRequest: { cpu: '64' } }]));
    expect((await create(world, job('sums'))).body.message).toContain('the Pod needs 64 CPUs');
    const storage = { 'ephemeral-storage': '300Gi' };
    await send(world, 'PUT', `${RANGES}/limits`, range([{ type: 'Container', default: storage }]));
    expect((await create(world, job('sums'))).body.message).toContain('the Pod needs 300 GiB of ephemeral storage');
  });

  test('has room in a quota by what was filled in', async () => {
    const world = await aWorld();
    const hard = { 'requests.cpu': '1', 'requests.memory': '4Gi' };
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'team' }, spec: { hard } };
    await send(world, 'POST', QUOTAS, quota);
    expect((await create(world, job('sums'))).body.message).toContain('must specify requests.cpu for: main');
    await send(world, 'POST', RANGES, range([DEFAULTS]));
    expect((await create(world, job('sums', { parallelism: 2, completions: 2 }))).code).toBe(201);
    expect((await send(world, 'GET', `${QUOTAS}/team`)).body.status).toMatchObject({
      used: { 'requests.cpu': '1', 'requests.memory': '4Gi' },
    });
    expect((await create(world, job('more'))).body.message).toContain(
      'exceeded quota: team, requested: requests.cpu=500m',
    );
  });

  test('whose items say what their tasks need is refused where that is limited', async () => {
    const world = await aLimitedWorld(DEFAULTS);
    const annotations = {
      'muster.run/items': 'cpu\n1\n8',
      'muster.run/resources-from-items': 'true',
    };
    const listed = (name: string) =>
      job(name, { completionMode: 'Indexed', completions: 2, parallelism: 1 }, { annotations });
    const first = await create(world, listed('first'));
    expect([first.code, first.body.message]).toEqual([201, undefined]);
    await send(world, 'PUT', `${RANGES}/limits`, range([MAX]));
    expect((await create(world, listed('second'))).body.message).toBe(
      'jobs.batch "second" is forbidden: cannot check what the items of the Job request: cpu',
    );
  });

  test('that another controller runs, or that is there already, is left as it is', async () => {
    const world = await aWorld();
    await create(world, withResources('before', { limits: { cpu: '4' } }));
    await send(world, 'POST', RANGES, range([MAX]));
    expect((await send(world, 'PATCH', `${JOBS}/before`, { spec: { parallelism: 0 } }, MERGE)).code).toBe(200);
    const others = withResources('others', { limits: { cpu: '4' } }, { managedBy: 'example.com/queue' });
    expect((await create(world, others)).code).toBe(201);
  });

  test('in another namespace is not concerned', async () => {
    const world = await aLimitedWorld(MAX);
    await send(world, 'POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'free' },
    });
    const path = JOBS.replace('default', 'free');
    expect((await send(world, 'POST', path, withResources('large', { limits: { cpu: '4' } }))).code).toBe(201);
  });
});
