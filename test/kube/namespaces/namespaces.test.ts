import { describe, expect, test } from 'vitest';
import { watchStored } from '../../../shared/kube/list/stored-objects.ts';
import { openNamespace } from '../../support/a-namespace.ts';
import { type World, aWorld, linesOf, manifest } from '../a-world.ts';

const PATH = '/api/v1/namespaces';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

type Body = Readonly<Record<string, unknown>> & { readonly metadata: Readonly<Record<string, unknown>> };

const send = (world: World, method: string, path: string, body?: unknown, type = 'application/json') =>
  world.app.request(path, {
    method,
    headers: { 'content-type': type },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
const bodyOf = async (response: Response | Promise<Response>): Promise<Body> => (await (await response).json()) as Body;
const create = (world: World, name: string, metadata: object = {}) =>
  world.post(PATH, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, ...metadata } });
const label = (world: World, name: string, labels: object) =>
  send(world, 'PATCH', `${PATH}/${name}`, { metadata: { labels } }, 'application/merge-patch+json');
const namesIn = async (response: Response | Promise<Response>): Promise<readonly unknown[]> => {
  const { items } = await bodyOf(response);
  return (items as readonly Body[]).map(({ metadata }) => metadata['name']);
};
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const jobsOf = (name: string): string => `/apis/batch/v1/namespaces/${name}/jobs`;

