import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { factOf } from '../../../shared/domain/planner/ending.ts';
import { parseTask, taskEventDetail } from '../../../shared/schema/messages/ecs-task.ts';

const FOLDER = new URL('../../fixtures/ecs-events/', import.meta.url);
const load = (name: string): { detail: Record<string, unknown> } =>
  JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as { detail: Record<string, unknown> };

/** The same task as DescribeTasks gives it through the SDK: times are Dates. */
const asDescribed = (detail: Record<string, unknown>): unknown =>
  Object.fromEntries(
    Object.entries(detail).map(([key, value]) => [key, key.endsWith('At') ? new Date(value as string) : value]),
  );

const CASES = [
  ['provisioning', 'starting', null, null],
  ['running', 'running', null, null],
  ['running-beside-an-agent', 'running', null, null],
  ['spot-notice', 'stopping', null, null],
  ['deprovisioning-exit-0', 'stopped', 'Completed', 0],
  ['completed', 'stopped', 'Completed', 0],
  ['completed-beside-an-agent', 'stopped', 'Completed', 0],
  ['failed-beside-an-agent', 'stopped', 'Error', 3],
  ['exit-code-missing', 'stopped', 'Error', null],
  ['out-of-memory', 'stopped', 'OOMKilled', 137],
  ['stopped-by-us-exit-0', 'stopped', 'Stopped', 0],
  ['image-not-found', 'stopped', 'StartFailed', null],
  ['init-container-failed', 'stopped', 'Error', 9],
  ['init-container-awaited-in-vain', 'stopped', 'Error', 9],
  ['storage-not-provisioned', 'stopped', 'Unplaced', null],
  ['key-not-allowed', 'stopped', 'Unplaced', null],
  ['instance-drained', 'stopped', 'Infrastructure', 143],
  ['sidecar-not-started', 'stopped', 'Error', 128],
  ['spot-interrupted-exit-0', 'stopped', 'Spot', 0],
  ['retired', 'stopped', 'Infrastructure', 143],
  ['stop-code-missing', 'stopped', 'Infrastructure', 0],
] as const;

test.each(CASES)('%s: %s %s %s, from the event and from DescribeTasks alike', (name, stage, cause, exitCode) => {
  const event = load(name);
  const view = parseTask(taskEventDetail(event), 'muster:');
  expect(view).toMatchObject({
    stage,
    id: { index: 7, attempt: 2, nonce: 0 },
    job: '2f1f9a5e-8f4e-4f0e-9b0a-3d9b4a1c7e55',
  });
  expect([view?.ending?.cause ?? null, view?.ending?.exitCode ?? null]).toEqual([cause, exitCode]);
  expect(parseTask(asDescribed(event.detail), 'muster:')).toEqual(view);
  expect(view === null ? null : (factOf(view)?.kind ?? null)).toBe(
    stage === 'running' || stage === 'stopped' ? stage : null,
  );
});

test('every fixture is in the table', () => {
  const names = readdirSync(FOLDER).map((file) => file.replace('.json', ''));
  expect(names.toSorted()).toEqual([...CASES.map(([name]) => name), 'of-somebody-else'].toSorted());
});

test('a task of another application is not ours, however odd it is', () => {
  expect(parseTask(load('of-somebody-else').detail, 'muster:')).toBeNull();
  expect(parseTask({}, 'muster:')).toBeNull();
});

test('times and address are read', () => {
  expect(parseTask(load('completed').detail, 'muster:')).toMatchObject({
    times: {
      createdAt: Date.parse('2026-11-20T11:02:13.877Z'),
      startedAt: Date.parse('2026-11-20T11:02:34.325Z'),
      stoppedAt: Date.parse('2026-11-20T11:13:02.1Z'), // its containers; the task was STOPPED 30 s later
    },
    privateIp: '10.0.3.21',
    version: 6,
  });
  expect(parseTask(load('image-not-found').detail, 'muster:')).toMatchObject({
    privateIp: null,
    times: { startedAt: null },
  });
});

