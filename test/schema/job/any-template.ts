import fc from 'fast-check';
import type { Container, PodSpec } from '../../../shared/domain/manifests/pod-spec.ts';

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
  terminationMessagePath: ['/dev/termination-log', '/tmp/last-words', ''],
  terminationMessagePolicy: ['File', 'FallbackToLogsOnError', ''],
  tty: [false, true, null],
  stdin: [false],
  stdinOnce: [false, true],
  command: [[], ['sh', ''], null],
  args: [['']],
  workingDir: ['', '/w'],
  env: [
    [],
    [{ name: 'A' }],
    [{ name: 'A', value: '' }],
    [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: false } } }],
    [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'c', key: 'k', optional: true } } }],
  ],
  ports: [[], [{ containerPort: 80 }], [{ containerPort: 80, hostPort: 0, protocol: 'UDP', name: '' }]],
  resources: [
    {},
    { limits: {}, requests: {} },
    { limits: { cpu: 0.5, memory: '1024Mi' } },
    { limits: { memory: '1Gi' }, requests: { cpu: '0.1', memory: '512Mi' } },
  ],
  volumeMounts: [
    [],
    [{ name: 'v', mountPath: '/v' }],
    [{ name: 'v', mountPath: '/v', readOnly: false, subPath: '' }],
    [{ name: 'v', mountPath: '/v', subPath: 'a/b' }],
    [{ name: 'v', mountPath: '/v', subPathExpr: 'a/b' }],
  ],
  securityContext: [
    {},
    { privileged: false, allowPrivilegeEscalation: true, readOnlyRootFilesystem: false },
    { runAsUser: 0, capabilities: { add: [], drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } },
  ],
  livenessProbe: [
    null,
    { exec: { command: ['true'] }, periodSeconds: 5 },
    { httpGet: { port: 80, path: '', scheme: '' }, failureThreshold: 5 },
    { httpGet: { port: 'http', httpHeaders: [{ name: 'A', value: 'b' }] }, terminationGracePeriodSeconds: 1 },
  ],
  readinessProbe: [{ tcpSocket: { port: 80 }, successThreshold: 2 }, { grpc: { port: 80 } }],
  startupProbe: [{ grpc: { port: 80, service: 'a' }, initialDelaySeconds: 3, timeoutSeconds: 4 }],
  resizePolicy: [[], [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }]],
  envFrom: [
    [],
    [{ configMapRef: { name: 'c' } }, { prefix: '', secretRef: { name: 's', optional: false } }],
    [{ prefix: 'A_', configMapRef: { name: 'c', optional: true } }],
  ],
});

const podSpec = someOf({
  dnsPolicy: ['ClusterFirst', 'Default', ''],
  dnsConfig: [{}, null, { options: [{ name: 'ndots', value: '2' }, { name: 'edns0' }], searches: [] }],
  readinessGates: [[], [{ conditionType: 'example.com/ready' }]],
  schedulerName: ['default-scheduler', 'volcano', ''],
  serviceAccountName: ['', 'default', 'reports'],
  serviceAccount: ['', 'reports'],
  automountServiceAccountToken: [false, true],
  enableServiceLinks: [true, false],
  hostNetwork: [false],
  shareProcessNamespace: [false],
  priority: [0, 1000],
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
  topologySpreadConstraints: [
    [],
    [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
    [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
  ],
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

const keyFiles = [
  null,
  [],
  [{ key: 'k', path: 'p' }],
  [
    { key: 'k', path: 'p/q', mode: 0 },
    { key: 'l', path: 'l' },
  ],
];
const modes = [null, 0, 0o400, 0o777];
const optional = [null, false, true];
const fieldFiles = [
  null,
  [],
  [{ path: 'p', fieldRef: { fieldPath: 'metadata.labels' } }],
  [
    { path: 'p', mode: 0o400, fieldRef: { apiVersion: 'v1', fieldPath: "metadata.annotations['a']" } },
    { path: 'q', fieldRef: { fieldPath: 'metadata.name' } },
  ],
];

const sources: readonly fc.Arbitrary<object>[] = [
  fc.constantFrom({}, { emptyDir: { medium: '', sizeLimit: '1024Mi' } }),
  someOf({ items: keyFiles, defaultMode: modes, optional }).map((keys) => ({ configMap: { name: 'c', ...keys } })),
  someOf({ items: keyFiles, defaultMode: modes, optional }).map((keys) => ({ secret: { secretName: 's', ...keys } })),
  someOf({ items: fieldFiles, defaultMode: modes }).map((downwardAPI) => ({ downwardAPI })),
  someOf({
    sources: [
      [{ configMap: { name: 'c' } }, { secret: { name: 's', items: [{ key: 'k', path: 'r' }], optional: true } }],
      [{ downwardAPI: { items: fieldFiles[2] } }, { downwardAPI: {} }],
    ],
    defaultMode: modes,
  }).map((projected) => ({ projected })),
  someOf({ readOnly: [false, true] }).map((claim) => ({ persistentVolumeClaim: { claimName: 'data', ...claim } })),
  someOf({ storageClassName: [''], volumeMode: ['', 'Filesystem'] }).map((claim) => ({
    ephemeral: {
      volumeClaimTemplate: {
        metadata: { labels: { a: 'b' }, creationTimestamp: null },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } }, ...claim },
      },
    },
  })),
];

const volumes = fc.oneof(...sources).map((source) => [{ name: 'v', ...source }]);
const metadata = someOf({
  name: ['x', ''],
  labels: [{}, { a: '' }],
  annotations: [{}, { b: 'c' }],
  creationTimestamp: [null, '2025-01-01T00:00:00Z'],
  finalizers: [[]],
  ownerReferences: [[], [{ apiVersion: 'v1', kind: 'A', name: 'a', uid: 'u' }]],
});

/** Templates of Pods as users write them. */
export const anyTemplate = fc.tuple(metadata, podSpec, container, volumes).map(([ofPods, pod, main, vs]) => ({
  metadata: ofPods,
  spec: {
    restartPolicy: 'Never',
    volumes: vs,
    ...pod,
    containers: [{ name: 'main', ...main, image: main['image'] ?? 'busybox' }],
  },
}));

/** Whether everything that was written is there, but for null, the empty text of a field, and a second name of an account. */
export function holds(kept: unknown, written: unknown): boolean {
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
export function asBefore({ metadata: ofPods, spec }: { metadata: object; spec: PodSpec }) {
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

export const POD = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] };
