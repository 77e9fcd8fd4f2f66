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
const OF_JOBS = [
  'indexes',
  'waits',
  'failures',
  'progress',
  'attempts',
  'items',
  'diagnosis',
  'grid',
  'durations',
  'timeline',
];

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
    'dryRun=All&force=true',
    `namespace=${other.namespace}`,
    'which=all&words=true',
    'afterRestore=true',
    'pretty=true&includeObject=Object',
  );
  return fc.array(one, { maxLength: 2 }).map((all) => (all.length === 0 ? '' : `?${all.join('&')}`));
}

type Metadata = Readonly<Record<string, unknown>>;

/** What metadata of the caller's own may say of the other's objects. */
function metadataFor(by: Tenant): fc.Arbitrary<Metadata> {
  const other = otherOf(by);
  const named = (word: string) => `${other.prefix}-${word}`;
  const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: named('cron'), uid: UID, controller: true };
  return fc.constantFrom<Metadata>(
    {},
    {},
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
}

/** A document for a place, mostly of its kind. */
function documentOf(by: Tenant, { group, plural }: Place, isOdd: boolean, more: Metadata): Record<string, unknown> {
  const nth = KINDS.findIndex(([at, kind]) => at === group && kind === plural);
  const documents = documentsOf({ ...by, prefix: `${by.prefix}x` });
  const [job = {}, , run = {}] = documents;
  const fits = documents[nth] ?? job;
  const isOfConfig = fits === run && isOdd;
  const spec = isOfConfig ? { spec: { configName: `${otherOf(by).prefix}-config` } } : {};
  const document = isOdd && !isOfConfig ? job : fits;
  return { ...document, ...spec, metadata: { ...(document['metadata'] as object), ...more } };
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
        '/api/v1/events',
        `/api/v1${ofOther}/events`,
        `/api/v1${ofOther}/events?limit=2`,
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

/** Where an object, a part of it, or its kind is. */
type Target = {
  readonly place: Place;
  /** As it is written in the path; null: all namespaces. */
  readonly home: string | null;
  readonly name: string;
  /** null: all objects of the kind. */
  readonly part: string | null;
  /** A path of Muster's own. */
  readonly ofJob: string | null;
};

function pathOf({ place: { group, plural, suffix }, home, name, part, ofJob }: Target): string {
  const root = `${group}${home === null ? '' : `/namespaces/${home}`}/${plural}`;
  if (ofJob !== null && suffix === 'job') return `/muster/v1/namespaces/${home ?? ''}/jobs/${name}/${ofJob}`;
  return part === null ? root : `${root}/${name}${part}`;
}

/** What a method can be about. */
const partsFor = (method: string, { plural }: Place): readonly (string | null)[] => {
  switch (method) {
    case 'POST':
      return plural === 'pods' ? ['/eviction', null] : plural === 'worklists' ? [null, '/parts/0', '/seal'] : [null];
    case 'PUT':
    case 'PATCH':
      return ['', '', '/status'];
    case 'DELETE':
      return ['', null];
    default:
      return plural === 'pods' ? [null, '', '/log', '/log', '/status'] : [null, null, null, ...PARTS];
  }
};

function bodyFor(method: string, type: string, target: Target, document: Record<string, unknown>): unknown {
  const { name, part, ofJob, place } = target;
  const named = { ...document, metadata: { ...(document['metadata'] as object), name } };
  switch (method) {
    case 'POST':
      if (ofJob !== null && place.suffix === 'job') return { action: 'cancel', indexes: '0' };
      return part === '/eviction' ? { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } } : document;
    case 'PUT':
      return named;
    case 'PATCH':
      if (type === 'application/apply-patch+yaml') return named;
      return type === 'application/json-patch+json'
        ? [{ op: 'add', path: '/metadata/labels/x', value: 'y' }]
        : { metadata: { labels: { x: 'y' }, finalizers: ['x/y'] } };
    default:
      return null;
  }
}

/** Requests for objects, mostly of the other. */
function objectRequests(by: Tenant): fc.Arbitrary<Omit<Attempt, 'by'>> {
  const other = otherOf(by);
  const about = fc.record({
    method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'PATCH', 'DELETE'),
    place: fc.constantFrom(...PLACES),
    home: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...disguises(other.namespace, by.namespace)) },
      { weight: 3, arbitrary: fc.constant(by.namespace) },
      { weight: 1, arbitrary: fc.constant(null) },
    ),
    isOwn: fc.boolean(),
    nth: fc.nat(1000),
    ofJob: fc.option(fc.constantFrom(...OF_JOBS), { freq: 4 }),
    query: queriesFor(other),
    isOdd: fc.integer({ min: 0, max: 5 }).map((nth) => nth === 0),
    more: metadataFor(by),
    type: fc.constantFrom(...PATCH_TYPES),
  });
  return about.map(({ method, place, home, isOwn, nth, query, isOdd, more, type, ofJob }) => {
    const isWrite = !['GET', 'HEAD', 'DELETE'].includes(method);
    // In the caller's own namespace, objects with the other's names would come into being.
    const whose = home === by.namespace && (isOwn || isWrite) ? by : other;
    const name = place.plural === 'pods' && whose === other ? POD : `${whose.prefix}-${place.suffix}`;
    const parts = partsFor(method, place);
    const target: Target = { place, home, name, part: parts[nth % parts.length] ?? null, ofJob };
    const body = bodyFor(method, type, target, documentOf(by, place, isOdd, more));
    return {
      method,
      path: `${pathOf(target)}${query === '' ? '?' : `${query}&`}fieldManager=me`,
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
