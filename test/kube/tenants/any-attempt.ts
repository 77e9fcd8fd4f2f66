import fc from 'fast-check';
import { encodePlace } from '../../../shared/schema/object/list-place.ts';
import { ALICE, BOB, KINDS, type Tenant, documentsOf } from './two-tenants.ts';

/** A request of one tenant, which may be about anything of the other. */
export type Attempt = {
  readonly by: Tenant;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
};

/** What is only known once a world is there, such as uids and tokens, by the word that stands for it. */
export const TOKEN = (suffix: string): string => `TOKEN-${suffix}-`;
export const UID = 'UID-OF-OTHER';
export const POD = 'POD-OF-OTHER';

const OTHERS: ReadonlyMap<Tenant, Tenant> = new Map([
  [ALICE, BOB],
  [BOB, ALICE],
]);
export const otherOf = (tenant: Tenant): Tenant => OTHERS.get(tenant) ?? ALICE;

type Place = { readonly group: string; readonly plural: string; readonly suffix: string };
const PLACES: readonly Place[] = [
  ...KINDS.map(([group, plural, suffix]) => ({ group, plural, suffix })),
  { group: '/api/v1', plural: 'pods', suffix: 'pod' },
  { group: '/api/v1', plural: 'events', suffix: 'job' },
  { group: '/api/v1', plural: 'serviceaccounts', suffix: 'default' },
  { group: '/api/v1', plural: 'configmaps', suffix: 'kube-root-ca.crt' },
];
const PARTS = ['', '', '', '/status', '/log', '/eviction', '/parts', '/parts/0', '/seal', '/finalize', '/scale'];
const OF_JOBS = ['indexes', 'waits', 'failures', 'progress', 'attempts', 'diagnosis'];

/** How somebody writes the other's namespace who hopes that it is not recognized. */
const disguises = (namespace: string, own: string): readonly string[] => [
  namespace,
  namespace,
  namespace,
  namespace,
  encodeURIComponent(namespace).replace('team', '%74eam'),
  namespace.replace('-', '%2D'),
  `${own}%2F..%2F${namespace}`,
  `${own}/../${namespace}`,
  `${own}/%2e%2e/${namespace}`,
  `${own}%00${namespace}`,
  `${namespace}%00`,
  `${namespace}%2F`,
  namespace.toUpperCase(),
  `/${namespace}`,
  `${own}%2Fpods%2F..%2F..%2F${namespace}`,
];

const foreignPlace = (at: { readonly namespace: string; readonly name: string }, cursor: string): string =>
  encodePlace({ version: 1, after: cursor, job: at, pod: { uid: UID, index: 0, attempt: 1 } });

function queriesFor(other: Tenant): fc.Arbitrary<string> {
  const job = `${other.prefix}-job`;
  const at = { namespace: other.namespace, name: job };
  const one = fc.constantFrom(
    'watch=true',
    'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
    'watch=true&resourceVersion=1',
    'watch=true&resourceVersion=3',
    'resourceVersion=2&resourceVersionMatch=NotOlderThan',
    'limit=1',
    ...KINDS.map(([, , suffix]) => `limit=1&continue=${TOKEN(suffix)}`),
    `limit=1&continue=${TOKEN('pod')}`,
    ...[`${other.namespace}/`, `${other.namespace}!`, `${other.namespace}/${job}`, ' ', ''].map(
      (cursor) => `continue=${foreignPlace(at, cursor)}`,
    ),
    `continue=${foreignPlace({ namespace: '', name: '' }, ' ')}`,
    `fieldSelector=metadata.namespace%3D${other.namespace}`,
    `fieldSelector=metadata.name%3D${job}`,
    `fieldSelector=metadata.namespace%3D${other.namespace},metadata.name%3D${job}`,
    `fieldSelector=involvedObject.name%3D${job}`,
    `fieldSelector=involvedObject.namespace%3D${other.namespace}`,
    `labelSelector=job-name%3D${job}`,
    `labelSelector=batch.kubernetes.io/job-name%3D${job}`,
    `labelSelector=batch.kubernetes.io/controller-uid%3D${UID}`,
    `labelSelector=controller-uid%3D${UID}`,
    `labelSelector=execution.furiko.io/job-uid%3D${UID}`,
    'labelSelector=team',
    'follow=true',
    'previous=true',
    'tailLines=1',
    'dryRun=All',
    'dryRun=All&fieldManager=me&force=true',
    'fieldManager=me',
    `namespace=${other.namespace}`,
    'which=all&words=true',
    'afterRestore=true',
    'pretty=true&includeObject=Object',
  );
  return fc.array(one, { maxLength: 2 }).map((all) => (all.length === 0 ? '' : `?${all.join('&')}`));
}

