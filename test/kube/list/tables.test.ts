import { describe, expect, test } from 'vitest';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import type { KubeObject } from '../../../shared/kube/http/kube-object.ts';
import { negotiate } from '../../../shared/kube/http/negotiate.ts';
import { ageOf, humanDuration } from '../../../shared/kube/list/ages.ts';
import { EVENT_PRINTER } from '../../../shared/kube/events/event-printer.ts';
import { JOB_PRINTER } from '../../../shared/kube/jobs/job-printer.ts';
import { NAMESPACE_PRINTER } from '../../../shared/kube/namespaces/namespace-printer.ts';
import { POD_PRINTER, type PrintedPod } from '../../../shared/kube/pods/pod-printer.ts';
import { SERVICE_PRINTER } from '../../../shared/kube/services/service-printer.ts';
import type { Printer } from '../../../shared/kube/list/printer.ts';
import { JOBS, PODS, START, aWorld, manifest } from '../a-world.ts';

const [MIN, HOUR, DAY, YEAR] = [60, 3600, 86_400, 365 * 86_400] as const;

describe('ages', () => {
  test.each<[number, string]>([
    [-2.1, '<invalid>'],
    [-1.9, '0s'],
    [-0.5, '0s'],
    [0, '0s'],
    [1.999, '1s'],
    [59, '59s'],
    [119.9, '119s'],
    [2 * MIN, '2m'],
    [2 * MIN + 3, '2m3s'],
    [9 * MIN + 59, '9m59s'],
    [10 * MIN, '10m'],
    [10 * MIN + 59, '10m'],
    [179 * MIN + 59, '179m'],
    [3 * HOUR, '3h'],
    [3 * HOUR + 5 * MIN, '3h5m'],
    [7 * HOUR + 59 * MIN, '7h59m'],
    [8 * HOUR, '8h'],
    [8 * HOUR + 59 * MIN, '8h'],
    [47 * HOUR + 59 * MIN, '47h'],
    [2 * DAY, '2d'],
    [2 * DAY + HOUR, '2d1h'],
    [7 * DAY + 23 * HOUR, '7d23h'],
    [8 * DAY, '8d'],
    [8 * DAY + 23 * HOUR, '8d'],
    [2 * YEAR - 1, '729d'],
    [2 * YEAR, '2y'],
    [2 * YEAR + 3 * DAY, '2y3d'],
    [8 * YEAR - 1, '7y364d'],
    [8 * YEAR, '8y'],
    [20 * YEAR + 300 * DAY, '20y'],
  ])('%d s are %s', (seconds, text) => {
    expect(humanDuration(seconds * 1000)).toBe(text);
  });

  test.each([[undefined], [null], ['never']])('%j has no age', (time) => {
    expect(ageOf(time, START)).toBe('<unknown>');
  });
});

/** The row by column names, as `kubectl get -o wide` heads them. */
const row = <T>(printer: Printer<T>, object: T, now = NOW): Record<string, unknown> => {
  const cells = printer.cells(object, now);
  expect(cells).toHaveLength(printer.columns.length);
  return Object.fromEntries(printer.columns.map(({ name }, i) => [name, cells[i]]));
};
const NOW = asEpochMs(Date.parse('2024-05-01T12:00:00Z'));
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

