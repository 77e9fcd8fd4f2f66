import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import type { ApiDeps } from '../../../shared/kube/http/api-deps.ts';
import { listOrWatch } from '../../../shared/kube/list/collection-routes.ts';
import type { Collection } from '../../../shared/kube/list/collection.ts';
import type { KubeObject } from '../../../shared/kube/http/kube-object.ts';
import type { PageRequest } from '../../../shared/kube/list/list-page.ts';
import { createOpenStreams } from '../../../shared/kube/http/streams.ts';
import { NAMESPACE_PRINTER } from '../../../shared/kube/namespaces/namespace-printer.ts';
import { encodePlace } from '../../../shared/schema/object/list-place.ts';
import { JOBS, PODS, START, type World, aWorld, manifest } from '../a-world.ts';
import { openNamespace } from '../../support/a-namespace.ts';

type List = {
  kind: string;
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  items: { metadata: { name: string } }[];
};
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** A collection of `size` objects that counts its requests; page number `breaksAt` cannot be read. */
function many(size: number, breaksAt = Number.POSITIVE_INFINITY) {
  const asked: PageRequest[] = [];
  const warnings: unknown[] = [];
  const objectAt = (i: number): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name: `thing-${i}`, uid: `uid-${i}`, resourceVersion: '7', creationTimestamp: '2023-11-14T22:13:20Z' },
    status: { phase: 'Active' },
  });
  const collection: Collection = {
    resource: { group: '', plural: 'things', kind: 'Thing' },
    apiVersion: 'v1',
    printer: NAMESPACE_PRINTER,
    async list(page) {
      asked.push(page);
      if (asked.length > breaksAt) throw new Error('throttled');
      const first = page.from === null ? 0 : Number(page.from.job.name);
      const end = Math.min(first + page.limit, size);
      const items = Array.from({ length: end - first }, (_, i) => objectAt(first + i));
      const next = { version: 7, after: null, job: { namespace: '', name: String(end) }, pod: null };
      return { version: 7, items, next: end < size ? next : null };
    },
    watch: () => ({
      kind: 'Thing',
      apiVersion: 'v1',
      async *present() {},
      head: async () => 7,
      read: async () => ({ kind: 'rows', rows: [] }),
      awaitRow: async (after) => ({ at: after, isThere: false }),
    }),
  };
  const deps = {
    clock: { now: () => START, sleep: async () => undefined },
    streams: createOpenStreams({ now: () => START }),
    telemetry: { warn: (message: string) => warnings.push(message) },
  } as unknown as ApiDeps;
  const app = new Hono();
  app.get('/things', (c) => listOrWatch(c, collection, deps, {}));
  return { app, asked, warnings, get: async (path: string, headers = {}) => app.request(path, { headers }) };
}

