import { describe, expect, test } from 'vitest';
import { indexHash } from '../../domain/index-hash.ts';
import { DONE } from '../../../../../test/support/a-stage.ts';
import { openNamespace } from '../../../../../test/support/a-namespace.ts';
import { JOBS, START, type World, arnOf, aWorld, linesOf, manifest } from '../../../../../test/kube/a-world.ts';
import { CONFIGS, FURIKO, FURIKO_JOBS, storeFurikoJob } from './a-furiko-world.ts';

type Json = Record<string, unknown>;
type Shown = { metadata: Json & { name: string; resourceVersion: string }; spec: Json; status: Json };

const read = async (world: World, path: string): Promise<Shown> => (await (await world.get(path)).json()) as Shown;
const namesAt = async (world: World, path: string): Promise<readonly string[]> =>
  ((await (await world.get(path)).json()) as { items: Shown[] }).items.map(({ metadata }) => metadata.name);
const RUNS = { startTime: START } as const;

describe('a Job of Furiko', () => {
  test('is shown as its users wrote it, with a status from the board, its tasks, and their records', async () => {
    const world = await aWorld();
    await storeFurikoJob(world, 'keys', { parallelism: { withKeys: ['a', 'b', 'c'] }, maxAttempts: 2 });
    await world.commit(
      'keys',
      [0, 1, 2].map((index) => ({ op: 'claim', index })),
      RUNS,
    );
    await world.launch('keys', [{ index: 1, attempt: 1 }]);
    await world.record('keys', 0, 1, DONE);
    await world.commit('keys', [
      { op: 'succeeded', index: 0 },
      { op: 'running', index: 1 },
    ]);
    const { metadata, spec, status } = await read(world, `${FURIKO_JOBS}/keys`);
    expect(metadata).toMatchObject({ name: 'keys', namespace: 'default', creationTimestamp: '2023-11-14T22:13:20Z' });
    expect(spec).toMatchObject({
      type: 'Adhoc',
      template: { maxAttempts: 2, parallelism: { withKeys: ['a', 'b', 'c'] } },
    });
    expect(status).toMatchObject({
      phase: 'Pending',
      state: 'Waiting',
      startTime: '2023-11-14T22:13:20Z',
      createdTasks: 3,
      runningTasks: 1,
      parallelStatus: {
        complete: false,
        indexes: [
          { index: { indexKey: 'a' }, state: 'Terminated', result: 'Succeeded', createdTasks: 1 },
          { index: { indexKey: 'b' }, state: 'Running' },
          { index: { indexKey: 'c' }, state: 'Starting' },
        ],
      },
    });
    const node = (index: number) => `fargate-${arnOf(index, 1).split('/').at(-1)}`;
    expect(status['tasks']).toEqual([
      {
        name: expect.stringMatching(/^keys-2-/) as unknown,
        creationTimestamp: '2023-11-14T22:13:20Z',
        retryIndex: 0,
        parallelIndex: { indexKey: 'c' },
        status: { state: 'Starting' },
        containerStates: [],
      },
      {
        name: expect.stringMatching(/^keys-0-/) as unknown,
        creationTimestamp: '2023-11-14T22:13:21Z',
        runningTimestamp: '2023-11-14T22:13:22Z',
        finishTimestamp: '2023-11-14T22:13:23Z',
        retryIndex: 0,
        parallelIndex: { indexKey: 'a' },
        status: { state: 'Terminated', result: 'Succeeded' },
        deletedStatus: { state: 'Terminated', result: 'Succeeded' },
        nodeName: node(0),
        containerStates: [{ exitCode: 0, reason: 'Completed' }],
      },
      {
        name: expect.stringMatching(/^keys-1-/) as unknown,
        creationTimestamp: '2023-11-14T22:13:21Z',
        runningTimestamp: '2023-11-14T22:13:21Z',
        retryIndex: 0,
        parallelIndex: { indexKey: 'b' },
        status: { state: 'Running' },
        nodeName: node(1),
        containerStates: [],
      },
    ]);
  });

  test('has tasks with the names of their Pods', async () => {
    const world = await aWorld();
    await storeFurikoJob(world, 'one');
    await world.commit('one', [{ op: 'claim', index: 0 }], RUNS);
    const { status } = await read(world, `${FURIKO_JOBS}/one`);
    const [task] = status['tasks'] as { name: string }[];
    expect(await namesAt(world, '/api/v1/namespaces/default/pods')).toEqual([task?.name]);
  });

  test('has Pods with the labels of Furiko, by which they are found', async () => {
    const world = await aWorld();
    await storeFurikoJob(world, 'other', { parallelism: { withCount: 1 } });
    await storeFurikoJob(world, 'grid', { parallelism: { withMatrix: { os: ['mac', 'linux'], node: ['20'] } } });
    const claims = [0, 1].map((index) => ({ op: 'claim', index }) as const);
    await world.commit('grid', claims, RUNS);
    await world.commit('other', claims.slice(0, 1), RUNS);
    const group = 'execution.furiko.io';
    const uid = 'grid-0000-4000-8000-000000000000';
    const pods = `/api/v1/namespaces/default/pods?labelSelector=${group}/job-uid%3D${uid}`;
    const { items } = (await (await world.get(pods)).json()) as { items: Shown[] };
    expect(items.map(({ metadata: { labels, annotations } }) => ({ labels, annotations }))).toMatchObject([
      {
        labels: {
          [`${group}/job-uid`]: uid,
          [`${group}/task-retry-index`]: '0',
          [`${group}/task-parallel-index-hash`]: indexHash({ matrixValues: { node: '20', os: 'mac' } }),
        },
        annotations: { [`${group}/task-parallel-index`]: '{"matrixValues":{"node":"20","os":"mac"}}' },
      },
      { annotations: { [`${group}/task-parallel-index`]: '{"matrixValues":{"node":"20","os":"linux"}}' } },
    ]);
    expect(await namesAt(world, `${pods},${group}/task-retry-index%3D1`)).toEqual([]);
    await world.post(JOBS, manifest('batch'));
    await world.commit('batch', claims.slice(0, 1), RUNS);
    expect(await namesAt(world, `/api/v1/namespaces/default/pods?labelSelector=${group}/job-uid`)).toHaveLength(3);
  });

  test('is a Job of batch, too; one of batch alone is none of Furiko', async () => {
    const world = await aWorld();
    await storeFurikoJob(world, 'both', { labels: { app: 'x' } });
    await world.post(JOBS, manifest('batch'));
    await openNamespace(world.objects, 'other');
    await storeFurikoJob(world, 'far', { namespace: 'other' });
    expect(await namesAt(world, JOBS)).toEqual(['batch', 'both']);
    expect(await namesAt(world, FURIKO_JOBS)).toEqual(['both']);
    expect(await namesAt(world, `${FURIKO}/jobs`)).toEqual(['both', 'far']);
    expect(await namesAt(world, `${FURIKO_JOBS}?labelSelector=app%3Dx`)).toEqual(['both']);
    expect(await namesAt(world, `${FURIKO_JOBS}?labelSelector=app%3Dy`)).toEqual([]);
    expect(await namesAt(world, `${FURIKO}/jobs?fieldSelector=metadata.name%3Dfar`)).toEqual(['far']);
    expect((await world.get(`${FURIKO_JOBS}?fieldSelector=status.successful%3D1`)).status).toBe(400);
    const [missing, batch] = [await world.get(`${FURIKO_JOBS}/batch`), await world.get(`${JOBS}/both`)];
    expect(await missing.json()).toMatchObject({
      code: 404,
      message: 'jobs.execution.furiko.io "batch" not found',
      details: { group: 'execution.furiko.io', kind: 'jobs' },
    });
    expect(await batch.json()).toMatchObject({ apiVersion: 'batch/v1', spec: { completions: 1 } });
  });

  test('is not counted by pages of others', async () => {
    const world = await aWorld();
    for (const name of ['a', 'c']) await storeFurikoJob(world, name);
    for (const name of ['b', 'd']) await world.post(JOBS, manifest(name));
    const page = (await (await world.get(`${FURIKO_JOBS}?limit=1`)).json()) as { metadata: Json; items: Shown[] };
    expect(page.metadata).not.toHaveProperty('remainingItemCount');
    const next = encodeURIComponent(String(page.metadata['continue']));
    expect(await namesAt(world, `${FURIKO_JOBS}?limit=5&continue=${next}`)).toEqual(['c']);
  });

  test('is a row with the columns of its custom resource', async () => {
    const world = await aWorld();
    await storeFurikoJob(world, 'one');
    await world.commit('one', [{ op: 'claim', index: 0 }], RUNS);
    await world.launch('one', [{ index: 0, attempt: 1 }]);
    await world.commit('one', [{ op: 'running', index: 0 }]);
    await world.clock.sleep(61_000);
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const table = (await (await world.get(FURIKO_JOBS, { accept })).json()) as {
      columnDefinitions: { name: string }[];
      rows: { cells: unknown[] }[];
    };
    expect(table.columnDefinitions.map(({ name }) => name)).toEqual([
      'Name',
      'Age',
      'Phase',
      'Created Tasks',
      'Running Tasks',
      'Run Time',
      'Finish Time',
    ]);
    expect(table.rows.map(({ cells }) => cells)).toEqual([['one', '61s', 'Running', 1, 1, '60s', '']]);
  });

  test('is watched: changes of its status, and nothing of other Jobs', async () => {
    const steps = [
      async (w: World) => w.post(JOBS, manifest('batch')),
      async (w: World) => w.commit('one', [{ op: 'claim', index: 0 }], RUNS),
      async (w: World) => w.commit('batch', [{ op: 'claim', index: 0 }], RUNS),
      async (w: World) => w.commit('one', [{ op: 'running', index: 0 }]),
      async (w: World) => w.app.request(`${JOBS}/one`, { method: 'DELETE' }),
    ];
    let next = 0;
    const world: World = await aWorld({}, { onSleep: async () => void (await steps[next++]?.(world)) });
    await storeFurikoJob(world, 'one');
    const answer = await world.get(`${FURIKO_JOBS}?watch=true&timeoutSeconds=20`);
    const events = (await linesOf(answer)) as unknown as { type: string; object: Shown & Json }[];
    expect(
      events.map(({ type, object: { apiVersion, kind, metadata, status } }) => [
        type,
        `${String(apiVersion)} ${String(kind)} ${metadata.name}`,
        (status as { phase: string }).phase,
      ]),
    ).toEqual([
      ['ADDED', 'execution.furiko.io/v1alpha1 Job one', 'Queued'],
      ['MODIFIED', 'execution.furiko.io/v1alpha1 Job one', 'Pending'],
      ['MODIFIED', 'execution.furiko.io/v1alpha1 Job one', 'Running'],
      ['DELETED', 'execution.furiko.io/v1alpha1 Job one', expect.stringMatching(/^Kill(ed|ing)$/)],
    ]);
  });

  test('with 10,000 keys is answered without its tasks, and says so', async () => {
    const world = await aWorld();
    const withKeys = Array.from({ length: 10_000 }, (_, n) => `key-${n}`);
    await storeFurikoJob(world, 'large', { parallelism: { withKeys } });
    await world.commit(
      'large',
      withKeys.slice(0, 3000).map((_, index) => ({ op: 'claim', index })),
      RUNS,
    );
    const { status } = await read(world, `${FURIKO_JOBS}/large`);
    expect(status).toEqual({
      phase: 'Pending',
      state: 'Waiting',
      condition: { waiting: { reason: 'PendingCreation', message: '7000 of 10000 tasks are to be made' } },
      startTime: '2023-11-14T22:13:20Z',
      createdTasks: 3000,
      runningTasks: 0,
      tasksTruncated: true,
      parallelStatus: { complete: false, indexes: [], indexesTruncated: true },
    });
  });
});

