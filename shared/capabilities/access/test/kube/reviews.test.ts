import { describe, expect, it } from 'vitest';
import type { ServedKind } from '../../kube/served-access.ts';
import { reviewRoutes } from '../../kube/review-routes.ts';
import { aWorld } from '../../../../../test/kube/a-world.ts';

const kind = (
  group: string,
  plural: string,
  verbs: string,
  subresources: ServedKind['subresources'] = [],
): ServedKind => ({
  group,
  plural,
  verbs: verbs.split(' '),
  subresources,
});
const SERVED = [
  kind('batch', 'jobs', 'create delete get list', [{ name: 'status', verbs: ['get'] }]),
  kind('', 'pods', 'delete get list', [{ name: 'log', verbs: ['get'] }]),
  kind('', 'services', 'list'),
];
const app = reviewRoutes(SERVED, {
  authorizer: null,
  callerOf: (c) => ({ username: c.req.header('x-user') ?? 'local', groups: ['system:authenticated'] }),
});

const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const ACCESS = `${AUTHORIZATION}/selfsubjectaccessreviews`;
const RULES = `${AUTHORIZATION}/selfsubjectrulesreviews`;
const SELF = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

type Review = { readonly status: unknown; readonly [field: string]: unknown };

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await app.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, warning: response.headers.get('warning'), body: (await response.json()) as Review };
}

const access = (spec: object) =>
  post(ACCESS, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: { creationTimestamp: null },
    spec,
  });

describe('may I', () => {
  it.each<[object, string | null]>([
    [{ verb: 'create', group: 'batch', resource: 'jobs', namespace: 'default', version: '*' }, null],
    [{ verb: 'get', group: 'batch', resource: 'jobs', name: 'x' }, null],
    [{ verb: 'get', resource: 'pods', subresource: 'log' }, null],
    [{ verb: '*', group: '*', resource: '*' }, null],
    [{ verb: '*', group: 'batch', resource: 'jobs' }, null],
    [{ verb: 'get', group: '*', resource: 'pods', subresource: '*' }, null],
    [{ verb: 'list', resource: 'services' }, null],
    [{ verb: 'create', resource: 'services' }, 'muster does not serve create of services'],
    [{ verb: 'create', resource: 'pods' }, 'muster does not serve create of pods'],
    [{ verb: 'create', resource: 'pods', subresource: 'exec' }, 'muster does not serve pods/exec'],
    [{ verb: 'create', group: 'apps', resource: 'deployments' }, 'muster does not serve deployments.apps'],
    [
      { verb: 'update', group: 'batch', resource: 'jobs', subresource: 'status' },
      'muster does not serve update of jobs/status.batch',
    ],
    [{ verb: 'create', resource: 'jobs' }, 'muster does not serve jobs'],
    [{ verb: 'x', group: '*', resource: '*' }, 'muster does not serve x of *'],
    [{}, 'muster does not serve '],
  ])('%j: %s', async (resourceAttributes, reason) => {
    const { status, body } = await access({ resourceAttributes });
    expect(status).toBe(201);
    expect(body).toEqual({
      kind: 'SelfSubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: {},
      spec: { resourceAttributes },
      status: reason === null ? { allowed: true } : { allowed: false, reason, denied: true },
    });
  });

  it.each<[object, boolean]>([
    [{ verb: 'get', path: '/version' }, true],
    [{ verb: 'get', path: '/openapi/v3/apis/batch/v1' }, true],
    [{ verb: 'head', path: '/readyz' }, true],
    [{ verb: '*', path: '*' }, true],
    [{ verb: 'get', path: '/apis/*' }, true],
    [{ verb: 'post', path: '/version' }, false],
    [{ verb: 'get', path: '/logs' }, false],
    [{ verb: 'get', path: '/versions' }, false],
    [{ verb: 'get' }, false],
  ])('%j: %s', async (nonResourceAttributes, allowed) => {
    expect((await access({ nonResourceAttributes })).body).toMatchObject({ status: { allowed } });
  });

  it.each<[object, string]>([
    [
      { spec: {} },
      'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ],
    [
      {},
      'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ],
    [
      { spec: { resourceAttributes: {}, nonResourceAttributes: {} } },
      'spec.nonResourceAttributes: Invalid value: {}: cannot be specified in combination with resourceAttributes',
    ],
    [
      { metadata: { name: 'x' }, spec: { resourceAttributes: {} } },
      'metadata: Invalid value: {"name":"x"}: must be empty',
    ],
  ])('%j is no question', async (review, sentence) => {
    const message = `SelfSubjectAccessReview.authorization.k8s.io "" is invalid: ${sentence}`;
    expect(await post(ACCESS, review)).toMatchObject({ status: 422, body: { kind: 'Status', message } });
  });

  it('in YAML, too', async () => {
    const yaml = 'spec:\n  resourceAttributes: {verb: get, resource: pods}\n';
    expect(await post(ACCESS, yaml, { 'content-type': 'application/yaml' })).toMatchObject({
      status: 201,
      body: { status: { allowed: true } },
    });
  });

  it.each<[string, unknown, number]>([
    ['broken JSON', '{', 400],
    ['a list', [], 400],
    ['a wrong type', { spec: { resourceAttributes: { verb: 5 } } }, 400],
    ['another kind', { kind: 'SubjectAccessReview', spec: { resourceAttributes: {} } }, 400],
  ])('%s cannot be read', async (_, body, status) => {
    expect(await post(ACCESS, body)).toMatchObject({ status, body: { kind: 'Status', code: status } });
  });

  it('with an unknown field, if the client says so', async () => {
    const odd = { spec: { resourceAttributes: { verb: 'get', resource: 'pods', of: 1 } } };
    expect(await post(`${ACCESS}?fieldValidation=Warn`, odd)).toMatchObject({
      status: 201,
      warning: '299 - "unknown field \\"spec.resourceAttributes.of\\""',
    });
    expect(await post(`${ACCESS}?fieldValidation=Ignore`, odd)).toMatchObject({ status: 201, warning: null });
    expect((await post(`${ACCESS}?fieldValidation=Strict`, odd)).status).toBe(400);
    expect((await post(`${ACCESS}?fieldValidation=x`, odd)).status).toBe(422);
  });
});

describe('what may I', () => {
  it('is everything that is served', async () => {
    const { status, body } = await post(RULES, { spec: { namespace: 'default' } });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      kind: 'SelfSubjectRulesReview',
      spec: { namespace: 'default' },
      status: { incomplete: false },
    });
    expect(body.status).toMatchObject({
      resourceRules: [
        { verbs: ['create', 'delete', 'get', 'list'], apiGroups: ['batch'], resources: ['jobs'] },
        { verbs: ['get'], apiGroups: ['batch'], resources: ['jobs/status'] },
        { verbs: ['delete', 'get', 'list'], apiGroups: [''], resources: ['pods'] },
        { verbs: ['get'], apiGroups: [''], resources: ['pods/log'] },
        { verbs: ['list'], apiGroups: [''], resources: ['services'] },
      ],
      nonResourceRules: [{ verbs: ['get'] }],
    });
  });

  it('needs a namespace', async () => {
    expect(await post(RULES, { spec: {} })).toMatchObject({
      status: 400,
      body: { message: 'no namespace on request' },
    });
  });
});

