import { expect, test } from 'vitest';
import { taskDefinitionOf } from '../../shared/domain/task/pod-template.ts';
import { inOneGroup } from '../../shared/domain/task/volumes/one-group.ts';
import { taskEnvironment } from '../../shared/domain/task/task-environment.ts';
import { JOBS, PODS, aWorld, manifest } from '../kube/a-world.ts';
import { admitDocument, admitted, faultLines, jobDocument } from '../support/job-document.ts';

// What a manifest asks for, where Muster departs from Kubernetes' letter; docs/departures.md has a row for each test here.

const NOT_STORED = { hash: (text: string): string => `h${text.length}` };

test('a Pod ends with its first container', () => {
  const container = (name: string) => ({ name, image: 'busybox' });
  const pod = (...names: readonly string[]) => jobDocument({}, {}, { containers: names.map(container) });
  const essential = (...names: readonly string[]): readonly string[] =>
    taskDefinitionOf(admitted(pod(...names)).manifest, NOT_STORED)
      .containers.filter((each) => each.essential)
      .map(({ name }) => name);
  // ECS stops a task when an essential container has ended, and its exit code is the attempt's.
  expect(essential('helper', 'work')).toEqual(['helper']);
  expect(essential('work', 'helper')).toEqual(['work']);
  expect(admitted(pod('work', 'helper')).warnings).toEqual([
    'spec.template.spec.containers[1]: runs beside "work"; the Pod ends when "work" ends, whatever this container does',
  ]);
  expect(admitted(pod('work')).warnings).toEqual([]);
});

test('a volume in memory belongs to the one container that mounts it', () => {
  const mounting = { image: 'busybox', volumeMounts: [{ name: 'fast', mountPath: '/fast' }] };
  const volumes = [{ name: 'fast', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } }];
  const pod = (...containers: readonly object[]) => jobDocument({}, {}, { containers, volumes });
  const main = { name: 'main', ...mounting };
  expect(faultLines(admitDocument(pod(main, { name: 'side', ...mounting })))).toEqual([
    'spec.template.spec.volumes[0].emptyDir.medium: Forbidden: not supported by this version of Muster; mount the volume once, in one container, or leave medium out: memory is shared by no two mounts',
  ]);
  const alone = taskDefinitionOf(admitted(pod(main, { name: 'side', image: 'busybox' })).manifest, NOT_STORED);
  expect(alone.volumes).toEqual([]);
  expect(alone.containers.map(({ mounts, tmpfs }) => ({ mounts, tmpfs }))).toEqual([
    { mounts: [], tmpfs: [{ volume: 'fast', path: '/fast', readOnly: false, sizeMib: 64 }] },
    { mounts: [], tmpfs: undefined },
  ]);
});

test('files of a Secret are on the disk of the task', () => {
  const volumes = [{ name: 'keys', secret: { secretName: 'keys', defaultMode: 0o400 } }];
  const mounting = { image: 'busybox', volumeMounts: [{ name: 'keys', mountPath: '/keys' }] };
  const containers = ['main', 'side'].map((name) => ({ name, ...mounting }));
  const { manifest: job } = admitted(jobDocument({}, {}, { containers, volumes }));
  const definition = taskDefinitionOf(job, NOT_STORED);
  expect(definition.volumes).toEqual(['keys']);
  for (const { mounts, tmpfs } of definition.containers) {
    expect(mounts).toEqual([{ volume: 'keys', path: '/keys', readOnly: true }]);
    expect(tmpfs).toBeUndefined();
  }
});

test('a program on Fargate has one group, and its files have that one', () => {
  const volumes = [{ name: 'keys', secret: { secretName: 'keys', defaultMode: 0o400 } }];
  const containers = [{ name: 'main', image: 'busybox', volumeMounts: [{ name: 'keys', mountPath: '/keys' }] }];
  const pod = (securityContext: object) => jobDocument({}, {}, { containers, volumes, securityContext });
  const asked = (securityContext: object) => {
    const definition = taskDefinitionOf(admitted(pod(securityContext)).manifest, NOT_STORED);
    const {
      containers: [main],
      volumeGroups,
    } = inOneGroup(definition);
    return [main?.user, volumeGroups?.[0]?.group];
  };
  expect(asked({ runAsUser: 1000, runAsGroup: 3000, fsGroup: 2000 })).toEqual(['1000:3000', 3000]);
  expect(asked({ runAsUser: 1000, fsGroup: 2000 })).toEqual(['1000:2000', 2000]);
  const more = pod({ runAsUser: 1000, runAsGroup: 3000, fsGroup: 2000, supplementalGroups: [4000] });
  expect(faultLines(admitDocument(more))).toEqual([expect.stringContaining('on Fargate a program has one group')]);
  const here = admitted(more, { hostFolders: [] }).manifest;
  expect(taskDefinitionOf(here, NOT_STORED).containers[0]).toMatchObject({ user: '1000:3000', groups: [2000, 4000] });
});

