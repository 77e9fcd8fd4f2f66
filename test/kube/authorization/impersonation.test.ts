import { describe, expect, it, test } from 'vitest';
import type { AuditEvent } from '../../../shared/ports/callers/audit.ts';
import { kubeApiOf } from '../../../shared/runtime/api.ts';
import { apiHandler } from '../../../shared/runtime/lambda-middleware.ts';
import { contextOf } from '../../../local/event-source/mapping.ts';
import { aRuntime, anInbox } from '../../runtime/a-runtime.ts';
import { JOBS as DEFAULT_JOBS, aWorld, manifest } from '../a-world.ts';
import { aGuardedWorld, grants, rule } from '../../../shared/capabilities/access/test/kube/a-guarded-world.ts';

const JOBS = '/apis/batch/v1/namespaces/team-a/jobs';
const NONE = 'Muster has no impersonation, not even for system:masters; send the credentials of that user';
const EVERYTHING = grants({ user: 'kim', namespace: '', rules: [rule('* */*'), rule('* /*')] });

async function aWorldOfKim() {
  const events: AuditEvent[] = [];
  const world = await aGuardedWorld(EVERYTHING, {}, { audit: { record: (event) => void events.push(event) } });
  return { ...world, events };
}

type Status = { readonly message: string; readonly reason: string; readonly details: object };
const statusOf = async (answer: Response) => ({
  code: answer.status,
  status: (await answer.json()) as Status,
});

describe('a request that wants to act as somebody else', () => {
  it.each([
    [
      { 'Impersonate-User': 'lee' },
      'users "lee" is forbidden: User "kim" cannot impersonate resource "users" in API group "" at the cluster scope',
      { name: 'lee', kind: 'users' },
    ],
    [
      { 'iMPERSONATE-uSER': 'lee', 'Impersonate-Group': 'system:masters' },
      'users "lee" is forbidden: User "kim" cannot impersonate resource "users" in API group "" at the cluster scope',
      { name: 'lee', kind: 'users' },
    ],
    [
      { 'Impersonate-User': 'system:serviceaccount:team-a:bot' },
      'serviceaccounts "bot" is forbidden: User "kim" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "team-a"',
      { name: 'bot', kind: 'serviceaccounts' },
    ],
    [
      { 'Impersonate-Uid': '7', 'impersonate-group': 'ops' },
      'groups "ops" is forbidden: User "kim" cannot impersonate resource "groups" in API group "" at the cluster scope',
      { name: 'ops', kind: 'groups' },
    ],
    [
      { 'Impersonate-Uid': '7', 'Impersonate-Extra-Scopes': 'view' },
      'userextras.authentication.k8s.io "view" is forbidden: User "kim" cannot impersonate resource "userextras/scopes" in API group "authentication.k8s.io" at the cluster scope',
      { name: 'view', group: 'authentication.k8s.io', kind: 'userextras' },
    ],
    [
      { 'Impersonate-Uid': '7' },
      'uids.authentication.k8s.io "7" is forbidden: User "kim" cannot impersonate resource "uids" in API group "authentication.k8s.io" at the cluster scope',
      { name: '7', group: 'authentication.k8s.io', kind: 'uids' },
    ],
    [
      { 'Impersonate-Future': 'lee' },
      'users is forbidden: User "kim" cannot impersonate resource "users" in API group "" at the cluster scope',
      { kind: 'users' },
    ],
    [
      { 'Impersonate-User': '' },
      'users is forbidden: User "kim" cannot impersonate resource "users" in API group "" at the cluster scope',
      { kind: 'users' },
    ],
  ])('%o is answered as Kubernetes answers who may not', async (headers, message, details) => {
    const { send } = await aWorldOfKim();
    const { code, status } = await statusOf(await send('GET', JOBS, { as: 'kim', headers }));
    expect(code).toBe(403);
    expect(status).toMatchObject({ reason: 'Forbidden', message: `${message}: ${NONE}`, details });
  });

  it('is recorded, with its sender, whatever it asks for', async () => {
    const { send, events } = await aWorldOfKim();
    const headers = { 'impersonate-user': 'lee' };
    const review = { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } };
    for (const [method, path, body] of [
      ['GET', JOBS],
      ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review],
    ] as const)
      await send(method, path, { as: 'kim', headers, body });
    const annotations = { 'authorization.k8s.io/decision': 'forbid', 'authorization.k8s.io/reason': NONE };
    expect(events).toMatchObject([
      { verb: 'list', user: { username: 'kim' }, responseStatus: { code: 403 }, annotations },
      { verb: 'create', user: { username: 'kim' }, responseStatus: { code: 403 }, annotations },
    ]);
  });

  it('is not a header whose name only sounds so', async () => {
    const { send } = await aWorldOfKim();
    for (const header of ['x-impersonate-user', 'impersonate', 'impersonated-user'])
      expect((await send('GET', JOBS, { as: 'kim', headers: { [header]: 'lee' } })).status).toBe(200);
  });
});

