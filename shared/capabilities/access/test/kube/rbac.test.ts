import { describe, expect, test } from 'vitest';
import { aWorld, linesOf } from '../../../../../test/kube/a-world.ts';
import { APPLY, MERGE, type World, send } from '../../../../../test/kube/write/a-client.ts';

const GROUP = '/apis/rbac.authorization.k8s.io/v1';
const ROLES = `${GROUP}/namespaces/default/roles`;
const BINDINGS = `${GROUP}/namespaces/default/rolebindings`;
const CLUSTER_ROLES = `${GROUP}/clusterroles`;
const CLUSTER_BINDINGS = `${GROUP}/clusterrolebindings`;
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

const RULES = [{ verbs: ['get'], apiGroups: ['batch'], resources: ['jobs'] }];
const ROLE_REF = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
const SUBJECTS = [
  { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'ann' },
  { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'bob' },
  { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'ops' },
  { kind: 'ServiceAccount', name: 'bot', namespace: 'default' },
];

/** Each kind with an object, and a change of it. */
const KINDS: readonly (readonly [path: string, kind: string, content: object, change: object])[] = [
  [ROLES, 'Role', { rules: RULES }, { rules: [] }],
  [CLUSTER_ROLES, 'ClusterRole', { rules: RULES }, { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }],
  [BINDINGS, 'RoleBinding', { roleRef: ROLE_REF, subjects: SUBJECTS }, { subjects: SUBJECTS.slice(0, 1) }],
  [CLUSTER_BINDINGS, 'ClusterRoleBinding', { roleRef: ROLE_REF, subjects: SUBJECTS }, { subjects: SUBJECTS.slice(1) }],
  [ACCOUNTS, 'ServiceAccount', {}, { automountServiceAccountToken: false }],
];

async function namesIn(world: World, path: string): Promise<readonly string[]> {
  const answer = (await (await world.get(path)).json()) as { items: readonly { metadata: { name: string } }[] };
  return answer.items.map(({ metadata }) => metadata.name);
}

describe.each(KINDS)('%s', (path, kind, content, change) => {
  const apiVersion = path.startsWith(GROUP) ? 'rbac.authorization.k8s.io/v1' : 'v1';
  const object = { apiVersion, kind, metadata: { name: 'own.x', labels: { app: 'x' } }, ...content };
  const one = `${path}/own.x`;

  test('has all of the verbs', async () => {
    const world = await aWorld();
    const made = await send(world, 'POST', path, object);
    expect([made.code, made.body]).toMatchObject([201, { apiVersion, kind, ...content }]);
    expect((await send(world, 'POST', path, object)).code).toBe(409);
    expect((await send(world, 'GET', one)).body).toEqual(made.body);
    const merged = await send(world, 'PATCH', one, change, MERGE);
    expect([merged.code, merged.body]).toMatchObject([200, change]);
    expect(merged.body.metadata.uid).toBe(made.body.metadata.uid);
    expect((await send(world, 'PUT', one, made.body as object)).code).toBe(409);
    const put = await send(world, 'PUT', one, object);
    expect([put.code, put.body]).toMatchObject([200, content]);
    const same = await send(world, 'PUT', one, object);
    expect(same.body.metadata.resourceVersion).toBe(put.body.metadata.resourceVersion);
    const labels = [{ op: 'add', path: '/metadata/labels/b', value: 'c' }];
    expect((await send(world, 'PATCH', one, labels, 'application/json-patch+json')).body.metadata.labels).toEqual({
      app: 'x',
      b: 'c',
    });
    const strategic = await send(world, 'PATCH', one, change, 'application/strategic-merge-patch+json');
    expect([strategic.code, strategic.body]).toMatchObject([200, change]);
    const applied = await send(world, 'PATCH', `${one}?fieldManager=me&force=true`, object, APPLY);
    expect([applied.code, applied.body]).toMatchObject([200, content]);
    const born = { ...object, metadata: { name: 'new' } };
    expect((await send(world, 'PATCH', `${path}/new?fieldManager=me`, born, APPLY)).code).toBe(201);
    expect(await namesIn(world, `${path}?labelSelector=app%3Dx`)).toEqual(['own.x']);
    expect(await namesIn(world, `${path}?fieldSelector=metadata.name%3Dnew`)).toEqual(['new']);
    expect((await send(world, 'DELETE', `${path}?labelSelector=app`)).code).toBe(200);
    expect((await world.get(one)).status).toBe(404);
    expect((await send(world, 'DELETE', `${path}/new`)).code).toBe(200);
    expect((await world.get(`${path}/new`)).status).toBe(404);
  });

  test('is checked by a dry run, and nothing is stored', async () => {
    const world = await aWorld();
    expect((await send(world, 'POST', `${path}?dryRun=All`, object)).code).toBe(201);
    expect((await world.get(one)).status).toBe(404);
    await send(world, 'POST', path, object);
    expect((await send(world, 'POST', `${path}?dryRun=All`, object)).code).toBe(409);
    expect((await send(world, 'DELETE', `${one}?dryRun=All`)).code).toBe(200);
    expect((await world.get(one)).status).toBe(200);
  });

  test('is watched', async () => {
    const world = await aWorld();
    const { resourceVersion } = (await send(world, 'POST', path, object)).body.metadata;
    await send(world, 'PATCH', one, change, MERGE);
    await send(world, 'DELETE', one);
    const events = await linesOf(
      await world.get(`${path}?watch=1&timeoutSeconds=1&resourceVersion=${resourceVersion}`),
    );
    expect(events.map(({ type }) => type)).toEqual(['MODIFIED', 'DELETED']);
    expect(events[0]).toMatchObject({ object: { kind, ...change } });
  });
});