describe('a list without a limit', () => {
  test('is everything, with no more than a page in memory: nothing is read before it is needed', async () => {
    const { asked, get } = many(100_000);
    const answer = await get('/things');
    expect([answer.status, answer.headers.get('content-type'), asked.length]).toEqual([200, 'application/json', 1]);
    const reader = answer.body!.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    const parts: Uint8Array[] = [];
    for (let part = await reader.read(); part.done !== true; part = await reader.read()) {
      parts.push(part.value);
      expect(asked.length).toBeLessThanOrEqual(parts.length);
    }
    expect(Math.max(...asked.map(({ limit }) => limit))).toBe(250);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(100_000);
    const list = JSON.parse(Buffer.concat(parts).toString('utf8')) as List;
    expect([list.kind, list.metadata, list.items.length]).toEqual(['ThingList', { resourceVersion: '7' }, 100_000]);
    expect(list.items.every(({ metadata }, i) => metadata.name === `thing-${i}`)).toBe(true);
  });

  test('as a table likewise', async () => {
    const { asked, get } = many(1001);
    const table = (await (await get('/things', { accept: TABLE })).json()) as {
      kind: string;
      columnDefinitions: unknown[];
      metadata: object;
      rows: { cells: unknown[] }[];
    };
    expect([table.kind, table.columnDefinitions.length, table.metadata]).toEqual([
      'Table',
      3,
      { resourceVersion: '7' },
    ]);
    expect(table.rows.map(({ cells }) => cells[0])).toEqual(Array.from({ length: 1001 }, (_, i) => `thing-${i}`));
    expect(asked).toHaveLength(5);
  });

  test.each([[0], [1], [249], [250], [251], [500], [501]])('of %d objects', async (size) => {
    const { get } = many(size);
    const list = (await (await get('/things?limit=0')).json()) as List;
    expect(list.items).toHaveLength(size);
    expect(list.metadata).toEqual({ resourceVersion: '7' });
  });

  test('breaks off rather than ends when a page cannot be read', async () => {
    const { warnings, get } = many(1000, 2);
    const answer = await get('/things');
    const reader = answer.body!.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    let text = '';
    const readAll = async () => {
      for (let part = await reader.read(); part.done !== true; part = await reader.read())
        text += new TextDecoder().decode(part.value);
    };
    await expect(readAll()).rejects.toThrow('throttled');
    expect(text).toContain('thing-499');
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    expect(warnings).toEqual(['list broke off']);
  });

  test('ends when its reader goes away', async () => {
    const { asked, get } = many(100_000);
    const reader = (await get('/things')).body!.getReader();
    await reader.read();
    await reader.read();
    await reader.cancel();
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(asked.length).toBeLessThanOrEqual(3);
  });

  test('HEAD reads no more than the first page', async () => {
    const { app, asked } = many(100_000);
    const answer = await app.request('/things', { method: 'HEAD' });
    expect([answer.status, await answer.text(), asked.length]).toEqual([200, '', 1]);
  });

  test('a first page that cannot be read is an error like any other', async () => {
    const world = await aWorld();
    world.jobs.listJobs = async () => Promise.reject(new Error('throttled'));
    const answer = await world.get(JOBS);
    expect([answer.status, ((await answer.json()) as { reason: string }).reason]).toEqual([500, 'InternalError']);
  });
});

