import { describe, expect, test } from 'vitest';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import { attemptValues } from '../../../shared/domain/task/attempt-values.ts';
import { hasLateProgram, overridesCharsMax, overridesOf } from '../../../shared/domain/task/launch-overrides.ts';
import type { JobManifest } from '../../../shared/domain/manifests/manifest.ts';
import type { Container, EnvVar, PodSpec } from '../../../shared/domain/manifests/pod-spec.ts';
import {
  capacityOf,
  ephemeralStorageOf,
  fargateSizeOf,
  taskDefinitionOf,
} from '../../../shared/domain/task/pod-template.ts';

const manifest = (spec: Partial<PodSpec>, completionMode: 'Indexed' | 'NonIndexed' = 'Indexed'): JobManifest => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'sums', namespace: 'team' },
  spec: {
    parallelism: 1,
    completions: 9,
    completionMode,
    backoffLimit: 6,
    suspend: false,
    podReplacementPolicy: 'Failed',
    selector: { matchLabels: {} },
    template: {
      metadata: { labels: { app: 'a', 'job-name': 'sums', 'controller-uid': 'u' }, annotations: { note: 'n' } },
      spec: { containers: [], restartPolicy: 'Never', terminationGracePeriodSeconds: 30, ...spec },
    },
  },
});
const one = (container: Partial<Container>, mode?: 'NonIndexed') =>
  manifest({ containers: [{ name: 'main', image: 'i', ...container }] }, mode);
const ATTEMPT = {
  podName: 'sums-7-abcde',
  podUid: 'pod-uid',
  completionIndex: 7,
  completions: null,
  failureCount: 2,
  ignoredFailureCount: 1,
  retryIndex: 4,
  item: null,
  labels: { 'job-name': 'sums', 'controller-uid': 'u' },
};
const launched = (job: JobManifest) => overridesOf(job, ATTEMPT);
const registered = (job: JobManifest) => taskDefinitionOf(job, { hash: (text) => text });
const fieldRef = (name: string, fieldPath: string): EnvVar => ({ name, valueFrom: { fieldRef: { fieldPath } } });

/** All variables that a container has, wherever they are set. */
function found(job: JobManifest, container = 'main') {
  const { environment = [] } = registered(job).containers.find(({ name }) => name === container) ?? {};
  const { env = [] } = launched(job).find(({ name }) => name === container) ?? {};
  return Object.fromEntries([...environment, ...env].map(({ name, value }) => [name, value]));
}

describe('the counts of failures (KEP-3850)', () => {
  const counts = ['job-index-failure-count', 'job-index-ignored-failure-count'].map((key, i) =>
    fieldRef(`COUNT_${i}`, `metadata.annotations['batch.kubernetes.io/${key}']`),
  );
  test('are those of the attempt, if each index has its own limit', () => {
    const job = one({ env: counts });
    const perIndex = { ...job, spec: { ...job.spec, backoffLimitPerIndex: 3 } };
    expect(found(perIndex)).toMatchObject({ COUNT_0: '2', COUNT_1: '1' });
  });
  test('are annotations that are not set, if it has none', () =>
    expect(found(one({ env: counts }))).toMatchObject({ COUNT_0: '', COUNT_1: '' }));
});

describe('the completion index', () => {
  test('is set in every container of an Indexed Job, at launch', () => {
    const job = manifest({
      containers: [
        { name: 'main', image: 'i' },
        { name: 'side', image: 'i' },
      ],
      initContainers: [{ name: 'init', image: 'i' }],
    });
    for (const container of ['main', 'side', 'init'])
      expect(found(job, container)).toEqual({ JOB_COMPLETION_INDEX: '7' });
    for (const { environment } of registered(job).containers) expect(environment).toEqual([]);
  });

  test('is not set without an index, and does not replace the container’s own variable', () => {
    expect(launched(one({}, 'NonIndexed'))).toEqual([]);
    expect(found(one({ env: [{ name: 'JOB_COMPLETION_INDEX', value: 'mine' }] }))).toEqual({
      JOB_COMPLETION_INDEX: 'mine',
    });
  });

  test('is defined last, so that a value does not see it but a command does', () => {
    const job = one({
      command: ['sh', '-c', 'work $(JOB_COMPLETION_INDEX) $(A)'],
      args: ['$$(JOB_COMPLETION_INDEX)'],
      env: [{ name: 'A', value: '<$(JOB_COMPLETION_INDEX)>' }],
    });
    expect(found(job)['A']).toBe('<$(JOB_COMPLETION_INDEX)>');
    expect(launched(job)[0]?.command).toEqual(['-c', 'work 7 <$(JOB_COMPLETION_INDEX)>', '$(JOB_COMPLETION_INDEX)']);
    expect(registered(job).containers[0]).toMatchObject({
      entryPoint: ['sh'],
      command: ['-c', 'work $(completionIndex) <$(JOB_COMPLETION_INDEX)>', '$(JOB_COMPLETION_INDEX)'],
    });
  });
});