test('tables have the columns of a cluster', async () => {
  const world = await aWorld();
  for (const [path, kind, content] of KINDS)
    await send(world, 'POST', path, { kind, metadata: { name: 'own' }, ...content });
  const cellsOf = async (path: string) => {
    const response = await world.get(`${path}/own`, { accept: TABLE });
    const { columnDefinitions, rows } = (await response.json()) as {
      columnDefinitions: readonly { name: string; priority: number }[];
      rows: readonly { cells: readonly unknown[] }[];
    };
    return [columnDefinitions.map(({ name, priority }) => (priority === 1 ? `(${name})` : name)), rows[0]?.cells];
  };
  const role = [
    ['Name', 'Created At'],
    ['own', '2023-11-14T22:13:20Z'],
  ];
  expect(await cellsOf(ROLES)).toEqual(role);
  expect(await cellsOf(CLUSTER_ROLES)).toEqual(role);
  const binding = [
    ['Name', 'Role', 'Age', '(Users)', '(Groups)', '(ServiceAccounts)'],
    ['own', 'ClusterRole/view', '0s', 'ann, bob', 'ops', 'default/bot'],
  ];
  expect(await cellsOf(BINDINGS)).toEqual(binding);
  expect(await cellsOf(CLUSTER_BINDINGS)).toEqual(binding);
  expect(await cellsOf(ACCOUNTS)).toEqual([
    ['Name', 'Secrets', 'Age'],
    ['own', '0', '0s'],
  ]);
});

test('all go with their namespace, and what is in none stays', async () => {
  const world = await aWorld();
  const at = (path: string) => path.replace('/namespaces/default', '/namespaces/team');
  for (const [path, kind, content] of KINDS.filter(([each]) => at(each) !== each))
    expect((await send(world, 'POST', at(path), { kind, metadata: { name: 'own' }, ...content })).code).toBe(404);
  await send(world, 'POST', '/api/v1/namespaces', { metadata: { name: 'team' } });
  for (const [path, kind, content] of KINDS)
    expect((await send(world, 'POST', at(path), { kind, metadata: { name: 'own' }, ...content })).code).toBe(201);
  await send(world, 'DELETE', '/api/v1/namespaces/team');
  expect((await world.get('/api/v1/namespaces/team')).status).toBe(404);
  for (const plural of ['roles', 'rolebindings']) expect(await namesIn(world, `${GROUP}/${plural}`)).toEqual([]);
  expect(await namesIn(world, '/api/v1/serviceaccounts')).toEqual(['default']);
  expect(await namesIn(world, CLUSTER_ROLES)).toContain('own');
});

