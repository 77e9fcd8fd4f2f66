import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { contextOf } from '../../local/event-source/mapping.ts';
import { authenticatedUser, authentication } from '../../shared/kube/http/authentication.ts';
import {
  type GatewayAuth,
  authorizerContext,
  callerOfGateway,
  gatewayAuthentication,
} from '../../shared/runtime/caller-of-gateway.ts';
import { apiHandler } from '../../shared/runtime/lambda-middleware.ts';
import { gatewayAccessFromEnv } from '../../shared/runtime/options-from-env.ts';
import { aRuntime, anInbox } from './a-runtime.ts';

const TOKEN: GatewayAuth = { auth: 'token' };
const OPS = 'arn:aws:iam::123456789012:role/ops';
const IAM: GatewayAuth = { auth: 'iam', admins: [OPS] };
const SESSION = { userArn: 'arn:aws:sts::123456789012:assumed-role/ops/lee', user: 'AROAOPS:lee' };
const signed = (identity: object) => ({ requestContext: { identity } });

describe('behind IAM', () => {
  test('a session is its role', () => {
    expect(callerOfGateway(signed(SESSION), IAM)).toEqual({
      username: OPS,
      uid: 'AROAOPS',
      groups: ['system:masters', 'system:authenticated'],
    });
  });

  test('a caller that IAM lets in is authenticated, of another account, too', () => {
    const identity = { userArn: 'arn:aws:iam::999999999999:user/eve', user: null };
    expect(callerOfGateway(signed(identity), IAM)).toEqual({
      username: 'arn:aws:iam::999999999999:user/eve',
      groups: ['system:authenticated'],
    });
  });

  test.each([[{}], [{ userArn: null, user: null }], [{ userArn: 'events.amazonaws.com' }]])(
    '%j is nobody known',
    (identity) => {
      expect(callerOfGateway(signed(identity), IAM)).toBeNull();
    },
  );

  test('what an authorizer would say counts for nothing', () => {
    const authorizer = { username: 'mallory', groups: '["system:masters"]', uid: '' };
    expect(callerOfGateway({ requestContext: { authorizer } }, IAM)).toBeNull();
  });
});

describe('behind our authorizer', () => {
  test.each([[{ username: 'kim', uid: 'AIDAKIM', groups: ['a', 'b,c"'] }], [{ username: 'kim', groups: [] }]])(
    '%j arrives as it was sent',
    (user) => {
      expect(callerOfGateway({ requestContext: { authorizer: authorizerContext(user) } }, TOKEN)).toEqual(user);
    },
  );

  test.each([
    [undefined],
    [{}],
    [{ requestContext: {} }],
    [{ requestContext: { authorizer: null } }],
    [{ requestContext: { authorizer: { username: '', groups: '[]', uid: '' } } }],
    [{ requestContext: { authorizer: { username: 'kim', groups: 'a', uid: '' } } }],
    [{ requestContext: { authorizer: { username: 'kim', groups: '[1]', uid: '' } } }],
    [signed(SESSION)],
  ])('%j is nobody known', (event) => {
    expect(callerOfGateway(event, TOKEN)).toBeNull();
  });
});

/** What the API's function answers to an event of the gateway: the user, or a refusal. */
async function answerTo(requestContext: object, access: GatewayAuth): Promise<{ statusCode: number; body: unknown }> {
  const { runtime } = aRuntime(anInbox().inbox);
  const handler = apiHandler({
    runtime: () => runtime,
    app: () =>
      new Hono().use(authentication(gatewayAuthentication(access))).get('/who', (c) => c.json(authenticatedUser(c))),
  }) as (event: unknown, context: unknown) => Promise<{ statusCode: number; body: string }>;
  const event = {
    httpMethod: 'GET',
    path: '/who',
    headers: { Host: 'api.example', Authorization: 'Bearer anything' },
    multiValueHeaders: { Host: ['api.example'], Authorization: ['Bearer anything'] },
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    body: null,
    isBase64Encoded: false,
    requestContext: { domainName: 'api.example', requestId: 'of-the-gateway', ...requestContext },
  };
  const { statusCode, body } = await handler(event, contextOf('api', 30_000));
  return { statusCode, body: JSON.parse(body) };
}

test('a request has its user in the API', async () => {
  const authorizer = authorizerContext({ username: 'kim', groups: ['team'] });
  expect(await answerTo({ authorizer }, TOKEN)).toEqual({
    statusCode: 200,
    body: { username: 'kim', groups: ['team'] },
  });
  expect(await answerTo({ identity: SESSION }, IAM)).toMatchObject({ body: { username: OPS } });
});

test('what no authorizer has seen is refused; whom IAM does not name is anonymous', async () => {
  expect(await answerTo({ identity: SESSION }, TOKEN)).toEqual({
    statusCode: 401,
    body: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Unauthorized',
      reason: 'Unauthorized',
      code: 401,
    },
  });
  expect(await answerTo({ identity: {} }, IAM)).toEqual({
    statusCode: 200,
    body: { username: 'system:anonymous', groups: ['system:unauthenticated'] },
  });
});

test('the environment says which, and who may do everything', () => {
  expect(gatewayAccessFromEnv({})).toEqual({ auth: 'iam', admins: [], authorization: 'AlwaysAllow' });
  expect(gatewayAccessFromEnv({ MUSTER_ADMINS: `${OPS},arn:aws:sts::123456789012:assumed-role/dev/x` })).toEqual({
    auth: 'iam',
    admins: [OPS, 'arn:aws:iam::123456789012:role/dev'],
    authorization: 'AlwaysAllow',
  });
  expect(gatewayAccessFromEnv({ MUSTER_AUTH: 'token', MUSTER_AUTHORIZATION: 'RBAC' })).toEqual({
    auth: 'token',
    authorization: 'RBAC',
  });
  expect(() => gatewayAccessFromEnv({ MUSTER_AUTHORIZATION: 'rbac' })).toThrow(
    'MUSTER_AUTHORIZATION=rbac: must be RBAC, or absent',
  );
  expect(() => gatewayAccessFromEnv({ MUSTER_AUTH: 'none' })).toThrow('MUSTER_AUTH=none: must be token, or absent');
  expect(() => gatewayAccessFromEnv({ MUSTER_ADMINS: 'kim' })).toThrow('MUSTER_ADMINS=kim: must be the ARNs of users');
});