test('a hostPath is of this machine, within folders that somebody has allowed', () => {
  const volumes = [{ name: 'in', hostPath: { path: '/srv/in' } }];
  const faults = (hostFolders: readonly string[] | null) =>
    faultLines(admitDocument(jobDocument({}, {}, { volumes }), { hostFolders }));
  expect(faults(null)).toEqual([expect.stringContaining('Fargate shares nothing of the host')]);
  expect(faults([])).toEqual([expect.stringContaining('start muster local with --allow-host-path')]);
  expect(faults(['/srv/other'])).toEqual([expect.stringContaining('--allow-host-path names: /srv/other')]);
  expect(faults(['/srv'])).toEqual([]);
});

test('automountServiceAccountToken: true is taken with a warning', () => {
  const warningsOf = (automountServiceAccountToken: boolean) =>
    admitted(jobDocument({}, {}, { automountServiceAccountToken })).warnings;
  expect(warningsOf(true)).toEqual([
    'spec.template.spec.automountServiceAccountToken: a token of the ServiceAccount is mounted by muster local --users --driver docker only; elsewhere the program finds none',
  ]);
  expect(warningsOf(false)).toEqual([]);
});

test('what says where a Pod would rather run is taken with a warning', () => {
  const preferredDuringSchedulingIgnoredDuringExecution = [
    { weight: 1, preference: { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] } },
  ];
  const { warnings } = admitted(
    jobDocument(
      {},
      {},
      {
        tolerations: [{ operator: 'Exists' }],
        affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution } },
        topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
        priorityClassName: 'high',
        schedulerName: 'volcano',
      },
    ),
  );
  expect(warnings.map((line) => /^spec\.template\.spec\.(\w+).*: has no effect: /.exec(line)?.[1])).toEqual([
    'affinity',
    'tolerations',
    'topologySpreadConstraints',
    'priorityClassName',
    'schedulerName',
  ]);
});

test('probes and readiness gates are taken with a warning', () => {
  const probe = { exec: { command: ['true'] } };
  const containers = [
    { name: 'main', image: 'busybox', livenessProbe: probe, readinessProbe: probe, startupProbe: probe },
  ];
  const { warnings } = admitted(
    jobDocument({}, {}, { containers, readinessGates: [{ conditionType: 'example.com/ready' }] }),
  );
  expect(warnings.map((line) => /(\w+): has no effect: /.exec(line)?.[1])).toEqual([
    'readinessGates',
    'livenessProbe',
    'readinessProbe',
    'startupProbe',
  ]);
});

test('options of the resolver are taken with a warning, and other name servers are refused', () => {
  const answer = (dnsConfig: object) => admitDocument(jobDocument({}, {}, { dnsConfig }));
  expect(answer({ options: [{ name: 'ndots', value: '2' }] })).toMatchObject({
    kind: 'ok',
    warnings: [expect.stringContaining('dnsConfig.options: has no effect')],
  });
  expect(faultLines(answer({ nameservers: ['10.0.0.2'] }))).toEqual([expect.stringContaining('dnsConfig.nameservers')]);
});

test('grace periods end at 120 s', () => {
  const graceful = (terminationGracePeriodSeconds: number) => {
    const { manifest, warnings } = admitted(jobDocument({}, {}, { terminationGracePeriodSeconds }));
    return [taskDefinitionOf(manifest, NOT_STORED).containers[0]?.stopTimeoutSec, warnings.length];
  };
  expect([0, 2, 30, 120, 121, 86_400].map(graceful)).toEqual([
    [2, 0],
    [2, 0],
    [30, 0],
    [120, 0],
    [120, 1],
    [120, 1],
  ]);
});

test('tasks are found by whole names, and only those of indexes', () => {
  const job = (spec: object, says: string) =>
    jobDocument(spec, {}, { subdomain: 'workers', containers: [{ name: 'main', image: 'busybox', command: [says] }] });
  const indexed = { completionMode: 'Indexed', completions: 2 };
  const { manifest, warnings } = admitted(job(indexed, 'ping sums-0.workers'));
  expect(warnings).toEqual([expect.stringContaining('tasks have no search domain')]);
  expect(admitted(job(indexed, 'ping sums-0.workers.default.muster.internal')).warnings).toEqual([]);
  const told = taskEnvironment(manifest, { index: 1, attempt: 1, restarts: 0 }, 'muster.internal').map(
    ({ value }) => value,
  );
  expect(told).toEqual(expect.arrayContaining(['sums-1.workers.default.muster.internal']));
  expect(faultLines(admitDocument(job({}, 'true')))).toEqual([
    expect.stringMatching(/^spec\.template\.spec\.subdomain: Forbidden: .*only indexes have names/),
  ]);
});

test('a headless Service is taken as it is, and others are refused', async () => {
  const world = await aWorld();
  const path = PODS.replace(/pods$/, 'services');
  const service = (spec: object) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'workers' }, spec });
  const routed = await world.post(path, service({ selector: { job: 'sums' }, ports: [{ port: 80 }] }));
  expect([routed.status, await routed.text()]).toEqual([422, expect.stringContaining('only headless Services')]);
  const headless = await world.post(path, service({ clusterIP: 'None', selector: { job: 'sums' } }));
  expect([headless.status, headless.headers.get('warning')]).toEqual([
    201,
    expect.stringContaining('a Service has no effect here'),
  ]);
});

