import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CronJobManifest } from '../../../shared/capabilities/schedules/domain/cron-manifest.ts';
import type { JobManifest } from '../../../shared/domain/manifests/manifest.ts';
import type { Container, PodSpec } from '../../../shared/domain/manifests/pod-spec.ts';
import { taskDefinitionOf } from '../../../shared/domain/task/pod-template.ts';
import { admitCronJob } from '../../../shared/capabilities/schedules/schema/cron-admission.ts';
import { admitCronJobUpdate } from '../../../shared/capabilities/schedules/schema/cron-update.ts';
import { admitJobUpdate, documentOf } from '../../../shared/schema/job/job-update.ts';
import { UID, admitted, faultLines, jobDocument } from '../../support/job-document.ts';
import { draws } from '../../verify/draws.ts';

type Fields = { readonly [field: string]: unknown };

/** Some of these fields, each with one of its values. */
const someOf = (fields: Readonly<Record<string, readonly unknown[]>>): fc.Arbitrary<Fields> =>
  fc.record<Fields>(
    Object.fromEntries(Object.entries(fields).map(([name, values]) => [name, fc.constantFrom(...values)])),
    { requiredKeys: [] },
  );

const container = someOf({
  image: ['busybox', 'busybox:1', 'example.com/a@sha256:0', 'Odd'],
  imagePullPolicy: ['Always', 'IfNotPresent', 'Never', '', null],
  terminationMessagePath: ['/dev/termination-log', ''],
  terminationMessagePolicy: ['File', 'FallbackToLogsOnError', ''],
  tty: [false, null],
  stdin: [false],
  stdinOnce: [false],
  command: [[], ['sh', ''], null],
  args: [['']],
  workingDir: ['', '/w'],
  env: [
    [],
    [{ name: 'A' }],
    [{ name: 'A', value: '' }],
    [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: false } } }],
  ],
  ports: [[], [{ containerPort: 80 }], [{ containerPort: 80, hostPort: 0, protocol: 'UDP', name: '' }]],
  resources: [
    {},
    { limits: {}, requests: {} },
    { limits: { cpu: 0.5, memory: '1024Mi' } },
    { limits: { memory: '1Gi' }, requests: { cpu: '0.1', memory: '512Mi' } },
  ],
  volumeMounts: [[], [{ name: 'v', mountPath: '/v' }], [{ name: 'v', mountPath: '/v', readOnly: false, subPath: '' }]],
  securityContext: [
    {},
    { privileged: false, allowPrivilegeEscalation: true, readOnlyRootFilesystem: false },
    { runAsUser: 0, capabilities: { add: [], drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } },
  ],
  livenessProbe: [{}, null],
  envFrom: [[]],
});

const podSpec = someOf({
  dnsPolicy: ['ClusterFirst', ''],
  schedulerName: ['default-scheduler'],
  serviceAccountName: ['', 'default', 'reports'],
  serviceAccount: ['', 'reports'],
  automountServiceAccountToken: [false, true],
  enableServiceLinks: [true, false],
  hostNetwork: [false],
  shareProcessNamespace: [false],
  priority: [0],
  preemptionPolicy: ['Never'],
  os: [{ name: 'linux' }],
  tolerations: [[], null, [{ key: 'a', operator: 'Exists', tolerationSeconds: 0, effect: 'NoExecute' }]],
  affinity: [
    {},
    {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'spot', operator: 'DoesNotExist' }] }],
        },
      },
      podAntiAffinity: {},
    },
  ],
  priorityClassName: ['', 'high'],
  topologySpreadConstraints: [[], [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }]],
  nodeSelector: [{}, { 'kubernetes.io/os': 'linux' }],
  imagePullSecrets: [[], [{ name: 'registry' }]],
  terminationGracePeriodSeconds: [0, 30, null],
  securityContext: [{}, { runAsUser: 0, fsGroup: 0, fsGroupChangePolicy: 'Always' }],
  initContainers: [
    [],
    [{ name: 'init', image: 'i', tty: false }],
    [{ name: 'log', image: 'i', restartPolicy: 'Always' }],
  ],
  hostname: [''],
});

const volumes = fc.constantFrom<object>(
  [{ name: 'v' }],
  [{ name: 'v', emptyDir: { medium: '', sizeLimit: '1024Mi' } }],
);
const metadata = someOf({
  name: ['x', ''],
  labels: [{}, { a: '' }],
  annotations: [{}, { b: 'c' }],
  creationTimestamp: [null, '2025-01-01T00:00:00Z'],
  finalizers: [[]],
});

