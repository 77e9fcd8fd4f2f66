import fc from 'fast-check';
import { readFileSync } from 'node:fs';

/** One request to the API as any client may send it. */
export type AnyRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | null;
};

const NAMES = [
  'sums',
  'held',
  'nightly',
  'other',
  'none',
  'default',
  'team',
  'UPPER',
  'a'.repeat(300),
  '%2e%2e',
  'x%00',
  'é',
];
const name = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }).map(encodeURIComponent) },
);
const namespace = fc.constantFrom('default', 'default', 'default', 'team', 'none', 'NO');

/** Each with the path of its group. */
const [BATCH, FURIKO, CORE, RBAC] = [
  '/apis/batch/v1',
  '/apis/execution.furiko.io/v1alpha1',
  '/api/v1',
  '/apis/rbac.authorization.k8s.io/v1',
] as const;
const KINDS: readonly (readonly [group: string, kind: string])[] = [
  ...['jobs', 'jobs', 'jobs', 'cronjobs', 'cronjobs'].map((kind) => [BATCH, kind] as const),
  ...['jobs', 'jobs', 'jobconfigs'].map((kind) => [FURIKO, kind] as const),
  ...['pods', 'events', 'services', 'serviceaccounts', 'resourcequotas', 'limitranges', 'secrets'].map(
    (kind) => [CORE, kind] as const,
  ),
  ...['roles', 'rolebindings'].map((kind) => [RBAC, kind] as const),
];

const objectPath = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    namespace,
    name,
    tail: fc.constantFrom('', '', '', '', '/status', '/log', '/scale', '/x'),
  })
  .map(({ kind: [group, kind], namespace: ns, name: one, tail }) => `${group}/namespaces/${ns}/${kind}/${one}${tail}`);
const listPath = fc
  .record({ kind: fc.constantFrom(...KINDS), namespace: fc.option(namespace) })
  .map(({ kind: [group, kind], namespace: ns }) => `${group}${ns === null ? '' : `/namespaces/${ns}`}/${kind}`);
const otherPath = fc.oneof(
  fc.constantFrom(
    '/',
    '/api',
    '/apis',
    '/api/v1',
    '/apis/batch',
    '/apis/batch/v1',
    '/apis/execution.furiko.io/v1alpha1',
    '/openapi/v2',
    '/openapi/v3',
    '/openapi/v3/apis/batch/v1',
    '/version',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    '/healthz',
    '/api/v1/namespaces',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
  ),
  name.map((one) => `/api/v1/namespaces/${one}`),
  fc
    .tuple(
      fc.constantFrom('clusterroles', 'clusterrolebindings'),
      fc.oneof(name, fc.constantFrom('view', 'system:discovery')),
    )
    .map(([kind, one]) => `${RBAC}/${kind}/${one}`),
  fc.webPath().map((path) => (path.startsWith('/') ? path : `/${path}`)),
);

const NUMBERS = ['0', '1', '7', '-1', '99999999999999999999', 'x', '1e3', ''];
const FLAGS = ['true', 'True', '1', 'false', 'yes', ''];
const SELECTORS = [
  'a=b',
  'team in (x,y)',
  '!a',
  'a!=b,c',
  'a in (',
  '!!',
  `${'a,'.repeat(2000)}a`,
  'metadata.name=sums',
  'status.phase!=Running',
  'a\\',
  '((((',
  'é=ü',
  'a=b=c',
];
const parameter = fc.oneof(
  fc.tuple(
    fc.constantFrom(
      'limit',
      'timeoutSeconds',
      'resourceVersion',
      'tailLines',
      'sinceSeconds',
      'limitBytes',
      'gracePeriodSeconds',
    ),
    fc.constantFrom(...NUMBERS),
  ),
  fc.tuple(
    fc.constantFrom(
      'watch',
      'follow',
      'force',
      'timestamps',
      'previous',
      'allowWatchBookmarks',
      'sendInitialEvents',
      'orphanDependents',
      'pretty',
    ),
    fc.constantFrom(...FLAGS),
  ),
  fc.tuple(fc.constantFrom('labelSelector', 'fieldSelector'), fc.constantFrom(...SELECTORS)),
  fc.tuple(fc.constant('dryRun'), fc.constantFrom('All', 'All', 'Some', '')),
  fc.tuple(fc.constant('fieldManager'), fc.constantFrom('me', 'you', 'x'.repeat(200), '\u0000', '')),
  fc.tuple(fc.constant('fieldValidation'), fc.constantFrom('Strict', 'Warn', 'Ignore', 'Some')),
  fc.tuple(fc.constant('propagationPolicy'), fc.constantFrom('Background', 'Foreground', 'Orphan', 'Some')),
  fc.tuple(fc.constant('resourceVersionMatch'), fc.constantFrom('NotOlderThan', 'Exact', 'x')),
  fc.tuple(fc.constant('continue'), fc.oneof(fc.string(), fc.base64String())),
  fc.tuple(fc.constant('includeObject'), fc.constantFrom('None', 'Metadata', 'Object', 'x')),
  fc.tuple(fc.string({ maxLength: 8 }), fc.string({ maxLength: 8 })),
);
const query = fc
  .array(parameter, { maxLength: 4 })
  .map((pairs) => new URLSearchParams(pairs).toString())
  .map((text) => (text === '' ? '' : `?${text}`));