describe('limit and continue', () => {
  test.each([[1], [7], [250], [251], [400], [999], [1000], [5000]])(
    '%d at a time: each once, in order',
    async (limit) => {
      const { get } = many(1000);
      const names: string[] = [];
      let token: string | undefined;
      do {
        const query = token === undefined ? '' : `&continue=${token}`;
        const list = (await (await get(`/things?limit=${limit}${query}`)).json()) as List;
        expect(list.items.length).toBe(Math.min(limit, 1000 - names.length));
        expect(list.metadata.resourceVersion).toBe('7');
        names.push(...list.items.map(({ metadata }) => metadata.name));
        token = list.metadata.continue;
      } while (token !== undefined);
      expect(names).toEqual(Array.from({ length: 1000 }, (_, i) => `thing-${i}`));
    },
  );

  test('Jobs and Pods that come and go between pages do not move the others', async () => {
    const world = await aWorld();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await world.post(JOBS, manifest(name));
    const first = (await (await world.get(`${JOBS}?limit=2`)).json()) as List;
    await world.app.request(`${JOBS}/a`, { method: 'DELETE' });
    await world.app.request(`${JOBS}/c`, { method: 'DELETE' });
    await world.post(JOBS, manifest('aa'));
    const rest = (await (await world.get(`${JOBS}?limit=9&continue=${first.metadata.continue ?? ''}`)).json()) as List;
    const names = [...first.items, ...rest.items].map(({ metadata }) => metadata.name);
    expect(names).toEqual(['a', 'b', 'd', 'e']);
    // A watch from here reports what happened between the pages.
    expect(rest.metadata.resourceVersion).toBe('5');
  });

  const SERVICES = '/api/v1/namespaces/default/services';
  const service = (name: string) => ({ metadata: { name }, spec: { clusterIP: 'None' } });

  test.each([
    ['Jobs', JOBS, manifest, 0],
    ['Jobs of all namespaces', '/apis/batch/v1/jobs', manifest, 0],
    ['Services', SERVICES, service, 0],
    ['namespaces', '/api/v1/namespaces', (name: string) => ({ metadata: { name } }), 1],
  ])('a page of %s says how many come after it, unless something selects', async (_, path, object, before) => {
    const world = await aWorld();
    const home = path === '/apis/batch/v1/jobs' ? JOBS : path;
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      expect((await world.post(home, { apiVersion: undefined, kind: undefined, ...object(name) })).status).toBe(201);
    const listed = async (query: string) => ((await (await world.get(`${path}?${query}`)).json()) as List).metadata;
    const first = await listed('limit=2');
    expect(first.remainingItemCount).toBe(3 + before);
    const second = await listed(`limit=2&continue=${first.continue ?? ''}`);
    expect(second.remainingItemCount).toBe(1 + before);
    const last = await listed(`limit=9&continue=${second.continue ?? ''}`);
    expect([last.continue, last.remainingItemCount]).toEqual([undefined, undefined]);
    for (const selector of ['labelSelector=x!=y', 'fieldSelector=metadata.name!=y'])
      expect((await listed(`limit=2&${selector}`)).remainingItemCount).toBeUndefined();
    expect((await listed('')).remainingItemCount).toBeUndefined();
  });

  test('what would have to be read to be counted is not: names are read a hundred at a time', async () => {
    const world = await aWorld();
    const names = Array.from({ length: 130 }, (_, i) => `job-${String(i).padStart(3, '0')}`);
    for (const name of names) await world.post(JOBS, manifest(name));
    const remaining = async (limit: number) =>
      ((await (await world.get(`${JOBS}?limit=${limit}`)).json()) as List).metadata.remainingItemCount;
    expect(await remaining(10)).toBeUndefined();
    expect(await remaining(100)).toBe(30);
    expect(await remaining(129)).toBe(1);
  });

  const tokenOf = (version: number) =>
    encodePlace({ version, after: null, job: { namespace: 'default', name: 'a' }, pod: null });
  const TOO_OLD =
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.';

  test.each<[string, (world: World) => Promise<string>, number, string]>([
    ['garbage', async () => 'garbage', 400, 'continue key is not valid'],
    ['other JSON', async () => Buffer.from('{"version":-1}').toString('base64url'), 400, 'continue key is not valid'],
    ['a token from another life', async () => tokenOf(99), 410, TOO_OLD],
    [
      'a token from long ago',
      async (world) => {
        await world.clock.sleep(3 * 3_600_000);
        return tokenOf(0);
      },
      410,
      TOO_OLD,
    ],
  ])('%s', async (_, token, code, message) => {
    const world = await aWorld();
    await world.post(JOBS, manifest('a'));
    const answer = await world.get(`${JOBS}?limit=2&continue=${await token(world)}`);
    const status = (await answer.json()) as { message: string; reason: string };
    expect([answer.status, status.message, status.reason]).toEqual([
      code,
      message,
      code === 410 ? 'Expired' : 'BadRequest',
    ]);
  });

  test('a token that nothing follows any more is as good as ever', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('a'));
    await world.clock.sleep(3 * 3_600_000);
    expect((await world.get(`${JOBS}?limit=2&continue=${tokenOf(1)}`)).status).toBe(200);
  });
});

