import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { STREAM_MAX_SEC } from '../../shared/kube/http/api-deps.ts';
import { DEAD_QUEUE_ENV, RECEIVES_MAX } from '../../shared/names/dead-letter-queues.ts';
import { ENV } from '../../shared/names/env.ts';
import type { MetricName } from '../../shared/names/metrics.ts';
import { type Deployed, type Json, musterTemplate, ref } from './template.ts';

const HANDLERS = ['api', 'dispatch', 'reconcile', 'sweep'];
const VPC = 'vpc-0123456789abcdef0';
const SUBNETS = ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'];

const stack = musterTemplate();

describe('a table that is given', () => {
  const given = musterTemplate({ tableName: 'muster-restored' });

  test('is used instead of one of the stack, by every function and with the same rights', () => {
    expect(given.all('AWS::DynamoDB::GlobalTable').size).toBe(0);
    for (const handler of HANDLERS) {
      const { Environment } = given.functions.get(given.functionOf(handler))!.Properties as {
        readonly Environment: { readonly Variables: Readonly<Record<string, unknown>> };
      };
      expect([handler, Environment.Variables[ENV.table]]).toEqual([handler, 'muster-restored']);
    }
    const rights = (template: typeof given) =>
      JSON.stringify([...template.all('AWS::IAM::Policy').values()])
        .match(/dynamodb:\w+/g)
        ?.toSorted();
    // Only a table of the stack's own is protected by its deployment.
    expect(rights(given)).toEqual(rights(stack)?.filter((right) => right !== 'dynamodb:UpdateTable'));
    expect(JSON.stringify([...given.all('AWS::IAM::Policy').values()])).toContain('table/muster-restored/index/alarms');
  });
});

