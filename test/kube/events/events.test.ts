import { describe, expect, test } from 'vitest';
import { plusMs } from '../../../shared/domain/base/time.ts';
import type { JobUid } from '../../../shared/domain/base/ids.ts';
import type { JobEventEntry } from '../../../shared/domain/scoreboard/status.ts';
import { POD_DELETED } from '../../../shared/domain/planner/ending.ts';
import { JOBS, START, type World, aWorld, linesOf, manifest } from '../a-world.ts';

type Event = {
  metadata: { name: string; uid: string; namespace: string; resourceVersion: string };
  involvedObject: { kind: string; name: string; fieldPath?: string };
  reason: string;
  message: string;
  type: string;
  count: number;
  firstTimestamp: string;
  lastTimestamp: string;
};
type EventList = { metadata: { continue?: string; resourceVersion: string }; items: Event[] };
const EVENTS = '/api/v1/namespaces/default/events';

const list = async (world: World, query = '', path = EVENTS): Promise<EventList> => {
  const answer = await world.get(path + query);
  expect(answer.status).toBe(200);
  return (await answer.json()) as EventList;
};
const nameless = (text: string): string =>
  text.replace(/-[b-z2-9]{5}(?![a-z0-9])/g, '').replace(/fargate-[0-9a-f]{32}$/, '<task>');
const line = ({ involvedObject: { kind }, type, reason, message }: Event): string =>
  [kind, type === 'Normal' ? '' : '!', reason, nameless(message)].join(' ');
const brief = ({ items }: { readonly items: readonly Event[] }) => items.map(line);
const selector = (fields: Record<string, string>): string =>
  `?fieldSelector=${encodeURIComponent(
    Object.entries(fields)
      .map(([key, value]) => `${key}=${value}`)
      .join(','),
  )}`;
const entry = (version: number, reason: string, message: string, more: Partial<JobEventEntry> = {}): JobEventEntry => {
  const at = plusMs(START, 5000);
  return { version, reason, message, type: 'Normal', firstAt: at, at, count: 1, ...more };
};

