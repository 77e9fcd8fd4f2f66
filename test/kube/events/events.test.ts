import { describe, expect, test } from 'vitest';
import { plusMs } from '../../../shared/domain/base/time.ts';
import type { JobUid } from '../../../shared/domain/base/ids.ts';
import { JOBS, START, type World, aWorld, manifest } from '../a-world.ts';
import {
  EVENTS,
  OF_THE_JOB,
  OF_THE_PODS,
  type Event,
  aBusyJob,
  entry,
  line,
  list,
  nameless,
  selector,
} from './some-events.ts';

const brief = ({ items }: { readonly items: readonly Event[] }) => items.map(line);

test("a Job's Events and its Pods', derived from what is stored", async () => {
  const world = await aBusyJob();
  expect(brief(await list(world))).toEqual([...OF_THE_JOB, ...OF_THE_PODS]);
});

test('an Event looks as Kubernetes makes it', async () => {
  const world = await aBusyJob();
  const { items } = await list(world);
  const pod = items.find(({ reason }) => reason === 'Failed');
  expect(pod).toEqual({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: pod?.metadata.name,
      namespace: 'default',
      uid: pod?.metadata.uid,
      resourceVersion: '3',
      creationTimestamp: '2023-11-14T22:13:23Z',
    },
    involvedObject: {
      kind: 'Pod',
      namespace: 'default',
      name: pod?.metadata.name.split('.')[0],
      uid: '00000001-0000-4000-8000-000000000001',
      apiVersion: 'v1',
      resourceVersion: '3',
      fieldPath: 'spec.containers{main}',
    },
    reason: 'Failed',
    message: 'Container main exited with code 3',
    source: { component: 'muster' },
    firstTimestamp: '2023-11-14T22:13:23Z',
    lastTimestamp: '2023-11-14T22:13:23Z',
    count: 1,
    type: 'Warning',
    eventTime: null,
    reportingComponent: 'muster',
    reportingInstance: '',
  });
  expect(pod?.metadata.name).toMatch(/^sums-0-[a-z0-9]{5}\.[0-9a-f]{16}$/);
  expect(pod?.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  const resumed = items.find(({ reason }) => reason === 'Resumed');
  expect(resumed?.metadata.name).toMatch(/^sums\.[0-9a-f]{16}$/);
  expect(resumed).toMatchObject({
    involvedObject: { kind: 'Job', name: 'sums', apiVersion: 'batch/v1' },
    source: { component: 'job-controller' },
    reportingComponent: 'job-controller',
  });
});

test('each has a name and a uid of its own, the same every time; what is counted keeps both', async () => {
  const world = await aBusyJob();
  const ids = async (): Promise<string[]> =>
    (await list(world)).items.flatMap(({ metadata: { name, uid } }) => [name, uid]);
  const first = await ids();
  expect(new Set(first).size).toBe(2 * (OF_THE_JOB.length + OF_THE_PODS.length));
  await world.commit('sums', [], {
    events: [entry(2, 'Resumed', 'Job resumed'), entry(5, 'Suspended', 'Job suspended', { count: 2 })],
  });
  expect((await ids()).toSorted()).toEqual(first.toSorted());
});

test('by name', async () => {
  const world = await aBusyJob();
  for (const event of (await list(world)).items) {
    const answer = await world.get(`${EVENTS}/${event.metadata.name}`);
    expect([answer.status, await answer.json()]).toEqual([200, event]);
  }
  for (const name of ['sums', 'sums.0000000000000000', 'other.0000000000000000'])
    expect((await world.get(`${EVENTS}/${name}`)).status).toBe(404);
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is refused', async (method) => {
  const world = await aBusyJob();
  for (const path of [EVENTS, `${EVENTS}/sums.0000000000000000`]) {
    const answer = await world.app.request(path, { method, body: '{}' });
    expect([answer.status, await answer.json()]).toMatchObject([405, { kind: 'Status', reason: 'MethodNotAllowed' }]);
  }
});

