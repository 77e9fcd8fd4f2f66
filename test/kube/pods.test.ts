import { POD_DELETED } from '../../shared/domain/ending.ts';
import { describe, expect, test } from 'vitest';
import { plusMs } from '../../shared/domain/brand.ts';
import { JOBS, PODS, START, type World, aWorld, arnOf, manifest } from './a-world.ts';

type Pod = {
  metadata: {
    name: string;
    uid: string;
    labels: Record<string, string>;
    annotations?: Record<string, string>;
    resourceVersion: string;
  };
  spec: { hostname?: string; containers: { env?: { name: string }[] }[] };
  status: {
    phase: string;
    reason?: string;
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
    containerStatuses?: { state: unknown }[];
  };
};
type PodList = { metadata: { continue?: string; resourceVersion: string }; items: Pod[] };

const list = async (world: World, query = ''): Promise<PodList> =>
  (await (await world.get(PODS + query)).json()) as PodList;
const brief = ({ items }: PodList) =>
  items.map(({ metadata, status }) => `${metadata.name.replace(/-[a-z0-9]+$/, '')} ${status.phase}`);

/** Index 0 failed and runs again, 1 succeeded, 2 is launched, 3 claimed. */
const aBusyJob = async (spec: object = {}): Promise<World> => {
  const world = await aWorld();
  await world.post(JOBS, manifest('sums', { parallelism: 4, ...spec }));
  await world.commit(
    'sums',
    [0, 1, 2, 3].map((index) => ({ op: 'claim', index })),
    { startTime: START },
  );
  await world.record('sums', 0, 1, {
    cause: 'Error',
    exitCode: 3,
    container: 'main',
    reason: 'Essential container in task exited',
  });
  await world.commit('sums', [
    { op: 'failed', index: 0, notBefore: null },
    { op: 'claim', index: 0, attempt: 2 },
  ]);
  await world.launch('sums', [
    { index: 0, attempt: 2 },
    { index: 2, attempt: 1 },
  ]);
  await world.record('sums', 1, 1, { cause: 'Completed', exitCode: 0, container: 'main', reason: '' });
  await world.commit('sums', [
    { op: 'running', index: 0, attempt: 2 },
    { op: 'succeeded', index: 1 },
    { op: 'launched', index: 2 },
  ]);
  return world;
};

test("every attempt is a Pod, its phase is the board's", async () => {
  const world = await aBusyJob();
  expect(brief(await list(world))).toEqual([
    'sums-0 Failed',
    'sums-0 Running',
    'sums-1 Succeeded',
    'sums-2 Pending',
    'sums-3 Pending',
  ]);
});

test('a Pod looks as Kubernetes makes it', async () => {
  const world = await aBusyJob();
  const [failed, running, , launched, claimed] = (await list(world)).items;
  expect(running).toMatchObject({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: 'sums-0-',
      namespace: 'default',
      uid: '00000001-0000-4000-8000-000000000002',
      resourceVersion: '4',
      creationTimestamp: '2023-11-14T22:13:21Z',
      labels: { 'job-name': 'sums', 'batch.kubernetes.io/job-completion-index': '0' },
      annotations: { 'batch.kubernetes.io/job-completion-index': '0', 'muster.run/task-arn': arnOf(0, 2) },
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'Job', name: 'sums', controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: {
      restartPolicy: 'Never',
      hostname: 'sums-0',
      containers: [
        {
          name: 'main',
          env: [
            {
              name: 'JOB_COMPLETION_INDEX',
              valueFrom: {
                fieldRef: {
                  apiVersion: 'v1',
                  fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']",
                },
              },
            },
          ],
        },
      ],
    },
    status: {
      phase: 'Running',
      startTime: '2023-11-14T22:13:21Z',
      containerStatuses: [{ name: 'main', ready: true, restartCount: 0 }],
    },
  });
  expect(failed?.metadata.uid).toBe('00000001-0000-4000-8000-000000000001');
  expect(failed?.status).toEqual({
    phase: 'Failed',
    startTime: '2023-11-14T22:13:21Z',
    conditions: [{ type: 'Ready', status: 'False', reason: 'PodFailed' }],
    containerStatuses: [
      {
        name: 'main',
        image: 'busybox',
        imageID: '',
        ready: false,
        started: false,
        restartCount: 0,
        state: {
          terminated: {
            exitCode: 3,
            reason: 'Error',
            message: 'Essential container in task exited',
            startedAt: '2023-11-14T22:13:22Z',
            finishedAt: '2023-11-14T22:13:23Z',
          },
        },
      },
    ],
  });
  expect(launched?.status.containerStatuses?.[0]?.state).toEqual({ waiting: { reason: 'ContainerCreating' } });
  expect(claimed?.status).toEqual({ phase: 'Pending' });
});