/** Documents of the caller's own that name what is the other's. */
function documentsFor(by: Tenant): fc.Arbitrary<Record<string, unknown>> {
  const other = otherOf(by);
  const [job, ...rest] = documentsOf({ ...by, prefix: `${by.prefix}x` });
  const named = (word: string) => `${other.prefix}-${word}`;
  const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: named('cron'), uid: UID, controller: true };
  const metadata = fc.constantFrom(
    {},
    { namespace: other.namespace },
    { annotations: { 'muster.run/work-list': named('list') } },
    { annotations: { 'muster.run/rerun-of': named('job'), 'muster.run/work-list': named('list') } },
    { annotations: { 'muster.run/after': named('job') } },
    { annotations: { 'muster.run/after-indexes': named('job') } },
    { annotations: { 'muster.run/after': `${other.namespace}/${named('job')}` } },
    { annotations: { 'muster.run/pinned-items': UID } },
    { ownerReferences: [owner] },
    { uid: UID },
    { name: '', generateName: 'gen-' },
    { labels: { 'batch.kubernetes.io/controller-uid': UID, 'muster.run/submitted-from': named('cron') } },
  );
  const base = fc.constantFrom(job, job, job, ...rest);
  const fromConfig: Record<string, unknown> = { ...rest[1], spec: { configName: named('config') } };
  return fc
    .tuple(fc.oneof({ weight: 6, arbitrary: base }, { weight: 1, arbitrary: fc.constant(fromConfig) }), metadata)
    .map(([document, more]) => ({ ...document, metadata: { ...(document?.['metadata'] as object), ...more } }));
}

const REVIEWS = ['selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'subjectaccessreviews'];

function otherRequests(by: Tenant): fc.Arbitrary<Omit<Attempt, 'by' | 'headers'>> {
  const other = otherOf(by);
  const { namespace, prefix } = other;
  const ofOther = `/namespaces/${namespace}`;
  const message = fc.constantFrom<object>(
    { namespace, manifest: documentsOf(by)[0] },
    { manifest: { ...documentsOf(by)[0], metadata: { name: 'x', namespace } } },
    { namespace: by.namespace, manifest: { ...documentsOf(by)[0], metadata: { name: 'x', namespace } } },
    { from: { kind: 'CronJob', name: `${prefix}-cron`, namespace } },
    { namespace, from: { kind: 'Job', name: `${prefix}-job` } },
    {
      id: 'e',
      source: 'x',
      'detail-type': 'y',
      detail: { from: { kind: 'CronJob', name: `${prefix}-cron`, namespace } },
    },
    {
      Records: [
        {
          eventSource: 'aws:s3',
          eventName: 'ObjectCreated:Put',
          s3: { bucket: { name: 'bucket-x' }, object: { key: 'k' } },
        },
      ],
    },
  );
  const review = fc
    .tuple(fc.constantFrom('get', 'list', 'watch', 'create', 'delete', '*'), fc.constantFrom('jobs', 'pods', '*'))
    .map(([verb, resource]) => ({
      spec: {
        namespace,
        user: other.user,
        resourceAttributes: { verb, resource, group: resource === 'jobs' ? 'batch' : '', namespace },
      },
    }));
  const got = (path: string) => ({ method: 'GET', path, body: null });
  return fc.oneof(
    message.map((sent) => ({ method: 'POST', path: '/muster/v1/submissions', body: JSON.stringify(sent) })),
    fc.tuple(review, fc.constantFrom(...REVIEWS)).map(([{ spec }, plural]) => {
      const { namespace: place, user, resourceAttributes } = spec;
      const said =
        plural === 'selfsubjectrulesreviews'
          ? { namespace: place }
          : { resourceAttributes, ...(plural === 'subjectaccessreviews' ? { user } : {}) };
      return { method: 'POST', path: `/apis/authorization.k8s.io/v1/${plural}`, body: JSON.stringify({ spec: said }) };
    }),
    review.map(({ spec: { user, resourceAttributes } }) => ({
      method: 'POST',
      path: `/apis/authorization.k8s.io/v1${ofOther}/localsubjectaccessreviews`,
      body: JSON.stringify({ spec: { user, resourceAttributes } }),
    })),
    fc
      .constantFrom(
        `/api/v1${ofOther}`,
        `/api/v1${ofOther}/status`,
        '/api/v1/namespaces',
        `/api/v1/namespaces?fieldSelector=metadata.name%3D${namespace}`,
        '/muster/v1/diagnosis',
        '/muster/v1/jobs/diagnosis',
        `/muster/v1${ofOther}/jobs/diagnosis`,
        `/muster/v1/namespaces/${by.namespace}/jobs/diagnosis?continue=${namespace}/`,
        `/muster/v1/namespaces/${by.namespace}/jobs/diagnosis?continue=${namespace}!${prefix}`,
        `/muster/v1${ofOther}/jobs/diagnosis?afterRestore=true`,
        '/apis',
        '/openapi/v3',
      )
      .map(got),
    fc
      .constantFrom(['PUT', ''], ['PATCH', ''], ['DELETE', ''], ['PUT', '/status'], ['PUT', '/finalize'])
      .map(([method = '', part]) => ({
        method,
        path: `/api/v1${ofOther}${part}`,
        body:
          method === 'DELETE'
            ? null
            : JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }),
      })),
  );
}