describe('Jobs', () => {
  type Job = Parameters<(typeof JOB_PRINTER)['cells']>[0];
  const job = (status: object, spec: object = { completions: 3, parallelism: 2 }, metadata: object = {}): Job =>
    ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'sums', creationTimestamp: ago(200), ...metadata },
      spec: {
        ...spec,
        selector: { matchLabels: { b: '2', a: '1' } },
        template: {
          spec: {
            containers: [
              { name: 'main', image: 'busybox' },
              { name: 'other', image: 'alpine:3' },
            ],
          },
        },
      },
      status,
    }) as unknown as Job;
  const conditions = (...types: readonly string[]) => ({
    conditions: types.map((type) => ({ type: type.replace('!', ''), status: type.startsWith('!') ? 'False' : 'True' })),
  });

  test('the whole row', () => {
    expect(row(JOB_PRINTER, job({ startTime: ago(130), succeeded: 1 }))).toEqual({
      Name: 'sums',
      Status: 'Running',
      Completions: '1/3',
      Duration: '2m10s',
      Age: '3m20s',
      Containers: 'main,other',
      Images: 'busybox,alpine:3',
      Selector: 'a=1,b=2',
    });
  });

  test.each<[string, readonly string[], object]>([
    ['Running', [], {}],
    ['Complete', ['SuccessCriteriaMet', 'Complete'], { deletionTimestamp: ago(1) }],
    ['Failed', ['FailureTarget', 'Failed'], { deletionTimestamp: ago(1) }],
    ['Terminating', ['Suspended'], { deletionTimestamp: ago(1) }],
    ['Suspended', ['Suspended', 'FailureTarget'], {}],
    ['FailureTarget', ['FailureTarget'], {}],
    ['SuccessCriteriaMet', ['SuccessCriteriaMet'], {}],
    ['Running', ['!Suspended', '!Complete', '!Failed'], {}],
  ])('%s: %j %j', (word, types, metadata) => {
    expect(row(JOB_PRINTER, job(conditions(...types), {}, metadata))['Status']).toBe(word);
  });

  test.each<[string, object, object]>([
    ['0/3', { completions: 3, parallelism: 2 }, {}],
    ['3/3', { completions: 3, parallelism: 2 }, { succeeded: 3 }],
    ['0/0', { completions: 0, parallelism: 1 }, {}],
    ['0/1', { parallelism: 1 }, {}],
    ['2/1 of 3', { parallelism: 3 }, { succeeded: 2 }],
    ['0/1', { parallelism: 0 }, {}],
  ])('%s: %j %j', (text, spec, status) => {
    expect(row(JOB_PRINTER, job(status, spec))['Completions']).toBe(text);
  });

  test.each<[string, object]>([
    ['', {}],
    ['10s', { startTime: ago(10) }],
    ['7s', { startTime: ago(10), completionTime: ago(3) }],
  ])('lasted %j: %j', (text, status) => {
    expect(row(JOB_PRINTER, job(status))['Duration']).toBe(text);
  });
});

