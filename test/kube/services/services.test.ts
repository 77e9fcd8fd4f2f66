import { describe, expect, it, test } from 'vitest';
import { aWorld } from '../a-world.ts';
import { MERGE, type World, send } from '../write/a-client.ts';

const OF_DEFAULT = '/api/v1/namespaces/default/services';
const EVERYWHERE = '/api/v1/services';

/** As KEP-2214 prints it beside its Job. */
const KEP = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'my-job-svc' },
  spec: { clusterIP: 'None', selector: { job: 'my-job' } },
};
const withSpec = (spec: object) => ({ ...KEP, spec: { clusterIP: 'None', ...spec } });

describe('a headless Service', () => {
  test('is stored with the defaults of a cluster, and a warning says what it is for', async () => {
    const world = await aWorld();
    const response = await world.app.request(OF_DEFAULT, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(KEP),
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('warning')).toContain(
      'a Service has no effect here: the indexes of a Job have names below \\"my-job-svc\\" if its spec.template.spec.subdomain is \\"my-job-svc\\", with or without this Service',
    );
    expect(await response.json()).toMatchObject({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'my-job-svc', namespace: 'default', resourceVersion: '1' },
      spec: {
        clusterIP: 'None',
        clusterIPs: ['None'],
        internalTrafficPolicy: 'Cluster',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        selector: { job: 'my-job' },
        sessionAffinity: 'None',
        type: 'ClusterIP',
      },
      status: { loadBalancer: {} },
    });
  });

  test('has all of the verbs', async () => {
    const world = await aWorld();
    const one = `${OF_DEFAULT}/my-job-svc`;
    expect((await send(world, 'POST', OF_DEFAULT, KEP)).code).toBe(201);
    expect((await send(world, 'POST', OF_DEFAULT, KEP)).code).toBe(409);
    const ports = { spec: { ports: [{ port: 80 }, { port: 80, protocol: 'UDP', name: 'u' }] } };
    expect((await send(world, 'PATCH', one, ports, MERGE)).code).toBe(422);
    const named = {
      spec: {
        ports: [
          { port: 80, name: 't' },
          { port: 80, protocol: 'UDP', name: 'u', targetPort: 'x' },
        ],
      },
    };
    const patched = await send(world, 'PATCH', one, named, MERGE);
    expect(patched.body).toMatchObject({
      spec: {
        ports: [
          { name: 't', port: 80, protocol: 'TCP', targetPort: 80 },
          { name: 'u', port: 80, protocol: 'UDP', targetPort: 'x' },
        ],
      },
    });
    expect((await send(world, 'PUT', one, patched.body as object)).code).toBe(200);
    expect(
      (await send(world, 'PUT', one, { ...KEP, metadata: { name: 'my-job-svc', resourceVersion: '1' } })).code,
    ).toBe(409);
    const applied = await send(
      world,
      'PATCH',
      `${one}?fieldManager=me&force=true`,
      withSpec({ ports: [{ port: 81, name: 'z', protocol: 'TCP' }] }),
      'application/apply-patch+yaml',
    );
    expect(applied.code).toBe(200);
    const got = await send(world, 'GET', one);
    expect([got.code, got.body.spec['ports']]).toEqual([200, expect.objectContaining({ length: 3 })]);
    expect((await send(world, 'DELETE', one)).code).toBe(200);
    expect((await world.get(one)).status).toBe(404);
    await send(world, 'POST', OF_DEFAULT, KEP);
    await send(world, 'DELETE', `${OF_DEFAULT}?labelSelector=a=b`);
    expect(await namesIn(world, OF_DEFAULT)).toEqual(['my-job-svc']);
    await send(world, 'DELETE', OF_DEFAULT);
    expect(await namesIn(world, OF_DEFAULT)).toEqual([]);
  });

  test('is shown as kubectl shows one', async () => {
    const world = await aWorld();
    await send(world, 'POST', OF_DEFAULT, KEP);
    const ported = withSpec({
      ports: [
        { port: 80, name: 't' },
        { port: 53, protocol: 'UDP', name: 'u' },
      ],
    });
    await send(world, 'POST', OF_DEFAULT, { ...ported, metadata: { name: 'ported' } });
    const response = await world.app.request(OF_DEFAULT, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    });
    const table = (await response.json()) as {
      columnDefinitions: readonly { name: string }[];
      rows: readonly { cells: readonly string[] }[];
    };
    expect(table.columnDefinitions.map(({ name }) => name)).toEqual([
      'Name',
      'Type',
      'Cluster-IP',
      'External-IP',
      'Port(s)',
      'Age',
      'Selector',
    ]);
    expect(table.rows.map(({ cells }) => cells.filter((_, i) => i !== 5))).toEqual([
      ['my-job-svc', 'ClusterIP', 'None', '<none>', '<none>', 'job=my-job'],
      ['ported', 'ClusterIP', 'None', '<none>', '80/TCP,53/UDP', '<none>'],
    ]);
  });

  test('is found by the fields that kubectl selects by', async () => {
    const world = await aWorld();
    await send(world, 'POST', OF_DEFAULT, KEP);
    expect(await namesIn(world, `${EVERYWHERE}?fieldSelector=spec.clusterIP=None`)).toEqual(['my-job-svc']);
    expect(await namesIn(world, `${EVERYWHERE}?fieldSelector=spec.type=NodePort`)).toEqual([]);
  });

  test('is watched', async () => {
    const world = await aWorld();
    await send(world, 'POST', OF_DEFAULT, KEP);
    const response = await world.app.request(`${OF_DEFAULT}?watch=true&resourceVersion=0&timeoutSeconds=1`);
    const [first] = (await response.text()).trim().split('\n');
    expect(JSON.parse(first ?? '')).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'my-job-svc' } } });
  });

  test('goes with its namespace', async () => {
    const world = await aWorld();
    const path = '/api/v1/namespaces/team/services';
    expect((await send(world, 'POST', path, KEP)).code).toBe(404);
    await send(world, 'POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'team' },
    });
    expect((await send(world, 'POST', path, KEP)).code).toBe(201);
    await send(world, 'DELETE', '/api/v1/namespaces/team');
    expect((await world.get('/api/v1/namespaces/team')).status).toBe(404);
    expect(await namesIn(world, EVERYWHERE)).toEqual([]);
  });
});