describe('ends of Pods', () => {
  const ofPods = async (world: World) =>
    brief(await list(world, selector({ 'involvedObject.kind': 'Pod' }))).map((text) => text.slice('Pod '.length));
  const SCHEDULED = [' Scheduled Successfully assigned default/sums-0 to <task>'];
  const AWAY = 'Error response from daemon: dial tcp 192.0.2.1:443: connect: connection refused';
  const RAN = [...SCHEDULED, ' Created Created container: main', ' Started Started container main'];

  test.each([
    ['Completed', 0, '', RAN],
    ['OOMKilled', 137, '', [...RAN, '! OOMKilled Container main was killed: out of memory']],
    ['Stopped', 143, '', [...RAN, ' Killing Stopping container main']],
    ['Spot', null, 'Spot took it', [...RAN, '! SpotInterruption Spot took it']],
    ['Infrastructure', null, 'host gone', [...RAN, '! InfrastructureHealth host gone']],
    ['StartFailed', null, 'no such image', [...RAN, '! Failed Error: no such image']],
    ['Unplaced', null, 'no capacity', ['! FailedScheduling no capacity']],
    [
      'Unplaced',
      null,
      `CannotPullContainerError: ${AWAY}`,
      [...RAN, `! Failed Error: CannotPullContainerError: ${AWAY}`],
    ],
  ] as const)('%s', async (cause, exitCode, reason, expected) => {
    const world = await aWorld();
    await world.post(JOBS, manifest('sums'));
    await world.record('sums', 0, 1, { cause, exitCode, container: exitCode === null ? null : 'main', reason });
    await world.commit('sums', [
      { op: 'claim', index: 0 },
      { op: 'failed', index: 0, notBefore: null },
    ]);
    expect((await ofPods(world)).filter((text) => text !== '')).toEqual(expected);
  });

  test('a Pod that a user deleted has none; one that is being stopped says so', async () => {
    const world = await aBusyJob();
    await world.record('sums', 0, 1, {
      cause: 'Stopped',
      exitCode: 143,
      container: 'main',
      reason: 'Muster: the Pod was deleted: x',
      podDeleted: true,
    });
    await world.commit('sums', [], { phase: { kind: 'suspended', since: plusMs(START, 9000) } });
    const lines = await ofPods(world);
    expect(lines.filter((text) => text.includes('sums-0'))).toHaveLength(1);
    expect(lines.filter((text) => text.includes('Killing'))).toHaveLength(2);
    const deleted = await list(world, selector({ reason: 'SuccessfulDelete' }));
    expect(brief(deleted)).toEqual([0, 2, 3].map((index) => `Job  SuccessfulDelete Deleted pod: sums-${index}`));
  });

  test('a Pod whose container restarts', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('sums'));
    await world.commit('sums', [
      { op: 'claim', index: 0 },
      { op: 'running', index: 0 },
    ]);
    const ending = { cause: 'Error', exitCode: 1, container: 'main', reason: '' } as const;
    await world.record('sums', 0, 1, ending, { as: 'restarted', why: { kind: 'exited', exitCode: 1 } });
    await world.commit('sums', [{ op: 'restart', index: 0, notBefore: null }]);
    const crashed = [
      ...RAN,
      '! Failed Container main exited with code 1',
      '! BackOff Back-off restarting failed container main in pod sums-0_default(00000001-0000-4000-8000-000000000001)',
    ];
    expect(await ofPods(world)).toEqual(crashed);
    await world.launch('sums', [{ index: 0, attempt: 1, nonce: 1 }]);
    await world.commit('sums', [
      { op: 'relaunch', index: 0 },
      { op: 'running', index: 0 },
    ]);
    expect(await ofPods(world)).toEqual([...crashed, ...RAN]);
  });
});

describe('Pods created', () => {
  const created = async (world: World) => (await list(world, selector({ reason: 'SuccessfulCreate' }))).items;
  const aWideJob = async (count: number): Promise<World> => {
    const world = await aWorld();
    await world.post(JOBS, manifest('wide', { completions: 5000, parallelism: 5000 }));
    await world.commit(
      'wide',
      Array.from({ length: count }, (_, index) => ({ op: 'claim' as const, index })),
      { startTime: START },
    );
    return world;
  };

  test('nine are reported one by one', async () => {
    expect((await created(await aWideJob(9))).map(line)).toEqual(
      Array.from({ length: 9 }, (_, index) => `Job  SuccessfulCreate Created pod: wide-${index}`),
    );
  });

  test.each([10, 4500])('of %i all others are one', async (count) => {
    const events = await created(await aWideJob(count));
    expect(events).toHaveLength(10);
    const rest = events.find(({ message }) => message.startsWith('(combined'));
    expect(rest).toMatchObject({ count: count - 9 });
    expect(nameless(rest?.message ?? '')).toBe(`(combined from similar events): Created pod: wide-${count - 1}`);
  });

  test('retries count', async () => {
    const world = await aWideJob(9);
    await world.commit('wide', [
      { op: 'failed', index: 4, notBefore: null },
      { op: 'claim', index: 4, attempt: 2 },
    ]);
    expect((await created(world)).map(({ count }) => count)).toEqual(Array.from({ length: 10 }, () => 1));
  });
});