/** Values that are invalid where they are, and some that are valid. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1,
    2,
    3.5,
    1e30,
    '',
    'x',
    'Never',
    [],
    {},
    [null],
    [[]],
    { '': 1 },
    'a'.repeat(5000),
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

const container = { name: 'main', image: 'busybox', command: ['true'] };
const jobSpec = { template: { spec: { restartPolicy: 'Never', containers: [container] } } };
const documents: readonly object[] = [
  { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'sums' }, spec: jobSpec },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'other', finalizers: ['a/b'] },
    spec: { ...jobSpec, suspend: true },
  },
  { apiVersion: 'batch/v1', kind: 'Job', metadata: { generateName: 'gen-' }, spec: jobSpec },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'nightly' },
    spec: { schedule: '0 3 * * *', jobTemplate: { spec: jobSpec } },
  },
  {
    apiVersion: 'execution.furiko.io/v1alpha1',
    kind: 'Job',
    metadata: { name: 'other' },
    spec: {
      template: {
        taskTemplate: { pod: { spec: { containers: [container] } } },
        parallelism: { withMatrix: { os: ['a', 'b'] }, completionStrategy: 'AnySuccessful' },
        maxAttempts: 2,
      },
    },
  },
  {
    apiVersion: 'execution.furiko.io/v1alpha1',
    kind: 'Job',
    metadata: { generateName: 'run-' },
    spec: { configName: 'nightly', optionValues: '{"who": "me"}' },
  },
  {
    apiVersion: 'execution.furiko.io/v1alpha1',
    kind: 'JobConfig',
    metadata: { name: 'nightly' },
    spec: {
      template: { spec: { taskTemplate: { pod: { spec: { containers: [container] } } } } },
      concurrency: { policy: 'Enqueue', maxConcurrency: 2 },
      schedule: { cron: { expression: 'H H(1-3) * * *', timezone: 'UTC+8' } },
      option: { options: [{ type: 'String', name: 'who' }] },
    },
  },
  {
    kind: 'Role',
    metadata: { name: 'sums' },
    rules: [{ verbs: ['get'], apiGroups: ['batch'], resources: ['jobs'], resourceNames: ['sums'] }],
  },
  { kind: 'ClusterRole', metadata: { name: 'other' }, rules: [{ verbs: ['get'], nonResourceURLs: ['/x/*'] }] },
  {
    kind: 'RoleBinding',
    metadata: { name: 'held' },
    roleRef: { kind: 'Role', name: 'sums' },
    subjects: [
      { kind: 'User', name: 'ann' },
      { kind: 'ServiceAccount', name: 'bot', namespace: 'team' },
    ],
  },
  { kind: 'ServiceAccount', metadata: { name: 'nightly', annotations: { 'eks.amazonaws.com/role-arn': 'arn:x' } } },
  { spec: { killTimestamp: '2030-01-01T00:00:00Z' } },
  { spec: { schedule: { disabled: true } } },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
  { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Foreground' },
  {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { verb: 'get', resource: 'jobs' } },
  },
  { metadata: { labels: { team: 'x' }, annotations: { note: 'y' } } },
  { metadata: { finalizers: null } },
  { metadata: { managedFields: [{}] } },
  { metadata: { resourceVersion: '1' }, spec: { parallelism: 3 } },
  { spec: { suspend: true } },
  { spec: { schedule: '@daily' } },
  { spec: { template: { spec: { containers: [{ name: 'main', $patch: 'delete' }] } } } },
  { spec: { $patch: 'replace' } },
  { $retainKeys: ['x'], spec: { $setElementOrder: [] } },
  [{ op: 'replace', path: '/spec/parallelism', value: 2 }],
  [
    { op: 'remove', path: '/metadata' },
    { op: 'copy', from: '/spec', path: '/spec/x' },
    { op: 'test', path: '/kind', value: 'Job' },
  ],
];

/** A document with one value inserted somewhere, or removed. */
const mutated = fc
  .record({
    document: fc.constantFrom(...documents),
    steps: fc.array(fc.nat(20), { maxLength: 6 }),
    value: odd,
    keep: fc.boolean(),
    key: fc.constantFrom('spec', 'metadata', 'name', 'kind', '__proto__', 'constructor', 'toString', 'x'),
  })
  .map(({ document, steps, value, keep, key }) => {
    if (keep) return document;
    const copy = structuredClone(document);
    let place: Record<string, unknown> = copy as Record<string, unknown>;
    for (const step of steps) {
      const keys = Object.keys(place);
      const next = place[keys[step % Math.max(keys.length, 1)] ?? ''];
      if (typeof next !== 'object' || next === null) break;
      place = next as Record<string, unknown>;
    }
    const keys = Object.keys(place);
    const target = keys.length > 0 && key === 'x' ? (keys[0] ?? key) : key;
    Object.defineProperty(place, target, { value, enumerable: true, configurable: true, writable: true });
    return copy;
  });