async function namesIn(world: World, path: string): Promise<readonly string[]> {
  const answer: unknown = (await send(world, 'GET', path)).body;
  const { items } = answer as { items: readonly { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name);
}

const HEADLESS =
  'must be None: only headless Services are accepted here, beside a Job; nothing routes to the tasks of a Job';
const ROUTED = 'not supported by this version of Muster; leave it out: nothing routes to the tasks of a Job';
describe('what routes is refused', () => {
  it.each<[string, object, readonly (readonly [string, string])[]]>([
    ['a cluster IP', { clusterIP: undefined }, [['spec.clusterIP', `Required value: ${HEADLESS}`]]],
    ['an address', { clusterIP: '10.0.0.1' }, [['spec.clusterIP', `Invalid value: "10.0.0.1": ${HEADLESS}`]]],
    ...['NodePort', 'LoadBalancer', 'ExternalName'].map(
      (type): [string, object, readonly (readonly [string, string])[]] => [
        type,
        { type, clusterIP: undefined },
        [
          [
            'spec.type',
            `Forbidden: ${type} is not served: only headless Services are accepted here, with clusterIP: None`,
          ],
        ],
      ],
    ),
    ['an unknown type', { type: 'X' }, [['spec.type', 'Unsupported value: "X": supported values: "ClusterIP"']]],
    ['an external IP', { externalIPs: ['1.2.3.4'] }, [['spec.externalIPs', `Forbidden: ${ROUTED}`]]],
    [
      'a node port',
      { ports: [{ port: 80, nodePort: 30_000 }] },
      [['spec.ports[0].nodePort', 'Forbidden: may not be used when `type` is ClusterIP']],
    ],
    [
      'a port that is none',
      { ports: [{ port: 70_000 }] },
      [['spec.ports[0].port', 'Invalid value: 70000: must be between 1 and 65535, inclusive']],
    ],
    [
      'ports without names, and one twice',
      { ports: [{ port: 80 }, { port: 80 }] },
      [
        ['spec.ports[0].name', 'Required value'],
        ['spec.ports[1].name', 'Required value'],
        ['spec.ports[1]', 'Duplicate value: {"protocol":"TCP","port":80}'],
      ],
    ],
  ])('%s', async (_, spec, causes) => {
    const world = await aWorld();
    const answer = await send(world, 'POST', OF_DEFAULT, withSpec(spec));
    expect([answer.code, answer.body.reason]).toEqual([422, 'Invalid']);
    expect(answer.body.details?.causes?.map(({ field, message }) => [field, message])).toEqual(causes);
    expect(await namesIn(world, EVERYWHERE)).toEqual([]);
  });

  test('a name that is no label of DNS', async () => {
    const world = await aWorld();
    for (const name of ['a.b', '1a', 'A'])
      expect(
        (await send(world, 'POST', OF_DEFAULT, { ...KEP, metadata: { name } })).body.details?.causes,
      ).toMatchObject([{ field: 'metadata.name', message: expect.stringContaining('a DNS-1035 label') as unknown }]);
  });
});

it.each([
  OF_DEFAULT,
  EVERYWHERE,
  '/api/v1/namespaces/kube-system/services?labelSelector=kubernetes.io/cluster-service=true',
])('there are none at first: %s', async (path) => {
  const { app } = await aWorld();
  const response = await app.request(path);
  expect([response.status, await response.json()]).toMatchObject([200, { kind: 'ServiceList', items: [] }]);
});

it.each(['labelSelector=a%3D%3D%3Db', 'fieldSelector=spec.ports%3D1', 'limit=x', 'resourceVersion=x'])(
  '?%s: 400',
  async (query) => {
    const { app } = await aWorld();
    expect((await app.request(`${OF_DEFAULT}?${query}`)).status).toBe(400);
  },
);
