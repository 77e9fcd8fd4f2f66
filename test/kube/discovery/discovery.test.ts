import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isThere } from '../../support/kinds-there.ts';
import { SERVED, type ServedGroup, type ServedResource } from '../../../shared/kube/discovery/served-resources.ts';
import { ASKED_KINDS, CAPABILITY_KINDS, LEADING_KINDS } from '../../../shared/capabilities/lists/kind-rows.ts';
import type { Verb } from '../../../shared/domain/kinds/api-kind.ts';
import { ALL_KINDS } from '../../../shared/domain/kinds/api-kinds.ts';
import { VERSION } from '../../../shared/names/version.ts';
import { JOBS, type World, aWorld, manifest } from '../a-world.ts';

type Listed = { readonly resources?: readonly { readonly name: string }[] };

/** What a capability serves is tested with it. */
const OF_CAPABILITIES = { ...LEADING_KINDS, ...CAPABILITY_KINDS, ...ASKED_KINDS };
const KERNEL = ALL_KINDS.filter(({ name }) => !(name in OF_CAPABILITIES));
const isKernel = (group: string, plural: string | undefined): boolean =>
  KERNEL.some((kind) => kind.group === group && kind.plural === plural);
/** The list of a path's group, with the kernel's kinds alone. */
const kernelIn = (path: string, { resources, ...list }: Listed): Listed => {
  const group = path === '/api/v1' ? '' : (path.split('/')[2] ?? '');
  return {
    ...list,
    ...(resources && { resources: resources.filter(({ name }) => isKernel(group, name.split('/')[0])) }),
  };
};

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

test('the version names Muster, and is that of the package', async () => {
  const world = await aWorld();
  expect(await (await world.get('/version')).json()).toMatchObject({
    major: '1',
    minor: '34',
    gitVersion: 'v1.34.0+muster',
    muster: VERSION,
  });
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(VERSION).toBe(version);
});

test.each(['healthz', 'livez', 'readyz'])('/%s', async (check) => {
  const world = await aWorld();
  const text = async (query: string) => (await world.get(`/${check}${query}`)).text();
  expect([await text(''), await text('?verbose=0')]).toEqual(['ok', 'ok']);
  expect([await text('?verbose'), await text('?verbose=true')]).toEqual(
    Array.from({ length: 2 }, () => `[+]ping ok\n${check} check passed\n`),
  );
  expect(await (await world.get(`/${check}/ping`)).text()).toBe('ok');
  expect((await world.get(`/${check}/etcd`)).status).toBe(404);
});

test.each(['/version', '/api', '/api/v1', '/apis', '/apis/batch', '/apis/batch/v1', JOBS])(
  '%s/ is the same as without the slash',
  async (path) => {
    const world = await aWorld();
    const [plain, slashed] = await Promise.all([world.get(path), world.get(`${path}/`)]);
    expect([slashed.status, await slashed.text()]).toEqual([200, await plain.text()]);
  },
);

describe('discovery', () => {
  type Discovered = {
    apiVersion: string;
    items: {
      metadata: { name: string };
      versions: { resources: { resource: string; verbs: string[]; subresources?: { subresource: string }[] }[] }[];
    }[];
  };

  test('aggregated, for clients that accept it, in the form that its Content-Type names', async () => {
    const world = await aWorld();
    const accept = `${AGGREGATED},${AGGREGATED.replace('v=v2', 'v=v2beta1')},application/json`;
    const core = await world.get('/api', { accept });
    expect(core.headers.get('content-type')).toBe(AGGREGATED);
    const { apiVersion, items } = (await core.json()) as Discovered;
    expect([apiVersion, items.map(({ metadata }) => metadata.name)]).toEqual(['apidiscovery.k8s.io/v2', ['']]);
    expect(items[0]?.versions[0]?.resources.find(({ resource }) => resource === 'pods')).toEqual({
      resource: 'pods',
      responseKind: { group: '', version: 'v1', kind: 'Pod' },
      scope: 'Namespaced',
      singularResource: 'pod',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['po'],
      categories: ['all'],
      subresources: [
        {
          subresource: 'eviction',
          responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' },
          verbs: ['create'],
        },
        ...['log', 'status'].map((subresource) => ({
          subresource,
          responseKind: { group: '', version: 'v1', kind: 'Pod' },
          verbs: ['get'],
        })),
      ],
    });
    const beta = await world.get('/apis', { accept: AGGREGATED.replace('v=v2', 'v=v2beta1') });
    expect(beta.headers.get('content-type')).toContain('v=v2beta1');
    const named = (await beta.json()) as Discovered;
    expect(named.apiVersion).toBe('apidiscovery.k8s.io/v2beta1');
    const kinds = named.items.map(({ metadata: { name }, versions }) => [
      name,
      ...(versions[0]?.resources ?? []).map(({ resource }) => resource).filter((plural) => isKernel(name, plural)),
    ]);
    expect(kinds.filter((group) => group.length > 1)).toEqual([
      ['batch', ...(isThere('CronJob') ? ['cronjobs'] : []), 'jobs'],
      ['events.k8s.io', 'events'],
      ...(isThere('WorkList') ? [['muster.run', 'worklists']] : []),
    ]);
    // The first group with jobs is what `kubectl get jobs` means.
    const [jobs] = named.items
      .flatMap(({ versions }) => versions[0]?.resources ?? [])
      .filter(({ resource }) => resource === 'jobs');
    expect(jobs).toMatchObject({ responseKind: { group: 'batch', version: 'v1', kind: 'Job' }, verbs: ALL_VERBS });
  });

  test.each<[string, unknown]>([
    ['/api', { kind: 'APIVersions', versions: ['v1'] }],
    ['/apis/batch', { kind: 'APIGroup', name: 'batch', preferredVersion: { groupVersion: 'batch/v1', version: 'v1' } }],
    [
      '/api/v1',
      {
        kind: 'APIResourceList',
        groupVersion: 'v1',
        resources: [
          ...(isThere('ConfigMap') ? [{ name: 'configmaps', shortNames: ['cm'], verbs: ALL_VERBS }] : []),
          { name: 'events', shortNames: ['ev'] },
          { name: 'namespaces', namespaced: false, shortNames: ['ns'] },
          { name: 'namespaces/finalize', verbs: ['update'] },
          { name: 'namespaces/status', verbs: ['get', 'patch', 'update'] },
          { name: 'pods', singularName: 'pod', categories: ['all'] },
          { name: 'pods/eviction', group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] },
          { name: 'pods/log', singularName: '', verbs: ['get'] },
          { name: 'pods/status' },
          ...(isThere('Secret') ? [{ name: 'secrets', verbs: ALL_VERBS }] : []),
          { name: 'serviceaccounts', shortNames: ['sa'], verbs: ALL_VERBS },
          { name: 'services', shortNames: ['svc'] },
        ],
      },
    ],
    [
      '/apis/batch/v1',
      {
        kind: 'APIResourceList',
        groupVersion: 'batch/v1',
        resources: [
          ...(isThere('CronJob') ? [{ name: 'cronjobs' }, { name: 'cronjobs/status' }] : []),
          { name: 'jobs', kind: 'Job', namespaced: true },
          { name: 'jobs/status', verbs: ['get', 'patch', 'update'] },
        ],
      },
    ],
  ])('the old form of %s', async (path, expected) => {
    const world = await aWorld();
    expect(kernelIn(path, (await (await world.get(path)).json()) as Listed)).toMatchObject(expected as object);
  });

  test('the old list of groups', async () => {
    const world = await aWorld();
    const { kind, groups } = (await (await world.get('/apis')).json()) as { kind: string; groups: { name: string }[] };
    const names = groups.map(({ name }) => name);
    expect([kind, names]).toEqual(['APIGroupList', names.toSorted()]);
    expect(names.filter((name) => KERNEL.some(({ group }) => group === name))).toEqual([
      'batch',
      'events.k8s.io',
      ...(isThere('WorkList') ? ['muster.run'] : []),
    ]);
    expect(names).toEqual([...new Set(ALL_KINDS.map(({ group }) => group))].filter((name) => name !== '').toSorted());
  });
});