/** STOPPED events of tasks that ended by themselves, as their DEPROVISIONING events before them. */
const DEPROVISIONING = ['completed', 'completed-beside-an-agent', 'failed-beside-an-agent', 'out-of-memory'] as const;
const before = (detail: Record<string, unknown>): Record<string, unknown> & { readonly version: number } => {
  const { stoppedAt: _, ...rest } = detail;
  return { ...rest, lastStatus: 'DEPROVISIONING', version: Number(detail['version']) - 1 };
};

test.each(DEPROVISIONING)('%s: DEPROVISIONING reports the same end as STOPPED', (name) => {
  const { detail } = load(name);
  const [early, late] = [parseTask(before(detail), 'muster:'), parseTask(detail, 'muster:')];
  expect(early).toEqual({ ...late, version: (late?.version ?? 0) - 1 });
  expect(early === null ? null : factOf(early)).toEqual(late === null ? null : factOf(late));
});

type Change = (detail: Record<string, unknown>) => Record<string, unknown>;
const containersOf = (detail: Record<string, unknown>) => detail['containers'] as readonly Record<string, unknown>[];
const UNDECIDED: readonly (readonly [string, Change])[] = [
  ['it should run', (detail) => ({ ...detail, desiredStatus: 'RUNNING' })],
  ['ECS does not say what should be', (detail) => ({ ...detail, desiredStatus: undefined })],
  ['somebody has stopped it', (detail) => ({ ...detail, stopCode: 'UserInitiated' })],
  ['Spot has', (detail) => ({ ...detail, stopCode: 'SpotInterruption' })],
  ['it has not started', (detail) => ({ ...detail, stopCode: 'TaskFailedToStart' })],
  ['ECS does not say why', (detail) => ({ ...detail, stopCode: undefined })],
  ['ECS does not say when', (detail) => ({ ...detail, executionStoppedAt: undefined })],
  [
    'the main container has no exit code',
    (detail) => ({
      ...detail,
      containers: containersOf(detail).map((each) =>
        each['name'] === 'main' ? { ...each, exitCode: undefined } : each,
      ),
    }),
  ],
  [
    'another container has not stopped',
    (detail) => ({
      ...detail,
      containers: containersOf(detail).map((each) =>
        each['name'] === 'main' ? each : { ...each, lastStatus: 'RUNNING' },
      ),
    }),
  ],
  ['its program still runs', (detail) => ({ ...detail, lastStatus: 'STOPPING' })],
];

test.each(UNDECIDED)('DEPROVISIONING decides nothing where %s', (_, change) => {
  const { detail } = load('completed-beside-an-agent');
  const view = parseTask(change(before(detail)), 'muster:');
  expect(view).toMatchObject({ stage: 'stopping', ending: null, times: { stoppedAt: null } });
  expect(view === null ? undefined : factOf(view)).toBeNull();
});

test('a task does not end before it starts, although ECS says whole seconds', () => {
  const { detail } = load('completed');
  const view = parseTask({ ...detail, executionStoppedAt: '2026-11-20T11:02:34Z' }, 'muster:');
  expect(view?.times.stoppedAt).toBe(view?.times.startedAt);
});

/** As amazon-ecs-agent writes it, which gives what waited in vain the exit code 143. */
const changed = (detail: Record<string, unknown>, name: string, change: object) => ({
  ...detail,
  containers: containersOf(detail).map((each) => (each['name'] === name ? { ...each, ...change } : each)),
});
const { detail: AWAITED } = load('init-container-awaited-in-vain');

test.each([
  ['the init container has failed', AWAITED, { cause: 'Error', exitCode: 9, container: 'fetch' }],
  [
    'it was killed for memory',
    changed(AWAITED, 'fetch', { exitCode: 137, reason: 'OutOfMemoryError: Container killed due to memory usage' }),
    { cause: 'OOMKilled', exitCode: 137, container: 'fetch' },
  ],
  [
    'it has no exit code',
    changed(AWAITED, 'fetch', { exitCode: undefined }),
    { cause: 'Error', exitCode: null, container: null },
  ],
  [
    'its image is not there',
    changed(AWAITED, 'fetch', { exitCode: undefined, reason: 'CannotPullContainerError: fetch:1: not found' }),
    { cause: 'StartFailed', exitCode: null, container: null },
  ],
  [
    'its program is not there',
    load('sidecar-not-started').detail,
    { cause: 'Error', exitCode: 128, container: 'proxy' },
  ],
])('the main container waited in vain: %s', (_, detail, expected) => {
  for (const containers of [containersOf(detail), containersOf(detail).toReversed()])
    expect(parseTask({ ...detail, containers }, 'muster:')?.ending).toMatchObject(expected);
});

