import { describe, expect, test } from 'vitest';
import { ANNOTATIONS } from '../../../../domain/manifests/annotations.ts';
import { JOBS, type World, aWorld, manifest } from '../../../../../test/kube/a-world.ts';
import { CONFIGS, FURIKO_JOBS, aConfig, aFurikoJob } from './a-furiko-world.ts';

type Json = Record<string, unknown>;
type Shown = Json & {
  metadata: Json & { labels?: Json; managedFields?: { manager: string; apiVersion: string; fieldsV1: Json }[] };
  spec: Json;
  status: Json;
};
type Answer = Shown & { code: number; message: string; details?: { causes: { field: string }[] } };

const answerOf = async (response: Response | Promise<Response>): Promise<Answer> =>
  (await (await response).json()) as Answer;
const read = async (world: World, path: string): Promise<Answer> => answerOf(world.get(path));
const send = async (world: World, method: string, path: string, body: unknown, type = 'application/json') =>
  answerOf(world.app.request(path, { method, headers: { 'content-type': type }, body: JSON.stringify(body) }));
const MERGE = 'application/merge-patch+json';
const namesAt = async (world: World, path: string): Promise<readonly unknown[]> =>
  ((await (await world.get(path)).json()) as { items: Shown[] }).items.map(({ metadata }) => metadata['name']);

describe('create', () => {
  test('stores a Furiko Job, and the Job that runs it', async () => {
    const world = await aWorld();
    const answer = await world.post(
      FURIKO_JOBS,
      aFurikoJob('keys', { parallelism: { withKeys: ['a', 'b'] }, maxAttempts: 3 }),
    );
    expect(answer.status).toBe(201);
    const job = (await answer.json()) as Shown;
    expect(job).toMatchObject({
      apiVersion: 'execution.furiko.io/v1alpha1',
      kind: 'Job',
      metadata: { name: 'keys', uid: '00000001-0000-4000-8000-000000000000', resourceVersion: '1', generation: 1 },
      spec: { type: 'Adhoc', template: { maxAttempts: 3, parallelism: { completionStrategy: 'AllSuccessful' } } },
      status: { phase: 'Queued', createdTasks: 0, runningTasks: 0 },
    });
    expect(await read(world, `${FURIKO_JOBS}/keys`)).toEqual(job);
    expect((await read(world, `${JOBS}/keys`)).spec).toMatchObject({
      completionMode: 'Indexed',
      completions: 2,
      parallelism: 2,
      backoffLimitPerIndex: 2,
      maxFailedIndexes: 0,
      ttlSecondsAfterFinished: 3600,
    });
  });

  test('refuses what is wrong, with its path', async () => {
    const world = await aWorld();
    const refused = await send(world, 'POST', FURIKO_JOBS, aFurikoJob('x', { parallelism: { withKeys: ['a', 'a'] } }));
    expect([refused.code, refused.message]).toEqual([
      422,
      'Job.execution.furiko.io "x" is invalid: spec.template.parallelism.withKeys[1]: Duplicate value: "a"',
    ]);
    const unknown = await send(world, 'POST', `${FURIKO_JOBS}?fieldValidation=Strict`, {
      ...aFurikoJob('x'),
      specs: 1,
    });
    expect([unknown.code, unknown.message]).toEqual([
      400,
      'Job in version "v1alpha1" cannot be handled as a Job: strict decoding error: unknown field "specs"',
    ]);
    const batch = await send(world, 'POST', FURIKO_JOBS, manifest('x'));
    expect(batch.code).toBe(400);
    const float = await send(world, 'POST', FURIKO_JOBS, JSON.stringify(aFurikoJob('x', { maxAttempts: 2.5 })));
    expect(float.code).toBe(400);
    expect(await namesAt(world, JOBS)).toEqual([]);
  });

  test('is JSON or YAML, never protobuf', async () => {
    const world = await aWorld();
    const yaml = JSON.stringify(aFurikoJob('y'), null, 1); // JSON is YAML
    expect((await world.post(FURIKO_JOBS, yaml, { 'content-type': 'application/yaml' })).status).toBe(201);
    const type = { 'content-type': 'application/vnd.kubernetes.protobuf' };
    expect((await world.post(FURIKO_JOBS, 'k8s\0', type)).status).toBeGreaterThanOrEqual(400);
  });

  test('shares names with the Jobs of batch', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('taken'));
    const refused = await send(world, 'POST', FURIKO_JOBS, aFurikoJob('taken'));
    expect([refused.code, refused.message]).toEqual([409, 'jobs.execution.furiko.io "taken" already exists']);
    await world.post(FURIKO_JOBS, aFurikoJob('other'));
    expect((await world.post(JOBS, manifest('other'))).status).toBe(409);
  });

  test('with dryRun stores nothing', async () => {
    const world = await aWorld();
    expect((await world.post(`${FURIKO_JOBS}?dryRun=All`, aFurikoJob('x'))).status).toBe(201);
    expect(await namesAt(world, FURIKO_JOBS)).toEqual([]);
  });

  test('does not store what has no room in a row', async () => {
    const world = await aWorld();
    const withKeys = Array.from({ length: 10_000 }, (_, n) => `a rather long key number ${n}`);
    const refused = await send(world, 'POST', FURIKO_JOBS, aFurikoJob('x', { parallelism: { withKeys } }));
    expect(refused.code === 413 || refused.code === 422).toBe(true);
    expect(await namesAt(world, JOBS)).toEqual([]);
  });
});