describe('queues', () => {
  test('three are drained, by the functions that should', () => {
    const drained = ['Wake', 'Facts', 'Dispatch'].map((name) => {
      const { consumer } = stack.mappings.find(({ queue }) => queue === stack.queueOf(name))!;
      return `${name} → ${stack.handlerOf(consumer)}`;
    });
    expect(drained).toEqual(['Wake → reconcile', 'Facts → reconcile', 'Dispatch → dispatch']);
    expect(stack.mappings).toHaveLength(3);
  });

  test("a message stays hidden for six times its consumer's timeout", () => {
    for (const { queue, consumer } of stack.mappings) {
      const timeoutSec = stack.functions.get(consumer)!.Properties['Timeout'] as number;
      expect(stack.queues.get(queue)!.Properties['VisibilityTimeout']).toBe(6 * timeoutSec);
    }
  });

  test('one bad message does not take its batch along, and a lone message does not wait', () => {
    for (const { properties } of stack.mappings) {
      expect(properties).toMatchObject({
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        BatchSize: 10,
        MaximumBatchingWindowInSeconds: 0,
      });
    }
  });

  test('concurrency is bounded by the mapping, never by reservation, and fits an account that has ten', () => {
    const most = stack.mappings.map(({ properties }) =>
      Number((properties['ScalingConfig'] as Json)['MaximumConcurrency']),
    );
    expect(most.every((each) => each >= 2)).toBe(true);
    expect(most.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(7);
    for (const { Properties } of stack.functions.values()) {
      expect(Properties).not.toHaveProperty('ReservedConcurrentExecutions');
    }
  });

  test('the API alone may have concurrency of its own, if it is asked for', () => {
    const reserving = musterTemplate({ apiConcurrency: '40' });
    const reserved = [...reserving.functions].flatMap(([id, { Properties }]) =>
      'ReservedConcurrentExecutions' in Properties
        ? [[reserving.handlerOf(id), Properties['ReservedConcurrentExecutions']]]
        : [],
    );
    expect(reserved).toEqual([['api', 40]]);
  });

  test('what cannot be processed goes to a dead-letter queue', () => {
    const drained = stack.mappings.map(({ queue }) => queue);
    const dead = drained.map((queue) => stack.deadOf(queue));
    expect(new Set([...drained, ...dead])).toEqual(new Set(stack.queues.keys()));
    expect(new Set(dead).size).toBe(drained.length);
    for (const queue of drained) {
      const redrive = stack.queues.get(queue)!.Properties['RedrivePolicy'] as Json;
      expect(redrive['maxReceiveCount']).toBe(RECEIVES_MAX); // or a function would wait for a last receive that never comes
    }
    for (const id of dead) {
      expect(stack.queues.get(id)!.Properties['MessageRetentionPeriod']).toBe(14 * 86_400);
    }
  });

  test('a queue that is not drained is noticed, delayed messages aside', () => {
    for (const { queue } of stack.mappings) {
      const [alarm] = stack.alarmsOn('ApproximateAgeOfOldestMessage', queue);
      expect(alarm!['Threshold']).toBeGreaterThan(900);
    }
  });

  test('messages are encrypted at rest and in transit', () => {
    const policies = [...stack.all('AWS::SQS::QueuePolicy').values()].map(({ Properties }) => Properties);
    for (const [id, { Properties }] of stack.queues) {
      expect(Properties).toMatchObject({ SqsManagedSseEnabled: true });
      const own = policies.find((policy) => ref((policy['Queues'] as unknown[])[0]) === id);
      expect(JSON.stringify(own)).toContain('"aws:SecureTransport":"false"');
    }
  });
});

describe('functions', () => {
  test('are four, current, on arm64, with structured logs', () => {
    expect([...stack.functions.keys()].map((id) => stack.handlerOf(id)).sort()).toEqual(HANDLERS);
    for (const { Properties } of stack.functions.values()) {
      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
        // Metrics are log lines of level INFO.
        LoggingConfig: { LogFormat: 'JSON', ApplicationLogLevel: 'INFO' },
      });
    }
  });

  test('know where everything is', () => {
    for (const { Properties } of musterTemplate({
      hostnames: 'true',
      submissions: 'true',
      eventBus: 'default',
      taskTokens: 'true',
      formats: 'previous',
    }).functions.values()) {
      const { Variables } = Properties['Environment'] as { readonly Variables: Json };
      expect(Object.keys(Variables)).toEqual(
        expect.arrayContaining([...Object.values(ENV), ...Object.values(DEAD_QUEUE_ENV)]),
      );
    }
  });

  test('that feed themselves through queues may, and no other', () => {
    const reachable = (from: string, seen = new Set<string>()): Set<string> => {
      for (const next of stack.fedBy(from)) if (!seen.has(next)) reachable(next, seen.add(next));
      return seen;
    };
    const loops = HANDLERS.filter((name) => reachable(name).has(name));
    expect(loops).toEqual(['dispatch', 'reconcile']);
    const allowed = HANDLERS.filter((name) => {
      const { Properties } = stack.functions.get(stack.functionOf(name))!;
      return Properties['RecursiveLoop'] === 'Allow';
    });
    expect(allowed).toEqual(loops);
  });

  test('that fail are noticed, and a sweep that does not run', () => {
    const silence = HANDLERS.map((name) => stack.alarmsOn('Errors', stack.functionOf(name))[0]!['TreatMissingData']);
    expect(silence).toEqual(['notBreaching', 'notBreaching', 'notBreaching', 'breaching']);
  });

  test('sweep runs every minute and is not repeated', () => {
    const target = {
      Arn: { 'Fn::GetAtt': [stack.functionOf('sweep'), 'Arn'] },
      RetryPolicy: { MaximumRetryAttempts: 0 },
    };
    expect(stack.count('AWS::Events::Rule', { ScheduleExpression: 'rate(1 minute)', Targets: [target] })).toBe(1);
    expect(stack.count('AWS::Lambda::EventInvokeConfig', { MaximumRetryAttempts: 0 })).toBe(1);
  });
});

