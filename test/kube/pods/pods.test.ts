import { describe, expect, test } from 'vitest';
import { JOBS, PODS, START, type World, aWorld, arnOf, linesOf, manifest } from '../a-world.ts';
import { type Pod, type PodList, aBusyJob, list } from './some-pods.ts';

const brief = ({ items }: PodList) =>
  items.map(({ metadata, status }) => `${metadata.name.replace(/-[a-z0-9]+$/, '')} ${status.phase}`);

const condition = (type: string, status: string, atSec: number, reason?: string) => ({
  type,
  status,
  lastProbeTime: null,
  lastTransitionTime: `2023-11-14T22:13:${atSec}Z`,
  ...(reason === undefined ? {} : { reason }),
});

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
    qosClass: 'BestEffort',
    startTime: '2023-11-14T22:13:21Z',
    conditions: [
      condition('PodReadyToStartContainers', 'False', 23),
      condition('Initialized', 'True', 21),
      condition('Ready', 'False', 23, 'PodFailed'),
      condition('ContainersReady', 'False', 23, 'PodFailed'),
      condition('PodScheduled', 'True', 21),
    ],
    containerStatuses: [
      {
        name: 'main',
        image: 'busybox',
        imageID: '',
        containerID: 'ecs://00000000000000000000000000000001/main',
        ready: false,
        started: false,
        restartCount: 0,
        lastState: {},
        state: {
          terminated: {
            exitCode: 3,
            reason: 'Error',
            startedAt: '2023-11-14T22:13:22Z',
            finishedAt: '2023-11-14T22:13:23Z',
            containerID: 'ecs://00000000000000000000000000000001/main',
          },
        },
      },
    ],
  });
  expect(launched?.status.containerStatuses?.[0]?.state).toEqual({ waiting: { reason: 'ContainerCreating' } });
  expect(claimed?.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
  expect(claimed?.spec).not.toHaveProperty('nodeName');
  expect(launched?.spec).toMatchObject({ nodeName: `fargate-${arnOf(2, 1).slice(-32)}` });
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
    conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'SpotInterruption' }, {}, {}, {}, {}, {}],
    containerStatuses: [{ state: { waiting: { reason: 'SpotInterruption' } } }],
  });
  expect(JSON.stringify(spot)).not.toContain('exitCode');
});

test('a withdrawn claim never was a Pod, and one whose Job ends is being deleted', async () => {
  const world = await aBusyJob();
  await world.commit('sums', [{ op: 'released', index: 3 }], { phase: { kind: 'suspended', since: START } });
  const { items } = await list(world);
  expect(items.map(({ metadata }) => metadata.name.slice(0, 6))).not.toContain('sums-3');
  expect(items.map(({ metadata }) => 'deletionTimestamp' in metadata)).toEqual([false, true, false, true]);
});

describe('watched by phase', () => {
  const told = async (world: World, query: string) =>
    (
      (await linesOf(await world.get(`${PODS}?watch=true&timeoutSeconds=1&${query}`))) as {
        type: string;
        object: Pod;
      }[]
    ).map(({ type, object }) => `${type} ${object.metadata.name.replace(/-[a-z0-9]+$/, '')} ${object.status.phase}`);
  const aJobThatRuns = async (): Promise<World> => {
    const world = await aWorld();
    await world.post(JOBS, manifest('sums', { parallelism: 4 }));
    const both = [0, 1];
    await world.commit(
      'sums',
      both.map((index) => ({ op: 'claim', index }) as const),
    );
    await world.commit(
      'sums',
      both.map((index) => ({ op: 'running', index }) as const),
    );
    await world.record('sums', 0, 1, { cause: 'Completed', exitCode: 0, container: 'main', reason: '' });
    await world.commit('sums', [{ op: 'succeeded', index: 0 }]);
    return world;
  };
  const RUNNING = 'fieldSelector=status.phase%3DRunning';

  test('added when it comes to the phase, deleted when it leaves it', async () => {
    const world = await aJobThatRuns();
    expect(await told(world, `resourceVersion=1&${RUNNING}`)).toEqual([
      'ADDED sums-0 Running',
      'ADDED sums-1 Running',
      'DELETED sums-0 Succeeded',
    ]);
  });

  test('a watch from when it was in the phase', async () => {
    const world = await aJobThatRuns();
    expect(await told(world, `resourceVersion=3&${RUNNING}`)).toEqual(['DELETED sums-0 Succeeded']);
    expect(await told(world, 'resourceVersion=1&fieldSelector=status.phase%3DSucceeded')).toEqual([
      'ADDED sums-0 Succeeded',
    ]);
    expect(await told(world, 'resourceVersion=1&fieldSelector=status.phase!%3DPending')).toEqual([
      'ADDED sums-0 Running',
      'ADDED sums-1 Running',
      'MODIFIED sums-0 Succeeded',
    ]);
  });

  test('what others select is not included', async () => {
    const world = await aJobThatRuns();
    expect(await told(world, `resourceVersion=1&${RUNNING}&labelSelector=a%3Db`)).toEqual([]);
  });
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

  test.each([
    'a'.repeat(63),
    `my-job-${'a'.repeat(56)}`,
    'a.'.repeat(31) + 'b',
    `${'a'.repeat(57)}-bbbbb`,
    'a'.repeat(58),
  ])('of a NonIndexed Job as well, where the cut takes the dash before the suffix: %s', async (name) => {
    const world = await aWorld();
    await world.post(JOBS, manifest(name, { completionMode: 'NonIndexed' }));
    await world.commit(name, [{ op: 'claim', index: 3 }]);
    const [pod] = (await list(world)).items;
    expect(pod?.metadata.name).toHaveLength(63);
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
    await world.post(JOBS, manifest('big', { completions: 2000, parallelism: 2000 }));
    await world.post(JOBS, manifest('next'));
    await world.commit('next', [{ op: 'claim', index: 0 }]);
    const all = Array.from({ length: 2000 }, (_, index) => index);
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
    expect([names.size, pages]).toEqual([2001, 5]);
  });
});