/** Every verb of every resource, with what it answers. */
describe('clients can rely on discovery', () => {
  type Request = { readonly method: string; readonly path: string; readonly body?: string };
  const base = ({ name, version }: ServedGroup) => (name === '' ? `/api/${version}` : `/apis/${name}/${version}`);
  const requestOf = (group: ServedGroup, resource: ServedResource, sub: string | null, verb: Verb): Request => {
    const scope = resource.namespaced ? '/namespaces/default' : '';
    const many = `${base(group)}${scope}/${resource.plural}`;
    const one = `${many}/${resource.plural === 'namespaces' ? 'default' : 'x'}${sub === null ? '' : `/${sub}`}`;
    const patch = JSON.stringify({ metadata: { labels: { a: 'b' } } });
    const requests: Record<Verb, Request> = {
      create: { method: 'POST', path: sub === null ? many : one, body: '{}' },
      delete: { method: 'DELETE', path: one },
      deletecollection: { method: 'DELETE', path: many },
      get: { method: 'GET', path: one },
      list: { method: 'GET', path: many },
      patch: { method: 'PATCH', path: one, body: patch },
      update: { method: 'PUT', path: one, body: '{}' },
      watch: { method: 'GET', path: `${many}?watch=1&timeoutSeconds=1` },
    };
    return requests[verb];
  };
  const ask = async (world: World, { method, path, body }: Request) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await world.app.request(path, {
      method,
      ...(body === undefined ? {} : { body, headers: { 'content-type': type } }),
    });
    const text = await answer.text();
    return { code: answer.status, text };
  };
  const NO_ROUTE = 'the server could not find the requested resource';

  const cases = SERVED.flatMap((group) =>
    group.resources.flatMap((resource) => [
      { name: resource.plural, group, resource, sub: null, verbs: resource.verbs },
      ...(resource.subresources ?? []).map(({ name, verbs }) => ({
        name: `${resource.plural}/${name}`,
        group,
        resource,
        sub: name,
        verbs,
      })),
    ]),
  );
  test.each(cases)('$name: $verbs', async ({ group, resource, sub, verbs }) => {
    const world = await aWorld();
    await world.post(JOBS, manifest('sums'));
    for (const verb of ALL_VERBS as readonly Verb[]) {
      // A subresource belongs to one object.
      if (sub !== null && ['list', 'watch', 'deletecollection'].includes(verb)) continue;
      const request = requestOf(group, resource, sub, verb);
      const { code, text } = await ask(world, request);
      const isServed = code !== 405 && !text.includes(NO_ROUTE);
      const isListed = verbs.includes(verb);
      expect([verb, isListed ? isServed : code >= 400]).toEqual([verb, true]);
    }
  });

  test('what is namespaced is listed across namespaces, too', async () => {
    const world = await aWorld();
    for (const group of SERVED)
      for (const { plural, verbs } of group.resources) {
        if (!verbs.includes('list')) continue;
        const { code, text } = await ask(world, { method: 'GET', path: `${base(group)}/${plural}` });
        expect([plural, code, (JSON.parse(text) as { items: unknown }).items]).toEqual([
          plural,
          200,
          expect.any(Array),
        ]);
      }
  });
});