describe('namespaces are read', () => {
  test('as a list, one by one, and with their status', async () => {
    const world = await aWorld();
    await create(world, 'team');
    const list = await bodyOf(world.get(PATH));
    expect(list).toMatchObject({ kind: 'NamespaceList', apiVersion: 'v1', metadata: { resourceVersion: '2' } });
    expect(await namesIn(world.get(PATH))).toEqual(['default', 'team']);
    const one = await bodyOf(world.get(`${PATH}/default`));
    expect(one).toEqual({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: 'default',
        uid: 'uid-of-default',
        resourceVersion: '1',
        creationTimestamp: '2023-11-14T22:13:20Z',
        labels: { 'kubernetes.io/metadata.name': 'default' },
      },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
    expect(await bodyOf(world.get(`${PATH}/default/status`))).toEqual(one);
  });

  test('page by page', async () => {
    const world = await aWorld();
    for (const name of ['a', 'b', 'c', 'd']) await create(world, name);
    const names: unknown[] = [];
    let token = '';
    do {
      const page = await bodyOf(world.get(`${PATH}?limit=2${token === '' ? '' : `&continue=${token}`}`));
      names.push(...(page['items'] as readonly Body[]).map(({ metadata }) => metadata['name']));
      expect(page.metadata['resourceVersion']).toBe('5');
      token = textOf(page.metadata['continue']);
      if (names.length === 2) await send(world, 'DELETE', `${PATH}/c`); // the next one
    } while (token !== '');
    expect(names).toEqual(['a', 'b', 'd', 'default']);
  });

  test('as a table', async () => {
    const world = await aWorld();
    await create(world, 'team');
    const table = await bodyOf(world.get(PATH, { accept: TABLE }));
    expect((table['columnDefinitions'] as { name: string }[]).map(({ name }) => name)).toEqual([
      'Name',
      'Status',
      'Age',
    ]);
    expect((table['rows'] as { cells: unknown[] }[]).map(({ cells }) => cells)).toEqual([
      ['default', 'Active', '0s'],
      ['team', 'Active', '0s'],
    ]);
    const row = await bodyOf(world.get(`${PATH}/team`, { accept: TABLE }));
    expect((row['rows'] as { cells: unknown[] }[]).map(({ cells }) => cells[0])).toEqual(['team']);
  });

  test.each([
    ['labelSelector=tier=gold', ['b']],
    ['labelSelector=tier!=gold', ['a', 'default', 'held']],
    ['labelSelector=kubernetes.io/metadata.name%20in%20(a,b)', ['a', 'b']],
    ['fieldSelector=metadata.name=a', ['a']],
    ['fieldSelector=name=a', ['a']],
    ['fieldSelector=status.phase=Terminating', ['held']],
    ['fieldSelector=status.phase=Active,metadata.name!=a', ['b', 'default']],
  ])('by selector: %s', async (query, names) => {
    const world = await aWorld();
    await create(world, 'a');
    await create(world, 'b', { labels: { tier: 'gold' } });
    await create(world, 'held', { finalizers: ['example.com/x'] });
    await send(world, 'DELETE', `${PATH}/held`);
    expect(await namesIn(world.get(`${PATH}?${query}`))).toEqual(names);
  });

  test.each(['nobody', 'UPPER', 'a.b', '%20', 'x'.repeat(2_000), '%F0%9F%98%80', '!'])(
    '%s is not found',
    async (name) => {
      const world = await aWorld();
      const response = await world.get(`${PATH}/${name}`);
      expect(response.status).toBe(404);
      const found = await bodyOf(response);
      expect(found).toMatchObject({ kind: 'Status', reason: 'NotFound', details: { kind: 'namespaces' } });
      expect(found['message']).toBe(`namespaces "${decodeURIComponent(name)}" not found`);
      expect((await world.get(jobsOf(name))).status).toBe(200);
    },
  );
});

describe('a namespace is created', () => {
  test('from JSON, from YAML, and with a name that is made', async () => {
    const world = await aWorld();
    const made = await create(world, 'team', { labels: { a: 'b' } });
    expect(made.status).toBe(201);
    expect(await bodyOf(made)).toMatchObject({
      metadata: { name: 'team', resourceVersion: '2', labels: { a: 'b', 'kubernetes.io/metadata.name': 'team' } },
      status: { phase: 'Active' },
    });
    const yaml = 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: yam\n';
    expect((await send(world, 'POST', PATH, yaml, 'application/yaml')).status).toBe(201);
    const generated = await bodyOf(world.post(PATH, { metadata: { generateName: 'gen-' } }));
    expect(generated.metadata['name']).toMatch(/^gen-[a-z0-9]{5}$/);
    expect(await bodyOf(world.post(jobsOf('team'), manifest('work')))).toMatchObject({
      metadata: { namespace: 'team' },
    });
  });

  test('once', async () => {
    const world = await aWorld();
    await create(world, 'team');
    const again = await create(world, 'team');
    expect(again.status).toBe(409);
    expect(await bodyOf(again)).toMatchObject({
      reason: 'AlreadyExists',
      message: 'namespaces "team" already exists',
      details: { name: 'team', kind: 'namespaces' },
    });
  });

  test('not with an invalid name, nor with unknown fields', async () => {
    const world = await aWorld();
    const bad = await create(world, 'Team');
    expect(bad.status).toBe(422);
    const refusal = await bodyOf(bad);
    expect(refusal['message']).toContain(
      'Namespace "Team" is invalid: metadata.name: Invalid value: "Team": a lowercase',
    );
    const strange = await world.post(`${PATH}?fieldValidation=Strict`, { metadata: { name: 'team' }, spce: {} });
    expect(strange.status).toBe(400);
    const warned = await world.post(PATH, { metadata: { name: 'team' }, spce: {} });
    expect(warned.headers.get('warning')).toBe('299 - "unknown field \\"spce\\""');
    expect(await namesIn(world.get(PATH))).toEqual(['default', 'team']);
  });

  test('only to see what would be: nothing is stored', async () => {
    const world = await aWorld();
    const tried = await world.post(`${PATH}?dryRun=All`, { metadata: { name: 'team' } });
    expect(tried.status).toBe(201);
    expect(await bodyOf(tried)).toMatchObject({ metadata: { name: 'team' }, status: { phase: 'Active' } });
    expect((await world.post(`${PATH}?dryRun=All`, { metadata: { name: 'default' } })).status).toBe(409);
    expect(await namesIn(world.get(PATH))).toEqual(['default']);
  });
});

describe('a namespace is changed', () => {
  test('in its labels and annotations; what changes nothing is no change', async () => {
    const world = await aWorld();
    await create(world, 'team');
    const changed = await bodyOf(label(world, 'team', { tier: 'gold', 'kubernetes.io/metadata.name': 'x' }));
    expect(changed.metadata).toMatchObject({
      resourceVersion: '3',
      labels: { tier: 'gold', 'kubernetes.io/metadata.name': 'team' },
    });
    expect((await bodyOf(label(world, 'team', { tier: 'gold' }))).metadata['resourceVersion']).toBe('3');
    expect(await bodyOf(world.get(`${PATH}/team`))).toEqual(changed);
    const strategic = { metadata: { annotations: { note: 'x' } } };
    const patched = send(world, 'PATCH', `${PATH}/team`, strategic, 'application/strategic-merge-patch+json');
    expect((await bodyOf(patched)).metadata).toMatchObject({ resourceVersion: '4', annotations: { note: 'x' } });
  });

  test('by PUT of what was read, unless another client was faster', async () => {
    const world = await aWorld();
    await create(world, 'team');
    const read = await bodyOf(world.get(`${PATH}/team`));
    const put = { ...read, metadata: { ...read.metadata, labels: { tier: 'gold' } }, status: { phase: 'Terminating' } };
    const replaced = await send(world, 'PUT', `${PATH}/team`, put);
    expect(replaced.status).toBe(200);
    expect(await bodyOf(replaced)).toMatchObject({
      metadata: { labels: { tier: 'gold' } },
      status: { phase: 'Active' },
    });
    const late = await send(world, 'PUT', `${PATH}/team`, put);
    expect(late.status).toBe(409);
    expect((await bodyOf(late))['message']).toBe(
      'Operation cannot be fulfilled on namespaces "team": the object has been modified; please apply your changes to the latest version and try again',
    );
    expect((await send(world, 'PUT', `${PATH}/nobody`, { ...put, metadata: { name: 'nobody' } })).status).toBe(404);
  });

  test('by server-side apply, which also makes it', async () => {
    const world = await aWorld();
    const apply = (labels: object) =>
      send(
        world,
        'PATCH',
        `${PATH}/team?fieldManager=kubectl`,
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team', labels } },
        'application/apply-patch+yaml',
      );
    expect((await apply({ a: 'b' })).status).toBe(201);
    const again = await apply({ c: 'd' });
    expect(again.status).toBe(200);
    expect((await bodyOf(again)).metadata['labels']).toEqual({ c: 'd', 'kubernetes.io/metadata.name': 'team' });
  });
});

describe('a namespace is deleted', () => {
  test('with everything in it; it is answered as it goes', async () => {
    const world = await aWorld();
    const made = await bodyOf(create(world, 'team'));
    await world.post(jobsOf('team'), manifest('one'));
    await world.post(jobsOf('team'), manifest('two'));
    await world.post(jobsOf('default'), manifest('stays'));
    const gone = await send(world, 'DELETE', `${PATH}/team`, { propagationPolicy: 'Background' });
    expect(gone.status).toBe(200);
    expect(await bodyOf(gone)).toMatchObject({
      kind: 'Namespace',
      metadata: { name: 'team', uid: made.metadata['uid'], deletionTimestamp: '2023-11-14T22:13:20Z' },
      status: { phase: 'Terminating' },
    });
    expect((await world.get(`${PATH}/team`)).status).toBe(404);
    expect(await namesIn(world.get(jobsOf('team')))).toEqual([]);
    expect(await namesIn(world.get('/apis/batch/v1/jobs'))).toEqual(['stays']);
    expect((await send(world, 'DELETE', `${PATH}/team`)).status).toBe(404);
    expect((await create(world, 'team')).status).toBe(201);
    expect((await world.post(jobsOf('team'), manifest('one'))).status).toBe(201);
  });

  test('later, if something in it holds it; nothing is created in the meantime', async () => {
    const world = await aWorld();
    await create(world, 'team');
    await world.post(
      jobsOf('team'),
      manifest('held', {}, { metadata: { name: 'held', finalizers: ['example.com/x'] } }),
    );
    expect((await send(world, 'DELETE', `${PATH}/team`)).status).toBe(200);
    const held = await bodyOf(world.get(`${PATH}/team`));
    expect(held).toMatchObject({ status: { phase: 'Terminating' } });
    const again = await send(world, 'DELETE', `${PATH}/team`);
    expect([again.status, await bodyOf(again)]).toEqual([200, held]);
    for (const query of ['', '?dryRun=All']) {
      const late = await world.post(`${jobsOf('team')}${query}`, manifest('late'));
      expect(late.status).toBe(403);
      expect(await bodyOf(late)).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message:
          'jobs.batch "late" is forbidden: unable to create new content in namespace team because it is being terminated',
        reason: 'Forbidden',
        details: {
          name: 'late',
          group: 'batch',
          kind: 'jobs',
          causes: [
            {
              reason: 'NamespaceTerminating',
              message: 'namespace team is being terminated',
              field: 'metadata.namespace',
            },
          ],
        },
        code: 403,
      });
    }
    const release = { metadata: { finalizers: null } };
    await send(world, 'PATCH', `${jobsOf('team')}/held`, release, 'application/merge-patch+json');
    await send(world, 'DELETE', `${PATH}/team`); // or the sweep, within a minute
    expect((await world.get(`${PATH}/team`)).status).toBe(404);
  });

  test('when its own last finalizer is taken away', async () => {
    const world = await aWorld();
    await create(world, 'team', { finalizers: ['example.com/x'] });
    await send(world, 'DELETE', `${PATH}/team`);
    expect(await bodyOf(world.get(`${PATH}/team`))).toMatchObject({ status: { phase: 'Terminating' } });
    const release = { metadata: { finalizers: null } };
    const released = await send(world, 'PATCH', `${PATH}/team`, release, 'application/merge-patch+json');
    expect(released.status).toBe(200);
    expect((await world.get(`${PATH}/team`)).status).toBe(404);
  });

  test('never, if it is the default one', async () => {
    const world = await aWorld();
    const refused = await send(world, 'DELETE', `${PATH}/default`);
    expect(refused.status).toBe(403);
    expect(await bodyOf(refused)).toMatchObject({
      reason: 'Forbidden',
      message: 'namespaces "default" is forbidden: this namespace may not be deleted',
      details: { name: 'default', kind: 'namespaces' },
    });
    expect(await namesIn(world.get(PATH))).toEqual(['default']);
  });

  test('only if it is the one that is meant, and not without what is in it', async () => {
    const world = await aWorld();
    await create(world, 'team');
    const remove = (body: object) => send(world, 'DELETE', `${PATH}/team`, body);
    expect((await remove({ preconditions: { uid: 'another' } })).status).toBe(409);
    expect((await remove({ preconditions: { resourceVersion: '1' } })).status).toBe(409);
    expect((await remove({ propagationPolicy: 'Orphan' })).status).toBe(400);
    expect((await remove({ dryRun: ['All'] })).status).toBe(200);
    expect((await send(world, 'DELETE', PATH)).status).toBe(405);
    expect(await bodyOf(world.get(`${PATH}/team`))).toMatchObject({ status: { phase: 'Active' } });
  });
});