describe('change', () => {
  const made = async (template: object = {}): Promise<World> => {
    const world = await aWorld();
    await world.post(FURIKO_JOBS, aFurikoJob('x', template));
    return world;
  };
  const KILL = '2023-11-14T23:00:00Z';

  test.each<[string, string, unknown]>([
    ['merge', MERGE, { spec: { killTimestamp: KILL } }],
    ['strategic', 'application/strategic-merge-patch+json', { spec: { killTimestamp: KILL } }],
    ['JSON', 'application/json-patch+json', [{ op: 'add', path: '/spec/killTimestamp', value: KILL }]],
  ])('a kill time, by a %s patch', async (_, type, patch) => {
    const world = await made();
    const changed = await send(world, 'PATCH', `${FURIKO_JOBS}/x`, patch, type);
    expect(changed).toMatchObject({ metadata: { generation: 2 }, spec: { killTimestamp: KILL } });
    const { metadata } = await read(world, `${JOBS}/x`);
    expect(metadata['annotations']).toMatchObject({ [ANNOTATIONS.killAt]: KILL });
  });

  test('by a PUT of the whole', async () => {
    const world = await made();
    const job = await read(world, `${FURIKO_JOBS}/x`);
    const changed = await send(world, 'PUT', `${FURIKO_JOBS}/x`, {
      ...job,
      spec: { ...job.spec, killTimestamp: KILL },
    });
    expect(changed.spec).toMatchObject({ killTimestamp: KILL });
    const stale = await send(world, 'PUT', `${FURIKO_JOBS}/x`, job);
    expect(stale.code).toBe(409);
  });

  test('by server-side apply, which creates it first, and says who has which field', async () => {
    const world = await aWorld();
    const apply = async (who: string, config: object) =>
      send(world, 'PATCH', `${FURIKO_JOBS}/x?fieldManager=${who}`, config, 'application/apply-patch+yaml');
    const config = aFurikoJob('x', { parallelism: { withMatrix: { os: ['a', 'b'] } } });
    const created = await apply('ann', config);
    expect(created.metadata.managedFields).toMatchObject([
      {
        manager: 'ann',
        apiVersion: 'execution.furiko.io/v1alpha1',
        fieldsV1: { 'f:spec': { 'f:template': { 'f:parallelism': { 'f:withMatrix': {} } } } },
      },
    ]);
    const withKill = { ...config, spec: { ...config.spec, killTimestamp: KILL } };
    expect((await apply('ann', withKill)).spec).toMatchObject({ killTimestamp: KILL });
    const theirs = { ...config, spec: { killTimestamp: '2023-11-15T00:00:00Z' } };
    expect((await apply('bob', theirs)).message).toContain('conflict with "ann": .spec.killTimestamp');
    expect((await apply('ann', config)).spec).not.toHaveProperty('killTimestamp');
  });

  test('of what it runs is refused', async () => {
    const world = await made({ parallelism: { withCount: 2 } });
    const refused = await send(world, 'PATCH', `${FURIKO_JOBS}/x`, { spec: { template: { maxAttempts: 2 } } }, MERGE);
    expect([refused.code, refused.details?.causes.map(({ field }) => field)]).toEqual([
      422,
      ['spec.template.maxAttempts'],
    ]);
  });

  test('of a Job of batch is not found', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('batch'));
    const patch = await send(world, 'PATCH', `${FURIKO_JOBS}/batch`, { metadata: { labels: { a: 'b' } } }, MERGE);
    expect(patch.code).toBe(404);
    expect((await world.app.request(`${FURIKO_JOBS}/batch`, { method: 'DELETE' })).status).toBe(404);
    expect(await namesAt(world, JOBS)).toEqual(['batch']);
  });

  test('of its status is not allowed: it is rendered', async () => {
    const world = await made();
    const refused = await send(world, 'PATCH', `${FURIKO_JOBS}/x/status`, { status: { phase: 'Failed' } }, MERGE);
    expect(refused.code).toBe(405);
  });
});