describe('options, word for word', () => {
  const REFUSED = 'ListOptions.meta.k8s.io "" is invalid: ';
  const MATCH = `${REFUSED}resourceVersionMatch: `;
  test.each<[string, number, string]>([
    [
      'resourceVersionMatch=Exact',
      422,
      `${MATCH}Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`,
    ],
    [
      'resourceVersionMatch=Sometimes&resourceVersion=1',
      422,
      `${MATCH}Unsupported value: "Sometimes": supported values: "Exact", "NotOlderThan", ""`,
    ],
    [
      'resourceVersionMatch=Exact&resourceVersion=0',
      422,
      `${MATCH}Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`,
    ],
    [
      'resourceVersionMatch=NotOlderThan&resourceVersion=1&continue=x',
      422,
      `${MATCH}Forbidden: resourceVersionMatch is forbidden when continue is provided`,
    ],
    ['sendInitialEvents=true', 422, `${REFUSED}sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list`],
    [
      'watch=1&sendInitialEvents=true',
      422,
      `${MATCH}Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`,
    ],
    [
      'watch=1&resourceVersionMatch=NotOlderThan',
      422,
      `${MATCH}Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`,
    ],
    [
      'watch=1&resourceVersionMatch=Exact&sendInitialEvents=1',
      422,
      `${REFUSED}[resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]`,
    ],
    ['resourceVersion=1&continue=x', 400, 'specifying resource version is not allowed when using continue'],
    ['resourceVersion=x', 400, 'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax'],
    ['resourceVersion=99', 504, 'Timeout: Too large resource version: 99, current: 2'],
    ['resourceVersion=1&resourceVersionMatch=Exact', 410, 'The resourceVersion for the provided list is too old.'],
    ['timeoutSeconds=-1', 400, 'timeoutSeconds: Invalid value: "-1": must be a number that is not negative'],
    ['limit=few', 400, 'limit: Invalid value: "few": must be a number that is not negative'],
  ])('%s', async (query, code, message) => {
    const world = await aWorld();
    for (const name of ['a', 'b']) await world.post(JOBS, manifest(name));
    const answer = await world.get(`${JOBS}?${query}`);
    const status = (await answer.json()) as { message: string; code: number };
    expect([answer.status, status.code, status.message]).toEqual([code, code, message]);
  });

  test.each([
    ['resourceVersion='],
    ['resourceVersion=0'],
    ['resourceVersion=1'],
    ['resourceVersion=2'],
    ['resourceVersion=0&resourceVersionMatch=NotOlderThan'],
    ['resourceVersion=2&resourceVersionMatch=NotOlderThan'],
    ['resourceVersion=2&resourceVersionMatch=Exact'],
    ['timeoutSeconds=5'],
    ['watch=false'],
    ['watch=maybe'],
  ])('%s is fine', async (query) => {
    const world = await aWorld();
    for (const name of ['a', 'b']) await world.post(JOBS, manifest(name));
    const list = (await (await world.get(`${JOBS}?${query}`)).json()) as List;
    expect([list.metadata.resourceVersion, list.items.length]).toEqual(['2', 2]);
  });

  test('a list of what is newer than anything: when to try again', async () => {
    const world = await aWorld();
    expect(await (await world.get(`${JOBS}?resourceVersion=9`)).json()).toMatchObject({
      reason: 'Timeout',
      details: { retryAfterSeconds: 1, causes: [{ reason: 'ResourceVersionTooLarge' }] },
    });
  });
});

