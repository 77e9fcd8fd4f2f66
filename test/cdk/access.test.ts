import { describe, expect, test } from 'vitest';
import { type Json, type Resource, musterTemplate, ref } from './template.ts';

const stack = musterTemplate();
const given = { vpcId: 'vpc-0123456789abcdef0', subnetIds: 'subnet-0123456789abcdef0' };

/** Statements by which a role lets a service assume it. */
const trustOf = ({ Properties }: { readonly Properties: Json }): readonly Json[] =>
  (Properties['AssumeRolePolicyDocument'] as { readonly Statement: readonly Json[] }).Statement;

describe('roles', () => {
  test('are handed to tasks of this account and Region alone', () => {
    const trusts = [...stack.all('AWS::IAM::Role').values()]
      .flatMap(trustOf)
      .filter(({ Principal }) => (Principal as Json)['Service'] === 'ecs-tasks.amazonaws.com');
    expect(trusts).toHaveLength(2); // the tasks' own role, and the execution role
    for (const { Condition } of trusts) {
      expect(Condition).toMatchObject({ StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } });
      expect(JSON.stringify((Condition as Json)['ArnLike'])).toMatch(
        /aws:SourceArn.*:ecs:.*AWS::Region.*AWS::AccountId/,
      );
    }
  });
});

describe('the API', () => {
  const [stage] = stack.all('AWS::ApiGateway::Stage').values();

  test('answers so many requests a second, of all callers together', () => {
    const settings = (template = stack) =>
      [...template.all('AWS::ApiGateway::Stage').values()][0]!.Properties['MethodSettings'];
    const everything = { HttpMethod: '*', ResourcePath: '/*' };
    expect(settings()).toMatchObject([{ ...everything, ThrottlingRateLimit: 200, ThrottlingBurstLimit: 400 }]);
    expect(settings(musterTemplate({ apiRequestsPerSec: '4000' }))).toMatchObject([
      { ...everything, ThrottlingRateLimit: 4_000, ThrottlingBurstLimit: 5_000 },
    ]);
  });

  test('notes who asked for what, and how it ended', () => {
    const { DestinationArn, Format } = stage!.Properties['AccessLogSetting'] as {
      DestinationArn: unknown;
      Format: string;
    };
    expect(JSON.parse(Format)).toMatchObject({
      caller: '$context.identity.userArn',
      method: '$context.httpMethod',
      path: '$context.path',
      status: '$context.status',
      requestId: '$context.requestId',
    });
    expect(Format).not.toContain('\n'); // a line a request
    expect([...stack.all('AWS::Logs::LogGroup').keys()]).toContain(ref(DestinationArn));
  });

  test.each([
    [{}, 90],
    [{ auditDays: '3653' }, 3_653],
  ])('keeps that, and who has changed what, as long as is asked for: %o', (settings, days) => {
    const deployed = musterTemplate(settings);
    const [{ Properties }] = deployed.all('AWS::ApiGateway::Stage').values() as unknown as [Resource];
    const { DestinationArn } = Properties['AccessLogSetting'] as { readonly DestinationArn: unknown };
    const groups = deployed.all('AWS::Logs::LogGroup');
    const logOf = (handler: string) => {
      const { LoggingConfig } = deployed.functions.get(deployed.functionOf(handler))!.Properties;
      return ref((LoggingConfig as Json)['LogGroup']);
    };
    const kept = (id: string) => groups.get(id)!.Properties['RetentionInDays'];
    expect([kept(ref(DestinationArn)), kept(logOf('api'))]).toEqual([days, days]);
    expect(['reconcile', 'dispatch', 'sweep'].map((handler) => kept(logOf(handler)))).toEqual([7, 7, 7]);
    expect(deployed.outputs['AuditLog']).toMatchObject({ Value: { Ref: logOf('api') } });
  });

  test('needs a role of the account for that, which stays, or is there already', () => {
    const account = [...stack.all('AWS::ApiGateway::Account').values()];
    expect(account).toMatchObject([{ DeletionPolicy: 'Retain' }]);
    const there = musterTemplate({ accessLog: 'account' });
    expect(there.count('AWS::ApiGateway::Account')).toBe(0);
    expect(there.count('AWS::ApiGateway::Stage', { AccessLogSetting: {} })).toBe(1);
    const none = musterTemplate({ accessLog: 'false' });
    expect(none.count('AWS::ApiGateway::Account')).toBe(0);
    expect([...none.all('AWS::ApiGateway::Stage').values()][0]!.Properties).not.toHaveProperty('AccessLogSetting');
  });

  test('has a name that a console shows', () => {
    expect(stack.count('AWS::ApiGateway::RestApi', { Name: 'Muster' })).toBe(1);
  });
});

test('alarms reach the topic over TLS, from CloudWatch of this account', () => {
  const [policy] = stack.all('AWS::SNS::TopicPolicy').values();
  const { Statement: statements } = policy!.Properties['PolicyDocument'] as { readonly Statement: readonly Json[] };
  expect(statements).toMatchObject([
    { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
    {
      Effect: 'Allow',
      Action: 'sns:Publish',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    },
  ]);
});

test('X-Ray samples where that is asked for: functions, and the API', () => {
  expect(stack.count('AWS::ApiGateway::Stage', { TracingEnabled: true })).toBe(0);
  for (const { Properties } of stack.functions.values()) expect(Properties).not.toHaveProperty('TracingConfig');
  const traced = musterTemplate({ tracing: 'true' });
  expect(traced.count('AWS::ApiGateway::Stage', { TracingEnabled: true })).toBe(1);
  const traces = { TracingConfig: { Mode: 'Active' } };
  expect(traced.count('AWS::Lambda::Function', traces)).toBe(traced.functions.size);
  const writing = traced.rights.filter(({ actions }) => actions.includes('xray:PutTraceSegments'));
  expect(writing).toHaveLength(traced.functions.size);
});

test('traffic of the VPC that is made is logged where that is asked for', () => {
  expect(stack.count('AWS::EC2::FlowLog')).toBe(0);
  const logged = musterTemplate({ flowLogs: 'true' });
  expect(logged.count('AWS::EC2::FlowLog', { TrafficType: 'ALL' })).toBe(1);
  const [trust] = [...logged.all('AWS::IAM::Role').values()]
    .flatMap(trustOf)
    .filter(({ Principal }) => (Principal as Json)['Service'] === 'vpc-flow-logs.amazonaws.com');
  expect(trust!['Condition']).toHaveProperty(['StringEquals', 'aws:SourceAccount']);
  expect(musterTemplate(given).count('AWS::EC2::FlowLog')).toBe(0);
});