describe('through batch/v1, a Furiko Job', () => {
  const INSTEAD = 'change it as jobs.execution.furiko.io';
  const made = async (): Promise<World> => {
    const world = await aWorld();
    await world.post(FURIKO_JOBS, aFurikoJob('x', { parallelism: { withCount: 4 } }));
    return world;
  };
  const patch = async (world: World, body: unknown) => send(world, 'PATCH', `${JOBS}/x`, body, MERGE);

  test('may run fewer at once', async () => {
    const world = await made();
    expect((await patch(world, { spec: { parallelism: 1 } })).spec).toMatchObject({ parallelism: 1 });
    await send(world, 'PATCH', `${FURIKO_JOBS}/x`, { spec: { ttlSecondsAfterFinished: 60 } }, MERGE);
    expect((await read(world, `${JOBS}/x`)).spec).toMatchObject({ parallelism: 1, ttlSecondsAfterFinished: 60 });
  });

  test.each<[string, object, string]>([
    ['suspended', { spec: { suspend: true } }, 'spec.suspend'],
    ['made smaller', { spec: { completions: 2, parallelism: 2 } }, 'spec.completions'],
    ['kept longer', { spec: { ttlSecondsAfterFinished: 9 } }, 'spec.ttlSecondsAfterFinished'],
    [
      'killed',
      { metadata: { annotations: { [ANNOTATIONS.killAt]: '2023-11-14T23:00:00Z' } } },
      `metadata.annotations[${ANNOTATIONS.killAt}]`,
    ],
  ])('is not %s', async (_, body, field) => {
    const world = await made();
    const refused = await patch(world, body);
    expect([refused.code, refused.details?.causes.map((cause) => cause.field)]).toEqual([422, [field]]);
    expect(refused.message).toContain(INSTEAD);
  });

  test('gets labels, which its users see', async () => {
    const world = await made();
    await patch(world, { metadata: { labels: { team: 'a' } } });
    expect((await read(world, `${FURIKO_JOBS}/x`)).metadata.labels).toEqual({ team: 'a' });
    expect(await namesAt(world, `${FURIKO_JOBS}?labelSelector=team%3Da`)).toEqual(['x']);
  });

  test('keeps apart who has which field of which kind', async () => {
    const world = await made();
    const labels = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'x', labels: { team: 'a' } } };
    await send(world, 'PATCH', `${JOBS}/x?fieldManager=batch`, labels, 'application/apply-patch+yaml');
    await send(world, 'PATCH', `${FURIKO_JOBS}/x?fieldManager=own`, { spec: { ttlSecondsAfterFinished: 9 } }, MERGE);
    const managers = async (path: string) =>
      (await read(world, `${path}/x`)).metadata.managedFields?.map(
        ({ manager, apiVersion }) => `${manager} ${apiVersion}`,
      );
    expect(await managers(JOBS)).toEqual(['batch batch/v1', 'before-first-apply batch/v1']);
    expect((await managers(FURIKO_JOBS))?.map((one) => one.split(' ')[1])).toEqual([
      'execution.furiko.io/v1alpha1',
      'execution.furiko.io/v1alpha1',
    ]);
  });

  test('is deleted', async () => {
    const world = await made();
    expect((await world.app.request(`${JOBS}/x`, { method: 'DELETE' })).status).toBe(200);
    expect((await world.get(`${FURIKO_JOBS}/x`)).status).toBe(404);
  });
});