const template = fc.tuple(metadata, podSpec, container, volumes).map(([ofPods, pod, main, vs]) => ({
  metadata: ofPods,
  spec: {
    restartPolicy: 'Never',
    volumes: vs,
    ...pod,
    containers: [{ name: 'main', ...main, image: main['image'] ?? 'busybox' }],
  },
}));

const RUNS = { numRuns: draws(1000), seed: 7 };

const jobOf = (pod: object): JobManifest => admitted(jobDocument({ template: pod })).manifest;
const cronJobOf = (pod: object): CronJobManifest => {
  const admission = admitCronJob(
    {
      metadata: { name: 'nightly' },
      spec: { schedule: '@daily', jobTemplate: { metadata: { name: 'x', labels: {} }, spec: { template: pod } } },
    },
    { namespace: 'default', uid: UID, nameSuffix: 'x7k2z', fieldValidation: 'Strict' },
  );
  if (admission.kind !== 'ok') throw new Error(JSON.stringify(admission));
  return admission.manifest;
};

const putJob = (manifest: JobManifest, document: object = documentOf({ manifest, uid: UID })) =>
  admitJobUpdate({ manifest, uid: UID, started: true, deleting: false }, document, { fieldValidation: 'Strict' });
const putCronJob = (manifest: CronJobManifest, document: object = manifest) =>
  admitCronJobUpdate({ manifest, uid: UID, deleting: false }, document, { fieldValidation: 'Strict' });

describe('a PUT of what is shown changes nothing', () => {
  test('of any Job and CronJob that is admitted, which is stored as it was written', () => {
    const seen = new Set<string>();
    const isKept = (pod: object): boolean => {
      seen.add(JSON.stringify(pod));
      const job = jobOf(pod);
      const cronJob = cronJobOf(pod);
      const again = [putJob(job), putCronJob(cronJob)];
      return (
        again.every((update) => update.kind === 'ok' && update.changed === 'nothing') &&
        isDeepStrictEqual(
          again.map((update) => update.kind === 'ok' && update.manifest),
          [job, cronJob],
        ) &&
        holds(job.spec.template, pod) &&
        holds(cronJob.spec.jobTemplate.spec.template, pod)
      );
    };
    fc.assert(fc.property(template, isKept), RUNS);
    expect(seen.size).toBeGreaterThan(draws(900));
  });

  test('of one from before defaults and what changes nothing were stored', () => {
    const seen = new Set<string>();
    const isSame = (pod: object): boolean => {
      const job = jobOf(pod);
      const cronJob = cronJobOf(pod);
      const { template: ofJobs } = cronJob.spec.jobTemplate.spec;
      const before = { ...job, spec: { ...job.spec, template: asBefore(job.spec.template) } };
      const jobTemplate = { metadata: {}, spec: { template: { ...asBefore(ofJobs), metadata: {} } } };
      const cronBefore = { ...cronJob, spec: { ...cronJob.spec, jobTemplate } };
      if (!isDeepStrictEqual(before, job)) seen.add(JSON.stringify(before));
      return [putJob(before), putCronJob(cronBefore)].every(
        (update) => update.kind === 'ok' && update.changed === 'nothing',
      );
    };
    fc.assert(fc.property(template, isSame), RUNS);
    expect(seen.size).toBeGreaterThan(draws(300));
  });

  test('by a client that writes Go, which leaves out zeroes and has its own way with quantities', () => {
    const pod = (main: object, fields: object = {}) => ({
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', ...main }], ...fields },
    });
    const written = pod(
      { tty: false, env: [{ name: 'A', value: '' }], resources: { limits: { cpu: '0.5', memory: '1024Mi' } } },
      { hostNetwork: false, tolerations: [] },
    );
    const sent = pod({ env: [{ name: 'A' }], resources: { limits: { cpu: '500m', memory: '1Gi' } } });
    const job = jobOf(written);
    const other = jobOf(sent);
    expect(putJob(job, documentOf({ manifest: other, uid: UID }))).toMatchObject({ kind: 'ok', changed: 'nothing' });
    expect(putCronJob(cronJobOf(written), cronJobOf(sent))).toMatchObject({ kind: 'ok', changed: 'nothing' });
    const more = jobOf(pod({ resources: { limits: { cpu: '501m', memory: '1Gi' } }, env: [{ name: 'A' }] }));
    expect(putJob(job, documentOf({ manifest: more, uid: UID }))).toMatchObject({ kind: 'invalid' });
  });
});