describe('what is selected', () => {
  const names = async (world: World, path: string) =>
    ((await (await world.get(path)).json()) as List).items.map(({ metadata }) => metadata.name);

  test('Jobs by labels, fields and what they have reached', async () => {
    const world = await aWorld();
    await openNamespace(world.objects, 'other', START);
    for (const name of ['a', 'b', 'c'])
      await world.post(JOBS, manifest(name, {}, { metadata: { name, labels: { app: name } } }));
    await world.post('/apis/batch/v1/namespaces/other/jobs', manifest('a'));
    await world.commit('b', [{ op: 'claim', index: 0 }]);
    const select = (query: string) => names(world, `/apis/batch/v1/jobs?${new URLSearchParams(query).toString()}`);
    expect(await select('labelSelector=app in (a,c),app!=c')).toEqual(['a']);
    expect(await select('labelSelector=!app')).toEqual(['a']);
    expect(await select('fieldSelector=metadata.name=a')).toEqual(['a', 'a']);
    expect(await select('fieldSelector=metadata.name!=a')).toEqual(['b', 'c']);
    expect(await select('fieldSelector=metadata.name=a,metadata.namespace=other')).toEqual(['a']);
    expect(await select('fieldSelector=status.successful=0,metadata.namespace=default')).toEqual(['a', 'b', 'c']);
    expect(await select('fieldSelector=status.successful!=0')).toEqual([]);
    expect(await names(world, `${JOBS}?fieldSelector=metadata.namespace%3Dother`)).toEqual([]);
  });

  test('Pods by what Kubernetes lets one select them by', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('a'));
    await world.commit('a', [
      { op: 'claim', index: 0 },
      { op: 'claim', index: 1 },
    ]);
    const all = await names(world, PODS);
    const select = (fields: string) => names(world, `${PODS}?fieldSelector=${encodeURIComponent(fields)}`);
    expect(all).toHaveLength(2);
    expect(await select(`metadata.name=${all[1] ?? ''}`)).toEqual([all[1]]);
    expect(await select('metadata.name=none')).toEqual([]);
    expect(await select(`metadata.name=${all[1] ?? ''},status.phase=Running`)).toEqual([]);
    expect(await select('status.phase=Pending,spec.restartPolicy=Never,spec.hostNetwork=false')).toEqual(all);
    expect(await select('spec.restartPolicy!=Never')).toEqual([]);
    expect(await select('spec.nodeName=')).toEqual(all);
    expect(await select('status.podIP=10.0.0.1')).toEqual([]);
  });

  test('a Pod that is named is found without reading the others', async () => {
    const world = await aWorld();
    for (const name of ['a', 'b']) await world.post(JOBS, manifest(name));
    await world.commit('b', [{ op: 'claim', index: 0 }]);
    const [pod = ''] = await names(world, PODS);
    let lists = 0;
    world.jobs.listJobs = async () => {
      lists++;
      return { jobs: [], next: null };
    };
    expect(await names(world, `${PODS}?fieldSelector=metadata.name%3D${pod}`)).toEqual([pod]);
    expect(lists).toBe(0);
  });

  test.each([
    [`${JOBS}?fieldSelector=spec.x%3D1`, 'field label "spec.x" not supported for batchv1.Job'],
    [`${PODS}?fieldSelector=spec.x%3D1`, 'field label not supported: spec.x'],
    [`${PODS}?labelSelector=a%3Db%3Dc`, "found '=', expected: ',' or 'end of string'"],
  ])('%s is refused', async (path, message) => {
    const world = await aWorld();
    for (const watch of ['', '&watch=1']) {
      const answer = await world.get(path + watch);
      expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([400, message]);
    }
  });
});

describe('large answers are compressed for clients that accept it', () => {
  const ask = async (size: number, encoding?: string) => {
    const { get } = many(size);
    const answer = await get('/things?limit=250', encoding === undefined ? {} : { 'accept-encoding': encoding });
    return { answer, coding: answer.headers.get('content-encoding') };
  };
  const longName = async (encoding?: string) => {
    const world = await aWorld();
    for (let i = 0; i < 20; i++) {
      const annotations = { note: 'x'.repeat(10_000) };
      await world.post(JOBS, manifest(`a${i}`, {}, { metadata: { name: `a${i}`, annotations } }));
    }
    return world.get(JOBS, encoding === undefined ? {} : { 'accept-encoding': encoding });
  };

  test.each<[string | undefined, string | null]>([
    ['gzip', 'gzip'],
    ['br, GZIP;q=0.5', 'gzip'],
    ['gzip;q=0', null],
    ['gzip; q=0.0', null],
    ['br', null],
    [undefined, null],
  ])('%j', async (encoding, expected) => {
    const answer = await longName(encoding);
    expect(answer.headers.get('content-encoding')).toBe(expected);
    const body = expected === null ? answer : new Response(answer.body!.pipeThrough(new DecompressionStream('gzip')));
    expect(((await body.json()) as List).items).toHaveLength(20);
  });

  test('small ones are not', async () => {
    expect((await ask(10, 'gzip')).coding).toBeNull();
  });
});
