import { POD_DELETED } from '../../../shared/domain/planner/ending.ts';
import { describe, expect, test } from 'vitest';
import { plusMs } from '../../../shared/domain/base/time.ts';
import { JOBS, PODS, START, type World, aWorld, arnOf, linesOf, manifest } from '../a-world.ts';

type Pod = {
  metadata: {
    name: string;
    uid: string;
    creationTimestamp: string;
    labels: Record<string, string>;
    annotations?: Record<string, string>;
    resourceVersion: string;
  };
  spec: { hostname?: string; containers: { env?: { name: string }[] }[] };
  status: {
    phase: string;
    qosClass?: string;
    reason?: string;
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
    containerStatuses?: ContainerStatus[];
    initContainerStatuses?: ContainerStatus[];
  };
};
type ContainerStatus = { name: string; restartCount: number; state: object; lastState: object };
type PodList = { metadata: { continue?: string; resourceVersion: string }; items: Pod[] };

const list = async (world: World, query = ''): Promise<PodList> =>
  (await (await world.get(PODS + query)).json()) as PodList;
const brief = ({ items }: PodList) =>
  items.map(({ metadata, status }) => `${metadata.name.replace(/-[a-z0-9]+$/, '')} ${status.phase}`);

const condition = (type: string, status: string, atSec: number, reason?: string) => ({
  type,
  status,
  lastProbeTime: null,
  lastTransitionTime: `2023-11-14T22:13:${atSec}Z`,
  ...(reason === undefined ? {} : { reason }),
});

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
        lastProbeTime: null,
        reason: 'Unschedulable',
        message: 'Capacity is unavailable at this time',
      },
    ],
    message: 'Capacity is unavailable at this time',
    qosClass: 'BestEffort',
  });
});