describe('how many indexes there are', () => {
  const foundOf = (job: JobManifest, completions: number | null) => overridesOf(job, { ...ATTEMPT, completions });

  test('is in every container of an Indexed Job, in commands, and in values', () => {
    const job = manifest({
      containers: [
        {
          name: 'main',
          image: 'i',
          command: ['shard', '$(MUSTER_COMPLETIONS)'],
          env: [{ name: 'OF', value: '/$(MUSTER_COMPLETIONS)' }],
        },
        { name: 'side', image: 'i' },
      ],
    });
    expect(foundOf(job, 9)).toEqual([
      {
        name: 'main',
        env: [
          { name: 'MUSTER_COMPLETIONS', value: '9' },
          { name: 'OF', value: '/9' },
          { name: 'JOB_COMPLETION_INDEX', value: '7' },
        ],
        command: ['9'],
      },
      {
        name: 'side',
        env: [
          { name: 'MUSTER_COMPLETIONS', value: '9' },
          { name: 'JOB_COMPLETION_INDEX', value: '7' },
        ],
        command: null,
      },
    ]);
  });

  test('is not there without indexes, nor in launches from a template that does not say it', () => {
    expect(foundOf(one({}, 'NonIndexed'), 9)).toEqual([]);
    expect(foundOf(one({}), null)[0]?.env).toEqual([{ name: 'JOB_COMPLETION_INDEX', value: '7' }]);
  });
});

describe('what an attempt knows of itself', () => {
  test('is a variable wherever it is named, in commands and in values', () => {
    const job = one({
      command: ['run', '--pod=$(MUSTER_POD_NAME)'],
      env: [{ name: 'TRY', value: '$(MUSTER_INDEX)/$(MUSTER_NUMBER)/$(MUSTER_RETRY_INDEX)' }],
    });
    expect(found(job)).toEqual({
      JOB_COMPLETION_INDEX: '7',
      MUSTER_INDEX: '7',
      MUSTER_NUMBER: '8',
      MUSTER_POD_NAME: 'sums-7-abcde',
      MUSTER_RETRY_INDEX: '4',
      TRY: '7/8/4',
    });
    expect(launched(job)[0]?.command).toEqual(['--pod=sums-7-abcde']);
  });

  test('is not there for others, and stays text where it is escaped', () => {
    expect(found(one({ args: ['$$(MUSTER_POD_NAME)', 'MUSTER_RETRY_INDEX'] }))).toEqual({ JOB_COMPLETION_INDEX: '7' });
    expect(found(one({ args: ['$(MUSTER_INDEX) $(MUSTER_NUMBER)'] }, 'NonIndexed'))).toEqual({});
  });

  test('counts its tries from 0', () => {
    const identity = { uid: asJobUid('u'), namespace: 'team', name: 'sums', createdAt: asEpochMs(0) };
    const job = { identity, manifest: one({}) };
    const none = { failures: 0, ignored: 0 };
    expect(attemptValues(job, { index: 7, attempt: 1 }, none, null, 9).retryIndex).toBe(0);
    expect(attemptValues(job, { index: 7, attempt: 3 }, none, null, 9).retryIndex).toBe(2);
  });
});