describe('Pods', () => {
  const pod = (status: object, spec: object = {}, metadata: object = {}): PrintedPod => ({
    metadata: { name: 'sums-0-abcde', creationTimestamp: ago(60), ...metadata },
    spec: { containers: [{ name: 'main' }], ...spec },
    status: { phase: 'Running', ...status },
  });
  const one = (state: object, more: object = {}) => ({ containerStatuses: [{ name: 'main', state, ...more }] });
  const init = (...states: readonly object[]) => ({
    phase: 'Pending',
    initContainerStatuses: states.map((state, i) => ({ name: `init${i}`, ...state })),
  });
  const inits = (n: number) => ({
    initContainers: Array.from({ length: n }, (_, i) => ({ name: `init${i}` })),
  });
  const done = { state: { terminated: { exitCode: 0 } } };
  const running = { state: { running: {} }, ready: true };

  test('the whole row', () => {
    const status = { ...one({ running: {} }, { ready: true }), podIPs: [{ ip: '10.0.0.7' }] };
    expect(row(POD_PRINTER, pod(status, { nodeName: 'fargate-1' }))).toEqual({
      Name: 'sums-0-abcde',
      Ready: '1/1',
      Status: 'Running',
      Restarts: '0',
      Age: '60s',
      IP: '10.0.0.7',
      Node: 'fargate-1',
      'Nominated Node': '<none>',
      'Readiness Gates': '<none>',
      Item: '<none>',
    });
    expect(row(POD_PRINTER, pod({ phase: 'Pending' }))).toMatchObject({ IP: '<none>', Node: '<none>', Ready: '0/1' });
  });

  test.each<[string, PrintedPod]>([
    ['Pending', pod({ phase: 'Pending' })],
    ['Evicted', pod({ phase: 'Failed', reason: 'Evicted' })],
    [
      'SchedulingGated',
      pod({ phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] }),
    ],
    ['ContainerCreating', pod({ phase: 'Pending', ...one({ waiting: { reason: 'ContainerCreating' } }) })],
    ['CrashLoopBackOff', pod(one({ waiting: { reason: 'CrashLoopBackOff' } }))],
    ['ImagePullBackOff', pod({ phase: 'Pending', ...one({ waiting: { reason: 'ImagePullBackOff' } }) })],
    ['Completed', pod({ phase: 'Succeeded', ...one({ terminated: { exitCode: 0, reason: 'Completed' } }) })],
    ['Error', pod({ phase: 'Failed', ...one({ terminated: { exitCode: 1, reason: 'Error' } }) })],
    ['OOMKilled', pod({ phase: 'Failed', ...one({ terminated: { exitCode: 137, reason: 'OOMKilled' } }) })],
    ['ExitCode:3', pod({ phase: 'Failed', ...one({ terminated: { exitCode: 3 } }) })],
    ['Signal:9', pod({ phase: 'Failed', ...one({ terminated: { exitCode: 137, signal: 9 } }) })],
    ['Terminating', pod(one({ running: {} }), {}, { deletionTimestamp: ago(1) })],
    [
      'Completed',
      pod(
        { phase: 'Succeeded', ...one({ terminated: { exitCode: 0, reason: 'Completed' } }) },
        {},
        { deletionTimestamp: ago(1) },
      ),
    ],
    ['Unknown', pod({ reason: 'NodeLost' }, {}, { deletionTimestamp: ago(1) })],
    ['Init:0/2', pod(init({}), inits(2))],
    ['Init:1/2', pod(init(done, {}), inits(2))],
    ['Init:0/1', pod(init({ state: { waiting: { reason: 'PodInitializing' } } }), inits(1))],
    ['Init:CrashLoopBackOff', pod(init({ state: { waiting: { reason: 'CrashLoopBackOff' } } }), inits(1))],
    ['Init:Error', pod(init({ state: { terminated: { exitCode: 1, reason: 'Error' } } }), inits(1))],
    ['Init:ExitCode:2', pod(init({ state: { terminated: { exitCode: 2 } } }), inits(1))],
    ['Init:Signal:9', pod(init({ state: { terminated: { exitCode: 2, signal: 9 } } }), inits(1))],
    ['PodInitializing', pod({ ...init(done), ...one({ waiting: { reason: 'PodInitializing' } }) }, inits(1))],
  ])('%s', (word, object) => {
    expect(row(POD_PRINTER, object)['Status']).toBe(word);
  });

  test('one container has ended, another runs', () => {
    const two = {
      containerStatuses: [
        { name: 'a', state: { terminated: { exitCode: 0, reason: 'Completed' } } },
        { name: 'b', ...running },
      ],
    };
    const spec = { containers: [{}, {}] };
    expect(row(POD_PRINTER, pod(two, spec))).toMatchObject({ Status: 'NotReady', Ready: '1/2' });
    const ready = { ...two, conditions: [{ type: 'Ready', status: 'True' }] };
    expect(row(POD_PRINTER, pod(ready, spec))).toMatchObject({ Status: 'Running' });
  });

  test('a side car counts as a container', () => {
    const spec = { initContainers: [{ name: 'init0', restartPolicy: 'Always' }] };
    const started = {
      ...init({ ...running, started: true, restartCount: 2 }),
      phase: 'Running',
      ...one({ running: {} }, { ready: true }),
    };
    expect(row(POD_PRINTER, pod(started, spec))).toMatchObject({ Ready: '2/2', Status: 'Running', Restarts: '2' });
    const starting = init({ state: { running: {} }, started: false });
    expect(row(POD_PRINTER, pod(starting, spec))).toMatchObject({ Ready: '0/2', Status: 'Init:0/1' });
  });

  test.each<[string, object, object]>([
    ['0', one({}), {}],
    ['3', one({}, { restartCount: 3 }), {}],
    ['3 (2m ago)', one({}, { restartCount: 3, lastState: { terminated: { exitCode: 1, finishedAt: ago(120) } } }), {}],
    ['0', one({}, { restartCount: 0, lastState: { terminated: { exitCode: 1, finishedAt: ago(120) } } }), {}],
    ['1 (5s ago)', init({ restartCount: 1, lastState: { terminated: { exitCode: 1, finishedAt: ago(5) } } }), inits(1)],
    ['0', { ...init({ ...done, restartCount: 4 }), ...one({}) }, inits(1)],
  ])('restarted %s: %j', (text, status, spec) => {
    expect(row(POD_PRINTER, pod(status, spec))['Restarts']).toBe(text);
  });

  test('of several containers the latest restart counts', () => {
    const ended = (seconds: number) => ({
      restartCount: 1,
      lastState: { terminated: { exitCode: 1, finishedAt: ago(seconds) } },
    });
    const status = {
      containerStatuses: [
        { name: 'a', ...ended(300) },
        { name: 'b', ...ended(10) },
        { name: 'c', ...ended(60) },
      ],
    };
    expect(row(POD_PRINTER, pod(status))['Restarts']).toBe('3 (10s ago)');
  });

  test('readiness gates', () => {
    const spec = { readinessGates: [{ conditionType: 'a' }, { conditionType: 'b' }] };
    const status = {
      conditions: [
        { type: 'a', status: 'True' },
        { type: 'b', status: 'False' },
      ],
    };
    expect(row(POD_PRINTER, pod(status, spec))['Readiness Gates']).toBe('1/2');
  });

  test.each([
    ['Succeeded', 'The pod has completed successfully.'],
    ['Failed', 'The pod failed.'],
  ])("%s is in the row's metadata", (phase, message) => {
    expect(POD_PRINTER.conditions?.(pod({ phase }))).toEqual([
      { type: 'Completed', status: 'True', reason: phase, message },
    ]);
    expect(POD_PRINTER.conditions?.(pod({ phase: 'Running' }))).toEqual([]);
  });
});