describe('API', () => {
  test('every method asks for a signature and streams', () => {
    const methods = [...stack.all('AWS::ApiGateway::Method').values()];
    expect(methods).toHaveLength(2);
    for (const { Properties } of methods) {
      expect(Properties).toMatchObject({
        HttpMethod: 'ANY',
        AuthorizationType: 'AWS_IAM',
        Integration: { Type: 'AWS_PROXY', ResponseTransferMode: 'STREAM' },
      });
      expect(JSON.stringify(Properties['Integration'])).toContain('/response-streaming-invocations');
    }
    expect(stack.count('AWS::ApiGateway::RestApi', { EndpointConfiguration: { Types: ['REGIONAL'] } })).toBe(1);
  });

  test('protobuf reaches the function byte for byte', () => {
    const types = { BinaryMediaTypes: ['application/vnd.kubernetes.protobuf'] };
    expect(stack.count('AWS::ApiGateway::RestApi', types)).toBe(1);
  });

  test('function and gateway wait longer than a watch lasts', () => {
    const timeoutSec = stack.functions.get(stack.functionOf('api'))!.Properties['Timeout'] as number;
    expect(timeoutSec).toBeGreaterThan(STREAM_MAX_SEC);
    const integration = { TimeoutInMillis: timeoutSec * 1000 };
    expect(stack.count('AWS::ApiGateway::Method', { Integration: integration })).toBe(2);
  });

  test('the gateway itself answers with a Status', () => {
    const answers = [...stack.all('AWS::ApiGateway::GatewayResponse').values()].map(({ Properties }) => Properties);
    const types = answers.map(({ ResponseType }) => ResponseType);
    expect(types).toEqual(expect.arrayContaining(['DEFAULT_4XX', 'DEFAULT_5XX']));
    for (const { ResponseTemplates, StatusCode } of answers) {
      // One template only: whatever a client accepts, it gets JSON that says it is JSON.
      expect(Object.keys(ResponseTemplates as object)).toEqual(['application/json']);
      const body = (ResponseTemplates as Record<string, string>)['application/json']!;
      const status = JSON.parse(body.replace('$context.error.messageString', '"no"')) as Json;
      const message = body.includes('"message":$') ? 'no' : 'the token cannot be checked now; try again';
      expect(status).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message });
      expect(status['code']).toBe(StatusCode === undefined ? undefined : Number(StatusCode));
    }
  });
});

describe('network', () => {
  test('tasks reach out without NAT, and nothing reaches in', () => {
    expect(stack.count('AWS::EC2::NatGateway')).toBe(0);
    expect(stack.count('AWS::EC2::Subnet')).toBe(3);
    expect(stack.count('AWS::EC2::SecurityGroupIngress')).toBe(0);
    const groups = [...stack.all('AWS::EC2::SecurityGroup').values()];
    expect(groups).toHaveLength(1);
    expect(groups[0]!.Properties).not.toHaveProperty('SecurityGroupIngress');
    const Variables = { [ENV.assignPublicIp]: 'ENABLED' };
    expect(stack.count('AWS::Lambda::Function', { Environment: { Variables } })).toBe(4);
  });

  test('a VPC that is given is used, and none is made', () => {
    const given = musterTemplate({ vpcId: VPC, subnetIds: SUBNETS.join(', '), assignPublicIp: 'DISABLED' });
    expect(given.count('AWS::EC2::VPC') + given.count('AWS::EC2::Subnet')).toBe(0);
    expect(given.count('AWS::EC2::SecurityGroup', { VpcId: VPC })).toBe(1);
    const Variables = { [ENV.subnets]: SUBNETS.join(','), [ENV.assignPublicIp]: 'DISABLED' };
    expect(given.count('AWS::Lambda::Function', { Environment: { Variables } })).toBe(4);
  });

  test('the cluster has On-Demand and Spot, and no insights that bill by task', () => {
    const providers = { CapacityProviders: ['FARGATE', 'FARGATE_SPOT'] };
    expect(stack.count('AWS::ECS::ClusterCapacityProviderAssociations', providers)).toBe(1);
    const settings = { ClusterSettings: [{ Name: 'containerInsights', Value: 'disabled' }] };
    expect(stack.count('AWS::ECS::Cluster', settings)).toBe(1);
  });
});