describe('delete', () => {
  test('one, and all that selectors pick, but no Job of batch', async () => {
    const world = await aWorld();
    for (const name of ['a', 'b', 'c']) await world.post(FURIKO_JOBS, aFurikoJob(name));
    await world.post(JOBS, manifest('batch'));
    expect((await world.app.request(`${FURIKO_JOBS}/a`, { method: 'DELETE' })).status).toBe(200);
    expect(await namesAt(world, FURIKO_JOBS)).toEqual(['b', 'c']);
    expect((await world.app.request(FURIKO_JOBS, { method: 'DELETE' })).status).toBe(200);
    expect([await namesAt(world, FURIKO_JOBS), await namesAt(world, JOBS)]).toEqual([[], ['batch']]);
  });
});

describe('a JobConfig', () => {
  test('is stored as it was admitted', async () => {
    const world = await aWorld();
    const created = await send(
      world,
      'POST',
      CONFIGS,
      aConfig('nightly', { schedule: { cron: { expression: 'H 1 * * *' } } }),
    );
    expect(created).toMatchObject({
      kind: 'JobConfig',
      metadata: { name: 'nightly', generation: 1 },
      spec: { concurrency: { policy: 'Allow' }, schedule: { lastUpdated: '2023-11-14T22:13:20Z' } },
      status: { state: 'ReadyEnabled', active: 0, queued: 0 },
    });
    expect(await read(world, `${CONFIGS}/nightly`)).toEqual(created);
    expect((await world.post(CONFIGS, aConfig('nightly'))).status).toBe(409);
  });

  test('refuses what is wrong, with its path', async () => {
    const world = await aWorld();
    const refused = await send(
      world,
      'POST',
      CONFIGS,
      aConfig('x', { schedule: { cron: { expression: '61 * * * *' } } }),
    );
    expect([refused.code, refused.details?.causes.map(({ field }) => field)]).toEqual([
      422,
      ['spec.schedule.cron.expression'],
    ]);
  });

  test('is changed, and its scheduler hears of it', async () => {
    const world = await aWorld();
    await world.post(CONFIGS, aConfig('nightly', { schedule: { cron: { expression: '0 1 * * *' } } }));
    const changed = await send(world, 'PATCH', `${CONFIGS}/nightly`, { spec: { schedule: { disabled: true } } }, MERGE);
    expect(changed).toMatchObject({ metadata: { generation: 2 }, spec: { schedule: { disabled: true } } });
    const relabelled = await send(world, 'PATCH', `${CONFIGS}/nightly`, { metadata: { labels: { a: 'b' } } }, MERGE);
    expect(relabelled.metadata).toMatchObject({ generation: 2, labels: { a: 'b' } });
    const row = await world.crons.read(String(changed.metadata['uid']));
    expect(row).toMatchObject({ kind: 'JobConfig', key: { namespace: 'default', name: 'nightly' } });
  });

  test('makes Jobs with its template and its labels, and owns them', async () => {
    const world = await aWorld();
    const config = await send(
      world,
      'POST',
      CONFIGS,
      aConfig('nightly', {}, { metadata: { labels: { from: 'config' } } }),
    );
    const job = await send(world, 'POST', FURIKO_JOBS, aJobOf('nightly', 'run'));
    expect(job.metadata).toMatchObject({
      labels: { from: 'config' },
      ownerReferences: [{ kind: 'JobConfig', name: 'nightly', uid: config.metadata['uid'], controller: true }],
    });
    expect(job.spec).not.toHaveProperty('configName');
    expect(job.spec).toMatchObject({ template: { taskTemplate: { pod: {} } } });
    const absent = await send(world, 'POST', FURIKO_JOBS, aJobOf('missing', 'run-2'));
    expect([absent.code, absent.details?.causes.map(({ field }) => field)]).toEqual([422, ['spec.configName']]);
  });

  test('lets no more Jobs in than it allows', async () => {
    const world = await aWorld();
    await world.post(CONFIGS, aConfig('one', { concurrency: { policy: 'Forbid' } }));
    expect((await world.post(FURIKO_JOBS, aJobOf('one', 'first'))).status).toBe(201);
    const refused = await send(world, 'POST', FURIKO_JOBS, aJobOf('one', 'second'));
    expect([refused.code, refused.message]).toEqual([422, expect.stringContaining('Forbid')]);
    expect(await namesAt(world, JOBS)).toEqual(['first']);
  });

  test('lets Jobs wait for their turn', async () => {
    const world = await aWorld();
    await world.post(CONFIGS, aConfig('line', { concurrency: { policy: 'Enqueue' } }));
    const [first, second] = [
      await send(world, 'POST', FURIKO_JOBS, aJobOf('line', 'first')),
      await send(world, 'POST', FURIKO_JOBS, aJobOf('line', 'second')),
    ];
    expect([first.status['phase'], second.status]).toEqual([
      'Queued',
      expect.objectContaining({
        phase: 'Queued',
        condition: { queueing: expect.objectContaining({ reason: 'Queued' }) as unknown },
      }),
    ]);
    const suspended = async (name: string) => (await read(world, `${JOBS}/${name}`)).spec['suspend'];
    expect([await suspended('first'), await suspended('second')]).toEqual([false, true]);
  });

  test('gives a place back that a Job does not need, because it was refused', async () => {
    const world = await aWorld();
    await world.post(CONFIGS, aConfig('one', { concurrency: { policy: 'Forbid' } }));
    await world.post(JOBS, manifest('taken'));
    expect((await world.post(FURIKO_JOBS, aJobOf('one', 'taken'))).status).toBe(409);
    expect((await world.post(FURIKO_JOBS, aJobOf('one', 'free'))).status).toBe(201);
  });

  test('takes its Jobs along when it is deleted', async () => {
    const world = await aWorld();
    await world.post(CONFIGS, aConfig('nightly'));
    await world.post(FURIKO_JOBS, aJobOf('nightly', 'run'));
    await world.post(FURIKO_JOBS, aFurikoJob('other'));
    expect((await world.app.request(`${CONFIGS}/nightly`, { method: 'DELETE' })).status).toBe(200);
    expect([await namesAt(world, CONFIGS), await namesAt(world, FURIKO_JOBS)]).toEqual([[], ['other']]);
  });

  test('goes with its namespace', async () => {
    const world = await aWorld();
    await send(world, 'POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'gone' },
    });
    const path = CONFIGS.replace('default', 'gone');
    expect((await world.post(path, aConfig('nightly'))).status).toBe(201);
    await world.app.request('/api/v1/namespaces/gone', { method: 'DELETE' });
    expect((await world.get('/api/v1/namespaces/gone')).status).toBe(404);
    expect(await namesAt(world, path)).toEqual([]);
  });
});

const aJobOf = (configName: string, name: string) => ({
  apiVersion: 'execution.furiko.io/v1alpha1',
  kind: 'Job',
  metadata: { name },
  spec: { configName },
});
