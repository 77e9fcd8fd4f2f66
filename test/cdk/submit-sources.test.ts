import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Bucket, EventType } from 'aws-cdk-lib/aws-s3';
import { SqsDestination } from 'aws-cdk-lib/aws-s3-notifications';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { expect, onTestFinished, test } from 'vitest';
import { FLAGS, MusterStack } from '../../cdk/muster-stack.ts';
import { readSettings } from '../../cdk/settings.ts';
import { readMessage } from '../../shared/schema/submission/read-submission.ts';
import { type Json, removeOutputOf } from './template.ts';

// The patterns of docs/events.md, in a CDK app of the user's own.

process.env['CDK_VALIDATION'] = 'false';

const app = new App({ context: { 'aws:cdk:bundling-stacks': [] }, postCliContext: FLAGS });
const muster = new MusterStack(app, 'Muster', {
  settings: readSettings((key) => (key === 'submissions' ? 'true' : undefined)),
});
const queue = muster.submitQueue!;

const role = new Role(muster, 'SchedulerRole', { assumedBy: new ServicePrincipal('scheduler.amazonaws.com') });
queue.grantSendMessages(role);
new CfnSchedule(muster, 'Nightly', {
  scheduleExpression: 'cron(0 2 * * ? *)',
  scheduleExpressionTimezone: 'Europe/Berlin',
  flexibleTimeWindow: { mode: 'OFF' },
  target: {
    arn: queue.queueArn,
    roleArn: role.roleArn,
    input: JSON.stringify({
      from: { kind: 'Job', name: 'report' },
      id: 'nightly <aws.scheduler.scheduled-time>',
      env: { DAY: '<aws.scheduler.scheduled-time>' },
    }),
  },
});
new Rule(muster, 'OrdersClosed', {
  eventPattern: { source: ['com.example.shop'], detailType: ['Orders Closed'] },
  targets: [
    new SqsQueue(queue, {
      message: RuleTargetInput.fromObject({
        from: { kind: 'Job', name: 'report' },
        id: EventField.eventId,
        env: { DAY: EventField.fromPath('$.detail.day') },
      }),
    }),
  ],
});
new Rule(muster, 'Created', {
  eventPattern: { source: ['aws.s3'], detailType: ['Object Created'], detail: { bucket: { name: ['uploads'] } } },
  targets: [
    new SqsQueue(queue, {
      message: RuleTargetInput.fromObject({
        from: { kind: 'Job', name: 'load', namespace: 'team-a' },
        id: `${EventField.fromPath('$.detail.object.key')} ${EventField.fromPath('$.detail.object.sequencer')}`,
        items: [{ KEY: EventField.fromPath('$.detail.object.key') }],
      }),
    }),
  ],
});
new Bucket(muster, 'Uploads').addEventNotification(EventType.OBJECT_CREATED, new SqsDestination(queue), {
  prefix: 'incoming/',
  suffix: '.csv',
});
new Topic(muster, 'Reports').addSubscription(new SqsSubscription(queue));
const template = Template.fromStack(muster);
removeOutputOf(app);
const all = (type: string): readonly Json[] =>
  Object.values(template.findResources(type)).map((found) => (found as { readonly Properties: Json }).Properties);

/** What EventBridge sends: each `<name>` becomes the field of the event, as JSON has it. */
function transformed(ruleDescription: string, event: unknown): string {
  const rule = all('AWS::Events::Rule').find((each) =>
    JSON.stringify(each['EventPattern'] ?? '').includes(ruleDescription),
  )!;
  const [target] = rule['Targets'] as readonly { readonly InputTransformer: Json }[];
  const { InputPathsMap: paths, InputTemplate: text } = target!.InputTransformer as {
    readonly InputPathsMap: Record<string, string>;
    readonly InputTemplate: string;
  };
  const fieldAt = (path: string): unknown =>
    path
      .split('.')
      .slice(1)
      .reduce<unknown>((at, name) => (at as Json)[name], event);
  return Object.entries(paths).reduce((out, [name, path]) => {
    const value = JSON.stringify(fieldAt(path));
    // In quotes a text is put in without its own.
    return out.replaceAll(`<${name}>`, (_, at: number, whole: string) =>
      isQuoted(whole, at) ? value.slice(1, -1) : value,
    );
  }, text);
}
const isQuoted = (text: string, at: number): boolean => (text.slice(0, at).match(/"/g) ?? []).length % 2 === 1;

test('Scheduler sends a message of ours, by a role that may do nothing else', () => {
  const [schedule] = all('AWS::Scheduler::Schedule');
  const { Input } = schedule!['Target'] as { readonly Input: string };
  const sent = Input.replaceAll('<aws.scheduler.scheduled-time>', '2026-11-23T02:00:00Z');
  expect(readMessage(sent, 'm')).toMatchObject({
    kind: 'submission',
    submission: { source: 'id/nightly 2026-11-23T02:00:00Z' },
  });
});

test("a rule's input transformer makes a message of ours, told by the event", () => {
  const event = { id: 'e-1', source: 'com.example.shop', detail: { day: 'Mon "1"' } };
  expect(readMessage(transformed('com.example.shop', event), 'm')).toMatchObject({
    kind: 'submission',
    submission: { source: 'id/e-1', of: { additions: { env: [{ name: 'DAY', value: 'Mon "1"' }] } } },
  });
  const created = { detail: { object: { key: 'incoming/a b.csv', sequencer: '0055' } } };
  expect(readMessage(transformed('aws.s3', created), 'm')).toMatchObject({
    kind: 'submission',
    submission: {
      namespace: 'team-a',
      source: 'id/incoming/a b.csv 0055',
      of: { additions: { items: { kind: 'inline', text: 'KEY\nincoming/a b.csv\n' } } },
    },
  });
});

test('the queue lets rules, the bucket, and the topic in, each by its ARN, and needs nothing of ours for it', () => {
  const policies = all('AWS::SQS::QueuePolicy').map((policy) => JSON.stringify(policy));
  const own = policies.find((policy) => policy.includes('s3.amazonaws.com'));
  expect(own).toBeDefined();
  const { Statement: statements } = (JSON.parse(own!) as { PolicyDocument: { Statement: readonly Json[] } })
    .PolicyDocument;
  const allowed = statements.filter(({ Effect }) => Effect === 'Allow');
  const services = allowed.map(({ Principal }) => (Principal as { readonly Service: string }).Service).toSorted();
  expect([...new Set(services)]).toEqual(['events.amazonaws.com', 's3.amazonaws.com', 'sns.amazonaws.com']);
  for (const { Condition } of allowed) expect(JSON.stringify(Condition)).toContain('aws:SourceArn');
});

test('a stack without submissions has no queue for them', () => {
  const plainApp = new App({ context: { 'aws:cdk:bundling-stacks': [] }, postCliContext: FLAGS });
  onTestFinished(() => removeOutputOf(plainApp));
  const plain = new MusterStack(plainApp, 'Plain', { settings: readSettings(() => undefined) });
  expect(plain.submitQueue).toBeNull();
  expect(Stack.of(plain)).toBe(plain);
});
