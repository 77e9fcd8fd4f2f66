import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { formatPlacement, runTaskInput } from '../../../shared/adapters/aws/ecs/run-task-request.ts';
import { registerInput, taskRoleOf } from '../../../shared/adapters/aws/ecs/task-definition-request.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { overridesOf } from '../../../shared/domain/task/launch-overrides.ts';
import type { JobManifest } from '../../../shared/domain/manifests/manifest.ts';
import type { ConfigObject, PodSources } from '../../../shared/domain/task/pod-sources.ts';
import { FILES_CONTAINER } from '../../../shared/domain/task/task.ts';
import { capacityOf, taskDefinitionOf } from '../../../shared/domain/task/pod-template.ts';
import { fieldErrorText } from '../../../shared/schema/object/field-error.ts';
import { admitJob } from '../../../shared/schema/job/job-manifest.ts';
import type { PodField } from '../../../shared/schema/pod/pod-field.ts';
import { POD_FIELDS } from '../../../shared/schema/pod/pod-fields.ts';
import { POD_SHAPES } from '../../../shared/schema/pod/pod-shape.ts';
import { type Group, PATHS, docsRow } from './pod-field-rows.ts';

type Fields = Readonly<Record<string, unknown>>;

const MAIN = { name: 'main', image: 'busybox', resources: { limits: { cpu: '1', memory: '1Gi' } } };
const SIDE = { name: 'side', image: 'busybox', resources: { limits: { cpu: '2', memory: '2Gi' } } };
const spec = (fields: Fields) => ({
  spec: { restartPolicy: 'Never', containers: [MAIN, SIDE], volumes: [{ name: 'v' }, { name: 'w' }], ...fields },
});
const container = (fields: Fields) => spec({ containers: [{ ...MAIN, ...fields }, SIDE] });
const env = (fields: Fields) => container({ env: [{ name: 'A', ...fields }] });
const from = (fields: Fields) => env({ valueFrom: fields });

const volume = (fields: Fields) => spec({ volumes: [{ name: 'v', ...fields }] });
const mounted = (fields: Fields) =>
  spec({
    volumes: [{ name: 'v', ...fields }],
    containers: [{ ...MAIN, volumeMounts: [{ name: 'v', mountPath: '/v' }] }, SIDE],
  });
const envFrom = (fields: Fields) => container({ envFrom: [fields] });
const NAME = { fieldRef: { fieldPath: 'metadata.name' } };
const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const LARGE = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '30Gi' } } };
const EFS = 'fs-0123456789abcdef0.efs.eu-central-1.amazonaws.com';

