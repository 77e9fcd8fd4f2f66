import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { DOCUMENT_PATHS, openApiDocument } from '../../../shared/kube/openapi/documents.ts';
import { openApiRoutes } from '../../../shared/kube/openapi/openapi-routes.ts';
import { schemasOf } from '../../../shared/kube/openapi/schemas.ts';
import { KINDS } from '../../../shared/schema/kinds/kinds.ts';

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null;
/** What a document holds under these steps. */
const at = (value: unknown, ...steps: readonly (string | number)[]): unknown =>
  steps.reduce<unknown>((inner, step) => (isJson(inner) ? inner[step] : undefined), value);
const entriesAt = (value: unknown, ...steps: readonly string[]): readonly (readonly [string, unknown])[] => {
  const found = at(value, ...steps);
  return isJson(found) ? Object.entries(found) : [];
};
const keysAt = (value: unknown, ...steps: readonly string[]): readonly string[] =>
  entriesAt(value, ...steps).map(([key]) => key);

const app = openApiRoutes();
const get = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers });
const addressOf = async (path: string): Promise<string> =>
  String(at(await (await get('/openapi/v3')).json(), 'paths', path, 'serverRelativeURL'));
const read = async (path: string): Promise<unknown> => (await get(await addressOf(path))).json();

const JOB = 'io.k8s.api.batch.v1.Job';
const NS_JOBS = '/apis/batch/v1/namespaces/{namespace}/jobs';