test('a ClusterRole may name a namespace, which is left out', async () => {
  const world = await aWorld();
  const object = { metadata: { name: 'own', namespace: 'default' }, rules: RULES };
  const made = await send(world, 'POST', CLUSTER_ROLES, object);
  expect([made.code, 'namespace' in made.body.metadata]).toEqual([201, false]);
  expect((await send(world, 'PUT', `${CLUSTER_ROLES}/own`, object)).code).toBe(200);
  const config = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', ...object };
  expect((await send(world, 'PATCH', `${CLUSTER_ROLES}/own?fieldManager=me&force=1`, config, APPLY)).code).toBe(200);
});

test('a role of a binding cannot be changed', async () => {
  const world = await aWorld();
  await send(world, 'POST', BINDINGS, { metadata: { name: 'own' }, roleRef: ROLE_REF });
  const answer = await send(world, 'PATCH', `${BINDINGS}/own`, { roleRef: { name: 'edit' } }, MERGE);
  expect([answer.code, answer.body.message]).toEqual([
    422,
    'RoleBinding.rbac.authorization.k8s.io "own" is invalid: roleRef: Invalid value: {"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"edit"}: cannot change roleRef',
  ]);
});

test('names have nearly any characters', async () => {
  const world = await aWorld();
  const names = ['Team A', 'a:b', 'system:ü', '~'];
  for (const name of names)
    expect((await send(world, 'POST', ROLES, { metadata: { name }, rules: [] })).code).toBe(201);
  expect(await namesIn(world, ROLES)).toEqual(names);
  for (const name of names)
    expect((await send(world, 'GET', `${ROLES}/${encodeURIComponent(name)}`)).body.metadata.name).toBe(name);
});

describe('the roles and bindings that always exist', () => {
  const BOTH = [
    [CLUSTER_ROLES, 'view', 'clusterroles'],
    [CLUSTER_BINDINGS, 'system:discovery', 'clusterrolebindings'],
  ] as const;

  test('the roles that always exist are listed among the others', async () => {
    const world = await aWorld();
    await send(world, 'POST', CLUSTER_ROLES, { metadata: { name: 'own' }, rules: RULES });
    expect(await namesIn(world, CLUSTER_ROLES)).toEqual([
      'admin',
      'cluster-admin',
      'edit',
      'own',
      'system:basic-user',
      'system:discovery',
      'system:public-info-viewer',
      'view',
    ]);
    expect(await namesIn(world, `${CLUSTER_BINDINGS}?labelSelector=kubernetes.io/bootstrapping`)).toEqual([
      'cluster-admin',
      'system:basic-user',
      'system:discovery',
      'system:public-info-viewer',
    ]);
    expect((await send(world, 'GET', `${CLUSTER_ROLES}/view`)).body).toMatchObject({
      kind: 'ClusterRole',
      metadata: {
        labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
        creationTimestamp: '2023-11-14T22:13:20Z',
        uid: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/) as unknown,
      },
    });
    expect(await namesIn(world, ROLES)).toEqual([]);
  });

  test('are listed page by page, and a watch begins with them', async () => {
    const world = await aWorld();
    const found: string[] = [];
    for (let token = ''; ; ) {
      const page = (await (await world.get(`${CLUSTER_ROLES}?limit=3&continue=${token}`)).json()) as {
        metadata: { continue?: string };
        items: readonly { metadata: { name: string } }[];
      };
      found.push(...page.items.map(({ metadata }) => metadata.name));
      token = page.metadata.continue ?? '';
      if (token === '') break;
    }
    expect(found).toEqual(await namesIn(world, CLUSTER_ROLES));
    const events = await linesOf(await world.get(`${CLUSTER_ROLES}?watch=1&timeoutSeconds=1`));
    expect(events.map(({ type }) => type)).toEqual(found.map(() => 'ADDED'));
  });

  test.each(BOTH)('of %s cannot be changed', async (path, name, plural) => {
    const world = await aWorld();
    const before = (await send(world, 'GET', `${path}/${name}`)).body;
    const refused = {
      code: 403,
      body: {
        message: `${plural}.rbac.authorization.k8s.io "${name}" is forbidden: it always exists and cannot be changed or deleted; create one of another name, and bind that`,
      },
    };
    expect(await send(world, 'DELETE', `${path}/${name}`)).toMatchObject(refused);
    expect(await send(world, 'PATCH', `${path}/${name}`, { metadata: { labels: { a: 'b' } } }, MERGE)).toMatchObject(
      refused,
    );
    expect(await send(world, 'PUT', `${path}/${name}`, { ...before, metadata: { name } } as object)).toMatchObject(
      refused,
    );
    expect((await send(world, 'POST', path, { ...before, metadata: { name } } as object)).code).toBe(409);
    expect((await send(world, 'POST', `${path}?dryRun=All`, { ...before, metadata: { name } } as object)).code).toBe(
      409,
    );
    expect((await send(world, 'DELETE', path)).code).toBe(200);
    expect((await send(world, 'GET', `${path}/${name}`)).body).toEqual(before);
  });
});