describe('what a Pod waits for', () => {
  const claims = (...nonces: readonly number[]) =>
    nonces.map((nonce, i) => ({ index: i, attempt: 1, nonce, dueAt: plusMs(START, 8_000) }));
  const scheduled = async (world: World, index: number) => {
    const { status } = (await list(world)).items[index] as Pod;
    expect(status.phase).toBe('Pending');
    return status.conditions?.find(({ type }) => type === 'PodScheduled');
  };
  const aWaitingJob = async (perSec: number | null, fullPerSec = perSec): Promise<World> => {
    const world = await aWorld();
    Object.assign(world.pace, { perSec, fullPerSec });
    await world.post(JOBS, manifest('sums', { parallelism: 4 }));
    const steps = [0, 1, 2, 3].map((index) => ({ op: 'claim', index }) as const);
    await world.commit('sums', steps, { startTime: START, inFlight: claims(0, 0, 0, 0) });
    return world;
  };

  test('its turn under the launch rate, with its position', async () => {
    const world = await aWaitingJob(0.5);
    expect(await scheduled(world, 0)).toMatchObject({
      status: 'False',
      reason: 'LaunchRateLimited',
      message: 'launch rate 0.5/s, about 2 s',
    });
    expect(await scheduled(world, 3)).toMatchObject({ message: 'launch rate 0.5/s, about 8 s' });
    const table = await world.get(PODS, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' });
    const { rows } = (await table.json()) as { rows: { cells: unknown[] }[] };
    expect(rows.map(({ cells }) => cells[2])).toEqual(Array(4).fill('Pending'));
    expect(await eventsOf(world)).toEqual([]);
  });

  test('its name', async () => {
    const world = await aWaitingJob(20);
    Object.assign(world.pace, { namesPerSec: 0.5 });
    const { spec } = manifest('named', { parallelism: 4 });
    const template = { spec: { ...spec.template.spec, subdomain: 'workers' } };
    const answer = await world.post(JOBS, manifest('named', {}, { spec: { ...spec, template } }));
    expect(answer.status).toBe(201);
    await world.commit('named', [{ op: 'claim', index: 0 }], { inFlight: claims(0) });
    expect(await scheduled(world, 0)).toMatchObject({
      reason: 'HostnamePending',
      message: 'names in Cloud Map 0.5/s, about 2 s',
    });
  });

  test('a throttle', async () => {
    const world = await aWaitingJob(10, 20);
    expect(await scheduled(world, 3)).toMatchObject({
      reason: 'LaunchThrottled',
      message: 'ECS throttles: 10/s of 20/s, about 1 s',
    });
  });

  test('quota: a refused Pod waits for the next try, the others for their turn', async () => {
    const quota = 'You’ve reached the limit on the number of vCPUs you can run concurrently';
    const world = await aWaitingJob(1);
    await world.commit('sums', [{ op: 'renonce', index: 0 }], { inFlight: claims(1, 0, 0, 0), waitReason: quota });
    expect(await scheduled(world, 0)).toMatchObject({
      reason: 'Unschedulable',
      message: `${quota}, next try in about 8 s`,
    });
    expect(await scheduled(world, 3)).toMatchObject({ message: 'launch rate 1/s, about 3 s' });
    expect(await eventsOf(world)).toEqual([`FailedScheduling ${quota}`]);
  });

  test('nothing if there is no rate and ECS has not refused, or the Job is ending', async () => {
    const world = await aWaitingJob(null);
    expect(await scheduled(world, 0)).toBeUndefined();
    Object.assign(world.pace, { perSec: 1, fullPerSec: 1 });
    await world.commit('sums', [], { phase: { kind: 'suspended', since: START } });
    expect(await scheduled(world, 0)).toBeUndefined();
  });

  test('its next task, when one could not start', async () => {
    const world = await aWaitingJob(null);
    const image = 'CannotPullContainerError: no such image';
    await world.record('sums', 0, 1, { cause: 'StartFailed', exitCode: null, container: null, reason: image });
    const until = plusMs(START, 20_000);
    await world.commit('sums', [{ op: 'unstarted', index: 0, notBefore: until, since: START }], { inFlight: [] });
    const { status } = (await list(world)).items[0] as Pod;
    expect(status.containerStatuses?.[0]?.state).toEqual({
      waiting: { reason: 'ImagePullBackOff', message: `${image}, next try in about 20 s` },
    });
    const none = 'Unexpected EC2 error while attempting to Create Network Interface';
    await world.record('sums', 1, 1, { cause: 'Unplaced', exitCode: null, container: null, reason: none });
    await world.commit('sums', [{ op: 'unstarted', index: 1, notBefore: until, since: null }]);
    expect(await scheduled(world, 1)).toMatchObject({
      reason: 'Unschedulable',
      message: `${none}, next try in about 20 s`,
    });
  });

  const eventsOf = async (world: World): Promise<readonly string[]> => {
    const answer = await world.get('/api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3DPod');
    const { items } = (await answer.json()) as { items: { reason: string; message: string }[] };
    return items.map(({ reason, message }) => `${reason} ${message}`);
  };
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

describe('a Pod is created once, however many tasks it continues in', () => {
  const CRASHED = { cause: 'Error', exitCode: 1, container: 'main', reason: 'exit 1' } as const;
  const UNPLACED = { cause: 'Unplaced', exitCode: null, container: null, reason: 'no capacity' } as const;
  const sec = (n: number) => plusMs(START, n * 1000);

  test.each([
    ['restart', CRASHED, 'restarted'],
    ['unstarted', UNPLACED, 'unstarted'],
  ] as const)('%s', async (op, ending, as) => {
    const world = await aWorld();
    await world.post(JOBS, manifest('sums'));
    const seen: string[] = [];
    const look = async (): Promise<void> => {
      const pod = (await list(world)).items[0];
      seen.push(`${pod?.metadata.uid} ${pod?.metadata.creationTimestamp} ${pod?.status.phase}`);
    };
    const commit = async (...steps: Parameters<World['commit']>[1]): Promise<void> => {
      await world.commit('sums', steps);
      await look();
    };
    const podCreatedSec = sec(1) / 1000;
    const goesOn = (first: { readonly podCreatedSec?: number } = {}) => {
      const step = { index: 0, notBefore: sec(9), ...first };
      return op === 'restart' ? { ...step, op } : { ...step, op, since: null };
    };
    await world.launch('sums', [{ index: 0, attempt: 1 }], sec(1));
    await commit({ op: 'claim', index: 0 });
    await commit({ op: 'launched', index: 0 });
    await world.record('sums', 0, 1, ending, { as, because: '', createdAt: sec(1) });
    await commit(goesOn({ podCreatedSec }));
    await commit({ op: 'relaunch', index: 0 });
    await world.launch('sums', [{ index: 0, attempt: 1, nonce: 1 }], sec(20));
    await commit({ op: 'launched', index: 0 });
    await world.record('sums', 0, 1, ending, { as, because: '', nonce: 1, createdAt: sec(20), podCreatedSec });
    await commit(goesOn());
    await commit({ op: 'relaunch', index: 0 });
    await world.launch('sums', [{ index: 0, attempt: 1, nonce: 2 }], sec(40));
    await commit({ op: 'running', index: 0 });
    const done = { cause: 'Completed', exitCode: 0, container: 'main', reason: '' } as const;
    await world.record('sums', 0, 1, done, { nonce: 2, createdAt: sec(40), podCreatedSec });
    await commit({ op: 'succeeded', index: 0 });
    const made = '00000001-0000-4000-8000-000000000001 2023-11-14T22:13:21Z';
    expect(seen.at(-1)).toBe(`${made} Succeeded`);
    expect([...new Set(seen.map((line) => line.slice(0, made.length)))]).toEqual([made]);
  });
});

describe('containers', () => {
  /** Init container, sidecar, main container, and one next to it. */
  const aFullJob = async (spec: object = {}): Promise<World> => {
    const world = await aWorld();
    const container = (name: string, more: object = {}) => ({ name, image: 'busybox', command: ['true'], ...more });
    const template = {
      spec: {
        restartPolicy: 'OnFailure',
        initContainers: [container('prepare'), container('proxy', { restartPolicy: 'Always' }), container('check')],
        containers: [container('main', { resources: { requests: { cpu: '1', memory: '2Gi' } } }), container('beside')],
      },
    };
    const { spec: usual } = manifest('full');
    await world.post(JOBS, { ...manifest('full'), spec: { ...usual, ...spec, template } });
    await world.commit('full', [{ op: 'claim', index: 0 }]);
    return world;
  };
  const shown = async (world: World) => {
    const pod = (await list(world)).items[0];
    const { initContainerStatuses = [], containerStatuses = [] } = pod?.status ?? {};
    const word = (state: object): string =>
      Object.entries(state as Record<string, { reason?: string; exitCode?: number }>)
        .map(([kind, { reason, exitCode }]) => [kind, exitCode, reason].filter((part) => part !== undefined).join(' '))
        .join('');
    const all = [...initContainerStatuses, ...containerStatuses];
    return {
      phase: pod?.status.phase,
      initialized: pod?.status.conditions?.find(({ type }) => type === 'Initialized')?.status,
      containers: all.map((c) => [c.name, word(c.state), c.restartCount, word(c.lastState)].join(', ')),
    };
  };

  test('being launched, running, started again', async () => {
    const world = await aFullJob();
    await world.launch('full', [{ index: 0, attempt: 1 }]);
    await world.commit('full', [{ op: 'launched', index: 0 }]);
    const starting = ['prepare', 'proxy', 'check', 'main', 'beside'].map(
      (name) => `${name}, waiting PodInitializing, 0, `,
    );
    expect(await shown(world)).toEqual({ phase: 'Pending', initialized: 'False', containers: starting });
    await world.commit('full', [{ op: 'running', index: 0 }]);
    const runs = (restarts: number, last: string) => [
      'prepare, terminated 0 Completed, 0, ',
      'proxy, running, 0, ',
      'check, terminated 0 Completed, 0, ',
      `main, running, ${restarts}, ${last}`,
      'beside, running, 0, ',
    ];
    expect(await shown(world)).toEqual({ phase: 'Running', initialized: 'True', containers: runs(0, '') });
    const ending = { cause: 'OOMKilled', exitCode: 137, container: 'main', reason: 'out of memory' } as const;
    await world.record('full', 0, 1, ending, { as: 'restarted', because: 'out of memory' });
    await world.commit('full', [{ op: 'restart', index: 0, notBefore: null }]);
    expect((await shown(world)).containers[3]).toBe('main, waiting CrashLoopBackOff, 1, terminated 137 OOMKilled');
    await world.commit('full', [{ op: 'relaunch', index: 0 }]);
    expect(await shown(world)).toMatchObject({ phase: 'Running' });
    await world.launch('full', [{ index: 0, attempt: 1, nonce: 1 }]);
    await world.commit('full', [{ op: 'running', index: 0 }]);
    expect((await shown(world)).containers).toEqual(runs(1, 'terminated 137 OOMKilled'));
  });

  test('all done', async () => {
    const world = await aFullJob();
    await world.record('full', 0, 1, { cause: 'Completed', exitCode: 0, container: 'main', reason: '' });
    await world.commit('full', [{ op: 'succeeded', index: 0 }]);
    expect(await shown(world)).toEqual({
      phase: 'Succeeded',
      initialized: 'True',
      containers: [
        'prepare, terminated 0 Completed, 0, ',
        'proxy, terminated 0 Stopped, 0, ',
        'check, terminated 0 Completed, 0, ',
        'main, terminated 0 Completed, 0, ',
        'beside, terminated 0 Stopped, 0, ',
      ],
    });
  });

  test('an init container that failed', async () => {
    const world = await aFullJob();
    await world.record('full', 0, 1, { cause: 'Error', exitCode: 5, container: 'check', reason: 'exited' });
    await world.commit('full', [{ op: 'failed', index: 0, notBefore: null }]);
    expect(await shown(world)).toEqual({
      phase: 'Failed',
      initialized: 'False',
      containers: [
        'prepare, terminated 0 Completed, 0, ',
        'proxy, terminated 0 Stopped, 0, ',
        'check, terminated 5 Error, 0, ',
        'main, waiting PodInitializing, 0, ',
        'beside, waiting PodInitializing, 0, ',
      ],
    });
  });

  test('what comes after an init container that failed has not begun', async () => {
    const world = await aFullJob();
    await world.record('full', 0, 1, { cause: 'Error', exitCode: 5, container: 'prepare', reason: 'exited' });
    await world.commit('full', [{ op: 'failed', index: 0, notBefore: null }]);
    expect((await shown(world)).containers).toEqual([
      'prepare, terminated 5 Error, 0, ',
      ...['proxy', 'check', 'main', 'beside'].map((name) => `${name}, waiting PodInitializing, 0, `),
    ]);
  });

  test('no time is shown that is not known', async () => {
    const world = await aFullJob();
    await world.commit('full', [{ op: 'succeeded', index: 0 }]);
    expect(JSON.stringify((await list(world)).items[0]?.status)).not.toMatch(/(At|Time)":null(?<!lastProbeTime":null)/);
  });

  const one = { cpu: '1', memory: '2Gi' };
  test.each<readonly [qosClass: string, containers: readonly object[], init: readonly object[], because: string]>([
    ['BestEffort', [{}, {}], [{}], 'nothing is asked for'],
    ['BestEffort', [{ requests: { 'ephemeral-storage': '30Gi' } }], [], 'nothing of processor and memory'],
    ['Guaranteed', [{ limits: one }], [], 'a limit alone is asked for, too'],
    ['Guaranteed', [{ limits: one, requests: one }, { limits: one }], [{ limits: one }], 'all have all'],
    ['Burstable', [{ limits: one }, {}], [], 'one has nothing'],
    ['Burstable', [{ limits: one }], [{}], 'an init container has nothing'],
    ['Burstable', [{ limits: { memory: '2Gi' } }], [], 'no limit for the processor'],
    ['Burstable', [{ limits: { cpu: '1' } }], [], 'none for the memory'],
    ['Burstable', [{ requests: one }], [], 'no limits'],
    ['Burstable', [{ limits: one, requests: { cpu: '500m', memory: '2Gi' } }], [], 'less is asked for than the limit'],
    ['Burstable', [{ limits: one, requests: { cpu: '1', memory: '1Gi' } }], [], 'of either'],
  ])('the class of service is %s of %j, %j: %s', async (qosClass, containers, init) => {
    const world = await aWorld();
    const named = (some: readonly object[], as: string) =>
      some.map((resources, no) => ({ name: `${as}${no}`, image: 'busybox', command: ['true'], resources }));
    const template = {
      spec: { restartPolicy: 'Never', containers: named(containers, 'c'), initContainers: named(init, 'i') },
    };
    const posted = await world.post(JOBS, {
      ...manifest('full'),
      spec: { ...manifest('full').spec, template },
    });
    expect(posted.status).toBe(201);
    await world.commit('full', [{ op: 'claim', index: 0 }]);
    expect((await list(world)).items[0]?.status).toMatchObject({ qosClass });
  });
});

describe('stopping Pods', () => {
  const stop = async (world: World, path: string, body: object = {}) =>
    world.app.request(`${PODS}${path}`, {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  test('the answer is the Pod as it goes; force and grace are accepted', async () => {
    const world = await aBusyJob();
    const pod = (await list(world)).items.find(({ status }) => status.phase === 'Running');
    const answer = await stop(world, `/${pod?.metadata.name}`, { gracePeriodSeconds: 0, propagationPolicy: 'Orphan' });
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      {
        metadata: {
          name: pod?.metadata.name,
          deletionTimestamp: '2023-11-14T22:13:20Z',
          deletionGracePeriodSeconds: 30,
        },
      },
    ]);
    expect(world.deletedPods).toEqual([{ index: 0, attempt: 2, nonce: 0 }]);
  });

  test.each([
    [{ preconditions: { uid: 'other' } }, 409],
    [{ preconditions: { resourceVersion: '1' } }, 409],
    [{ preconditions: { resourceVersion: '4' } }, 200],
    [{ dryRun: ['All'] }, 200],
    [{ gracePeriodSeconds: -1 }, 400],
  ])('%j: %i', async (body, code) => {
    const world = await aBusyJob();
    const pod = (await list(world)).items.find(({ status }) => status.phase === 'Running');
    const answer = await stop(world, `/${pod?.metadata.name}`, body);
    expect(answer.status).toBe(code);
    expect(world.deletedPods).toHaveLength(code === 200 && !('dryRun' in body) ? 1 : 0);
  });

  test('a collection: those that are live, and that the selectors show', async () => {
    const world = await aBusyJob();
    const dry = await stop(world, '?dryRun=All');
    expect([dry.status, world.deletedPods]).toEqual([200, []]);
    await stop(world, '?labelSelector=batch.kubernetes.io/job-completion-index%3D2');
    expect(world.deletedPods.map(({ index }) => index)).toEqual([2]);
    const answer = await stop(world, '');
    expect([answer.status, await answer.json()]).toMatchObject([200, { kind: 'Status', status: 'Success' }]);
    expect(world.deletedPods.map(({ index }) => index)).toEqual([2, 0, 2, 3]);
  });

  test.each([
    ['POST', '', 'create a Job'],
    ['PUT', '/sums-0-bbbbb', 'not changed'],
    ['PATCH', '/sums-0-bbbbb', 'not changed'],
    ['PUT', '/sums-0-bbbbb/status', 'not changed'],
    ['DELETE', '/sums-0-bbbbb/log', 'not changed'],
  ])('%s %s is refused', async (method, path, why) => {
    const world = await aBusyJob();
    const answer = await world.app.request(PODS + path, { method, body: '{}' });
    const status = (await answer.json()) as { message: string; reason: string };
    expect([answer.status, status.reason]).toEqual([405, 'MethodNotAllowed']);
    expect(status.message).toContain(why);
  });

  test('the status of a Pod is the Pod', async () => {
    const world = await aBusyJob();
    for (const pod of (await list(world)).items)
      expect(await (await world.get(`${PODS}/${pod.metadata.name}/status`)).json()).toEqual(pod);
  });
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
