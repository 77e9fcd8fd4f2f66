import { describe, expect, test } from 'vitest';
import { aWorld, linesOf } from '../../../../../test/kube/a-world.ts';
import { type Answer, APPLY, MERGE, send } from '../../../../../test/kube/write/a-client.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';
const STRATEGIC = 'application/strategic-merge-patch+json';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const map = (name: string, data: object = { a: '1' }, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
  ...more,
});
const secret = (name: string, stringData: object = { a: '1' }, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData,
  ...more,
});
const contents = ({ body }: Answer): object => {
  const { data, binaryData, stringData, immutable, type } = body as unknown as Record<string, unknown>;
  return JSON.parse(JSON.stringify({ data, binaryData, stringData, immutable, type })) as object;
};

describe.each([
  ['ConfigMaps', MAPS, map, (data: Record<string, string>) => ({ data })],
  [
    'Secrets',
    SECRETS,
    secret,
    (data: Record<string, string>) => ({
      data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
      type: 'Opaque',
    }),
  ],
] as const)('%s have every verb', (_, path, object, shown) => {
  test('create, get, put, delete', async () => {
    const world = await aWorld();
    const created = await send(world, 'POST', path, object('one'));
    expect([created.code, contents(created)]).toEqual([201, shown({ a: '1' })]);
    expect((await send(world, 'POST', path, object('one'))).body.reason).toBe('AlreadyExists');
    const put = await send(world, 'PUT', `${path}/one`, object('one', { b: '2' }));
    expect([put.code, contents(put)]).toEqual([200, shown({ b: '2' })]);
    expect(contents(await send(world, 'GET', `${path}/one`))).toEqual(shown({ b: '2' }));
    expect((await send(world, 'DELETE', `${path}/one`)).body).toMatchObject({ kind: 'Status', status: 'Success' });
    expect((await send(world, 'GET', `${path}/one`)).code).toBe(404);
  });

  test('each patch', async () => {
    const world = await aWorld();
    await send(world, 'POST', path, object('one', { a: '1', b: '2' }));
    const now = async (type: string, patch: unknown) =>
      contents(await send(world, 'PATCH', `${path}/one`, patch, type));
    const field = path === SECRETS ? 'stringData' : 'data';
    expect(await now(MERGE, { [field]: { c: '3' }, data: { ...(path === MAPS ? { c: '3' } : {}), a: null } })).toEqual(
      shown({ b: '2', c: '3' }),
    );
    expect(await now(STRATEGIC, { [field]: { d: '4' } })).toEqual(shown({ b: '2', c: '3', d: '4' }));
    expect(await now('application/json-patch+json', [{ op: 'remove', path: '/data/b' }])).toEqual(
      shown({ c: '3', d: '4' }),
    );
  });

  test('server-side apply: what is not said any more goes, and others keep theirs', async () => {
    const world = await aWorld();
    const apply = async (data: object, manager: string) => {
      const { apiVersion, kind, metadata } = object('one');
      const plain = { apiVersion, kind, metadata, data };
      return send(world, 'PATCH', `${path}/one?fieldManager=${manager}`, plain, APPLY);
    };
    const value = (text: string): string => (path === SECRETS ? base64(text) : text);
    expect((await apply({ a: value('1'), b: value('2') }, 'me')).code).toBe(201);
    expect((await apply({ c: value('3') }, 'you')).code).toBe(200);
    expect((await apply({ c: value('4') }, 'me')).body.reason).toBe('Conflict');
    expect(contents(await apply({ a: value('5') }, 'me'))).toEqual(shown({ a: '5', c: '3' }));
  });

  test('dry runs store nothing', async () => {
    const world = await aWorld();
    expect(contents(await send(world, 'POST', `${path}?dryRun=All`, object('one')))).toEqual(shown({ a: '1' }));
    expect((await send(world, 'GET', `${path}/one`)).code).toBe(404);
  });

  test('lists, by labels too, and deletion of what a list shows', async () => {
    const world = await aWorld();
    for (const name of ['a', 'b', 'c'])
      await send(world, 'POST', path, {
        ...object(name),
        metadata: { name, labels: { half: name < 'b' ? 'one' : 'two' } },
      });
    const names = async (query: string) => {
      const list = (await (await world.get(`${path}${query}`)).json()) as { items: { metadata: { name: string } }[] };
      return list.items.map(({ metadata }) => metadata.name).filter((name) => name.length === 1);
    };
    expect(await names('')).toEqual(['a', 'b', 'c']);
    expect(await names('?labelSelector=half%3Dtwo')).toEqual(['b', 'c']);
    expect((await send(world, 'DELETE', `${path}?labelSelector=half%3Dtwo`)).body).toMatchObject({ kind: 'Status' });
    expect(await names('')).toEqual(['a']);
  });

  test('watches, which hear when an object no longer matches', async () => {
    const world = await aWorld();
    await send(world, 'POST', path, { ...object('one'), metadata: { name: 'one', labels: { app: 'a' } } });
    await send(world, 'PATCH', `${path}/one`, { metadata: { labels: { app: 'b' } } }, MERGE);
    const from = path === MAPS ? 0 : 1;
    const events = await linesOf(
      await world.get(`${path}?watch=1&timeoutSeconds=1&labelSelector=app%3Da&resourceVersion=${Math.max(from, 1)}`),
    );
    expect(events.map(({ type }) => type)).toEqual(['DELETED']);
  });

  test('they go with their namespace, and none comes into one that is not there', async () => {
    const world = await aWorld();
    await send(world, 'POST', '/api/v1/namespaces', { metadata: { name: 'team' } });
    const within = path.replace('default', 'team');
    expect((await send(world, 'POST', within, object('one'))).code).toBe(201);
    await send(world, 'DELETE', '/api/v1/namespaces/team');
    expect((await send(world, 'GET', `${within}/one`)).code).toBe(404);
    expect((await send(world, 'GET', '/api/v1/namespaces/team')).code).toBe(404);
    expect((await send(world, 'POST', within, object('one'))).code).toBe(404);
  });
});