/** Index 0 failed and runs again, 1 succeeded, 2 is launched, 3 waits; the Job was suspended and resumed before. */
const aBusyJob = async (spec: object = {}): Promise<World> => {
  const world = await aWorld();
  await world.post(JOBS, manifest('sums', { parallelism: 4, ...spec }));
  await world.commit(
    'sums',
    [0, 1, 2, 3].map((index) => ({ op: 'claim', index })),
    { startTime: START, events: [entry(2, 'Suspended', 'Job suspended'), entry(2, 'Resumed', 'Job resumed')] },
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
  await world.commit(
    'sums',
    [
      { op: 'running', index: 0, attempt: 2 },
      { op: 'succeeded', index: 1 },
      { op: 'launched', index: 2 },
    ],
    {
      inFlight: [{ index: 3, attempt: 1, nonce: 0, dueAt: plusMs(START, 60_000) }],
      waitReason: 'Capacity is unavailable',
    },
  );
  return world;
};

const OF_THE_JOB = [
  'Job  SuccessfulCreate Created pod: sums-3',
  'Job  SuccessfulCreate Created pod: sums-0',
  'Job  SuccessfulCreate Created pod: sums-1',
  'Job  SuccessfulCreate Created pod: sums-2',
  'Job  SuccessfulCreate Created pod: sums-0',
  'Job ! PodFailed Pod sums-0 failed: exit code 3',
  'Job  Suspended Job suspended',
  'Job  Resumed Job resumed',
];
const OF_THE_PODS = [
  'Pod  Scheduled Successfully assigned default/sums-0 to <task>',
  'Pod  Created Created container: main',
  'Pod  Started Started container main',
  'Pod ! Failed Container main exited with code 3',
  'Pod  Scheduled Successfully assigned default/sums-0 to <task>',
  'Pod  Created Created container: main',
  'Pod  Started Started container main',
  'Pod  Scheduled Successfully assigned default/sums-1 to <task>',
  'Pod  Created Created container: main',
  'Pod  Started Started container main',
  'Pod  Scheduled Successfully assigned default/sums-2 to <task>',
  'Pod ! FailedScheduling Capacity is unavailable',
];

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
  const RAN = [...SCHEDULED, ' Created Created container: main', ' Started Started container main'];

  test.each([
    ['Completed', 0, '', RAN],
    ['OOMKilled', 137, '', [...RAN, '! OOMKilled Container main was killed: out of memory']],
    ['Stopped', 143, '', [...RAN, ' Killing Stopping container main']],
    ['Spot', null, 'Spot took it', [...RAN, '! SpotInterruption Spot took it']],
    ['Infrastructure', null, 'host gone', [...RAN, '! InfrastructureHealth host gone']],
    ['StartFailed', null, 'no such image', [...RAN, '! Failed Error: no such image']],
    ['Unplaced', null, 'no capacity', ['! FailedScheduling no capacity']],
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
      reason: `${POD_DELETED}: x`,
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
    await world.record('sums', 0, 1, ending, { as: 'restarted', because: 'exit code 1' });
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

describe('watched', () => {
  type Told = { type: string; object: Event };
  const watched = async (world: World, query: string): Promise<Told[]> =>
    (await linesOf(await world.get(`${EVENTS}?watch=true&timeoutSeconds=1&${query}`))) as Told[];
  const shown = (told: readonly Told[]) => told.map(({ type, object }) => `${type} ${line(object)}`);
  const head = async (world: World) => (await list(world)).metadata.resourceVersion;

  test('from the beginning: each once, in the order in which it came about', async () => {
    const world = await aBusyJob();
    const told = await watched(world, 'resourceVersion=1');
    expect(shown(told).toSorted()).toEqual([...OF_THE_JOB, ...OF_THE_PODS].map((text) => `ADDED ${text}`).toSorted());
    expect(new Set(told.map(({ object }) => object.metadata.name)).size).toBe(told.length);
    expect(told[0]?.object.metadata.resourceVersion).toBe('2');
    expect(told.at(-1)?.object.metadata.resourceVersion).toBe('4');
  });

  test('why Pods fail: a cause is reported when it is new, and again when more Pods have it', async () => {
    const fail = async (index: number, exitCode: number): Promise<void> => {
      await world.record('sums', index, 1, { cause: 'Error', exitCode, container: 'main', reason: '' });
      await world.commit('sums', [{ op: 'failed', index, notBefore: null }]);
    };
    const steps = [() => fail(1, 3), () => fail(2, 4), () => fail(3, 3)];
    const world: World = await aWorld({}, { onSleep: async () => steps.shift()?.() });
    await world.post(JOBS, manifest('sums', { parallelism: 4 }));
    const claims = [0, 1, 2, 3].map((index) => ({ op: 'claim' as const, index }));
    await world.commit('sums', claims, { startTime: START });
    await fail(0, 3);
    // Of Jobs only: the steps are taken while one reader sleeps, and each feed has its own.
    const query = selector({ reason: 'PodFailed', 'involvedObject.kind': 'Job' }).slice(1);
    const answer = await world.get(`${EVENTS}?watch=true&timeoutSeconds=5&${query}`);
    const told = (await linesOf(answer)) as Told[];
    expect(told.map(({ type, object }) => `${type} ${nameless(object.message)} ${object.count}`)).toEqual([
      'ADDED Pod sums-0 failed: exit code 3 1',
      'MODIFIED Pod sums-0 failed: exit code 3 2',
      'ADDED Pod sums-2 failed: exit code 4 1',
      'MODIFIED Pod sums-0 failed: exit code 3 3',
    ]);
    expect(told.at(-1)?.object).toEqual((await list(world, selector({ reason: 'PodFailed' }))).items[0]);
  });

  test('existing Events come first, and are not repeated by what follows', async () => {
    const world = await aWorld(
      {},
      {
        onSleep: async () => {
          if (sleeps++ > 0) return;
          await world.commit('sums', [{ op: 'running', index: 2 }], {
            events: [entry(2, 'Resumed', 'Job resumed'), entry(5, 'Completed', 'Job completed')],
          });
        },
      },
    );
    let sleeps = 0;
    await world.post(JOBS, manifest('sums'));
    await world.commit(
      'sums',
      [
        { op: 'claim', index: 2 },
        { op: 'launched', index: 2 },
      ],
      { events: [entry(2, 'Resumed', 'Job resumed')], startTime: START },
    );
    await world.launch('sums', [{ index: 2, attempt: 1 }]);
    await world.commit('sums', []);
    await world.commit('sums', []);
    expect(shown(await watched(world, ''))).toEqual([
      'ADDED Job  SuccessfulCreate Created pod: sums-2',
      'ADDED Job  Resumed Job resumed',
      'ADDED Pod  Scheduled Successfully assigned default/sums-2 to <task>',
      'ADDED Job  Completed Job completed',
      'ADDED Pod  Created Created container: main',
      'ADDED Pod  Started Started container main',
    ]);
  });

  test('rows that are read late each report their own', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('sums'));
    const [suspended, resumed] = [entry(2, 'Suspended', 'Job suspended'), entry(3, 'Resumed', 'Job resumed')];
    await world.commit('sums', [], { events: [suspended] });
    await world.commit('sums', [], { events: [suspended, resumed] });
    const told = await watched(world, 'resourceVersion=1');
    expect(told.map(({ object }) => [object.reason, object.metadata.resourceVersion])).toEqual([
      ['Suspended', '2'],
      ['Resumed', '3'],
    ]);
  });

  test('an Event from the time when the existing ones were read is reported once', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('sums'));
    const listJobs = world.jobs.listJobs.bind(world.jobs);
    let lists = 0;
    world.jobs.listJobs = async (page) => {
      const steps = [
        { op: 'claim', index: 0 },
        { op: 'running', index: 0 },
      ] as const;
      if (lists++ === 0) {
        await world.launch('sums', [{ index: 0, attempt: 1 }]);
        await world.commit('sums', steps, { events: [entry(2, 'Resumed', 'Job resumed')] });
      }
      return listJobs(page);
    };
    const told = await watched(world, '');
    expect(told.map(({ object }) => object.reason).toSorted()).toEqual(
      ['Created', 'Resumed', 'Scheduled', 'Started', 'SuccessfulCreate'].toSorted(),
    );
  });

  test('what is counted again is modified', async () => {
    const world = await aBusyJob();
    const after = await head(world);
    await world.commit('sums', [], { events: [entry(5, 'Suspended', 'Job suspended', { count: 2 })] });
    expect(shown(await watched(world, `resourceVersion=${after}`))).toEqual(['MODIFIED Job  Suspended Job suspended']);
  });

  test('an end and the next attempt in one row', async () => {
    const world = await aBusyJob();
    const after = await head(world);
    await world.record('sums', 2, 1, { cause: 'Spot', exitCode: null, container: null, reason: 'Spot took it' });
    await world.launch('sums', [{ index: 2, attempt: 2 }]);
    await world.commit('sums', [
      { op: 'lostToSpot', index: 2, notBefore: null },
      { op: 'claim', index: 2, attempt: 2 },
      { op: 'launched', index: 2, attempt: 2 },
    ]);
    const told = shown(
      await watched(world, `resourceVersion=${after}&${selector({ 'involvedObject.kind': 'Pod' }).slice(1)}`),
    );
    expect(told.slice(-2)).toEqual([
      'ADDED Pod ! SpotInterruption Spot took it',
      'ADDED Pod  Scheduled Successfully assigned default/sums-2 to <task>',
    ]);
  });

  test('an Event from long before the watch is not repeated', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('sums'));
    await world.launch('sums', [{ index: 0, attempt: 1 }]);
    await world.commit(
      'sums',
      [
        { op: 'claim', index: 0 },
        { op: 'launched', index: 0 },
      ],
      { startTime: START },
    );
    const after = await head(world);
    await world.clock.sleep(60_000);
    await world.commit('sums', [{ op: 'running', index: 0 }]);
    expect(shown(await watched(world, `resourceVersion=${after}`))).toEqual([
      'ADDED Pod  Created Created container: main',
      'ADDED Pod  Started Started container main',
    ]);
  });

  test('Pods beyond the ninth are one Event that changes', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('wide', { completions: 50, parallelism: 50 }));
    const after = await head(world);
    const claim = async (from: number, to: number) =>
      world.commit(
        'wide',
        Array.from({ length: to - from }, (_, i) => ({ op: 'claim' as const, index: from + i })),
      );
    await claim(0, 12);
    await claim(12, 20);
    const told = (await watched(world, `resourceVersion=${after}`)).filter(({ object }) =>
      object.message.startsWith('('),
    );
    expect(told.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED']);
    expect(new Set(told.map(({ object }) => object.metadata.uid)).size).toBe(1);
    expect(told.at(-1)?.object.count).toBe(11);
  });

  test('for a Job whose board is too large to be counted for each row, once', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('wide', { completions: 80_000, parallelism: 50 }));
    const after = await head(world);
    const claim = async (from: number, to: number) =>
      world.commit(
        'wide',
        Array.from({ length: to - from }, (_, i) => ({ op: 'claim' as const, index: from + i })),
      );
    await claim(70_000, 70_030);
    await claim(70_030, 70_040);
    const told = (await watched(world, `resourceVersion=${after}`)).filter(({ object }) =>
      object.message.startsWith('('),
    );
    expect(told.map(({ type, object }) => `${type} ${object.count}`)).toEqual(['ADDED 31']);
  });

  test('all go with their Job', async () => {
    const world = await aBusyJob();
    const before = (await list(world)).items.map(({ metadata }) => metadata.name);
    const after = await head(world);
    await world.app.request(`${JOBS}/sums`, { method: 'DELETE' });
    const told = await watched(world, `resourceVersion=${after}`);
    const deleted = told.filter(({ type }) => type === 'DELETED').map(({ object }) => object.metadata.name);
    expect(before.filter((name) => !deleted.includes(name))).toEqual([]);
    expect(told.filter(({ type }) => type !== 'DELETED')).toEqual([]);
  });

  test.each([
    [{ 'involvedObject.kind': 'Job' }, 8],
    [{ 'involvedObject.kind': 'Pod' }, 12],
    [{ 'involvedObject.name': 'sums' }, 8],
    [{ type: 'Warning' }, 3],
    [{ 'involvedObject.name': 'other' }, 0],
  ])('selected by %j', async (fields, count) => {
    const world = await aBusyJob();
    const query = selector(fields as Record<string, string>).slice(1);
    expect(await watched(world, `resourceVersion=1&${query}`)).toHaveLength(count);
  });
});