/** A template with an object of each group in it, in which fields may be set. */
const TEMPLATES: Readonly<Record<Group, (fields: Fields) => object>> = {
  metadata: (fields) => ({ ...spec({}), metadata: fields }),
  spec,
  podSecurity: (fields) =>
    spec({
      securityContext: { runAsUser: 1000, ...fields },
      containers: [{ ...MAIN, volumeMounts: [{ name: 'v', mountPath: '/v' }] }, SIDE],
    }),
  volume,
  emptyDir: (fields) => spec({ volumes: [{ name: 'v', emptyDir: fields }] }),
  hostPath: (fields) => spec({ volumes: [{ name: 'v', hostPath: { path: '/srv', ...fields } }] }),
  configMap: (fields) => volume({ configMap: { name: 'c', ...fields } }),
  secret: (fields) => volume({ secret: { secretName: 's', ...fields } }),
  keyFile: (fields) => volume({ configMap: { name: 'c', items: [{ key: 'k', path: 'p', ...fields }] } }),
  downwardAPI: (fields) => volume({ downwardAPI: { items: [{ path: 'f', ...NAME }], ...fields } }),
  downwardFile: (fields) =>
    volume({ downwardAPI: { items: [{ path: 'p', ...('resourceFieldRef' in fields ? {} : NAME), ...fields }] } }),
  projected: (fields) => volume({ projected: { sources: [{ secret: { name: 't' } }], ...fields } }),
  projection: (fields) => volume({ projected: { sources: [fields] } }),
  tokenProjection: (fields) =>
    volume({ projected: { sources: [{ serviceAccountToken: { path: 'token', ...fields } }] } }),
  claim: (fields) => mounted({ persistentVolumeClaim: { claimName: 'c', ...fields } }),
  ephemeral: (fields) => volume({ ephemeral: { volumeClaimTemplate: { spec: CLAIM }, ...fields } }),
  claimTemplate: (fields) => volume({ ephemeral: { volumeClaimTemplate: { spec: CLAIM, ...fields } } }),
  claimSpec: (fields) => volume({ ephemeral: { volumeClaimTemplate: { spec: { ...CLAIM, ...fields } } } }),
  nfs: (fields) => mounted({ nfs: { server: EFS, path: '/', ...fields } }),
  container,
  env,
  envFrom: (fields) => envFrom({ ...('secretRef' in fields ? {} : { configMapRef: { name: 'c' } }), ...fields }),
  configMapRef: (fields) => envFrom({ configMapRef: { name: 'c', ...fields } }),
  secretRef: (fields) => envFrom({ secretRef: { name: 's', ...fields } }),
  valueFrom: (fields) => from(Object.keys(fields).length === 0 ? { fieldRef: { fieldPath: 'metadata.name' } } : fields),
  fieldRef: (fields) => from({ fieldRef: { fieldPath: 'metadata.name', ...fields } }),
  resourceFieldRef: (fields) => from({ resourceFieldRef: { resource: 'limits.cpu', ...fields } }),
  secretKeyRef: (fields) => from({ secretKeyRef: { name: 's', key: 'k', ...fields } }),
  configMapKeyRef: (fields) => from({ configMapKeyRef: { name: 's', key: 'k', ...fields } }),
  resources: (fields) => container({ resources: fields }),
  port: (fields) => container({ ports: [{ containerPort: 80, ...fields }] }),
  volumeMount: (fields) => container({ volumeMounts: [{ name: 'v', mountPath: '/v', ...fields }] }),
  containerSecurity: (fields) => container({ securityContext: { runAsUser: 1000, ...fields } }),
  capabilities: (fields) => container({ securityContext: { capabilities: fields } }),
};

/** Embedded, where there are hostPaths; as on AWS, where there is NFS. */
const foldersFor = (template: object) => (JSON.stringify(template).includes('"nfs":') ? null : ['/srv']);

const admit = (template: object) =>
  admitJob(
    { metadata: { name: 'sums' }, spec: { completionMode: 'Indexed', completions: 2, template } },
    {
      namespace: 'default',
      uid: 'uid-1',
      nameSuffix: 'x7k2z',
      fieldValidation: 'Strict',
      hostFolders: foldersFor(template),
    },
  );

function accepted(template: object) {
  const admission = admit(template);
  if (admission.kind !== 'ok') throw new Error(JSON.stringify(admission));
  return admission;
}

const SETTINGS = {
  region: 'eu-central-1',
  executionRoleArn: 'arn:aws:iam::123456789012:role/exec',
  taskRoleArn: null,
  taskRoles: new Map([['default/reports', 'arn:aws:iam::123456789012:role/reports']]),
  logGroup: '/muster/tasks',
};