describe('other kinds', () => {
  const stored = (rest: object): KubeObject => ({
    apiVersion: 'v1',
    kind: 'x',
    metadata: { name: 'nightly', uid: 'u', resourceVersion: '1', creationTimestamp: ago(3 * DAY) },
    ...rest,
  });

  test('Namespaces and Services', () => {
    expect(row(NAMESPACE_PRINTER, stored({ status: { phase: 'Active' } }))).toEqual({
      Name: 'nightly',
      Status: 'Active',
      Age: '3d',
    });
    expect(Object.keys(row(SERVICE_PRINTER, stored({})))).toEqual([
      'Name',
      'Type',
      'Cluster-IP',
      'External-IP',
      'Port(s)',
      'Age',
      'Selector',
    ]);
  });

  test('Events', () => {
    const event = {
      metadata: { name: 'sums.17' },
      involvedObject: { kind: 'Job', name: 'sums' },
      source: { component: 'job-controller' },
      type: 'Normal',
      reason: 'Completed',
      message: ' Job completed\n',
      firstTimestamp: ago(100),
      lastTimestamp: ago(4),
      count: 2,
    } as unknown as Parameters<(typeof EVENT_PRINTER)['cells']>[0];
    expect(row(EVENT_PRINTER, event)).toEqual({
      'Last Seen': '4s',
      Type: 'Normal',
      Reason: 'Completed',
      Object: 'job/sums',
      Subobject: '',
      Source: 'job-controller',
      Message: 'Job completed',
      'First Seen': '100s',
      Count: 2,
      Name: 'sums.17',
    });
  });

  test.each<[string, Printer<never>, readonly string[]]>([
    ['Job', JOB_PRINTER, ['Containers', 'Images', 'Selector']],
    ['Pod', POD_PRINTER, ['IP', 'Node', 'Nominated Node', 'Readiness Gates', 'Item']],
    ['Event', EVENT_PRINTER, ['Subobject', 'Source', 'First Seen', 'Count', 'Name']],
    ['Namespace', NAMESPACE_PRINTER, []],
    ['Service', SERVICE_PRINTER, ['Selector']],
  ])('%s: what only -o wide shows; each column is described; the name is marked', (_, { columns }, names) => {
    expect(columns.filter(({ priority }) => priority === 1).map(({ name }) => name)).toEqual(names);
    expect(columns.every(({ description }) => description !== '')).toBe(true);
    expect(columns.filter(({ format }) => format === 'name').map(({ name }) => name)).toEqual(['Name']);
  });
});

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const PARTIALS = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