test('a container that waited in vain decides nothing before STOPPED', () => {
  const view = parseTask(before(AWAITED), 'muster:');
  expect(view).toMatchObject({ stage: 'stopping', ending: null });
});

test('without overrides the only container decides, but never the first of several', () => {
  const { detail } = load('completed');
  expect(parseTask({ ...detail, overrides: undefined }, 'muster:')?.ending?.cause).toBe('Completed');
  const { detail: two } = load('failed-beside-an-agent');
  expect(parseTask({ ...two, overrides: { containerOverrides: [] } }, 'muster:')?.ending).toMatchObject({
    cause: 'Error',
    exitCode: null,
  });
});

test('the marked container decides, in whatever order ECS repeats the overrides; without a mark the first one', () => {
  const { detail } = load('completed');
  const [one] = detail['containers'] as Record<string, unknown>[];
  const containers = [
    { ...one, name: 'sidecar', exitCode: 0 },
    { ...one, name: 'main', exitCode: 3 },
  ];
  const variables = [{ name: 'JOB_COMPLETION_INDEX', value: '7' }];
  const sidecar = { name: 'sidecar', environment: variables };
  const marked = { name: 'main', environment: [...variables, { name: 'MUSTER_MAIN', value: 'main' }] };
  const exitCodeWith = (...containerOverrides: object[]) =>
    parseTask({ ...detail, containers, overrides: { containerOverrides } }, 'muster:')?.ending?.exitCode;
  expect([exitCodeWith(marked, sidecar), exitCodeWith(sidecar, marked)]).toEqual([3, 3]);
  const unmarked = { name: 'main', environment: variables };
  expect([exitCodeWith(unmarked, sidecar), exitCodeWith(sidecar, unmarked)]).toEqual([3, 0]);
});

test.each([
  ['taskArn', 'not an arn'],
  ['startedBy', undefined],
  ['version', 'six'],
  ['stoppedAt', 'yesterday'],
])('our task with a broken %s is refused', (field, value) => {
  expect(() => parseTask({ ...load('completed').detail, [field]: value }, 'muster:')).toThrow(field);
});

test.each([{}, null, { source: 'aws.ecs', 'detail-type': 'ECS Deployment State Change', detail: {} }])(
  '%j is no task event',
  (raw) => {
    expect(() => taskEventDetail(raw)).toThrow(/source|detail-type|expected object/);
  },
);

const NO_ROOM = 'CannotStartContainerError: Error response from daemon: no space left on device';
test.each([
  ['EssentialContainerExited', { exitCode: 1 }, '(container muster-files, exit code 1)'],
  ['TaskFailedToStart', { exitCode: 1 }, '(container muster-files, exit code 1)'],
  ['TaskFailedToStart', { reason: NO_ROOM }, `(container muster-files): ${NO_ROOM}`],
])('files that nobody could write are no failure of the program, which has not run: %s %j', (stopCode, ended, said) => {
  const event = structuredClone(load('init-container-awaited-in-vain'));
  const containers = event.detail['containers'] as { name: string }[];
  const reason = 'CannotStartContainerError: dependency graph: waits in vain';
  const waiting = containers.map((each) => ({ ...each, exitCode: 143, reason }));
  const detail = { ...event.detail, stopCode, containers: [...waiting, { name: 'muster-files', ...ended }] };
  const view = parseTask(taskEventDetail({ ...event, detail }), 'muster:');
  expect(view?.ending).toMatchObject({ cause: 'StartFailed', exitCode: null, container: null });
  expect(view?.ending?.reason).toContain(`the files of its volumes could not be written ${said}`);
});