describe('what a document says', () => {
  test.each(DOCUMENT_PATHS)('%s: every reference leads to a schema, every schema is referred to', async (path) => {
    const document = await read(path);
    const schemas = keysAt(document, 'components', 'schemas');
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
      ([, name]) => name!,
    );
    expect(refs.filter((name) => !schemas.includes(name))).toEqual([]);
    const unused = schemas.filter(
      (name) => !refs.includes(name) && !/\.(Time|MicroTime|Quantity|IntOrString|FieldsV1)$/.test(name),
    );
    expect(unused).toEqual([]);
  });

  test.each(DOCUMENT_PATHS)('%s: whatever is shown is described', async (path) => {
    const document = await read(path);
    for (const [name, schema] of entriesAt(document, 'components', 'schemas')) {
      expect(at(schema, 'description'), name).toMatch(/\.$/);
      for (const [key, property] of entriesAt(schema, 'properties'))
        expect(at(property, 'description'), `${name}.${key}`).toMatch(/\.$/);
    }
  });

  test('a Job is found by its kind, and its spec leads to containers', async () => {
    const schemas = at(await read('apis/batch/v1'), 'components', 'schemas');
    expect(at(schemas, JOB, 'x-kubernetes-group-version-kind')).toEqual([
      { group: 'batch', version: 'v1', kind: 'Job' },
    ]);
    expect(keysAt(schemas, JOB, 'properties')).toEqual(['apiVersion', 'kind', 'metadata', 'spec', 'status']);
    expect(at(schemas, JOB, 'properties', 'spec', 'allOf')).toEqual([
      { $ref: '#/components/schemas/io.k8s.api.batch.v1.JobSpec' },
    ]);
    expect(at(schemas, 'io.k8s.api.batch.v1.JobSpec', 'required')).toEqual(['template']);
    expect(at(schemas, 'io.k8s.api.core.v1.PodSpec', 'properties', 'containers')).toMatchObject({
      type: 'array',
      items: { default: {}, allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.Container' }] },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    });
  });

  test('list types, strategies, and atomic maps are included', async () => {
    const schemas = at(await read('apis/batch/v1'), 'components', 'schemas');
    const core = (type: string, field: string) => at(schemas, `io.k8s.api.core.v1.${type}`, 'properties', field);
    expect(core('Container', 'ports')).toMatchObject({
      'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
      'x-kubernetes-patch-merge-key': 'containerPort',
    });
    expect(core('Container', 'command')).toMatchObject({
      items: { type: 'string' },
      'x-kubernetes-list-type': 'atomic',
    });
    expect(core('PodSpec', 'volumes')).toHaveProperty('x-kubernetes-patch-strategy', 'merge,retainKeys');
    expect(core('PodSpec', 'nodeSelector')).toHaveProperty('x-kubernetes-map-type', 'atomic');
    expect(at(core('ResourceRequirements', 'limits'), 'additionalProperties', 'allOf', 0, '$ref')).toMatch(/Quantity$/);
    const meta = (type: string) => at(schemas, `io.k8s.apimachinery.pkg.apis.meta.v1.${type}`);
    expect(meta('LabelSelector')).toHaveProperty('x-kubernetes-map-type', 'atomic');
    expect(at(meta('ObjectMeta'), 'properties', 'finalizers')).toHaveProperty('x-kubernetes-list-type', 'set');
    expect(at(meta('ObjectMeta'), 'properties', 'creationTimestamp', 'allOf', 0, '$ref')).toMatch(/\.Time$/);
  });

  test('what Muster refuses is not shown, nor what only that leads to', async () => {
    const text = JSON.stringify(await read('apis/batch/v1'));
    for (const word of ['hostAliases', 'schedulingGates', 'LifecycleHandler', 'VolumeMountStatus', 'nameservers'])
      expect(text).not.toContain(word);
    expect(text).toContain('emptyDir');
    expect(text).toContain('muster.run/capacity');
  });

  test('kubectl learns from PATCH that the server validates', async () => {
    const patch = at(await read('apis/batch/v1'), 'paths', `${NS_JOBS}/{name}`, 'patch');
    const parameters = at(patch, 'parameters');
    expect(entriesAt(parameters).map(([, parameter]) => at(parameter, 'name'))).toEqual([
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'force',
    ]);
    expect(keysAt(patch, 'requestBody', 'content')).toEqual([
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
    ]);
    expect(at(patch, 'x-kubernetes-action')).toBe('patch');
    expect(at(patch, 'x-kubernetes-group-version-kind')).toEqual({ group: 'batch', version: 'v1', kind: 'Job' });
  });

  test('each resource has the paths of its verbs', async () => {
    const batch = at(await read('apis/batch/v1'), 'paths');
    expect(keysAt(batch).filter((path) => path.includes('/jobs'))).toEqual([
      NS_JOBS,
      `${NS_JOBS}/{name}`,
      `${NS_JOBS}/{name}/status`,
      '/apis/batch/v1/jobs',
    ]);
    expect(keysAt(batch, NS_JOBS)).toEqual(['get', 'post', 'delete', 'parameters']);
    expect(keysAt(batch, `${NS_JOBS}/{name}`)).toEqual(['get', 'put', 'patch', 'delete', 'parameters']);
    expect(at(batch, NS_JOBS, 'get', 'x-kubernetes-action')).toBe('list');
    const core = at(await read('api/v1'), 'paths');
    expect(keysAt(core, '/api/v1/namespaces')).toEqual(['get', 'post']);
    const log = '/api/v1/namespaces/{namespace}/pods/{name}/log';
    expect(keysAt(core, log, 'get', 'responses', '200', 'content')).toEqual(['text/plain']);
    const ids = [...JSON.stringify([batch, core]).matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toContain('patchBatchV1Jobs');
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('there is none for a group that is not served', () => {
    expect(openApiDocument('apis/apps/v1')).toBeNull();
    expect(openApiDocument('__proto__')).toBeNull();
  });

  test('a refused field takes along what only it leads to', () => {
    const kinds = {
      Outer: {
        openapi: 'x.Outer',
        description: 'Outer.',
        fields: { inner: { no: 1, type: { is: 'object', of: 'Inner' }, description: 'Inner.' } },
      },
      Inner: { openapi: 'x.Inner', description: 'Inner.', fields: {} },
    } as const;
    expect(schemasOf(kinds, ['Outer'])).toHaveProperty(['x.Inner']);
    const refused = {
      ...kinds,
      Outer: { ...kinds.Outer, fields: { inner: { ...kinds.Outer.fields.inner, served: false } } },
    } as const;
    expect(schemasOf(refused, ['Outer'])).not.toHaveProperty(['x.Inner']);
    expect(KINDS['PodSpec']!.fields['hostAliases']!.served).toBe(false);
  });
});

describe('how a document is sent', () => {
  test('its address has a hash of its content, and may be kept for ever', async () => {
    const address = await addressOf('apis/batch/v1');
    expect(address).toMatch(/^\/openapi\/v3\/apis\/batch\/v1\?hash=[0-9A-F]{64}$/);
    const response = await get(address);
    const body = new Uint8Array(await response.arrayBuffer());
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', body))
      .toString('hex')
      .toUpperCase();
    expect(address).toContain(hash);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'public, immutable',
      'content-type': 'application/json',
      etag: `"${hash}"`,
      vary: 'Accept-Encoding',
    });
    expect(Date.parse(response.headers.get('expires') ?? '')).toBeGreaterThan(Date.parse('2100-01-01'));
  });

  test('a client that already has it is answered so', async () => {
    const address = await addressOf('api/v1');
    const etag = (await get(address)).headers.get('etag')!;
    for (const tag of [etag, `"x", ${etag}`, `W/${etag}`, '*']) {
      const response = await get(address, { 'if-none-match': tag });
      expect([response.status, await response.text()]).toEqual([304, '']);
    }
    expect((await get(address, { 'if-none-match': '"x"' })).status).toBe(200);
  });

  test('an old address leads to the new one, and keeps a prefix', async () => {
    const response = await get('/openapi/v3/api/v1?hash=OLD');
    expect(response.status).toBe(301);
    const there = new URL(response.headers.get('location')!, 'https://host/prod/openapi/v3/api/v1?hash=OLD');
    expect(`${there.pathname}${there.search}`).toBe(`/prod${await addressOf('api/v1')}`);
  });

  test('without a hash it must be asked for again', async () => {
    const response = await get('/openapi/v3/api/v1');
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache, private']);
  });

  test('it is compressed for clients that accept it', async () => {
    const address = await addressOf('apis/batch/v1');
    const plain = await (await get(address)).text();
    for (const coding of ['gzip', 'deflate, gzip;q=0.5', 'br , GZIP']) {
      const response = await get(address, { 'accept-encoding': coding });
      expect(response.headers.get('content-encoding')).toBe('gzip');
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(gunzipSync(bytes).toString()).toBe(plain);
      expect(bytes.length).toBeLessThan(plain.length / 4);
    }
    for (const coding of ['br', 'gzip;q=0', 'gzipped']) {
      const response = await get(address, { 'accept-encoding': coding });
      expect(response.headers.get('content-encoding')).toBeNull();
    }
  });

  test('other addresses are a Status, and version 2 is empty', async () => {
    const none = await get('/openapi/v3/apis/apps/v1');
    expect(none.status).toBe(404);
    expect(await none.json()).toMatchObject({ kind: 'Status', reason: 'NotFound' });
    const old = await get('/openapi/v2');
    expect([old.status, (await old.arrayBuffer()).byteLength]).toEqual([200, 0]);
    expect(old.headers.get('content-type')).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
  });
});