describe('namespaces are watched', () => {
  const told = async (response: Response | Promise<Response>) =>
    (await linesOf(await response)).map(({ type, object }) => {
      const { metadata, status } = object as Body & { readonly status?: { readonly phase: string } };
      return `${String(type)} ${textOf(metadata['name'])} ${status?.phase ?? ''}@${textOf(metadata['resourceVersion'])}`;
    });

  test('from a version on: what comes, changes, is being deleted, and has gone', async () => {
    const world = await aWorld();
    await create(world, 'team');
    await label(world, 'team', { a: 'b' });
    await send(world, 'DELETE', `${PATH}/team`);
    const watched = await told(
      world.get(`${PATH}?watch=true&resourceVersion=1&timeoutSeconds=1&allowWatchBookmarks=true`),
    );
    expect(watched).toEqual([
      'ADDED team Active@2',
      'MODIFIED team Active@3',
      'MODIFIED team Terminating@4',
      'DELETED team Terminating@5',
      'BOOKMARK  @5',
    ]);
  });

  test('from what there is', async () => {
    const world = await aWorld();
    await create(world, 'team');
    expect(await told(world.get(`${PATH}?watch=true&timeoutSeconds=1`))).toEqual([
      'ADDED default Active@1',
      'ADDED team Active@2',
    ]);
    expect(await told(world.get(`${PATH}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name=team`))).toEqual([
      'ADDED team Active@2',
    ]);
  });

  test('by labels and by phase: what begins to match is added, what no longer matches is deleted', async () => {
    const world = await aWorld();
    await create(world, 'team', { finalizers: ['example.com/x'] });
    await label(world, 'team', { a: 'b' });
    await label(world, 'team', { c: 'd' });
    await label(world, 'team', { a: null });
    await send(world, 'DELETE', `${PATH}/team`);
    await label(world, 'team', { e: 'f' });
    const query = 'watch=true&resourceVersion=1&timeoutSeconds=1';
    expect(await told(world.get(`${PATH}?${query}&labelSelector=a=b`))).toEqual([
      'ADDED team Active@3',
      'MODIFIED team Active@4',
      'DELETED team Active@5',
    ]);
    expect(await told(world.get(`${PATH}?${query}&fieldSelector=status.phase=Active`))).toEqual([
      'ADDED team Active@2',
      'MODIFIED team Active@3',
      'MODIFIED team Active@4',
      'MODIFIED team Active@5',
      'DELETED team Terminating@6',
    ]);
    expect(await told(world.get(`${PATH}?${query}&fieldSelector=status.phase=Terminating`))).toEqual([
      'ADDED team Terminating@6',
      'MODIFIED team Terminating@7',
    ]);
  });

  test('without telling again what was shown at first', async () => {
    const { objects } = await aWorld();
    const selection = { kind: 'Namespace', apiVersion: 'v1', namespace: null, matches: () => true } as const;
    const watch = watchStored(selection, objects);
    const head = await objects.head('Namespace');
    for (const name of ['early', 'late']) await openNamespace(objects, name); // between the head and the existing objects
    const told: string[] = [];
    for await (const { metadata } of watch.present()) told.push(metadata.name);
    await openNamespace(objects, 'later');
    const page = await objects.changes('Namespace', head, 10);
    for (const row of page.kind === 'rows' ? page.rows : [])
      for await (const { type, object } of watch.changes(row)) told.push(`${type} ${object.metadata.name}`);
    expect(told).toEqual(['default', 'early', 'late', 'ADDED later']);
  });
});