describe('submissions', () => {
  const FROM = {
    bucket: 'arn:aws:s3:::uploads',
    rule: 'arn:aws:events:eu-central-1:123456789012:rule/nightly',
    topic: 'arn:aws:sns:eu-central-1:123456789012:reports',
  };
  const submitting = musterTemplate({ submissions: Object.values(FROM).join(',') });
  const queue = submitting.queueOf('Submit');

  test('take nothing where they are not asked for', () => {
    expect([...stack.queues.keys()].filter((id) => id.startsWith('Submit'))).toEqual([]);
    expect(HANDLERS.map((name) => stack.fedBy(name)).flat()).not.toContain('submit');
  });

  test('have a queue, its dead-letter queue, and a function, as all messages have', () => {
    const mapping = submitting.mappings.find((each) => each.queue === queue)!;
    expect(submitting.handlerOf(mapping.consumer)).toBe('submit');
    expect(mapping.properties).toMatchObject({
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BatchSize: 10,
      ScalingConfig: { MaximumConcurrency: 2 },
    });
    const timeoutSec = submitting.functions.get(mapping.consumer)!.Properties['Timeout'] as number;
    expect(submitting.queues.get(queue)!.Properties).toMatchObject({
      VisibilityTimeout: 6 * timeoutSec,
      SqsManagedSseEnabled: true,
    });
    expect(submitting.queues.get(submitting.deadOf(queue))!.Properties['MessageRetentionPeriod']).toBe(14 * 86_400);
    expect(submitting.alarmsOn('ApproximateAgeOfOldestMessage', queue)).toHaveLength(1);
    expect(submitting.alarmsOn('Errors', submitting.functionOf('submit'))).toHaveLength(1);
    const most = submitting.mappings.map(({ properties }) =>
      Number((properties['ScalingConfig'] as Json)['MaximumConcurrency']),
    );
    expect(most.reduce((sum, each) => sum + each, 0)).toBeLessThan(10); // and one for the API
  });

  test('come from the sources that are named, each alone, and from nobody else', () => {
    const policies = [...submitting.all('AWS::SQS::QueuePolicy').values()].map(({ Properties }) => Properties);
    const own = policies.find((policy) => ref((policy['Queues'] as unknown[])[0]) === queue)!;
    const { Statement: statements } = own['PolicyDocument'] as { readonly Statement: readonly Json[] };
    const allowed = statements.filter(({ Effect }) => Effect === 'Allow');
    const isFrom = (Service: string, arn: string, more: Json = {}) => ({
      Effect: 'Allow',
      Action: 'sqs:SendMessage',
      Principal: { Service },
      Resource: { 'Fn::GetAtt': [queue, 'Arn'] },
      Condition: { ArnEquals: { 'aws:SourceArn': arn }, ...more },
    });
    expect(allowed).toEqual([
      isFrom('s3.amazonaws.com', FROM.bucket, { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } }),
      isFrom('events.amazonaws.com', FROM.rule),
      isFrom('sns.amazonaws.com', FROM.topic),
    ]);
  });
});