test('completions and parallelism have named limits', () => {
  const faults = (spec: object): readonly string[] => faultLines(admitDocument(jobDocument(spec)));
  for (const completionMode of ['Indexed', 'NonIndexed']) {
    expect(faults({ completionMode, completions: 1_000_000, parallelism: 100_000 })).toEqual([]);
    expect(faults({ completionMode, completions: 1_000_001, parallelism: 100_001 })).toEqual([
      'spec.completions: Invalid value: 1000001: must be less than or equal to 1000000',
      `spec.parallelism: Invalid value: 100001: must be less than or equal to 100000${
        completionMode === 'Indexed' ? ' when completion mode is Indexed' : ''
      }`,
    ]);
  }
});

test("a Job's name fits a label", () => {
  const faults = (chars: number, spec: object): readonly string[] =>
    faultLines(admitDocument(jobDocument(spec, { name: 'a'.repeat(chars) }, {})));
  const own = { manualSelector: true, selector: { matchLabels: { app: 'sums' } } };
  const { spec: pod } = jobDocument().spec.template;
  const template = { metadata: { labels: { app: 'sums' } }, spec: pod };
  expect(faults(63, { ...own, template })).toEqual([]);
  expect(faults(64, { ...own, template })).toEqual([
    `metadata.name: Invalid value: "${'a'.repeat(64)}": must be no more than 63 characters`,
  ]);
  // Where Kubernetes generates the label, too, it says no as well.
  expect(faults(63, {})).toEqual([]);
  expect(faults(64, {}).join('\n')).toMatch(/must be no more than 63 (characters|bytes)/);
});

test('DisruptionTarget is the only condition to match', () => {
  const { warnings } = admitted(
    jobDocument({
      podFailurePolicy: {
        rules: [
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }, { type: 'ConfigIssue' }] },
          { action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } },
        ],
      },
    }),
  );
  expect(warnings).toEqual([
    'spec.podFailurePolicy.rules[0].onPodConditions[1].type: this rule never matches, because Muster sets only the condition DisruptionTarget',
  ]);
});

/** The fields that the warnings of an answer name, of those about commands. */
const warnedFields = (answer: Response): readonly string[] =>
  [...(answer.headers.get('warning') ?? '').matchAll(/"(spec[^ ]*\.(?:command|args)): /g)].map(
    ([, field = '']) => field,
  );

test('where no image is pulled a container says what to run', async () => {
  const containers = [
    { name: 'a', image: 'b', command: ['true'] },
    { name: 'c', image: 'd' },
    { name: 'd', image: 'd', args: ['true'] },
  ];
  const spec = {
    restartPolicy: 'Never',
    containers,
    initContainers: [{ name: 'i', image: 'b', restartPolicy: 'Always' }],
  };
  const sums = manifest('sums');
  const job = { ...sums, spec: { ...sums.spec, template: { spec } } };
  const fields = async (needsCommand: boolean, path: string, document: unknown): Promise<unknown> => {
    const answer = await (await aWorld({ needsCommand })).post(path, document);
    if (answer.status === 201) return warnedFields(answer);
    const { details } = (await answer.json()) as { details: { causes: { field: string; message: string }[] } };
    expect(details.causes[0]?.message).toContain('Required value: this Muster runs commands as local processes');
    return details.causes.map(({ field }) => field);
  };
  const at = ['spec.containers[1].command', 'spec.initContainers[0].command'];
  expect(await fields(true, JOBS, job)).toEqual(at.map((field) => `spec.template.${field}`));
  expect(await fields(false, JOBS, job)).toEqual([]);
  const argsOnly = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'd', args: ['true'] }] };
  const ofArgs = { ...sums, spec: { ...sums.spec, template: { spec: argsOnly } } };
  expect(await fields(true, JOBS, ofArgs)).toEqual(['spec.template.spec.containers[0].args']);
  expect(await fields(false, JOBS, ofArgs)).toEqual([]);
});

test('nothing can be sent to a task on Fargate, so stdin is refused there, and a terminal is not', () => {
  const pod = (container: object) =>
    jobDocument({}, {}, { containers: [{ name: 'main', image: 'busybox', ...container }] });
  const asked = pod({ stdin: true, stdinOnce: true, tty: true });
  expect(faultLines(admitDocument(asked))).toEqual([
    'spec.template.spec.containers[0].stdin: Forbidden: not supported by this version of Muster; leave it out: nothing can be sent to a task on Fargate; let the program read a file, or a ConfigMap',
  ]);
  // On this machine clients attach to it.
  expect(faultLines(admitDocument(asked, { hostFolders: [] }))).toEqual([]);
  const [main] = taskDefinitionOf(admitted(pod({ tty: true })).manifest, NOT_STORED).containers;
  expect([main?.interactive, main?.terminal]).toEqual([undefined, true]);
});