/** Objects that templates name: each has the keys `k` and `l`. */
const config = (name: string) => ({
  version: `version-of-${name}-${'0'.repeat(32)}`,
  keys: new Map(['k', 'l'].map((key) => [key, { kind: 'bytes' as const, bytes: Buffer.from(`${key} of ${name}`) }])),
});
const secret = (name: string) => ({
  version: `version-of-${name}-${'0'.repeat(32)}`,
  keys: new Map(['k', 'l'].map((key) => [key, { kind: 'secret' as const, form: 'text' as const }])),
});
const claim = (fileSystemId: string) => ({
  kind: 'efs' as const,
  fileSystemId,
  rootDirectory: '/',
  accessPointId: null,
  transitEncryption: true,
  iam: false,
  readOnly: false,
});
const SOURCES: PodSources = {
  configs: new Map<string, ConfigObject>([
    ...['c', 'd'].map((name) => [`configMap/${name}`, config(name)] as const),
    ...['s', 't'].map((name) => [`secret/${name}`, secret(name)] as const),
  ]),
  claims: new Map(['c', 'd'].map((name) => [name, claim(`fs-0123456${name}`)])),
  pulls: new Map(),
};

/** What ECS is asked to do for an attempt: the definition and the launch, as requests. */
function requests(manifest: JobManifest): string {
  const definition = taskDefinitionOf(manifest, { hash: () => 'same', sources: SOURCES });
  const role = taskRoleOf(definition, SETTINGS);
  if (role.kind === 'unknown') throw new Error(role.reason);
  const names = definition.containers.map(({ name }) => name);
  const containers = definition.files === undefined ? names : [...names, FILES_CONTAINER];
  const placement = {
    cluster: 'jobs',
    subnets: ['subnet-1'],
    securityGroups: [],
    assignPublicIp: 'ENABLED',
    capacity: 'FARGATE',
  } as const;
  const { labels } = manifest.spec.template.metadata;
  return JSON.stringify([
    registerInput(definition, SETTINGS, role.arn),
    runTaskInput({
      job: { uid: asJobUid('uid-1'), namespace: 'default', name: 'sums' },
      id: { index: 1, attempt: 1, nonce: 0 },
      template: { taskDefinition: 'arn', containers, placement: formatPlacement(placement) },
      env: [],
      overrides: overridesOf(
        manifest,
        {
          podName: 'sums-1-abcde',
          podUid: 'pod-uid',
          completionIndex: 1,
          completions: null,
          failureCount: 2,
          ignoredFailureCount: 1,
          retryIndex: 4,
          item: null,
          labels,
        },
        SOURCES,
      ),
      capacity: capacityOf(manifest),
    }),
  ]);
}