describe('selected', () => {
  test.each([
    [{ 'involvedObject.kind': 'Job' }, 8],
    [{ 'involvedObject.kind': 'Job', 'involvedObject.name': 'sums', 'involvedObject.apiVersion': 'batch/v1' }, 8],
    [{ 'involvedObject.kind': 'Job', 'involvedObject.name': 'other' }, 0],
    [{ 'involvedObject.kind': 'Job', 'involvedObject.uid': '00000001-0000-4000-8000-000000000000' }, 8],
    [{ 'involvedObject.kind': 'Job', 'involvedObject.uid': 'other' }, 0],
    [{ 'involvedObject.kind': 'CronJob' }, 0],
    [{ 'involvedObject.kind': 'Pod' }, 12],
    [{ 'involvedObject.apiVersion': 'v1' }, 12],
    [{ 'involvedObject.name': 'sums' }, 8],
    [{ 'involvedObject.namespace': 'default', type: 'Warning' }, 3],
    [{ 'involvedObject.namespace': 'other' }, 0],
    [{ 'involvedObject.fieldPath': 'spec.containers{main}' }, 7],
    [{ 'involvedObject.resourceVersion': '4' }, 15],
    [{ reason: 'Started' }, 3],
    [{ source: 'job-controller' }, 8],
    [{ reportingComponent: 'muster' }, 12],
    [{ 'metadata.namespace': 'default' }, 20],
    [{ 'metadata.name': 'nothing.0000000000000000' }, 0],
  ])('%j', async (fields, count) => {
    const world = await aBusyJob();
    expect((await list(world, selector(fields as Record<string, string>))).items).toHaveLength(count);
    expect((await list(world, selector(fields as Record<string, string>), '/api/v1/events')).items).toHaveLength(count);
  });

  test('of one Pod, in one namespace and in all', async () => {
    const world = await aBusyJob();
    const all = (await list(world)).items;
    const { name } = all.find(({ reason }) => reason === 'Failed')?.involvedObject ?? { name: '' };
    const query = selector({ 'involvedObject.kind': 'Pod', 'involvedObject.name': name });
    for (const path of [EVENTS, '/api/v1/events'])
      expect(brief(await list(world, query, path))).toEqual(OF_THE_PODS.slice(0, 4));
  });

  test('by what no Event has', async () => {
    const world = await aBusyJob();
    expect((await list(world, '?labelSelector=a%3Db')).items).toEqual([]);
    expect((await world.get(`${EVENTS}?fieldSelector=spec.x%3D1`)).status).toBe(400);
    expect((await list(world, '', '/api/v1/namespaces/other/events')).items).toEqual([]);
  });

  test("one Pod's are read without the others", async () => {
    const world = await aBusyJob();
    const pod = (await list(world)).items.find(({ reason }) => reason === 'Failed')?.involvedObject.name ?? '';
    const read: string[] = [];
    const readAttempts = world.jobs.readAttempts.bind(world.jobs);
    world.jobs.readAttempts = async (uid, from, to) => {
      read.push(`${from}-${to}`);
      return readAttempts(uid, from, to);
    };
    await list(world, selector({ 'involvedObject.kind': 'Pod', 'involvedObject.name': pod }));
    expect(read).toEqual(['0-0']);
  });
});

describe('pages', () => {
  test.each([1, 2, 7, 8, 500])('of %i hold the same as the whole, each once', async (limit) => {
    const world = await aBusyJob();
    await world.post(JOBS, manifest('after'));
    await world.commit('after', [{ op: 'claim', index: 0 }], { events: [entry(2, 'Completed', 'Job completed')] });
    const whole = (await list(world)).items;
    const paged: Event[] = [];
    let token = '';
    do {
      const page = await list(world, `?limit=${limit}&continue=${token}`);
      expect(page.items.length).toBeLessThanOrEqual(limit);
      paged.push(...page.items);
      token = page.metadata.continue ?? '';
    } while (token !== '');
    expect(paged).toEqual(whole);
  });

  test("a page does not read a Job's whole history", async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('big', { completions: 4000, parallelism: 4000 }));
    await world.commit(
      'big',
      Array.from({ length: 4000 }, (_, index) => [
        { op: 'claim' as const, index },
        { op: 'running' as const, index },
      ]).flat(),
      { fold: true },
    );
    let rows = 0;
    const readLaunchRange = world.jobs.readLaunchRange.bind(world.jobs);
    world.jobs.readLaunchRange = async (uid, from, to) => {
      rows += to - from + 1;
      return readLaunchRange(uid, from, to);
    };
    const { items, metadata } = await list(world, '?limit=10');
    expect([items.length, metadata.continue === undefined]).toEqual([10, true]);
    rows = 0;
    await list(world, '?limit=5');
    expect(rows).toBeLessThan(60);
  });

  test('of Jobs that have not begun each is read once, several at a time, and none behind the page', async () => {
    const world = await aWorld();
    for (let i = 10; i < 50; i++) {
      await world.post(JOBS, manifest(`job-${i}`, { suspend: true }));
      await world.commit(`job-${i}`, [], { events: [entry(2, 'Suspended', 'Job suspended')] });
    }
    const read: JobUid[] = [];
    let [underWay, most] = [0, 0];
    const readStatus = world.jobs.readStatus.bind(world.jobs);
    world.jobs.readStatus = async (uid) => {
      read.push(uid);
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setImmediate(resolve));
      const status = await readStatus(uid);
      underWay--;
      return status;
    };
    expect((await list(world)).items).toHaveLength(40);
    expect([read.length, new Set(read).size]).toEqual([40, 40]);
    expect(most).toBe(8);
    read.length = 0;
    expect((await list(world, '?limit=2')).items).toHaveLength(2);
    expect(read.length).toBeLessThanOrEqual(4);
  });
});