const RECORDED = (
  JSON.parse(readFileSync(new URL('../../schema/protobuf/recorded.json', import.meta.url), 'utf8')) as readonly {
    readonly protobuf?: string;
  }[]
).flatMap(({ protobuf }) => (protobuf === undefined ? [] : [protobuf]));

const protobuf = fc
  .record({
    bytes: fc.constantFrom(...RECORDED),
    at: fc.nat(),
    byte: fc.nat(255),
    cut: fc.option(fc.nat()),
    break: fc.boolean(),
  })
  .map(({ bytes, at, byte, cut, break: isBroken }) => {
    const copy = Uint8Array.from(Buffer.from(bytes, 'base64'));
    if (isBroken) copy[at % copy.length] = byte;
    return isBroken && cut !== null ? copy.slice(0, cut % copy.length) : copy;
  });

const deep = fc.constantFrom(
  '['.repeat(5000),
  `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`,
  `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]`,
  '- '.repeat(3000),
  `{"metadata":{"name":"sums","name":"other"}}`,
  ' '.repeat(300_000),
  `{"kind":"Job","metadata":{"name":"sums","annotations":{"a":"${'x'.repeat(270_000)}"}}}`,
);

const TYPES = [
  'application/json',
  'application/yaml',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/json-patch+json',
  'application/apply-patch+yaml',
  'application/vnd.kubernetes.protobuf',
  'text/plain',
  'application/json; charset=utf-8',
  'nonsense',
  '',
];
const ACCEPTS = [
  'application/json',
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/vnd.kubernetes.protobuf',
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  '*/*',
  'text/html',
  ',;=,',
];

const json = fc.oneof(
  { weight: 8, arbitrary: mutated.map((document) => JSON.stringify(document)) },
  { weight: 1, arbitrary: deep },
  { weight: 1, arbitrary: fc.oneof(fc.string(), fc.json()) },
);

const body = fc.oneof(
  { weight: 12, arbitrary: fc.tuple(fc.constantFrom(...TYPES.slice(0, 6)), json) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('application/vnd.kubernetes.protobuf'), protobuf) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...TYPES), fc.oneof(json, fc.uint8Array({ maxLength: 200 }))) },
);

/** Anything, sent anywhere. */
const wildRequest: fc.Arbitrary<AnyRequest> = fc
  .record({
    method: fc.constantFrom(
      'GET',
      'GET',
      'POST',
      'POST',
      'PUT',
      'PATCH',
      'PATCH',
      'PATCH',
      'DELETE',
      'DELETE',
      'HEAD',
      'OPTIONS',
      'TRACE2',
    ),
    path: fc.oneof(
      { weight: 6, arbitrary: objectPath },
      { weight: 4, arbitrary: listPath },
      { weight: 2, arbitrary: otherPath },
    ),
    query,
    accept: fc.option(fc.constantFrom(...ACCEPTS)),
    encoding: fc.oneof(
      { weight: 20, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom('gzip', 'x') },
    ),
    content: fc.option(body, { freq: 6 }),
  })
  .map(({ method, path, query: text, accept, encoding, content }) => ({
    method,
    path: `${path}${text}`,
    headers: {
      ...(accept === null ? {} : { accept }),
      ...(encoding === null ? {} : { 'content-encoding': encoding }),
      ...(content === null || content[0] === '' ? {} : { 'content-type': content[0] }),
    },
    body: content === null || method === 'GET' || method === 'HEAD' ? null : content[1],
  }));

