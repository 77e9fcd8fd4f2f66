import { expect, test } from 'vitest';
import { ACCESS_ENV } from '../../shared/names/env.ts';
import { type Deployed, type Json, musterTemplate, ref } from './template.ts';

const ADMIN = 'arn:aws:iam::123456789012:role/ops';
const byIam = musterTemplate({ admins: ADMIN });
const byToken = musterTemplate({ auth: 'token', admins: ADMIN, accounts: '210987654321' });

const methods = (stack: Deployed): readonly Json[] =>
  [...stack.all('AWS::ApiGateway::Method').values()].map(({ Properties }) => Properties);
const variables = (stack: Deployed, handler: string): Json => {
  const { Environment } = stack.functions.get(stack.functionOf(handler))!.Properties as {
    readonly Environment: { readonly Variables: Json };
  };
  return Environment.Variables;
};

test('callers sign with IAM unless tokens are asked for', () => {
  expect(methods(byIam).map(({ AuthorizationType }) => AuthorizationType)).toEqual(['AWS_IAM', 'AWS_IAM']);
  expect(byIam.count('AWS::ApiGateway::Authorizer')).toBe(0);
  expect(variables(byIam, 'api')).toMatchObject({ [ACCESS_ENV.admins]: ADMIN });
  expect(variables(byIam, 'api')).not.toHaveProperty(ACCESS_ENV.auth);
  expect(variables(byIam, 'reconcile')).not.toHaveProperty(ACCESS_ENV.admins);
});

test('with tokens, every method asks the authorizer, which is asked again after five minutes', () => {
  const [authorizer] = byToken.all('AWS::ApiGateway::Authorizer');
  const [id, { Properties }] = authorizer!;
  expect(methods(byToken)).toHaveLength(2);
  for (const method of methods(byToken)) {
    expect(method).toMatchObject({ AuthorizationType: 'CUSTOM' });
    expect(ref(method['AuthorizerId'])).toBe(id);
  }
  expect(Properties).toMatchObject({
    Type: 'REQUEST',
    IdentitySource: 'method.request.header.Authorization',
    AuthorizerResultTtlInSeconds: 300,
  });
  expect(JSON.stringify(Properties['AuthorizerUri'])).toContain(byToken.functionOf('authorizer'));
  expect(byToken.needs(id)).toContain([...byToken.all('AWS::ApiGateway::RestApi').keys()][0]);
});

test('the authorizer may do nothing but write its log, knows its cluster, and no table', () => {
  const actions = byToken.rightsOf('authorizer').flatMap((statement) => statement.actions);
  expect([...new Set(actions)].sort()).toEqual(['logs:CreateLogStream', 'logs:PutLogEvents']);
  const { NODE_OPTIONS: _node, ...known } = variables(byToken, 'authorizer');
  const [api] = byToken.all('AWS::ApiGateway::RestApi').keys();
  expect(known).toEqual({
    [ACCESS_ENV.accounts]: { 'Fn::Join': ['', [{ Ref: 'AWS::AccountId' }, ',210987654321']] },
    [ACCESS_ENV.admins]: ADMIN,
    [ACCESS_ENV.tokenCluster]: { 'Fn::Join': ['', ['muster/', { Ref: api }]] },
  });
  // Groups come with the request: a second list could differ.
  expect(variables(byToken, 'api')).toMatchObject({ [ACCESS_ENV.auth]: 'token' });
  expect(variables(byToken, 'api')).not.toHaveProperty(ACCESS_ENV.admins);
});

test('the authorizer waits for STS, and not for long', () => {
  expect(byToken.functions.get(byToken.functionOf('authorizer'))!.Properties).toMatchObject({ Timeout: 5 });
});

test('a token that cannot be checked now is repeated by clients, and one that is refused is not', () => {
  const answers = [...byToken.all('AWS::ApiGateway::GatewayResponse').values()].map(({ Properties }) => Properties);
  const of = (type: string): Json => answers.find(({ ResponseType }) => ResponseType === type)!;
  for (const type of ['AUTHORIZER_FAILURE', 'AUTHORIZER_CONFIGURATION_ERROR'])
    expect(of(type)).toMatchObject({
      StatusCode: '503',
      ResponseParameters: { 'gatewayresponse.header.Retry-After': "'1'" },
    });
  expect(of('UNAUTHORIZED')).toMatchObject({ StatusCode: '401' });
  expect(of('UNAUTHORIZED')).not.toHaveProperty('ResponseParameters');
});

test('the access log names the user', () => {
  const [stage] = byToken.all('AWS::ApiGateway::Stage').values();
  const { Format } = stage!.Properties['AccessLogSetting'] as { readonly Format: string };
  expect(JSON.parse(Format)).toMatchObject({ caller: '$context.authorizer.username' });
});

test('costs nothing while nothing happens: no alarm more, as a token that is refused is an error of the function', () => {
  expect(byToken.count('AWS::CloudWatch::Alarm')).toBe(byIam.count('AWS::CloudWatch::Alarm'));
  expect(byToken.alarmsOn('Errors', byToken.functionOf('authorizer'))).toEqual([]);
  const more = byToken.types.filter((type) => !byIam.types.includes(type));
  expect(more).toEqual(['AWS::ApiGateway::Authorizer']);
});