const PATCH_TYPES = [
  'application/apply-patch+yaml',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/json-patch+json',
];

/** Requests for objects, mostly of the other. */
function objectRequests(by: Tenant): fc.Arbitrary<Omit<Attempt, 'by'>> {
  const other = otherOf(by);
  return fc
    .record({
      method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'),
      place: fc.constantFrom(...PLACES),
      home: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...disguises(other.namespace, by.namespace)) },
        { weight: 3, arbitrary: fc.constant(by.namespace) },
        { weight: 1, arbitrary: fc.constant(null) },
      ),
      isList: fc.boolean(),
      isOwn: fc.boolean(),
      part: fc.constantFrom(...PARTS),
      ofJob: fc.option(fc.constantFrom(...OF_JOBS), { freq: 4 }),
      query: queriesFor(other),
      document: documentsFor(by),
      type: fc.constantFrom(...PATCH_TYPES),
    })
    .map(({ method, place, home, isList, isOwn, part, ofJob, query, document, type }) => {
      const { group, plural, suffix } = place;
      const isHome = home === by.namespace;
      const isWrite = !['GET', 'HEAD', 'DELETE'].includes(method);
      // In the caller's own namespace, objects with the other's names would come into being.
      const whose = isHome && (isOwn || isWrite) ? by : other;
      const name = plural === 'pods' && whose === other ? POD : `${whose.prefix}-${suffix}`;
      const root = `${group}${home === null ? '' : `/namespaces/${home}`}/${plural}`;
      const objectPath =
        ofJob !== null && suffix === 'job'
          ? `/muster/v1/namespaces/${home ?? ''}/jobs/${name}/${ofJob}`
          : `${root}/${name}${part}`;
      const path = isList || (method === 'POST' && part === '' && ofJob === null) ? root : objectPath;
      const patch =
        type === 'application/json-patch+json'
          ? [{ op: 'add', path: '/metadata/labels/x', value: 'y' }]
          : type === 'application/apply-patch+yaml'
            ? { ...document, metadata: { ...(document['metadata'] as object), name } }
            : { metadata: { labels: { x: 'y' }, finalizers: ['x/y'] } };
      const put = { ...document, metadata: { ...(document['metadata'] as object), name } };
      const indexes = { action: 'cancel', indexes: '0' };
      const bodies = new Map<string, object>([
        ['POST', ofJob === 'indexes' && !isList ? indexes : document],
        ['PUT', put],
        ['PATCH', patch],
      ]);
      const body = bodies.get(method) ?? null;
      return {
        method,
        path: `${path}${query}`,
        headers: { 'content-type': method === 'PATCH' ? type : 'application/json' },
        body: body === null ? null : JSON.stringify(body),
      };
    });
}

export const anyAttempt: fc.Arbitrary<Attempt> = fc.constantFrom(ALICE, BOB).chain((by) =>
  fc
    .oneof(
      { weight: 5, arbitrary: objectRequests(by) },
      {
        weight: 1,
        arbitrary: otherRequests(by).map((request) => ({
          ...request,
          headers: { 'content-type': 'application/json' },
        })),
      },
    )
    .map((request) => ({ by, ...request })),
);