describe('the ServiceAccount default', () => {
  const DEFAULT = `${ACCOUNTS}/default`;

  test('is there without being stored, may be changed, and stays the same object', async () => {
    const world = await aWorld();
    const before = (await send(world, 'GET', DEFAULT)).body;
    expect(before).toMatchObject({ kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' } });
    expect((await send(world, 'POST', ACCOUNTS, { metadata: { name: 'default' } })).code).toBe(409);
    const changed = await send(world, 'PATCH', DEFAULT, { metadata: { annotations: { a: 'b' } } }, MERGE);
    expect([changed.code, changed.body.metadata]).toMatchObject([
      200,
      { uid: before.metadata.uid, annotations: { a: 'b' } },
    ]);
    expect(await namesIn(world, ACCOUNTS)).toEqual(['default']);
    expect((await send(world, 'GET', DEFAULT)).body).toEqual(changed.body);
  });

  test('is there again when it is deleted, as it was at first', async () => {
    const world = await aWorld();
    expect((await send(world, 'DELETE', DEFAULT)).code).toBe(200);
    await send(world, 'PATCH', DEFAULT, { metadata: { annotations: { a: 'b' } } }, MERGE);
    expect((await send(world, 'DELETE', DEFAULT)).code).toBe(200);
    expect((await send(world, 'GET', DEFAULT)).body.metadata.annotations).toBeUndefined();
    const events = await linesOf(await world.get(`${ACCOUNTS}?watch=1&timeoutSeconds=1&resourceVersion=1`));
    expect(events.map(({ type }) => type)).toEqual(['DELETED', 'ADDED']);
  });

  test('of a new namespace is heard of by a watch of all', async () => {
    const world = await aWorld();
    await send(world, 'POST', ACCOUNTS, { metadata: { name: 'bot' } });
    await send(world, 'POST', '/api/v1/namespaces', { metadata: { name: 'team' } });
    const events = await linesOf(await world.get('/api/v1/serviceaccounts?watch=1&timeoutSeconds=1&resourceVersion=1'));
    expect(events).toMatchObject([{ type: 'ADDED', object: { metadata: { name: 'default', namespace: 'team' } } }]);
    expect(await namesIn(world, '/api/v1/serviceaccounts')).toEqual(['bot', 'default', 'default']);
  });
});