/** A value of each field that is honoured, and where it shows: in what ECS is asked; else what else it changes. */
const SHOWS: Readonly<Partial<Record<Group, Readonly<Record<string, readonly [value: unknown, where?: Where]>>>>> = {
  metadata: { labels: [{ a: 'b' }, 'pod'], annotations: [{ a: 'b' }, 'pod'] },
  spec: {
    containers: [[{ ...MAIN, image: 'other' }]],
    initContainers: [[{ name: 'init', image: 'i' }]],
    volumes: [[{ name: 'x' }]],
    restartPolicy: ['OnFailure', 'pod'],
    terminationGracePeriodSeconds: [60],
    activeDeadlineSeconds: [60, 'pod'],
    nodeSelector: [{ 'muster.run/capacity': 'spot' }],
    affinity: [
      {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }] },
            ],
          },
        },
      },
    ],
    serviceAccountName: ['reports'],
    serviceAccount: ['reports'],
    imagePullSecrets: [[{ name: 'registry' }]],
    securityContext: [{ runAsUser: 5 }],
    automountServiceAccountToken: [false, 'pod'], // in what containers on this machine mount: see the tests of account-tokens
    subdomain: ['workers', 'pod'], // in the environment of a launch: see test/domain/task/task-environment.test.ts
  },
  podSecurity: {
    runAsUser: [5],
    runAsGroup: [6],
    runAsNonRoot: [true, 'pod'],
    fsGroup: [2000],
    supplementalGroups: [[4], 'pod'], // in what containers on this machine are asked: see test/adapters/volume-groups.test.ts
  },
  volume: {
    name: ['x'],
    emptyDir: [{ sizeLimit: '30Gi' }],
    hostPath: [{ path: '/srv' }],
    configMap: [{ name: 'c' }],
    secret: [{ secretName: 's' }],
    downwardAPI: [{ items: [{ path: 'p', ...NAME }] }],
    projected: [{ sources: [{ secret: { name: 's' } }] }],
    persistentVolumeClaim: [{ claimName: 'c' }],
    ephemeral: [{ volumeClaimTemplate: { spec: LARGE } }],
    nfs: [{ server: EFS, path: '/' }],
  },
  configMap: {
    name: ['d'],
    items: [[{ key: 'k', path: 'p' }]],
    defaultMode: [0o400],
    optional: [true, 'pod'],
  },
  secret: {
    secretName: ['t'],
    items: [[{ key: 'k', path: 'p' }]],
    defaultMode: [0o400],
    optional: [true, 'pod'],
  },
  keyFile: { key: ['l'], path: ['q'], mode: [0o755] },
  downwardAPI: { items: [[{ path: 'p', ...NAME }]], defaultMode: [0o400] },
  downwardFile: {
    path: ['q'],
    mode: [0o400],
    fieldRef: [{ fieldPath: 'metadata.labels' }],
    resourceFieldRef: [{ containerName: 'main', resource: 'limits.cpu' }],
  },
  projected: { sources: [[{ secret: { name: 's' } }]], defaultMode: [0o400] },
  projection: {
    configMap: [{ name: 'c' }],
    secret: [{ name: 's' }],
    downwardAPI: [{ items: [{ path: 'p', ...NAME }] }],
    serviceAccountToken: [{ path: 'token' }],
  },
  tokenProjection: { path: ['t'], audience: ['vault', 'pod'], expirationSeconds: [7200, 'pod'] },
  claim: { claimName: ['d'], readOnly: [true] },
  ephemeral: { volumeClaimTemplate: [{ spec: { ...CLAIM, storageClassName: 'gp3' } }] },
  claimTemplate: { spec: [{ ...CLAIM, storageClassName: 'gp3' }] },
  claimSpec: {
    accessModes: [['ReadWriteMany'], 'pod'],
    resources: [LARGE.resources],
    storageClassName: ['gp3'],
    volumeMode: ['Block', 'refused'],
  },
  nfs: { server: ['fs-01234567.efs.us-east-1.amazonaws.com'], path: ['/a'], readOnly: [true] },
  emptyDir: { sizeLimit: ['30Gi'], medium: ['Memory'] },
  hostPath: { path: ['/srv/in'], type: ['Directory'] },
  container: {
    name: ['other'],
    image: ['other'],
    imagePullPolicy: ['Never'],
    command: [['echo']],
    args: [['a']],
    workingDir: ['/w'],
    env: [[{ name: 'A', value: 'b' }]],
    envFrom: [[{ configMapRef: { name: 'c' } }]],
    resources: [{ requests: { cpu: '4' } }],
    ports: [[{ containerPort: 80 }]],
    restartPolicy: ['Always', 'refused'], // of an init container only: see the test of sidecars
    terminationMessagePolicy: ['FallbackToLogsOnError', 'pod'],
    volumeMounts: [[{ name: 'v', mountPath: '/v' }]],
    stdin: [true],
    stdinOnce: [true],
    tty: [true],
    securityContext: [{ readOnlyRootFilesystem: true }],
  },
  env: { name: ['B'], value: ['b'], valueFrom: [{ fieldRef: { fieldPath: 'metadata.name' } }] },
  valueFrom: {
    fieldRef: [{ fieldPath: 'metadata.uid' }],
    resourceFieldRef: [{ resource: 'limits.cpu' }],
    secretKeyRef: [{ name: 's', key: 'k' }],
    configMapKeyRef: [{ name: 's', key: 'k' }],
  },
  fieldRef: { fieldPath: ['metadata.namespace'], apiVersion: ['v2', 'refused'] },
  resourceFieldRef: { resource: ['limits.memory'], containerName: ['side'], divisor: ['1m'] },
  secretKeyRef: { name: ['t'], key: ['l'], optional: [true, 'pod'] },
  configMapKeyRef: { name: ['t'], key: ['l'], optional: [true] },
  envFrom: {
    prefix: ['A_'],
    configMapRef: [{ name: 'd' }],
    secretRef: [{ name: 's' }],
  },
  configMapRef: { name: ['d'], optional: [true, 'pod'] },
  secretRef: { name: ['t'], optional: [true, 'pod'] },
  resources: { requests: [{ cpu: '4' }], limits: [{ memory: '9Gi' }] },
  port: { containerPort: [81], protocol: ['UDP'], name: ['http', 'pod'] },
  volumeMount: {
    name: ['w'],
    mountPath: ['/x'],
    readOnly: [true],
    subPath: ['a'],
    subPathExpr: ['$(A)'],
  },
  containerSecurity: {
    runAsUser: [5],
    runAsGroup: [6],
    runAsNonRoot: [true, 'pod'],
    readOnlyRootFilesystem: [true],
    capabilities: [{ drop: ['ALL'] }],
    allowPrivilegeEscalation: [false, 'pod'],
  },
  capabilities: { add: [['SYS_PTRACE']], drop: [['ALL']] },
};
/** `ecs`: in what ECS is asked; `pod`: in the Pod that is stored and shown, which planning and checks go by. */
type Where = 'ecs' | 'pod' | 'refused';