test('a claim that waits says what for', async () => {
  const world = await aBusyJob();
  const waiting = [{ index: 3, attempt: 1, nonce: 0, dueAt: plusMs(START, 60_000) }];
  await world.commit('sums', [], { inFlight: waiting, waitReason: 'Capacity is unavailable at this time' });
  expect((await list(world)).items.at(-1)?.status).toEqual({
    phase: 'Pending',
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: 'Capacity is unavailable at this time',
      },
    ],
  });
});

test('an attempt without an exit code shows none', async () => {
  const world = await aBusyJob();
  await world.record('sums', 2, 1, {
    cause: 'Spot',
    exitCode: null,
    container: null,
    reason: 'Your Spot Task was interrupted.',
  });
  await world.commit('sums', [{ op: 'lostToSpot', index: 2, notBefore: null }]);
  const spot = (await list(world)).items.find(({ metadata }) => metadata.name.startsWith('sums-2-'));
  expect(spot?.status).toMatchObject({
    phase: 'Failed',
    reason: 'SpotInterruption',
    message: 'Your Spot Task was interrupted.',
    conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'SpotInterruption' }, {}],
    containerStatuses: [{ state: { waiting: { reason: 'SpotInterruption' } } }],
  });
  expect(JSON.stringify(spot)).not.toContain('exitCode');
});

test('a claim that was withdrawn never was a Pod, and one whose Job ends is being deleted', async () => {
  const world = await aBusyJob();
  await world.commit('sums', [{ op: 'released', index: 3 }], { phase: { kind: 'suspended', since: START } });
  const { items } = await list(world);
  expect(items.map(({ metadata }) => metadata.name.slice(0, 6))).not.toContain('sums-3');
  expect(items.map(({ metadata }) => 'deletionTimestamp' in metadata)).toEqual([false, true, false, true]);
});

test('deleting a Pod stops its attempt; what has ended stays with its Job; one that was deleted is gone', async () => {
  const world = await aBusyJob();
  const { items } = await list(world);
  const answers = await Promise.all(
    items.map(async ({ metadata, status }) => {
      const answer = await world.app.request(`${PODS}/${metadata.name}`, { method: 'DELETE' });
      return `${status.phase} ${answer.status}`;
    }),
  );
  expect([...new Set(answers)].sort()).toEqual(['Failed 409', 'Pending 200', 'Running 200', 'Succeeded 409']);
  expect(world.deletedPods.length).toBe(answers.filter((answer) => answer.endsWith('200')).length);
  const name = items.find(({ status }) => status.phase === 'Failed')?.metadata.name ?? '';
  const index = Number(name.split('-')[1]);
  await world.record('sums', index, 1, {
    cause: 'Stopped',
    exitCode: 143,
    container: 'main',
    reason: `${POD_DELETED}: Essential`,
  });
  expect((await world.get(`${PODS}/${name}`)).status).toBe(404);
});

test("a NonIndexed Job's Pods do not show their slots", async () => {
  const world = await aBusyJob({ completionMode: 'NonIndexed' });
  const { items } = await list(world);
  expect(items).toHaveLength(5);
  for (const { metadata, spec } of items) {
    expect(metadata.name).toMatch(/^sums-[a-z0-9]{5}$/);
    expect(metadata.labels).not.toHaveProperty('batch.kubernetes.io/job-completion-index');
    expect(spec.hostname).toBeUndefined();
    expect(spec.containers[0]?.env).toBeUndefined();
    expect((await world.get(`${PODS}/${metadata.name}`)).status).toBe(200);
  }
});

describe('by name', () => {
  test('a name leads to its attempt', async () => {
    const world = await aBusyJob();
    for (const pod of (await list(world)).items) {
      const answer = await world.get(`${PODS}/${pod.metadata.name}`);
      expect([answer.status, await answer.json()]).toEqual([200, pod]);
    }
  });

  test("also where it holds only the beginning of the Job's", async () => {
    const world = await aWorld();
    const name = 'a'.repeat(57);
    await world.post(JOBS, manifest(name));
    await world.commit(name, [{ op: 'claim', index: 3 }]);
    const [pod] = (await list(world)).items;
    expect(pod?.metadata.name).toMatch(/^a{55}-3-[a-z0-9]{5}$/);
    expect((await world.get(`${PODS}/${pod?.metadata.name}`)).status).toBe(200);
  });

  test.each(['sums', 'sums-0', 'sums-9-bbbbb', 'sums-0-aaaaa', 'other-0-bbbbb', '-'])('%s is none', async (name) => {
    const world = await aBusyJob();
    expect((await world.get(`${PODS}/${name}`)).status).toBe(404);
  });
});