describe('what it costs while nothing happens', () => {
  test('dead letters, launches that the installation is at fault for, and throttles have an alarm each', () => {
    const alarms = [...stack.all('AWS::CloudWatch::Alarm').values()].map(({ Properties }) => Properties);
    const sum = { Threshold: 0, ComparisonOperator: 'GreaterThanThreshold', EvaluationPeriods: 1, Statistic: 'Sum' };
    for (const MetricName of ['DeadLetters', 'LaunchesMisconfigured'] satisfies MetricName[])
      expect(alarms.find((alarm) => alarm['MetricName'] === MetricName)).toMatchObject({
        ...sum,
        Namespace: 'Muster',
        Dimensions: [{ Name: 'service', Value: 'muster' }],
      });
    const throttled = alarms.find((alarm) => alarm['MetricName'] === 'Throttles');
    expect(throttled).toMatchObject({ ...sum, Namespace: 'AWS/Lambda' });
    expect(throttled).not.toHaveProperty('Dimensions');
  });

  test('ten alarms, all of which tell somebody', () => {
    const alarms = [...stack.all('AWS::CloudWatch::Alarm').values()];
    expect(alarms).toHaveLength(10); // docs/deploy.md adds them up
    const [topic] = stack.all('AWS::SNS::Topic').keys();
    for (const { Properties } of alarms) expect(Properties['AlarmActions']).toEqual([{ Ref: topic }]);
  });

  test('the table in docs/deploy.md says what the template has, adds up, and stays within the budget', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/deploy.md'), 'utf8');
    const [table = ''] = /^\| \| count \| \$ a month \|\n(\|.*\n)+/m.exec(page) ?? [];
    const said = table
      .split('\n')
      .slice(2, -1)
      .map((line) => {
        const cells = line.split('|').map((cell) => cell.replaceAll('*', '').trim());
        return { what: cells[1] ?? '', usd: Number(cells[3]) };
      });
    const usdOf = (what: string) => said.find((row) => row.what.startsWith(what))?.usd;
    const idle = idleCost(stack);
    expect(usdOf('alarms')).toBe(rounded(idle.alarms));
    expect(usdOf('sweep, a look at')).toBe(rounded(idle.looks));
    expect(usdOf('Lambda polls')).toBe(rounded(idle.polls));
    const [sum, rows] = [said.at(-1)!, said.slice(0, -1)];
    expect(sum.what).toBe('sum');
    // Each row is rounded to a cent, and the sum is of what was not.
    expect(Math.abs(rows.reduce((total, { usd }) => total + usd, 0) - sum.usd)).toBeLessThanOrEqual(0.02);
    expect(sum.usd).toBeLessThanOrEqual(2);
    const asked = idleCost(musterTemplate({ submissions: 'true' }));
    const more = asked.alarms + asked.looks + asked.polls - idle.alarms - idle.looks - idle.polls;
    expect(page).toContain(`\`submissions\` adds $${rounded(more).toFixed(2)}`);
  });

  test('no log is kept for ever', () => {
    for (const { Properties } of stack.all('AWS::Logs::LogGroup').values()) {
      expect(Properties['RetentionInDays']).toBeLessThanOrEqual(90);
    }
  });

  test('nothing bills by the hour', () => {
    const byTheHour =
      /NatGateway|EIP|LoadBalancer|KMS::Key|Secret|HostedZone|DnsNamespace|Dashboard|RDS|Cache|Reservation/;
    expect(stack.types.filter((type) => byTheHour.test(type))).toEqual([]);
    for (const { Properties } of stack.all('AWS::EC2::VPCEndpoint').values()) {
      expect(Properties['VpcEndpointType']).toBe('Gateway'); // an interface endpoint costs $7 a month and zone
    }
  });
});

const MINUTES = 43_200;
const REQUEST_USD = 0.4 / 1_000_000;
/** With a maximum concurrency Lambda keeps five pollers, and a poll of an empty queue takes 20 s. */
const POLLS_PER_MINUTE = 5 * 3;

/** What grows with alarms and queues, in dollars a month of 30 days. */
const idleCost = (template: Deployed) => ({
  alarms: template.all('AWS::CloudWatch::Alarm').size * 0.1,
  looks: template.mappings.length * MINUTES * REQUEST_USD,
  polls: template.mappings.length * POLLS_PER_MINUTE * MINUTES * REQUEST_USD,
});
const rounded = (usd: number): number => Math.round(usd * 100) / 100;