describe('a Secret', () => {
  test('does not show what was written as text, to whomever wrote it how', async () => {
    const world = await aWorld();
    const applied = await send(world, 'PATCH', `${SECRETS}/one?fieldManager=me`, secret('one', { a: 'x' }), APPLY);
    expect(contents(applied)).toEqual({ data: { a: base64('x') }, type: 'Opaque' });
    // As in a cluster: the manager has what it said.
    expect(applied.body.metadata.managedFields).toMatchObject([{ fieldsV1: { 'f:stringData': { 'f:a': {} } } }]);
    const created = await send(world, 'POST', SECRETS, secret('two', { a: 'x' }));
    expect(created.body.metadata.managedFields).toMatchObject([
      { fieldsV1: { 'f:data': { 'f:a': {} }, 'f:type': {} } },
    ]);
  });

  test('can be chosen by its type', async () => {
    const world = await aWorld();
    await send(world, 'POST', SECRETS, secret('one'));
    await send(world, 'POST', SECRETS, secret('two', {}, { type: 'example.com/own' }));
    const list = await (await world.get(`${SECRETS}?fieldSelector=type%3Dexample.com%2Fown`)).json();
    expect(list).toMatchObject({ items: [{ metadata: { name: 'two' } }] });
  });
});

test('kubectl’s columns', async () => {
  const world = await aWorld();
  await send(world, 'POST', MAPS, map('one', { a: '' }, { binaryData: { b: '' } }));
  await send(
    world,
    'POST',
    SECRETS,
    secret('one', { a: '', b: '' }, { type: 'kubernetes.io/basic-auth', data: { username: '' } }),
  );
  const cells = async (path: string) => {
    const table = await (await world.get(`${path}/one`, { accept: TABLE })).json();
    const { columnDefinitions, rows } = table as {
      columnDefinitions: { name: string }[];
      rows: { cells: unknown[] }[];
    };
    return [columnDefinitions.map(({ name }) => name), rows[0]?.cells];
  };
  expect(await cells(MAPS)).toEqual([
    ['Name', 'Data', 'Age'],
    ['one', '2', '0s'],
  ]);
  expect(await cells(SECRETS)).toEqual([
    ['Name', 'Type', 'Data', 'Age'],
    ['one', 'kubernetes.io/basic-auth', '3', '0s'],
  ]);
});

