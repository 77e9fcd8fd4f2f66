import { Hono } from 'hono';
import { VERSION } from '../names/version.ts';

/** What is served, as discovery tells it. Only verbs that work are listed: clients believe them. */
type ServedResource = {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly { readonly name: string; readonly kind: string; readonly verbs: readonly string[] }[];
};

const CORE: readonly ServedResource[] = [
  {
    plural: 'namespaces',
    singular: 'namespace',
    kind: 'Namespace',
    namespaced: false,
    verbs: ['get', 'list'],
    shortNames: ['ns'],
    categories: [],
    subresources: [],
  },
  {
    plural: 'pods',
    singular: 'pod',
    kind: 'Pod',
    namespaced: true,
    verbs: ['delete', 'get', 'list', 'watch'],
    shortNames: ['po'],
    categories: ['all'],
    subresources: [{ name: 'log', kind: 'Pod', verbs: ['get'] }],
  },
];
const BATCH: readonly ServedResource[] = [
  {
    plural: 'jobs',
    singular: 'job',
    kind: 'Job',
    namespaced: true,
    verbs: ['create', 'delete', 'get', 'list', 'watch'],
    shortNames: [],
    categories: ['all'],
    subresources: [],
  },
];

/** The Kubernetes release whose behaviour we follow. Some kubectl launchers pick a client by it. */
const KUBERNETES = { major: '1', minor: '34', patch: '0' };

/** `GET /version`. The field `muster` tells our own clients whom they talk to. */
const versionInfo = {
  major: KUBERNETES.major,
  minor: KUBERNETES.minor,
  gitVersion: `v${KUBERNETES.major}.${KUBERNETES.minor}.${KUBERNETES.patch}+muster`,
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: '',
  muster: VERSION,
} as const;

const BATCH_VERSION = { groupVersion: 'batch/v1', version: 'v1' };
const BATCH_GROUP = { name: 'batch', versions: [BATCH_VERSION], preferredVersion: BATCH_VERSION };

/** Routes by which clients learn what there is: aggregated discovery for new ones, lists for old ones. */
export function discoveryRoutes(): Hono {
  const app = new Hono();
  app.get('/version', (c) => c.json(versionInfo));
  for (const path of ['/healthz', '/livez', '/readyz']) app.get(path, (c) => c.text('ok'));
  app.get('/api', (c) => {
    const form = aggregatedForm(c.req.header('accept'));
    return form === null
      ? c.json({ kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] })
      : aggregated(form, [{ name: '', resources: CORE }]);
  });
  app.get('/apis', (c) => {
    const form = aggregatedForm(c.req.header('accept'));
    return form === null
      ? c.json({ kind: 'APIGroupList', apiVersion: 'v1', groups: [BATCH_GROUP] })
      : aggregated(form, [{ name: 'batch', resources: BATCH }]);
  });
  app.get('/api/v1', (c) => c.json(resourceList('v1', CORE)));
  app.get('/apis/batch', (c) => c.json({ kind: 'APIGroup', apiVersion: 'v1', ...BATCH_GROUP }));
  app.get('/apis/batch/v1', (c) => c.json(resourceList('batch/v1', BATCH)));
  // An empty document means "no schema known": old clients then skip their own validation. Newer ones read v3.
  app.get('/openapi/v2', () => new Response(new Uint8Array(), { headers: { 'content-type': OPENAPI_V2 } }));
  app.get('/openapi/v3', (c) =>
    c.json({ paths: { 'apis/batch/v1': { serverRelativeURL: `/openapi/v3/apis/batch/v1?hash=${VERSION}` } } }),
  );
  app.get('/openapi/v3/apis/batch/v1', (c) => c.json(OPENAPI_V3));
  return app;
}

/** The form with `@`, which clients ask for, is no media type that they can read. */
const OPENAPI_V2 = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

const AGGREGATED = /application\/json;g=apidiscovery\.k8s\.io;v=(v2|v2beta1);as=APIGroupDiscoveryList/;

/** The newest form of aggregated discovery that the client accepts; null: it is an old client. */
function aggregatedForm(accept: string | undefined): string | null {
  const found = (accept ?? '').split(',').flatMap((form) => AGGREGATED.exec(form)?.[1] ?? []);
  return found.includes('v2') ? 'v2' : (found[0] ?? null);
}

function aggregated(
  version: string,
  groups: readonly { readonly name: string; readonly resources: readonly ServedResource[] }[],
): Response {
  const items = groups.map(({ name: group, resources }) => ({
    metadata: { name: group, creationTimestamp: null },
    versions: [
      {
        version: 'v1',
        freshness: 'Current',
        resources: resources.map((resource) => ({
          resource: resource.plural,
          responseKind: { group, version: 'v1', kind: resource.kind },
          scope: resource.namespaced ? 'Namespaced' : 'Cluster',
          singularResource: resource.singular,
          verbs: resource.verbs,
          ...(resource.shortNames.length === 0 ? {} : { shortNames: resource.shortNames }),
          ...(resource.categories.length === 0 ? {} : { categories: resource.categories }),
          ...(resource.subresources.length === 0
            ? {}
            : {
                subresources: resource.subresources.map(({ name, kind, verbs }) => ({
                  subresource: name,
                  responseKind: { group, version: 'v1', kind },
                  verbs,
                })),
              }),
        })),
      },
    ],
  }));
  const list = { kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${version}`, metadata: {}, items };
  return Response.json(list, {
    headers: { 'content-type': `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList` },
  });
}

const resourceList = (groupVersion: string, served: readonly ServedResource[]) => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion,
  resources: served.flatMap(({ plural, singular, kind, namespaced, verbs, shortNames, categories, subresources }) => [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs,
      ...(shortNames.length === 0 ? {} : { shortNames }),
      ...(categories.length === 0 ? {} : { categories }),
    },
    ...subresources.map((sub) => ({
      name: `${plural}/${sub.name}`,
      singularName: '',
      namespaced,
      kind: sub.kind,
      verbs: sub.verbs,
    })),
  ]),
});

const JOB_KIND = { group: 'batch', version: 'v1', kind: 'Job' };
const queryParameter = (name: string) => ({ name, in: 'query', schema: { type: 'string', uniqueItems: true } });

/**
 * The least from which kubectl learns that this server validates by itself: it looks for these two parameters where
 * it would send a patch. It has no schemas, so clients check nothing and `explain` knows nothing.
 */
const OPENAPI_V3 = {
  openapi: '3.0.0',
  info: { title: 'Muster', version: VERSION },
  paths: {
    '/apis/batch/v1/namespaces/{namespace}/jobs/{name}': {
      patch: {
        operationId: 'patchBatchV1NamespacedJob',
        parameters: [queryParameter('dryRun'), queryParameter('fieldManager'), queryParameter('fieldValidation')],
        requestBody: {
          content: { 'application/strategic-merge-patch+json': {}, 'application/apply-patch+yaml': {} },
        },
        responses: { '415': { description: 'patches are not supported by this version' } },
        'x-kubernetes-action': 'patch',
        'x-kubernetes-group-version-kind': JOB_KIND,
      },
    },
  },
};