describe('negotiation', () => {
  test.each<[string | undefined, 'object' | 'list', string]>([
    [undefined, 'list', 'plain'],
    ['', 'list', 'plain'],
    ['*/*', 'list', 'plain'],
    ['application/*', 'list', 'plain'],
    ['application/json', 'list', 'plain'],
    ['APPLICATION/JSON', 'list', 'plain'],
    ['application/json, */*;q=0.8', 'list', 'plain'],
    ['application/json;stream=watch', 'list', 'plain'],
    ['application/vnd.kubernetes.protobuf,application/json', 'list', 'plain'],
    ['application/vnd.kubernetes.protobuf;q=0.9,application/json;q=0.1', 'list', 'plain'],
    ['text/html,*/*;q=0.1', 'list', 'plain'],
    [TABLE, 'list', 'table meta.k8s.io/v1'],
    [`${TABLE},${TABLE.replace('v=v1', 'v=v1beta1')},application/json`, 'object', 'table meta.k8s.io/v1'],
    [`${TABLE.replace('v=v1', 'v=v1beta1')},application/json`, 'list', 'table meta.k8s.io/v1beta1'],
    ['application/json; as=Table ; v=v1 ;g=meta.k8s.io', 'list', 'table meta.k8s.io/v1'],
    [`application/json;q=0.5,${TABLE}`, 'list', 'table meta.k8s.io/v1'],
    [`application/json,${TABLE}`, 'list', 'plain'],
    [`${TABLE.replace('v1', 'v2')},application/json`, 'list', 'plain'],
    [`${TABLE.replace('meta.k8s.io', 'example.com')},application/json`, 'list', 'plain'],
    ['application/json;as=Chair;v=v1;g=meta.k8s.io,application/json', 'list', 'plain'],
    [PARTIAL, 'object', 'metadata meta.k8s.io/v1'],
    [PARTIALS, 'list', 'metadata meta.k8s.io/v1'],
    [
      `application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,${PARTIALS},application/json`,
      'list',
      'metadata meta.k8s.io/v1',
    ],
    ['text/plain', 'list', '406'],
    ['application/vnd.kubernetes.protobuf', 'list', '406'],
    ['application/json;q=0', 'list', '406'],
    [PARTIAL, 'list', '406'],
    [PARTIALS, 'object', '406'],
    ['application/json;as=Chair;v=v1;g=meta.k8s.io', 'list', '406'],
    [`${'text/x,'.repeat(70)}application/json`, 'list', '406'],
  ])('%j of %s: %s', (accept, of, expected) => {
    const form = negotiate(accept, of, undefined);
    const brief =
      form.kind === 'bad'
        ? String(form.error.code)
        : form.value.kind === 'plain'
          ? 'plain'
          : `${form.value.kind} ${form.value.apiVersion}`;
    expect(brief).toBe(expected);
  });

  test('the refusal', () => {
    expect(negotiate('text/html', 'list', undefined)).toMatchObject({
      error: {
        kind: 'Status',
        code: 406,
        reason: 'NotAcceptable',
        message: 'only the following media types are accepted: application/json',
      },
    });
  });
});