describe('kube-root-ca.crt stays as it is', () => {
  const ROOT = `${MAPS}/kube-root-ca.crt`;

  test.each([
    ['PUT', map('kube-root-ca.crt'), undefined],
    ['PATCH', { data: { a: 'b' } }, MERGE],
    ['DELETE', undefined, undefined],
  ])('%s is refused', async (method, body, type) => {
    const world = await aWorld();
    const answer = await send(world, method, ROOT, body, type);
    expect([answer.code, answer.body.message]).toEqual([
      403,
      'configmaps "kube-root-ca.crt" is forbidden: every namespace has it, and it cannot be changed: clients trust the certificates that their machine trusts',
    ]);
  });

  test('its name is taken, and a deletion of all leaves it', async () => {
    const world = await aWorld();
    expect((await send(world, 'POST', MAPS, map('kube-root-ca.crt'))).body.reason).toBe('AlreadyExists');
    await send(world, 'POST', MAPS, map('one'));
    expect((await send(world, 'DELETE', MAPS)).code).toBe(200);
    expect(await (await world.get(MAPS)).json()).toMatchObject({ items: [{ metadata: { name: 'kube-root-ca.crt' } }] });
    expect(contents(await send(world, 'GET', ROOT))).toEqual({ data: { 'ca.crt': '' } });
  });

  test('it is listed once, in its place, page by page', async () => {
    const world = await aWorld();
    await send(world, 'POST', '/api/v1/namespaces', { metadata: { name: 'team' } });
    for (const namespace of ['default', 'team'])
      for (const name of ['a', 'z']) await send(world, 'POST', MAPS.replace('default', namespace), map(name));
    const names: string[] = [];
    let next = '';
    do {
      const page = await world.get(`/api/v1/configmaps?limit=1${next === '' ? '' : `&continue=${next}`}`);
      const list = (await page.json()) as {
        metadata: { continue?: string };
        items: { metadata: { name: string; namespace: string } }[];
      };
      names.push(...list.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
      next = encodeURIComponent(list.metadata.continue ?? '');
    } while (next !== '');
    expect(names).toEqual(
      ['default', 'team'].flatMap((namespace) => ['a', 'kube-root-ca.crt', 'z'].map((name) => `${namespace}/${name}`)),
    );
  });
});

describe('how much there may be', () => {
  /** The same each time, and nothing that could be compressed. */
  const noise = (bytes: number): Buffer => {
    let seed = 1;
    return Buffer.from(Array.from({ length: bytes }, () => (seed = (seed * 48_271) % 2_147_483_647) & 255));
  };

  test.each([
    [MAPS, (bytes: number) => map('big', {}, { binaryData: { a: noise(bytes).toString('base64') } })],
    [SECRETS, (bytes: number) => secret('big', {}, { data: { a: noise(bytes).toString('base64') } })],
  ])('%s: 340 KiB that cannot be compressed, and no more than a row takes', async (path, object) => {
    const world = await aWorld();
    expect((await send(world, 'POST', path, object(340 * 1024))).code).toBe(201);
    const refused = await send(world, 'PUT', `${path}/big`, object(360 * 1024));
    expect([refused.code, refused.body.reason, refused.body.message]).toEqual([
      413,
      'RequestEntityTooLarge',
      expect.stringMatching(
        /^the object takes \d+ bytes compressed, and may take 358400; leave out what can be made again/,
      ),
    ]);
    expect((await send(world, 'GET', `${path}/big`)).body.metadata.resourceVersion).toBe('1');
  });

  test('1 MiB of text, written and read', async () => {
    const world = await aWorld();
    const text = 'a line of text\n'.repeat(69_905);
    expect((await send(world, 'POST', SECRETS, secret('big', { a: text }))).code).toBe(201);
    const { data } = (await send(world, 'GET', `${SECRETS}/big`)).body as unknown as { data: { a: string } };
    expect(Buffer.from(data.a, 'base64').toString()).toBe(text);
  });

  test('no more keys than a request of another kind could have', async () => {
    const world = await aWorld();
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`key-${n}`, '']));
    const refused = await send(world, 'POST', MAPS, map('many', keys(60_000)));
    expect([refused.code, refused.body.message]).toEqual([400, expect.stringMatching(/more than 43690 keys$/)]);
    // Quotes and colons in a value are none.
    const text = JSON.stringify(keys(50_000)).slice(0, 1_000_000);
    expect((await send(world, 'POST', MAPS, map('text', { text }))).code).toBe(201);
  });

  test('a request of more than 3 MiB is not read; of other kinds no more than before', async () => {
    const world = await aWorld();
    const body = (bytes: number) => JSON.stringify(map('big', {})) + ' '.repeat(bytes);
    expect((await send(world, 'POST', MAPS, body(3 * 1024 * 1024))).body.message).toMatch(/limit is 3145728/);
    const services = '/api/v1/namespaces/default/services';
    expect((await send(world, 'POST', services, body(256 * 1024))).body.message).toMatch(/limit is 262144/);
  });
});