describe('the downward API', () => {
  test.each([
    // field                                                       value           known when the definition is made
    ['metadata.name', 'sums-7-abcde', false],
    ['metadata.uid', 'pod-uid', false],
    ['metadata.namespace', 'team', true],
    ['spec.serviceAccountName', 'default', true],
    ["metadata.labels['app']", 'a', true],
    ["metadata.labels['none']", '', true],
    ["metadata.labels['constructor']", '', true],
    ["metadata.annotations['constructor']", '', true],
    ["metadata.annotations['note']", 'n', true],
    ["metadata.annotations['none']", '', true],
    ["metadata.labels['batch.kubernetes.io/job-completion-index']", '7', false],
    ["metadata.annotations['batch.kubernetes.io/job-completion-index']", '7', false],
    // one definition serves all Jobs with an equal template
    ["metadata.labels['job-name']", 'sums', false],
    ["metadata.labels['controller-uid']", 'u', false],
  ])('%s is %j', (fieldPath, value, isKnown) => {
    const job = one({ env: [fieldRef('A', fieldPath)] });
    expect(found(job)['A']).toBe(value);
    expect(registered(job).containers[0]?.environment).toEqual(isKnown ? [{ name: 'A', value }] : []);
  });

  test('variables with the address are empty, and named in one more: what starts the processes fills them in', () => {
    const addresses = [
      fieldRef('IP', 'status.podIP'),
      fieldRef('HOST', 'status.hostIP'),
      fieldRef('GONE', 'status.podIPs'),
    ];
    const job = one({ env: [...addresses, { name: 'GONE', value: 'x' }] });
    expect(found(job)).toMatchObject({ IP: '', HOST: '', GONE: 'x', MUSTER_ADDRESS_VARIABLES: 'IP\nHOST' });
    expect(found(one({ env: [{ name: 'A', value: 'x' }] }))).not.toHaveProperty('MUSTER_ADDRESS_VARIABLES');
  });

  test('a reference to a late value is late, too', () => {
    const job = one({
      env: [fieldRef('POD', 'metadata.name'), { name: 'PATH_OF_IT', value: '/out/$(POD)/$(NONE)' }],
      args: ['--name=$(POD)', '--path=$(PATH_OF_IT)'],
    });
    expect(found(job)['PATH_OF_IT']).toBe('/out/sums-7-abcde/$(NONE)');
    expect(launched(job)[0]?.command).toEqual(['--name=sums-7-abcde', '--path=/out/sums-7-abcde/$(NONE)']);
  });

  test.each([
    ['limits.cpu', undefined, '2'],
    ['limits.cpu', '1m', '1500'],
    ['requests.cpu', undefined, '1'],
    ['limits.memory', undefined, '1073741824'],
    ['limits.memory', '1Mi', '1024'],
    ['limits.memory', '1G', '2'],
  ])('resource %s in %s is %s', (resource, divisor, value) => {
    const valueFrom = { resourceFieldRef: { resource, ...(divisor === undefined ? {} : { divisor }) } };
    const resources = { limits: { cpu: '1500m', memory: '1Gi' }, requests: { cpu: '700m' } };
    expect(found(one({ env: [{ name: 'A', valueFrom }], resources }))['A']).toBe(value);
  });

  test('resources of another container', () => {
    const valueFrom = { resourceFieldRef: { containerName: 'side', resource: 'limits.cpu' } };
    const side: Container = { name: 'side', image: 'i', resources: { limits: { cpu: '3' } } };
    const job = manifest({ containers: [{ name: 'main', image: 'i', env: [{ name: 'A', valueFrom }] }, side] });
    expect(found(job)['A']).toBe('3');
  });
});

test('secrets are named with their namespace, and their values are unknown', () => {
  const env: EnvVar[] = [
    { name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
    { name: 'B', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } },
    { name: 'C', value: 'over' },
    { name: 'C', valueFrom: { secretKeyRef: { name: 's', key: 'c' } } },
  ];
  expect(registered(one({ env })).containers[0]).toMatchObject({
    environment: [],
    secrets: [
      { name: 'A', from: { kind: 'secret', namespace: 'team', name: 's', key: 'k' } },
      { name: 'B', from: { kind: 'configMap', namespace: 'team', name: 'c', key: 'k' } },
      { name: 'C', from: { kind: 'secret', namespace: 'team', name: 's', key: 'c' } },
    ],
  });
});

test('the program itself cannot be late', () => {
  const env = [fieldRef('POD', 'metadata.name')];
  expect(hasLateProgram({ name: 'm', image: 'i', env, command: ['run-$(POD)'] }, one({}))).toBe(true);
  expect(hasLateProgram({ name: 'm', image: 'i', env, command: ['run', '$(POD)'] }, one({}))).toBe(false);
  expect(hasLateProgram({ name: 'm', image: 'i', env, args: ['$(POD)'] }, one({}))).toBe(false);
});

test('no attempt’s overrides exceed the computed maximum', () => {
  const env = [fieldRef('POD', 'metadata.name'), { name: 'LONG', value: '$(POD)'.repeat(50) }];
  const job = one({ env });
  expect(overridesCharsMax(job)).toBeGreaterThan(JSON.stringify(launched(job)).length + 300);
  expect(overridesCharsMax(job)).toBeGreaterThan(50 * 63);
});

