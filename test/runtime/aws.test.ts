import { expect, test } from 'vitest';
import { DEAD_QUEUE_ENV } from '../../shared/names/dead-letters.ts';
import { ENDPOINT_ENV } from '../../shared/names/endpoints.ts';
import { ENV } from '../../shared/names/env.ts';
import { optionsFromEnv } from '../../shared/runtime/aws.ts';

const REQUIRED = {
  AWS_REGION: 'eu-central-1',
  [ENV.table]: 'muster',
  [ENV.wakeQueueUrl]: 'https://sqs.example/1/wake',
  [ENV.factQueueUrl]: 'https://sqs.example/1/facts',
  [ENV.dispatchQueueUrl]: 'https://sqs.example/1/dispatch',
  [ENV.cluster]: 'arn:aws:ecs:eu-central-1:1:cluster/jobs',
  [ENV.subnets]: 'subnet-1,subnet-2',
  [ENV.securityGroups]: 'sg-1',
  [ENV.assignPublicIp]: 'ENABLED',
  [ENV.executionRoleArn]: 'arn:aws:iam::1:role/exec',
  [ENV.logGroup]: '/muster/tasks',
  [ENV.historyDays]: '30',
};

test('what the stack sets is read, and what it leaves out has no limit', () => {
  expect(optionsFromEnv(REQUIRED)).toMatchObject({
    region: 'eu-central-1',
    endpoints: { sqs: null, ecs: null, logs: null },
    accessKey: null,
    store: { kind: 'dynamodb', tableName: 'muster', endpoint: null },
    placement: { subnets: ['subnet-1', 'subnet-2'], securityGroups: ['sg-1'], assignPublicIp: 'ENABLED' },
    deadQueues: { wake: null, facts: null, dispatch: null },
    taskRoleArn: null,
    taskRoles: new Map(),
    settings: { launchesPerSec: null, stopsPerSec: null, historyMs: 30 * 86_400_000 },
  });
  const more = {
    [ENV.launchesPerSec]: '18',
    [DEAD_QUEUE_ENV.facts]: 'https://sqs.example/1/dead',
    [ENDPOINT_ENV.ecs]: 'http://127.0.0.1:1',
    [ENV.taskRoles]: '{"default/reports":"arn"}',
  };
  expect(optionsFromEnv({ ...REQUIRED, ...more })).toMatchObject({
    settings: { launchesPerSec: 18 },
    deadQueues: { facts: 'https://sqs.example/1/dead' },
    endpoints: { ecs: 'http://127.0.0.1:1' },
    taskRoles: new Map([['default/reports', 'arn']]),
  });
});

test.each(Object.keys(REQUIRED))('%s is asked for by name', (name) => {
  expect(() => optionsFromEnv({ ...REQUIRED, [name]: undefined })).toThrow(name);
});

test.each([
  [ENV.historyDays, 'many'],
  [ENV.taskRoles, '1'],
  [ENV.taskRoles, 'no JSON'],
  [ENV.launchesPerSec, '0'],
  [ENV.assignPublicIp, 'MAYBE'],
  [ENDPOINT_ENV.sqs, 'nowhere'],
])('%s=%s is refused', (name, value) => {
  expect(() => optionsFromEnv({ ...REQUIRED, [name]: value })).toThrow(name);
});