describe('who am I', () => {
  it('is what the transport says', async () => {
    const { status, body } = await post(SELF, {}, { 'x-user': 'anna' });
    expect(status).toBe(201);
    expect(body).toEqual({
      kind: 'SelfSubjectReview',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: {},
      status: { userInfo: { username: 'anna', groups: ['system:authenticated'] } },
    });
  });
});

describe('the API', () => {
  it.each([
    ['local', { embedded: true }],
    ['authenticated', {}],
  ])('knows its callers as %s', async (username, options) => {
    const { app: api } = await aWorld(options);
    const headers = { 'content-type': 'application/json', host: '127.0.0.1' };
    const response = await api.request(SELF, { method: 'POST', headers, body: '{}' });
    expect(await response.json()).toMatchObject({ status: { userInfo: { username } } });
  });

  it('serves what it says that it serves', async () => {
    const { app: api } = await aWorld();
    const ask = async (resourceAttributes: object) => {
      const response = await api.request(ACCESS, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ spec: { resourceAttributes } }),
      });
      return ((await response.json()) as { status: unknown }).status;
    };
    expect(await ask({ verb: 'create', group: 'batch', resource: 'jobs' })).toEqual({ allowed: true });
    expect(await ask({ verb: 'get', resource: 'pods', subresource: 'log' })).toEqual({ allowed: true });
    expect(await ask({ verb: 'create', resource: 'events' })).toMatchObject({ allowed: false });
    expect(await ask({ verb: 'get', resource: 'nodes' })).toMatchObject({ reason: 'muster does not serve nodes' });
  });
});

describe('what is no question', () => {
  it.each([
    ['GET', ACCESS, 405],
    ['DELETE', RULES, 405],
    ['PUT', SELF, 405],
    ['GET', `${AUTHORIZATION}/subjectaccessreviews`, 405],
    ['GET', `${AUTHORIZATION}/namespaces/default/localsubjectaccessreviews`, 405],
    ['POST', `${AUTHORIZATION}/localsubjectaccessreviews`, 404],
  ])('%s %s: %d', async (method, path, status) => {
    expect((await app.request(path, { method })).status).toBe(status);
  });
});

it('an answer to a question is no table', async () => {
  const world = await aWorld();
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const ask = (accept: string) =>
    world.post(path, { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } }, { accept });
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  expect((await ask(table)).status).toBe(406);
  expect((await ask(`${table},application/json`)).status).toBe(201);
});