const PATHS = [
  ['GET', '/version'],
  ['GET', '/healthz'],
  ['GET', '/api'],
  ['GET', '/apis'],
  ['GET', '/apis/batch/v1'],
  ['GET', '/openapi/v3'],
  ['GET', '/nonsense'],
  ['GET', `${JOBS}?watch=true&timeoutSeconds=1`],
  ['GET', '/api/v1/namespaces/team-a/pods/x-0/log?follow=true'],
  ['HEAD', JOBS],
  ['OPTIONS', JOBS],
  ['POST', JOBS],
  ['POST', `${JOBS}?dryRun=All`],
  ['PUT', `${JOBS}/x`],
  ['PATCH', `${JOBS}/x`],
  ['DELETE', `${JOBS}/x`],
  ['DELETE', JOBS],
  ['GET', '/muster/v1/diagnosis'],
  ['POST', '/muster/v1/submissions'],
  ['POST', '/muster/v1/namespaces/team-a/jobs/x/indexes'],
  ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'],
  ['POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'],
  ['POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews'],
] as const;

test('impersonation is refused to everybody', async () => {
  const guarded = await aWorldOfKim();
  await guarded.asMaster('POST', JOBS, manifest('x'));
  for (const groups of ['', 'system:masters'])
    for (const [method, path] of PATHS) {
      const headers = { 'Impersonate-User': 'lee' };
      const body = method === 'GET' || method === 'HEAD' ? {} : { body: manifest('y') };
      const answer = await guarded.send(method, path, { as: 'kim', groups, headers, ...body });
      expect(answer.status, `${method} ${path}`).toBe(403);
    }
  const { items } = (await (await guarded.asMaster('GET', JOBS)).json()) as { readonly items: readonly object[] };
  expect(items).toMatchObject([{ metadata: { name: 'x' } }]);
  // Where no roles decide, too.
  const open = await aWorld();
  const asked = await open.app.request(DEFAULT_JOBS, { headers: { 'impersonate-user': 'lee' } });
  expect((await statusOf(asked)).status.message).toContain('User "authenticated" cannot impersonate');
});

test('a request that API Gateway has passed on is refused, too', async () => {
  const { runtime } = aRuntime(anInbox().inbox);
  const handler = apiHandler({ runtime: () => runtime, app: kubeApiOf }) as (
    event: unknown,
    context: unknown,
  ) => Promise<{ statusCode: number; body: string }>;
  const send = (more: Readonly<Record<string, string>>) =>
    handler(
      {
        httpMethod: 'GET',
        path: '/version',
        headers: { Host: 'api.example', ...more },
        multiValueHeaders: {
          Host: ['api.example'],
          ...Object.fromEntries(Object.entries(more).map(([name, value]) => [name, [value, value]])),
        },
        body: null,
        isBase64Encoded: false,
        requestContext: { domainName: 'api.example', requestId: 'of-the-gateway' },
      },
      contextOf('api', 30_000),
    );
  expect((await send({})).statusCode).toBe(200);
  for (const header of ['Impersonate-User', 'IMPERSONATE-GROUP', 'impersonate-uid', 'Impersonate-Extra-Team'])
    expect((await send({ [header]: 'lee' })).statusCode, header).toBe(403);
});
