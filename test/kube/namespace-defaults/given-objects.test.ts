import { expect, test } from 'vitest';
import { isThere } from '../../support/kinds-there.ts';
import { aWorld, linesOf } from '../a-world.ts';
import { send } from '../write/a-client.ts';

const ALL = [
  ['serviceaccounts', 'ServiceAccount', 'default', ['default', '0', '0s'], {}],
  ['configmaps', 'ConfigMap', 'kube-root-ca.crt', ['kube-root-ca.crt', '1', '0s'], { data: { 'ca.crt': '' } }],
] as const;
const KINDS = ALL.filter(([, kind]) => isThere(kind));
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

type Item = { metadata: { name: string; namespace: string; uid: string; resourceVersion: string } };

test.each(KINDS)('every namespace has one of its %s', async (plural, kind, name, cells, content) => {
  const world = await aWorld();
  await send(world, 'POST', '/api/v1/namespaces', { metadata: { name: 'team' } });
  const all = (await (await world.get(`/api/v1/${plural}`)).json()) as { kind: string; items: Item[] };
  expect(all.kind).toBe(`${kind}List`);
  expect(all.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual([
    `default/${name}`,
    `team/${name}`,
  ]);
  const { body } = await send(world, 'GET', `/api/v1/namespaces/team/${plural}/${name}`);
  expect(body).toMatchObject({ apiVersion: 'v1', kind, ...content });
  expect(all.items[1]?.metadata).toEqual(body.metadata);
  const home = (await send(world, 'GET', '/api/v1/namespaces/team')).body;
  expect(body.metadata.uid).not.toBe(home.metadata.uid);
  const one = (await (await world.get(`/api/v1/namespaces/team/${plural}`)).json()) as { items: Item[] };
  expect(one.items.map(({ metadata }) => metadata.namespace)).toEqual(['team']);
  const table = await world.get(`/api/v1/namespaces/team/${plural}/${name}`, { accept: TABLE });
  expect(((await table.json()) as { rows: { cells: unknown[] }[] }).rows[0]?.cells).toEqual(cells);
});

test('none in a namespace that does not exist, and no other', async () => {
  const world = await aWorld();
  for (const path of ['none/serviceaccounts/default', 'default/serviceaccounts/other'])
    expect((await send(world, 'GET', `/api/v1/namespaces/${path}`)).code).toBe(404);
  const selected = await world.get('/api/v1/serviceaccounts?fieldSelector=metadata.name%3Dother');
  expect(await selected.json()).toMatchObject({ items: [] });
});

test.each(KINDS)('%s come and go with their namespace, in watches too', async (plural, kind, name) => {
  const world = await aWorld();
  await send(world, 'POST', '/api/v1/namespaces', { metadata: { name: 'before' } });
  const list = await (await world.get(`/api/v1/${plural}`)).json();
  const { resourceVersion } = (list as { metadata: { resourceVersion: string } }).metadata;
  await send(world, 'POST', '/api/v1/namespaces', { metadata: { name: 'team' } });
  await send(world, 'DELETE', '/api/v1/namespaces/team');
  const of = `/api/v1/namespaces/team/${plural}?watch=1&timeoutSeconds=1&resourceVersion=${resourceVersion}`;
  const events = await linesOf(await world.get(of));
  expect(events.map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
  expect(events[0]).toMatchObject({ object: { kind, metadata: { name, namespace: 'team' } } });
  const other = `/api/v1/namespaces/default/${plural}?watch=1&timeoutSeconds=1&resourceVersion=${resourceVersion}`;
  expect(await linesOf(await world.get(other))).toEqual([]);
});