describe('sidecars', () => {
  const sidecar = (name: string): Container => ({ name, image: 'i', restartPolicy: 'Always' });
  const job = manifest({
    initContainers: [{ name: 'a', image: 'i' }, sidecar('s'), { name: 'b', image: 'i' }, sidecar('t')],
    containers: [{ name: 'main', image: 'i' }],
  });

  test('are awaited with START, and each container depends on all of them, so it stops before them', () => {
    const needs = registered(job).containers.map((c) => [c.name, c.essential, c.dependsOnSuccess, c.dependsOnStart]);
    expect(needs).toEqual([
      ['a', false, [], []],
      ['s', false, ['a'], []],
      ['b', false, ['a'], ['s']],
      ['t', false, ['b'], ['s']],
      ['main', true, ['b'], ['s', 't']],
    ]);
  });

  test.each([
    // init a, sidecar s, init b, main        the most at one time
    [['1', '1', '1', '1'], 2048],
    [['4', '1', '1', '1'], 4096],
    [['1', '1', '3', '1'], 4096],
    [['1', '3', '1', '1'], 4096],
  ])('count together with containers that run at the same time: %j', ([a, s, b, main], cpu) => {
    const cpus = (name: string, amount = '0'): Container => ({
      name,
      image: 'i',
      resources: { requests: { cpu: amount } },
    });
    const sized = manifest({
      initContainers: [cpus('a', a), { ...cpus('s', s), restartPolicy: 'Always' }, cpus('b', b)],
      containers: [cpus('main', main)],
    });
    expect(fargateSizeOf(sized)).toMatchObject({ kind: 'fits', cpu });
  });
});

test.each([
  [[], [], null],
  [['20Gi'], [], null],
  [['20Gi'], ['1'], 21],
  [['15Gi', '15Gi'], ['10Gi'], 40],
  [['1M'], ['25Gi'], 26],
  [[], ['250Gi'], 250], // admission refuses it
])('volumes of %j and containers with %j need %j GiB', (limits, storage, gib) => {
  const volumes = limits.map((sizeLimit, i) => ({ name: `v${i}`, emptyDir: { sizeLimit } }));
  const containers = [
    ...storage.map((amount, i) => ({
      name: `c${i}`,
      image: 'i',
      resources: { requests: { 'ephemeral-storage': amount } },
    })),
    { name: 'main', image: 'i' },
  ];
  const { spec } = manifest({ containers, volumes }).spec.template;
  expect(ephemeralStorageOf(spec)).toBe(gib);
});

test.each([
  [undefined, undefined, null],
  [{ runAsUser: 5 }, undefined, '5'],
  [{ runAsUser: 5, runAsGroup: 6 }, undefined, '5:6'],
  [{ runAsUser: 5, runAsGroup: 6 }, { runAsUser: 0 }, '0:6'],
  [{ runAsUser: 5 }, { runAsGroup: 7 }, '5:7'],
])('the Pod’s %j and the container’s %j make user %j', (pod, own, user) => {
  const main: Container = { name: 'main', image: 'i', ...(own === undefined ? {} : { securityContext: own }) };
  const job = manifest({ containers: [main], ...(pod === undefined ? {} : { securityContext: pod }) });
  expect(registered(job).containers[0]?.user).toBe(user);
});

test('nodeSelector chooses architecture and capacity', () => {
  const choose = (nodeSelector: Record<string, string>) =>
    manifest({ containers: [{ name: 'main', image: 'i' }], nodeSelector });
  expect(registered(choose({})).architecture).toBe('X86_64');
  expect(registered(choose({ 'kubernetes.io/arch': 'arm64' })).architecture).toBe('ARM64');
  expect(capacityOf(choose({}))).toBe('onDemand');
  expect(capacityOf(choose({ 'muster.run/capacity': 'on-demand' }))).toBe('onDemand');
  expect(capacityOf(choose({ 'muster.run/capacity': 'spot' }))).toBe('spot');
});

test('Spot and on-demand share a definition, and so do accounts and namespaces with the same effect', () => {
  const family = (spec: Partial<PodSpec>) =>
    registered(manifest({ containers: [{ name: 'main', image: 'i' }], ...spec })).family;
  expect(family({ nodeSelector: { 'muster.run/capacity': 'spot' } })).toBe(family({}));
  expect(family({ serviceAccountName: 'default' })).toBe(family({}));
  expect(family({ serviceAccountName: 'reports' })).not.toBe(family({}));
});
