import { expect, test } from 'vitest';
import { DEAD_QUEUE_ENV } from '../../shared/names/dead-letter-queues.ts';
import { ENDPOINT_ENV } from '../../shared/names/endpoints.ts';
import { ENV, EXEC_ENV } from '../../shared/names/env.ts';
import { optionsFromEnv } from '../../shared/runtime/options-from-env.ts';

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
    names: null,
    settings: { launchesPerSec: null, stopsPerSec: null, hosts: { max: 2_000 }, historyMs: 30 * 86_400_000 },
  });
  const more = {
    [ENV.launchesPerSec]: '18',
    [DEAD_QUEUE_ENV.facts]: 'https://sqs.example/1/dead',
    [ENDPOINT_ENV.ecs]: 'http://127.0.0.1:1',
    [ENV.taskRoles]: '{"default/reports":"arn"}',
    [ENV.hostsZone]: 'muster.internal',
    [ENV.hostsNamespaceId]: 'ns-1',
    [ENV.hostsMax]: '50',
    [ENDPOINT_ENV.cloudmap]: 'http://127.0.0.1:2',
  };
  expect(optionsFromEnv({ ...REQUIRED, ...more })).toMatchObject({
    names: { zone: 'muster.internal', namespaceId: 'ns-1', endpoint: 'http://127.0.0.1:2' },
    settings: { launchesPerSec: 18, hosts: { max: 50 } },
    deadQueues: { facts: 'https://sqs.example/1/dead' },
    endpoints: { ecs: 'http://127.0.0.1:1' },
    taskRoles: new Map([['default/reports', 'arn']]),
  });
});

test.each(Object.keys(REQUIRED))('%s is named', (name) => {
  expect(() => optionsFromEnv({ ...REQUIRED, [name]: undefined })).toThrow(name);
});

const RATE = 'must be a number of calls per second from 0.1 to 1000';

test.each([
  [ENV.table, '', 'must not be empty'],
  [ENV.historyDays, 'many', 'must be a number of days from 1 to 3650'],
  [ENV.historyDays, '0', 'must be a number of days from 1 to 3650'],
  [ENV.taskRoles, '1', 'must be JSON: an object of role ARNs by <namespace>/<service account>'],
  [ENV.taskRoles, 'no JSON', 'must be JSON'],
  [ENV.launchesPerSec, '0', RATE],
  [ENV.launchesPerSec, '-1', RATE],
  [ENV.launchesPerSec, 'Infinity', RATE],
  [ENV.stopsPerSec, '1e99', RATE],
  [ENV.stopsPerSec, '', 'must not be empty'],
  [ENV.assignPublicIp, 'MAYBE', 'must be ENABLED or DISABLED'],
  [ENV.hostsZone, 'internal', 'must be a lowercase DNS name of two labels or more, such as muster.internal'],
  [ENV.hostsMax, '0', 'must be a whole number from 1 to 100000'],
  [ENDPOINT_ENV.sqs, 'nowhere', 'must be an address such as http://127.0.0.1:8000'],
])('%s=%s is refused with what would do', (name, value, sentence) => {
  expect(() => optionsFromEnv({ ...REQUIRED, [name]: value })).toThrow(`  ${name}=${value}: ${sentence}`);
});

test('names of tasks need both, the zone and its namespace', () => {
  const sentence = `  ${ENV.hostsNamespaceId}: must be set where ${ENV.hostsZone} is, and only there`;
  expect(() => optionsFromEnv({ ...REQUIRED, [ENV.hostsZone]: 'muster.internal' })).toThrow(sentence);
  expect(() => optionsFromEnv({ ...REQUIRED, [ENV.hostsNamespaceId]: 'ns-1' })).toThrow(ENV.hostsNamespaceId);
});

test('everything that is wrong is reported at once, and no key', () => {
  const wrong = { ...REQUIRED, [ENV.table]: undefined, [ENV.stopsPerSec]: '0', [ENDPOINT_ENV.accessKey]: '' };
  expect(() => optionsFromEnv(wrong)).toThrow(
    [
      'Environment variables that make no sense:',
      `  ${ENV.table}: must be set`,
      `  ${ENV.stopsPerSec}=0: ${RATE}`,
      `  ${ENDPOINT_ENV.accessKey}: must not be empty`,
    ].join('\n'),
  );
});

test('commands in tasks are for installations that have them', () => {
  expect(optionsFromEnv(REQUIRED).placement).not.toHaveProperty('exec');
  const open = () => ({ ports: {}, close: () => undefined });
  expect(optionsFromEnv(REQUIRED, [open]).ofFunction?.places).not.toHaveProperty('sessions');
  expect(optionsFromEnv({ ...REQUIRED, [EXEC_ENV.exec]: 'ENABLED' }, [open])).toMatchObject({
    placement: { exec: true },
    definitions: { exec: true },
    ofFunction: { places: { sessions: { cluster: REQUIRED[ENV.cluster], endpoint: null } } },
  });
  expect(() => optionsFromEnv({ ...REQUIRED, [EXEC_ENV.exec]: 'true' })).toThrow(/ENABLED/);
});