const rows = (Object.keys(POD_SHAPES) as Group[]).flatMap((group) =>
  Object.keys(POD_SHAPES[group].shape).map((field) => ({
    group,
    field,
    path: `${PATHS[group]}.${field}`,
    row: (POD_FIELDS[group] as Readonly<Record<string, PodField>>)[field],
  })),
);
const of = <K extends PodField['kind']>(kind: K) =>
  rows.flatMap(({ row, ...rest }) =>
    row?.kind === kind ? [{ ...rest, row: row as Extract<PodField, { kind: K }> }] : [],
  );

test('every field of the schema is in the table, and nothing else is', () => {
  for (const group of Object.keys(POD_SHAPES) as Group[])
    expect(Object.keys(POD_FIELDS[group]).sort()).toEqual(Object.keys(POD_SHAPES[group].shape).sort());
});

test.each(of('honoured'))('$path is honoured: it shows', ({ group, field }) => {
  const [value, where = 'ecs'] = SHOWS[group]?.[field] ?? [undefined];
  expect(value, 'a value in SHOWS').toBeDefined();
  expect(whereItShows(group, field, value)).toBe(where);
});

/** The first place in which a value makes a difference. */
function whereItShows(group: Group, field: string, value: unknown): Where | 'nowhere' {
  const without = accepted(TEMPLATES[group]({}));
  const admission = admit(TEMPLATES[group]({ [field]: value }));
  if (admission.kind === 'invalid' && admission.errors.every(({ path }) => path === pathOf(group, field)))
    return 'refused';
  if (admission.kind !== 'ok') throw new Error(JSON.stringify(admission));
  if (requests(admission.manifest) !== requests(without.manifest)) return 'ecs';
  return JSON.stringify(admission.manifest) === JSON.stringify(without.manifest) ? 'nowhere' : 'pod';
}

