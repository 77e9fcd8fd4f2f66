import { describe, expect, test } from 'vitest';
import { createStsTokenVerifier } from '../../shared/adapters/aws/sts/sts-token-verifier.ts';
import { authorizerHandler } from '../../shared/runtime/authorizer-handler.ts';
import { callerOfGateway } from '../../shared/runtime/caller-of-gateway.ts';
import { musterTemplate } from '../cdk/template.ts';
import { CLUSTER, NOW_MS, REGION, aToken } from './a-token.ts';
import { ACCOUNT, KIM, OPS, fakeSts } from './fake-sts.ts';
import { malformedTokens } from './malformed.ts';

const API = `arn:aws:execute-api:eu-west-1:${ACCOUNT}:a1b2c3/k8s`;

/** What a REQUEST authorizer gets of a REST API. */
const eventWith = (multiValueHeaders: Readonly<Record<string, readonly string[]>>) => ({
  type: 'REQUEST',
  methodArn: `${API}/GET/apis/batch/v1/namespaces/default/jobs`,
  resource: '/{proxy+}',
  path: '/apis/batch/v1/namespaces/default/jobs',
  httpMethod: 'GET',
  headers: Object.fromEntries(Object.entries(multiValueHeaders).map(([name, values]) => [name, values.at(-1)])),
  multiValueHeaders,
  requestContext: { apiId: 'a1b2c3', stage: 'k8s' },
});

function anAuthorizer(send = fakeSts({ nowMs: () => NOW_MS }).send) {
  const warnings: string[] = [];
  const verify = createStsTokenVerifier({
    region: REGION,
    clusterId: CLUSTER,
    admission: { accounts: [ACCOUNT], admins: [`arn:aws:iam::${ACCOUNT}:role/ops`] },
    now: () => NOW_MS,
    send,
  });
  const telemetry = {
    begin: () => undefined,
    warn: (message: string, values: object) => void warnings.push(`${message} ${JSON.stringify(values)}`),
  };
  const handler = authorizerHandler(() => ({ verify, telemetry }));
  return {
    handler,
    warnings,
    ask: async (token: string) => handler(eventWith({ Authorization: [`Bearer ${token}`] })),
  };
}

/** The gateway's answer to what an authorizer does: only one text is a 401 (API Gateway Developer Guide). */
async function gatewayAnswer(asked: Promise<unknown>): Promise<{ status: number; body: unknown } | null> {
  const type = await asked.then(
    () => null,
    (error: Error) => (error.message === 'Unauthorized' ? 'UNAUTHORIZED' : 'AUTHORIZER_FAILURE'),
  );
  const answer = answers.find(({ Properties }) => Properties['ResponseType'] === type);
  if (type === null || answer === undefined) return null;
  const { StatusCode, ResponseTemplates } = answer.Properties as {
    readonly StatusCode: string;
    readonly ResponseTemplates: Readonly<Record<string, string>>;
  };
  const body = (ResponseTemplates['application/json'] ?? '').replace('$context.error.messageString', '"Unauthorized"');
  return { status: Number(StatusCode), body: JSON.parse(body) };
}
const answers = [...musterTemplate({ auth: 'token' }).all('AWS::ApiGateway::GatewayResponse').values()];

describe('the authorizer', () => {
  test('lets a user into all of the stage, for its answer is kept for every method', async () => {
    const result = await anAuthorizer().ask(await aToken(OPS));
    expect(result).toEqual({
      principalId: `arn:aws:iam::${ACCOUNT}:role/ops`,
      policyDocument: {
        Version: '2012-10-17',
        Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: `${API}/*` }],
      },
      context: {
        username: `arn:aws:iam::${ACCOUNT}:role/ops`,
        groups: '["system:masters","system:authenticated"]',
        uid: 'AROAOPS',
      },
    });
  });

  test('says what the API’s function reads', async () => {
    const { context: authorizer } = await anAuthorizer().ask(await aToken(KIM));
    expect(callerOfGateway({ requestContext: { authorizer } }, { auth: 'token' })).toEqual({
      username: KIM.arn,
      uid: 'AIDAKIM',
      groups: ['system:authenticated'],
    });
  });

  test.each<[string, Record<string, readonly string[]>]>([
    ['no header', {}],
    ['another scheme', { authorization: ['Basic a2ltOnB3'] }],
    ['no token', { authorization: ['Bearer'] }],
  ])('throws Unauthorized for %s', async (_, headers) => {
    await expect(anAuthorizer().handler(eventWith(headers))).rejects.toThrow(/^Unauthorized$/);
  });

  test('takes no request with two tokens: the gateway keeps its answer for one of them', async () => {
    const bearer = `Bearer ${await aToken()}`;
    const { handler } = anAuthorizer();
    for (const headers of [{ Authorization: [bearer, bearer] }, { Authorization: [bearer], authorization: [bearer] }])
      await expect(handler(eventWith(headers))).rejects.toThrow(/^Unauthorized$/);
    await expect(handler(eventWith({ AUTHORIZATION: [bearer] }))).resolves.toBeDefined();
  });

  test('is answered with 503 for a token that cannot be checked now', async () => {
    const { ask, warnings } = anAuthorizer(async () => new Response('', { status: 503 }));
    expect(await gatewayAnswer(ask(await aToken()))).toMatchObject({
      status: 503,
      body: { kind: 'Status', reason: 'ServiceUnavailable', code: 503 },
    });
    expect(warnings).toEqual(['token not checked {"why":"STS answered 503"}']);
  });
});

test('of 500 malformed tokens each is answered with 401 and a Status, none calls anybody but STS, and none is logged', async () => {
  const sts = fakeSts({ nowMs: () => NOW_MS });
  const { ask, warnings } = anAuthorizer(sts.send);
  const valid = await aToken();
  const tokens = await malformedTokens(valid, { count: 500, seed: 20_261_125 }, async (wish) => aToken(KIM, wish));
  expect(tokens).toHaveLength(500);
  for (const token of tokens) {
    expect([token, await gatewayAnswer(ask(token))]).toEqual([
      token,
      {
        status: 401,
        body: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          reason: 'Unauthorized',
          code: 401,
          message: 'Unauthorized',
        },
      },
    ]);
  }
  expect(new Set(sts.sent.map(({ url }) => url.split('?')[0]))).toEqual(
    new Set([`https://sts.${REGION}.amazonaws.com/`]),
  );
  expect(sts.sent.length).toBeGreaterThan(10); // wrongly signed, and for other clusters
  expect(sts.sent.length).toBeLessThan(200);
  expect(warnings).toHaveLength(500);
  expect(warnings.every((line) => /^token refused \{"fault":"\w+"\}$/.test(line))).toBe(true);
  await expect(ask(valid)).resolves.toBeDefined();
});
