import { type Context, Hono } from 'hono';
import { VERSION } from '../../names/version.ts';
import { jsonAnswer } from '../http/json-answer.ts';
import { flagOf } from '../http/query.ts';
import type { ServedGroup } from './served-resources.ts';

/** The Kubernetes release whose behavior we follow. Some kubectl launchers choose a client by it. */
const KUBERNETES = { major: '1', minor: '34', patch: '0' };

/** `GET /version`. The field `muster` tells our own clients which server this is. */
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

/** Routes that clients discover resources with: aggregated discovery for new ones, lists for old ones. */
export function discoveryRoutes(served: readonly ServedGroup[]): Hono {
  const app = new Hono();
  app.get('/version', (c) => c.json(versionInfo));
  for (const check of ['healthz', 'livez', 'readyz']) {
    app.get(`/${check}`, (c) => c.text(isVerbose(c) ? `[+]ping ok\n${check} check passed\n` : 'ok'));
    // The only check, by its name.
    app.get(`/${check}/ping`, (c) => c.text('ok'));
  }
  const core = served.filter(({ name }) => name === '');
  const named = served.filter(({ name }) => name !== '');
  app.get('/api', (c) => {
    const form = aggregatedForm(c);
    return form === null
      ? c.json({ kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] })
      : aggregated(c, form, core);
  });
  app.get('/apis', (c) => {
    const form = aggregatedForm(c);
    return form === null
      ? c.json({ kind: 'APIGroupList', apiVersion: 'v1', groups: named.map(groupInfo) })
      : aggregated(c, form, named);
  });
  for (const group of core) app.get('/api/v1', (c) => jsonAnswer(c, resourceList(group)));
  for (const group of named) {
    const path = `/apis/${group.name}`;
    app.get(path, (c) => c.json({ kind: 'APIGroup', apiVersion: 'v1', ...groupInfo(group) }));
    app.get(`${path}/${group.version}`, (c) => jsonAnswer(c, resourceList(group)));
  }
  return app;
}

/** The parameter alone is enough. */
const isVerbose = (c: Context): boolean => c.req.query('verbose') === '' || flagOf(c.req.query('verbose'));

const AGGREGATED = /application\/json;g=apidiscovery\.k8s\.io;v=(v2|v2beta1);as=APIGroupDiscoveryList/;

/** The newest form of aggregated discovery that the client accepts; null: it is an old client. */
function aggregatedForm(c: Context): string | null {
  const accepted = (c.req.header('accept') ?? '').split(',', 32);
  const found = accepted.flatMap((form) => AGGREGATED.exec(form)?.[1] ?? []);
  return found.includes('v2') ? 'v2' : (found[0] ?? null);
}

function aggregated(c: Context, form: string, groups: readonly ServedGroup[]): Response {
  const items = groups.map(({ name: group, version, resources }) => ({
    metadata: { name: group, creationTimestamp: null },
    versions: [
      {
        version,
        freshness: 'Current',
        resources: resources.map(
          ({
            plural,
            singular,
            kind,
            type: _type,
            showsDeleted: _shows,
            namespaced,
            verbs,
            subresources,
            ...names
          }) => ({
            resource: plural,
            responseKind: { group, version, kind },
            scope: namespaced ? 'Namespaced' : 'Cluster',
            singularResource: singular,
            verbs,
            ...names,
            ...(subresources.length === 0
              ? {}
              : {
                  subresources: subresources.map((sub) => ({
                    subresource: sub.name,
                    responseKind: { group: sub.group ?? group, version, kind: sub.kind },
                    verbs: sub.verbs,
                  })),
                }),
          }),
        ),
      },
    ],
  }));
  const list = { kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${form}`, metadata: {}, items };
  const answer = jsonAnswer(c, list);
  answer.headers.set('content-type', `application/json;g=apidiscovery.k8s.io;v=${form};as=APIGroupDiscoveryList`);
  return answer;
}

function groupInfo({ name, version }: ServedGroup) {
  const known = { groupVersion: `${name}/${version}`, version };
  return { name, versions: [known], preferredVersion: known };
}

const resourceList = ({ name: group, version, resources }: ServedGroup) => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: group === '' ? version : `${group}/${version}`,
  resources: resources.flatMap(
    ({ plural, singular, kind, type: _type, showsDeleted: _shows, namespaced, verbs, subresources, ...names }) => [
      { name: plural, singularName: singular, namespaced, kind, verbs, ...names },
      ...subresources.map((sub) => ({
        name: `${plural}/${sub.name}`,
        singularName: '',
        namespaced,
        ...(sub.group === undefined ? {} : { group: sub.group, version }),
        kind: sub.kind,
        verbs: sub.verbs,
      })),
    ],
  ),
});