describe('what is refused has its path and a sentence, whatever it says', () => {
  const VALUES = ['x', true, 8080, ['x'], { x: 'y' }];
  test.each(of('refused'))('$path', ({ group, field, row }) => {
    const sentences = VALUES.filter((value) => !row.harmless.includes(value)).flatMap((value) => {
      const admission = admit(TEMPLATES[group]({ [field]: value }));
      if (admission.kind === 'undecodable') return [];
      return admission.kind === 'ok'
        ? [[`${JSON.stringify(value)} is accepted`]]
        : [admission.errors.map((fault) => `${fault.path}: ${fieldErrorText(fault)}`)];
    });
    expect(sentences.length).toBeGreaterThan(0);
    const refusal = `${pathOf(group, field)}: Forbidden: not supported by this version of Muster; ${row.instead}`;
    for (const sentence of sentences) expect(sentence).toEqual([refusal]);
    expect(row.instead).toMatch(/^[a-z].{10,}[^.]$/);
  });

  const values = of('refused').flatMap((refused) => refused.row.harmless.map((value) => ({ ...refused, value })));
  test.each(values)('but $path: $value, which is so anyway, is kept', ({ group, field, value }) => {
    expect(fate(group, field, value)).toEqual({ shown: value, asked: 'the same', again: 'the same' });
  });
});

/** The numbers of a probe that says nothing of them. */
const PROBED = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };

/** A value of each field that changes nothing, of its type. */
const OF_ITS_TYPE: Readonly<Record<string, unknown>> = {
  metadata: { labels: { a: 'b' } },
  creationTimestamp: '2025-01-01T00:00:00Z',
  deletionTimestamp: '2025-01-01T00:00:00+01:00',
  generation: 3,
  automountServiceAccountToken: true,
  ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: 'a', uid: 'u' }],
  priority: 1000,
  dnsConfig: { options: [{ name: 'ndots', value: '2' }] },
  readinessGates: [{ conditionType: 'example.com/ready' }],
  resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
  livenessProbe: { exec: { command: ['true'] }, ...PROBED },
  readinessProbe: { httpGet: { path: '/', port: 'http', scheme: 'HTTP' }, ...PROBED },
  startupProbe: { grpc: { port: 80, service: 'a' }, ...PROBED },
  tolerations: [{ key: 'spot', operator: 'Exists', effect: 'NoSchedule' }],
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
  ],
  deletionGracePeriodSeconds: 0,
  managedFields: [
    { manager: 'x', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:a': {} } },
  ],
};

describe('what has no effect is kept', () => {
  test.each(of('harmless'))('$path', ({ group, field }) => {
    const value = OF_ITS_TYPE[field] ?? 'x';
    expect(fate(group, field, value)).toEqual({ shown: value, asked: 'the same', again: 'the same' });
  });

  test.each(of('harmless'))('$path of a type that no client could read is not', ({ group, field }) => {
    const admission = admit(TEMPLATES[group]({ [field]: { a: [1] } }));
    const without = accepted(TEMPLATES[group]({}));
    expect(admission.kind === 'undecodable' ? without : admission).toEqual(without);
  });
});

/** How it is stored and shown, what ECS is asked with it and without, and what it is when it is admitted again. */
function fate(group: Group, field: string, value: unknown) {
  const { manifest } = accepted(TEMPLATES[group]({ [field]: value }));
  const without = accepted(TEMPLATES[group]({})).manifest;
  const again = accepted(manifest.spec.template).manifest;
  return {
    shown: memberAt(manifest.spec.template, [...PATHS[group].split('.'), field]),
    asked: requests(manifest) === requests(without) ? 'the same' : requests(manifest),
    again: isDeepStrictEqual(again, manifest) ? 'the same' : again,
  };
}

/** `[]` after a step stands for the first of a list. */
const memberAt = (object: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, step) => {
    const member = (inner as Fields | undefined)?.[step.replace('[]', '')];
    return step.endsWith('[]') ? (member as unknown[] | undefined)?.[0] : member;
  }, object);

test.each(rows)('docs/pod-template.md has a row for $path', ({ group, field, row }) => {
  if (row === undefined) throw new Error('no row');
  const docs = readFileSync(new URL('../../../docs/pod-template.md', import.meta.url), 'utf8');
  expect(docs.split('\n')).toContain(docsRow(group, field, row));
});

const pathOf = (group: Group, field: string): string =>
  `spec.template.${PATHS[group].replaceAll('[]', '[0]')}.${field}`;