/** Whether everything that was written is there, but for null, the empty text of a field, and a second name of an account. */
function holds(kept: unknown, written: unknown): boolean {
  if (Array.isArray(written))
    return Array.isArray(kept) && written.length === kept.length && written.every((each, i) => holds(kept[i], each));
  if (typeof written !== 'object' || written === null) return kept === written || String(kept) === String(written);
  return Object.entries(written).every(
    ([key, value]) =>
      value === null ||
      (value === '' && key !== 'value') ||
      key === 'serviceAccount' ||
      holds((kept as Fields | undefined)?.[key], value),
  );
}

/** A template as Muster stored it when it kept only what it went by. */
function asBefore({ metadata: ofPods, spec }: { metadata: object; spec: PodSpec }) {
  const { labels = {}, annotations } = ofPods as { labels?: Record<string, string>; annotations?: object };
  const {
    initContainers,
    containers,
    volumes: vs,
    restartPolicy,
    terminationGracePeriodSeconds,
    serviceAccountName,
  } = spec;
  const former = ({ name, image, command, args, resources }: Container): Container => ({
    name,
    image,
    ...(command === undefined ? {} : { command }),
    ...(args === undefined ? {} : { args }),
    ...(resources?.limits === undefined
      ? {}
      : { resources: { limits: resources.limits, requests: { ...resources.limits, ...resources.requests } } }),
  });
  return {
    metadata: { labels, ...(annotations === undefined ? {} : { annotations: annotations as Record<string, string> }) },
    spec: {
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(former) }),
      containers: containers.map(former),
      ...(vs === undefined ? {} : { volumes: vs }),
      restartPolicy,
      terminationGracePeriodSeconds,
      ...(serviceAccountName === undefined ? {} : { serviceAccountName }),
    },
  };
}

const POD = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] };

test.each<[string, object]>([
  ['imagePullPolicy', { containers: [{ ...POD.containers[0], imagePullPolicy: 'IfNotPresent' }] }],
  ['enableServiceLinks', { enableServiceLinks: false }],
  ['automountServiceAccountToken', { automountServiceAccountToken: false }],
  ['os', { os: { name: 'linux' } }],
])('%s is part of the template, which is immutable, though it changes nothing', (_, fields) => {
  const manifest = jobOf({ spec: POD });
  const document = documentOf({ manifest, uid: UID });
  const { template: was } = document.spec;
  const next = { ...document, spec: { ...document.spec, template: { ...was, spec: { ...was.spec, ...fields } } } };
  expect(faultLines(putJob(manifest, next))).toEqual([
    expect.stringMatching(/^spec\.template: Invalid value: .*: field is immutable$/s),
  ]);
  const cronJob = cronJobOf({ spec: POD });
  expect(putCronJob(cronJob, cronJobOf({ spec: { ...POD, ...fields } }))).toMatchObject({
    kind: 'ok',
    changed: 'spec',
  });
});

test.each([{ hostNetwork: {} }, { hostAliases: {} }, { dnsConfig: [] }, { overhead: [] }, { priority: '' }])(
  'what no client could read is left out: %j',
  (fields) => {
    expect(jobOf({ spec: { ...POD, ...fields } })).toEqual(jobOf({ spec: POD }));
  },
);

test('a limit stands for a request in a variable, though it is stored as a limit only; a divisor is shown', () => {
  const env = [{ name: 'CPUS', valueFrom: { resourceFieldRef: { resource: 'requests.cpu' } } }];
  const resources = { limits: { cpu: '1500m' } };
  const job = jobOf({ spec: { ...POD, containers: [{ name: 'main', image: 'busybox', env, resources }] } });
  const [main] = job.spec.template.spec.containers;
  expect(main).toMatchObject({ env: [{ valueFrom: { resourceFieldRef: { divisor: '0' } } }] });
  expect(main?.resources).toEqual(resources);
  const definition = taskDefinitionOf(job, { hash: () => 'same' });
  expect(definition.containers[0]?.environment).toContainEqual({ name: 'CPUS', value: '2' });
});

test.each<[object, string]>([
  [{ serviceAccountName: 'a' }, 'a'],
  [{ serviceAccount: 'b' }, 'b'],
  [{ serviceAccountName: '', serviceAccount: 'b' }, 'b'],
  [{ serviceAccountName: 'a', serviceAccount: 'b' }, 'a'],
])('%j is shown under both names', (said, name) => {
  const { serviceAccountName, serviceAccount } = jobOf({ spec: { ...POD, ...said } }).spec.template.spec;
  expect([serviceAccountName, serviceAccount]).toEqual([name, name]);
});

test('the defaults of a template take less than a kilobyte', () => {
  const { spec } = jobOf({ spec: POD }).spec.template;
  expect(JSON.stringify(spec).length - JSON.stringify(POD).length).toBeLessThan(400);
});