describe('a JobConfig', () => {
  test('is listed with the columns of its custom resource', async () => {
    const world = await aWorld();
    const document = {
      apiVersion: 'execution.furiko.io/v1alpha1',
      kind: 'JobConfig',
      metadata: { name: 'nightly', namespace: 'default', uid: 'c', creationTimestamp: '2023-11-14T22:12:20Z' },
      spec: { schedule: { cron: { expressions: ['H 1 * * *', 'H 2 * * *'], timezone: 'UTC+8' } } },
      status: { state: 'Executing', active: 1, queued: 2, lastExecuted: '2023-11-14T22:13:00Z' },
    };
    await world.objects.commit('JobConfig', { key: { namespace: 'default', name: 'nightly' }, was: 0, document });
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const table = (await (await world.get(CONFIGS, { accept })).json()) as {
      columnDefinitions: { name: string }[];
      rows: { cells: unknown[] }[];
    };
    expect(table.columnDefinitions.map(({ name }) => name)).toEqual([
      'Name',
      'Age',
      'State',
      'Active',
      'Queued',
      'Last Executed',
      'Last Scheduled',
      'Cron Schedule',
      'Timezone',
    ]);
    expect(table.rows.map(({ cells }) => cells)).toEqual([
      ['nightly', '60s', 'Executing', 1, 2, '20s', '', 'H 1 * * *, H 2 * * *', 'UTC+8'],
    ]);
    expect(await read(world, `${CONFIGS}/nightly/status`)).toMatchObject({ kind: 'JobConfig', status: { active: 1 } });
  });
});