describe('list', () => {
  test.each([
    ['?labelSelector=job-name%3Dsums', 5],
    ['?labelSelector=batch.kubernetes.io/job-name%3Dsums', 5],
    ['?labelSelector=batch.kubernetes.io/controller-uid%3D00000001-0000-4000-8000-000000000000', 5],
    ['?labelSelector=batch.kubernetes.io/controller-uid%3Dother', 0],
    ['?labelSelector=job-name%3Dother', 0],
    ['?labelSelector=job-name%3Dsums,batch.kubernetes.io/job-completion-index%3D0', 2],
    ['?labelSelector=batch.kubernetes.io/job-completion-index%20in%20(1,2)', 2],
    ['?fieldSelector=status.phase%3DPending', 2],
    ['?fieldSelector=status.phase!%3DPending', 3],
  ])('%s', async (query, count) => {
    const world = await aBusyJob();
    expect((await list(world, query)).items).toHaveLength(count);
  });

  test('pages do not read the whole history', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('big', { completions: 4000, parallelism: 4000 }));
    await world.post(JOBS, manifest('next'));
    await world.commit('next', [{ op: 'claim', index: 0 }]);
    const all = Array.from({ length: 4000 }, (_, index) => index);
    await world.commit(
      'big',
      all.flatMap((index) => [
        { op: 'claim' as const, index },
        { op: 'succeeded' as const, index },
      ]),
      { fold: true },
    );
    let read = 0;
    const readAttempts = world.jobs.readAttempts.bind(world.jobs);
    world.jobs.readAttempts = async (uid, from, to) => {
      read += to - from + 1;
      return readAttempts(uid, from, to);
    };
    const names = new Set<string>();
    let token = '';
    let pages = 0;
    do {
      const before = read;
      const page = await list(world, `?limit=500&continue=${token}`);
      expect(read - before).toBeLessThanOrEqual(500 + 512);
      for (const { metadata } of page.items) names.add(metadata.name);
      token = page.metadata.continue ?? '';
      pages++;
    } while (token !== '');
    expect([names.size, pages]).toEqual([4001, 9]);
  });
});

describe('logs', () => {
  const log = async (world: World, index: number, query = '', attempt?: string) => {
    const pods = await list(world, `?labelSelector=batch.kubernetes.io/job-completion-index%3D${index}`);
    const pod = attempt === undefined ? pods.items.at(-1) : pods.items[Number(attempt)];
    return world.get(`${PODS}/${pod?.metadata.name}/log${query}`);
  };

  test('of an attempt that has ended, whole or in part', async () => {
    const world = await aBusyJob();
    world.print(1, 1, 'main', 'one', 'two', 'three', 'four', 'fünf');
    const answer = await log(world, 1);
    expect(answer.headers.get('content-type')).toBe('text/plain');
    expect(await answer.text()).toBe('one\ntwo\nthree\nfour\nfünf\n');
    expect(await (await log(world, 1, '?tailLines=2')).text()).toBe('four\nfünf\n');
    expect(await (await log(world, 1, '?tailLines=0')).text()).toBe('');
    expect(await (await log(world, 1, '?container=main&tailLines=99')).text()).toMatch(/^one\n/);
    expect(await (await log(world, 1, '?sinceTime=2023-11-14T22:13:23Z')).text()).toBe('four\nfünf\n');
    expect(await (await log(world, 1, '?timestamps=true&tailLines=1')).text()).toBe('2023-11-14T22:13:24.000Z fünf\n');
  });

  test('each attempt has its own', async () => {
    const world = await aBusyJob();
    world.print(0, 1, 'main', 'first');
    world.print(0, 2, 'main', 'second');
    expect(await (await log(world, 0, '', '0')).text()).toBe('first\n');
    expect(await (await log(world, 0, '', '1')).text()).toBe('second\n');
  });

  test('followed until the attempt has ended', async () => {
    let sleeps = 0;
    const world: World = await aWorld(
      {},
      {
        onSleep: async () => {
          sleeps++;
          if (sleeps === 1) world.print(0, 1, 'main', 'two', 'three');
          if (sleeps === 3) {
            world.print(0, 1, 'main', 'four');
            await world.record('sums', 0, 1, { cause: 'Completed', exitCode: 0, container: 'main', reason: '' });
            await world.commit('sums', [{ op: 'succeeded', index: 0 }]);
          }
        },
      },
    );
    await world.post(JOBS, manifest('sums'));
    await world.launch('sums', [{ index: 0, attempt: 1 }]);
    await world.commit('sums', [
      { op: 'claim', index: 0 },
      { op: 'running', index: 0 },
    ]);
    world.print(0, 1, 'main', 'one');
    expect(await (await log(world, 0, '?follow=true&tailLines=1')).text()).toBe('one\ntwo\nthree\nfour\n');
    expect(sleeps).toBe(3);
  });

  test.each<[number, string, string]>([
    [3, '', 'is waiting to start: ContainerCreating'],
    [2, '', 'is waiting to start: ContainerCreating'],
    [1, '?container=side', 'container side is not valid for pod sums-1-'],
    [1, '?previous=true', 'previous terminated container "main" in pod "sums-1-'],
    [1, '?tailLines=-1', 'tailLines: Invalid value: "-1"'],
    [1, '?sinceTime=yesterday', 'sinceTime: must be'],
    [1, '?limitBytes=3', 'limitBytes: not supported'],
  ])('refused: index %i %s', async (index, query, message) => {
    const world = await aBusyJob();
    const answer = await log(world, index, query);
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { message: string }).message).toContain(message);
  });
});