describe('tables over HTTP', () => {
  type Table = {
    kind: string;
    apiVersion: string;
    metadata: { resourceVersion: string };
    columnDefinitions: { name: string }[];
    rows: { cells: unknown[]; object: Record<string, unknown> | null; conditions?: unknown }[];
  };
  const started = async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('sums', {}, { metadata: { name: 'sums', labels: { app: 'a' } } }));
    await world.commit('sums', [{ op: 'claim', index: 0 }]);
    return world;
  };
  const table = async (path: string) => {
    const world = await started();
    const answer = await world.get(path, { accept: TABLE });
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('vary')]).toEqual([
      200,
      'application/json',
      'Accept',
    ]);
    return (await answer.json()) as Table;
  };

  test('a list', async () => {
    const { kind, apiVersion, metadata, columnDefinitions, rows } = await table(JOBS);
    expect([kind, apiVersion, metadata]).toEqual(['Table', 'meta.k8s.io/v1', { resourceVersion: '2' }]);
    expect(columnDefinitions[0]).toEqual({
      name: 'Name',
      type: 'string',
      format: 'name',
      description: expect.any(String) as unknown,
      priority: 0,
    });
    expect(rows).toEqual([
      {
        cells: [
          'sums',
          'Running',
          '0/4',
          '',
          '0s',
          'main',
          'busybox',
          expect.stringContaining('batch.kubernetes.io/controller-uid=') as unknown,
        ],
        object: {
          kind: 'PartialObjectMetadata',
          apiVersion: 'meta.k8s.io/v1',
          metadata: expect.objectContaining({ name: 'sums', namespace: 'default', labels: { app: 'a' } }) as unknown,
        },
      },
    ]);
  });

  test('one object, and what accompanies its row', async () => {
    const get = async (query: string) => (await table(`${JOBS}/sums${query}`)).rows[0]?.object;
    expect((await table(`${JOBS}/sums`)).metadata).toEqual({ resourceVersion: '2' });
    expect(await get('')).toMatchObject({ kind: 'PartialObjectMetadata' });
    expect(await get('?includeObject=Metadata')).toMatchObject({ kind: 'PartialObjectMetadata' });
    expect(await get('?includeObject=Object')).toMatchObject({ kind: 'Job', spec: { completions: 4 } });
    expect(await get('?includeObject=None')).toBeNull();
  });

  test('what accompanies the rows must be valid', async () => {
    const world = await started();
    const answer = await world.get(`${JOBS}?includeObject=All`, { accept: TABLE });
    expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
      400,
      `Unable to convert to Table as requested: includeObject: Invalid value: "All": must be 'Metadata', 'Object', 'None', or empty`,
    ]);
    expect((await world.get(`${JOBS}?includeObject=All`)).status).toBe(200);
  });

  test('Pods', async () => {
    const { rows } = await table(PODS);
    expect(rows.map(({ cells }) => cells.slice(1, 4))).toEqual([['0/1', 'Pending', '0']]);
  });

  test('metadata alone', async () => {
    const world = await started();
    const list = (await (await world.get(JOBS, { accept: PARTIALS })).json()) as {
      kind: string;
      apiVersion: string;
      items: object[];
    };
    expect([list.kind, list.apiVersion]).toEqual(['PartialObjectMetadataList', 'meta.k8s.io/v1']);
    expect(Object.keys(list.items[0] ?? {})).toEqual(['kind', 'apiVersion', 'metadata']);
    expect(await (await world.get(`${JOBS}/sums`, { accept: PARTIAL })).json()).toMatchObject({
      kind: 'PartialObjectMetadata',
      metadata: { name: 'sums' },
    });
  });

  test('an unknown form', async () => {
    const world = await started();
    for (const path of [JOBS, `${JOBS}/sums`, `${JOBS}?watch=1`, PODS])
      expect([path, (await world.get(path, { accept: 'text/html' })).status]).toEqual([path, 406]);
    expect((await world.get(`${JOBS}/none`, { accept: TABLE })).status).toBe(404);
  });
});
