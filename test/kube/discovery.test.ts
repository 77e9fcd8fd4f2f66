import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { VERSION } from '../../shared/names/version.ts';
import { START, aWorld } from './a-world.ts';
import { openNamespace } from '../support/a-namespace.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

test('the version names Muster, and is that of the package', async () => {
  const world = await aWorld();
  expect(await (await world.get('/version')).json()).toMatchObject({
    major: '1',
    minor: '34',
    gitVersion: 'v1.34.0+muster',
    muster: VERSION,
  });
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(VERSION).toBe(version);
});

test.each(['/healthz', '/livez', '/readyz'])('%s', async (path) => {
  const world = await aWorld();
  expect(await (await world.get(path)).text()).toBe('ok');
});

describe('discovery', () => {
  test('aggregated, for those who accept it, in the form that its Content-Type names', async () => {
    const world = await aWorld();
    const accept = `${AGGREGATED},${AGGREGATED.replace('v=v2', 'v=v2beta1')},application/json`;
    const core = await world.get('/api', { accept });
    expect(core.headers.get('content-type')).toBe(AGGREGATED);
    expect(await core.json()).toMatchObject({
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      items: [
        {
          metadata: { name: '' },
          versions: [{ version: 'v1', resources: [{ resource: 'namespaces' }, { resource: 'pods' }] }],
        },
      ],
    });
    const beta = await world.get('/apis', { accept: AGGREGATED.replace('v=v2', 'v=v2beta1') });
    expect(beta.headers.get('content-type')).toContain('v=v2beta1');
    expect(await beta.json()).toMatchObject({
      items: [
        {
          metadata: { name: 'batch' },
          versions: [{ resources: [{ resource: 'jobs', verbs: ['create', 'delete', 'get', 'list', 'watch'] }] }],
        },
      ],
    });
  });

  test.each<[string, unknown]>([
    ['/api', { kind: 'APIVersions', versions: ['v1'] }],
    ['/apis', { kind: 'APIGroupList', groups: [{ name: 'batch', preferredVersion: { groupVersion: 'batch/v1' } }] }],
    ['/apis/batch', { kind: 'APIGroup', name: 'batch' }],
    [
      '/api/v1',
      {
        kind: 'APIResourceList',
        groupVersion: 'v1',
        resources: [{ name: 'namespaces' }, { name: 'pods' }, { name: 'pods/log' }],
      },
    ],
    [
      '/apis/batch/v1',
      {
        kind: 'APIResourceList',
        groupVersion: 'batch/v1',
        resources: [{ name: 'jobs', kind: 'Job', namespaced: true }],
      },
    ],
  ])('the old form of %s', async (path, expected) => {
    const world = await aWorld();
    expect(await (await world.get(path)).json()).toMatchObject(expected as object);
  });

  test('no schema, said so that clients understand it', async () => {
    const world = await aWorld();
    const v2 = await world.get('/openapi/v2');
    expect([v2.status, v2.headers.get('content-type'), await v2.text()]).toEqual([
      200,
      'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
      '',
    ]);
    const v3 = (await (await world.get('/openapi/v3')).json()) as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    const url = v3.paths['apis/batch/v1']?.serverRelativeURL ?? '';
    expect(await (await world.get(url)).json()).toHaveProperty('paths');
  });
});

test('namespaces', async () => {
  const world = await aWorld();
  await openNamespace(world.objects, 'other', START);
  const list = (await (await world.get('/api/v1/namespaces')).json()) as {
    kind: string;
    items: { metadata: { name: string } }[];
  };
  expect([list.kind, list.items.map(({ metadata }) => metadata.name)]).toEqual(['NamespaceList', ['default', 'other']]);
  expect(await (await world.get('/api/v1/namespaces/default')).json()).toMatchObject({
    kind: 'Namespace',
    metadata: { name: 'default', creationTimestamp: '2023-11-14T22:13:20Z' },
    status: { phase: 'Active' },
  });
});