const JOB_PATH = '/apis/batch/v1/namespaces/default/jobs';
const CRONJOB_PATH = '/apis/batch/v1/namespaces/default/cronjobs';
const NAMESPACE_PATH = '/api/v1/namespaces';

const metadata = fc.record(
  {
    labels: fc.dictionary(
      fc.constantFrom('team', 'a', 'app.io/x', 'x', 'y', 'not valid'),
      fc.constantFrom('x', 'y', 'z', '', 'w', 'v', '-'),
    ),
    annotations: fc.dictionary(
      fc.constantFrom('note', 'muster.run/disruptions'),
      fc.constantFrom('count', 'count', 'x'),
    ),
    finalizers: fc.constantFrom(['a/b'], [], [], [], ['a/b', 'c/d'], ['bad']),
    resourceVersion: fc.constantFrom('1', '', '', '', ''),
  },
  { requiredKeys: [] },
);
const jobChange = fc.record(
  {
    parallelism: fc.integer({ min: -1, max: 5 }),
    suspend: fc.boolean(),
    backoffLimit: fc.integer({ min: -1, max: 9 }),
    ttlSecondsAfterFinished: fc.nat(9),
    completions: fc.nat(4),
    nope: fc.constantFrom(undefined, undefined, undefined, 1),
  },
  { requiredKeys: [] },
);
const names = fc.constantFrom('sums', 'held', 'nightly', 'made', 'made', 'made-too');

type Aim = { readonly path: string; readonly apiVersion: string; readonly kind: string; readonly spec: object };
const aim: fc.Arbitrary<Aim> = fc.oneof(
  jobChange.map((change) => ({ path: JOB_PATH, apiVersion: 'batch/v1', kind: 'Job', spec: { ...jobSpec, ...change } })),
  fc.constantFrom('0 3 * * *', '@daily', 'nonsense').map((schedule) => ({
    path: CRONJOB_PATH,
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    spec: { schedule, jobTemplate: { spec: jobSpec } },
  })),
  fc.constant({ path: NAMESPACE_PATH, apiVersion: 'v1', kind: 'Namespace', spec: {} }),
);

const PATCH_TYPES = [
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/json-patch+json',
] as const;

/** What clients send, with values that are sometimes wrong. */
const usualRequest: fc.Arbitrary<AnyRequest> = fc
  .record({
    aim,
    name: names,
    metadata,
    method: fc.constantFrom('POST', 'POST', 'PUT', 'PATCH', 'PATCH', 'PATCH', 'DELETE', 'GET'),
    type: fc.constantFrom(...PATCH_TYPES),
    change: jobChange,
    text: fc.oneof({ weight: 5, arbitrary: fc.constant('') }, { weight: 1, arbitrary: query }),
    options: fc.constantFrom(
      {},
      { propagationPolicy: 'Foreground' },
      { preconditions: { uid: 'x' } },
      { dryRun: ['All'] },
    ),
    manager: fc.constantFrom('one', 'two'),
  })
  .map(
    ({
      aim: { path, apiVersion, kind, spec },
      name: one,
      metadata: given,
      method,
      type,
      change,
      text,
      options,
      manager,
    }) => {
      const document = { apiVersion, kind, metadata: { ...given, name: one }, spec };
      const patch = {
        metadata: given,
        ...(kind === 'Namespace' ? {} : { spec: kind === 'Job' ? change : { suspend: true } }),
      };
      const operations = [{ op: 'add', path: '/metadata/labels', value: given.labels ?? {} }];
      const bodies = {
        POST: document,
        PUT: document,
        DELETE: options,
        GET: null,
        PATCH:
          type === 'application/json-patch+json'
            ? operations
            : type === 'application/apply-patch+yaml'
              ? document
              : patch,
      };
      const sent = bodies[method];
      const at = method === 'POST' ? path : `${path}/${one}`;
      return {
        method,
        path: `${at}${text === '' ? '?' : `${text}&`}fieldManager=${manager}`,
        headers: { 'content-type': method === 'PATCH' ? type : 'application/json' },
        body: sent === null ? null : JSON.stringify(sent),
      };
    },
  );

/** Any request: half of them what clients send, half of them anything. */
export const anyRequest: fc.Arbitrary<AnyRequest> = fc.oneof(wildRequest, usualRequest);
