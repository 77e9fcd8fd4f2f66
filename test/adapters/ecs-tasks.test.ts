import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { createEcsClients, createEcsTasks } from '../../shared/adapters/aws/ecs-tasks.ts';
import { clientToken, formatPlacement, runTaskInput } from '../../shared/adapters/aws/run-task-request.ts';
import { asJobUid, asTaskArn } from '../../shared/domain/brand.ts';
import type { TaskDefinition } from '../../shared/domain/task.ts';
import { type Answer, type Call, refusal, scriptedAws } from './scripted-aws.ts';

const placement = {
  cluster: 'jobs',
  subnets: ['subnet-1', 'subnet-2'],
  securityGroups: ['sg-1'],
  assignPublicIp: 'ENABLED',
  capacity: 'FARGATE',
} as const;
const definitions = {
  region: 'eu-central-1',
  executionRoleArn: 'arn:aws:iam::123456789012:role/exec',
  taskRoleArn: null,
  logGroup: '/muster/tasks',
};
const ARN = asTaskArn('arn:aws:ecs:eu-central-1:123456789012:task/jobs/0f0f');
const REVISION = 'arn:aws:ecs:eu-central-1:123456789012:task-definition/muster-9c1f:1';
const uid = asJobUid('2f1f9a5e-8f4e-4f0e-9b0a-3d9b4a1c7e55');
const launch = {
  job: { uid, namespace: 'default', name: 'tiles' },
  id: { index: 7, attempt: 2, nonce: 1 },
  template: { taskDefinition: REVISION, containers: ['main', 'fetch'], placement: formatPlacement(placement) },
  env: [{ name: 'JOB_COMPLETION_INDEX', value: '7' }],
};

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

async function tasksThatMeet(script: (call: Call, nth: number) => Answer) {
  const aws = await scriptedAws(script);
  stops.push(aws.stop);
  return { ...aws, tasks: createEcsTasks({ clients: createEcsClients(aws.connection), placement, definitions }) };
}

test('the request of a launch, byte for byte', () => {
  expect(runTaskInput(launch)).toMatchInlineSnapshot(`
    {
      "clientToken": "b80e617b61f534fd1a6f2b6d2a58dfb1f0aff7bc4a7f5bca712fb00abc5543ca",
      "cluster": "jobs",
      "count": 1,
      "enableECSManagedTags": false,
      "group": "muster:7:2:1",
      "launchType": "FARGATE",
      "networkConfiguration": {
        "awsvpcConfiguration": {
          "assignPublicIp": "ENABLED",
          "securityGroups": [
            "sg-1",
          ],
          "subnets": [
            "subnet-1",
            "subnet-2",
          ],
        },
      },
      "overrides": {
        "containerOverrides": [
          {
            "environment": [
              {
                "name": "JOB_COMPLETION_INDEX",
                "value": "7",
              },
            ],
            "name": "main",
          },
          {
            "environment": [
              {
                "name": "JOB_COMPLETION_INDEX",
                "value": "7",
              },
            ],
            "name": "fetch",
          },
        ],
      },
      "startedBy": "2f1f9a5e-8f4e-4f0e-9b0a-3d9b4a1c7e55",
      "taskDefinition": "arn:aws:ecs:eu-central-1:123456789012:task-definition/muster-9c1f:1",
    }
  `);
  expect(JSON.stringify(runTaskInput(structuredClone(launch)))).toBe(JSON.stringify(runTaskInput(launch)));
  const spot = { ...launch.template, placement: formatPlacement({ ...placement, capacity: 'FARGATE_SPOT' }) };
  expect(runTaskInput({ ...launch, template: spot })).toMatchObject({
    capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }],
  });
});

test('a token is one attempt and nonce, in 64 characters', () => {
  const ids = [
    launch.id,
    { ...launch.id, nonce: 2 },
    { ...launch.id, attempt: 3 },
    { index: 72, attempt: 1, nonce: 0 },
    { index: 7, attempt: 21, nonce: 0 },
  ];
  expect(new Set(ids.map((id) => clientToken(uid, id))).size).toBe(ids.length);
  for (const id of ids) expect(clientToken(uid, id)).toMatch(/^[\x21-\x7e]{1,64}$/);
});

const ok = (body: unknown): Answer => ({ status: 200, body });
const failed = (reason: string, detail?: string) => ok({ tasks: [], failures: [{ reason, detail }] });

test.each<[string, Answer, string]>([
  // answer                                 outcome
  ['a task', ok({ tasks: [{ taskArn: ARN, lastStatus: 'PROVISIONING' }], failures: [] }), 'launched'],
  ['RESOURCE:ENI', failed('RESOURCE:ENI'), 'refused'],
  [
    'no capacity',
    failed('Capacity is unavailable at this time. Please try again later or in a different availability zone'),
    'refused',
  ],
  ['vCPU quota', failed('You’ve reached the limit on the number of vCPUs you can run concurrently'), 'refused'],
  ['a reason nobody knows', failed('NEW', 'and its detail'), 'refused'],
  ['neither', ok({ tasks: [], failures: [] }), 'throws'],
  ['nothing at all', ok({}), 'throws'],
  ['throttled', refusal('ThrottlingException', 'Rate exceeded'), 'later'],
  [
    'throttled by EC2 (subnet)',
    refusal(
      'InvalidParameterException',
      'Error retrieving subnet information for [subnet-1]: Rate exceeded (ErrorCode: Throttling)',
    ),
    'later',
  ],
  [
    'throttled by EC2 (group)',
    refusal(
      'InvalidParameterException',
      'Error retrieving security group information for [sg-1]: Request limit exceeded. (ErrorCode: RequestLimitExceeded)',
    ),
    'later',
  ],
  [
    'too many revisions at once',
    refusal('ClientException', 'Too many concurrent attempts to create a new revision of the specified family.'),
    'later',
  ],
  [
    'task quota as exception',
    refusal('ClientException', 'You’ve reached the limit on the number of tasks you can run concurrently'),
    'later',
  ],
  ['a hard limit', refusal('LimitExceededException', 'The limit for the resource was exceeded.'), 'later'],
  ['keys expired', refusal('ExpiredTokenException', 'The security token included in the request is expired'), 'later'],
  ['the clock is off', refusal('InvalidSignatureException', 'Signature expired'), 'later'],
  ['no permission', refusal('AccessDeniedException', 'User is not authorized to perform: ecs:RunTask'), 'fatal'],
  ['no cluster', refusal('ClusterNotFoundException', 'Cluster not found.'), 'fatal'],
  ['a wrong parameter', refusal('InvalidParameterException', 'The subnet ID "subnet-9" does not exist'), 'fatal'],
  ['no such platform', refusal('PlatformUnknownException', 'unknown platform'), 'fatal'],
  ['a wrong platform', refusal('PlatformTaskDefinitionIncompatibilityException', 'x'), 'fatal'],
  ['blocked', refusal('BlockedException', 'Your account has been blocked'), 'fatal'],
  ['unsupported', refusal('UnsupportedFeatureException', 'x'), 'fatal'],
  ['no such definition', refusal('ClientException', 'TaskDefinition is inactive'), 'fatal'],
  ['known already', refusal('ConflictException', 'used with other parameters', { resourceIds: [ARN] }), 'launched'],
  ['known already, but not by name', refusal('ConflictException', 'x', { resourceIds: [] }), 'throws'],
  ['a server error', refusal('ServerException', 'Rate exceeded somewhere inside'), 'throws'],
  ['a request that came too slowly', refusal('RequestTimeoutException', 'x'), 'throws'],
  ['no answer', null, 'throws'],
])('RunTask: %s', async (_name, answer, outcome) => {
  const { tasks, calls } = await tasksThatMeet(() => answer);
  const got = await tasks.run(launch).catch(() => ({ kind: 'throws' }) as const);
  expect(got.kind).toBe(outcome);
  expect('taskArn' in got ? got.taskArn : null).toBe(outcome === 'launched' ? ARN : null);
  expect('reason' in got ? got.reason : 'none').toMatch(/./);
  expect(calls).toHaveLength(1); // the SDK must not repeat it by itself
});

const definition: TaskDefinition = {
  family: 'muster-9c1f',
  cpu: 256,
  memoryMib: 512,
  containers: [
    {
      name: 'fetch',
      image: 'i:1',
      entryPoint: ['sh'],
      command: ['-c', 'true'],
      workingDirectory: '/w',
      environment: [{ name: 'A', value: 'b' }],
      essential: false,
      dependsOnSuccess: [],
      stopTimeoutSec: 30,
    },
    {
      name: 'main',
      image: 'i:1',
      entryPoint: [],
      command: [],
      workingDirectory: null,
      environment: [],
      essential: true,
      dependsOnSuccess: ['fetch'],
      stopTimeoutSec: 30,
    },
  ],
};

test('a definition is registered once, and again only when the installation has changed', async () => {
  let registered: Record<string, unknown> | null = null;
  const script = ({ action, input }: Call): Answer => {
    if (action === 'RegisterTaskDefinition') registered = { ...input, status: 'ACTIVE', taskDefinitionArn: REVISION };
    return registered === null
      ? refusal('ClientException', 'Unable to describe task definition.')
      : ok({ taskDefinition: registered });
  };
  const { tasks, calls, connection } = await tasksThatMeet(script);
  const ready = {
    kind: 'ready',
    template: { taskDefinition: REVISION, containers: ['main', 'fetch'], placement: formatPlacement(placement) },
  };
  expect(await tasks.prepare(definition)).toEqual(ready);
  expect(await tasks.prepare(definition)).toEqual(ready);
  expect(calls.map(({ action }) => action)).toEqual([
    'DescribeTaskDefinition',
    'RegisterTaskDefinition',
    'DescribeTaskDefinition',
  ]);
  expect(calls[1]?.input).toMatchInlineSnapshot(`
    {
      "containerDefinitions": [
        {
          "command": [
            "-c",
            "true",
          ],
          "entryPoint": [
            "sh",
          ],
          "environment": [
            {
              "name": "A",
              "value": "b",
            },
          ],
          "essential": false,
          "image": "i:1",
          "logConfiguration": {
            "logDriver": "awslogs",
            "options": {
              "awslogs-group": "/muster/tasks",
              "awslogs-region": "eu-central-1",
              "awslogs-stream-prefix": "muster",
              "mode": "blocking",
            },
          },
          "name": "fetch",
          "stopTimeout": 30,
          "workingDirectory": "/w",
        },
        {
          "dependsOn": [
            {
              "condition": "SUCCESS",
              "containerName": "fetch",
            },
          ],
          "environment": [],
          "essential": true,
          "image": "i:1",
          "logConfiguration": {
            "logDriver": "awslogs",
            "options": {
              "awslogs-group": "/muster/tasks",
              "awslogs-region": "eu-central-1",
              "awslogs-stream-prefix": "muster",
              "mode": "blocking",
            },
          },
          "name": "main",
          "stopTimeout": 30,
        },
      ],
      "cpu": "256",
      "executionRoleArn": "arn:aws:iam::123456789012:role/exec",
      "family": "muster-9c1f",
      "memory": "512",
      "networkMode": "awsvpc",
      "requiresCompatibilities": [
        "FARGATE",
      ],
    }
  `);

  const moved = createEcsTasks({
    clients: createEcsClients(connection),
    placement,
    definitions: { ...definitions, logGroup: '/elsewhere' },
  });
  await moved.prepare(definition);
  expect(calls.at(-1)?.action).toBe('RegisterTaskDefinition');
});

test.each([
  ['ClientException', 'Too many concurrent attempts to create a new revision of the specified family.', 'later'],
  ['ThrottlingException', 'Rate exceeded', 'later'],
  ['ClientException', 'Fargate requires that cpu and memory be valid', 'fatal'],
])('prepare: %s %s', async (type, message, kind) => {
  const { tasks } = await tasksThatMeet(({ action }) =>
    action === 'DescribeTaskDefinition'
      ? refusal('ClientException', 'Unable to describe task definition.')
      : refusal(type, message),
  );
  expect(await tasks.prepare(definition)).toMatchObject({ kind });
});

test('a task that is gone counts as asked to stop', async () => {
  const { tasks, calls } = await tasksThatMeet((_, nth) =>
    nth === 1
      ? ok({ task: {} })
      : nth === 2
        ? refusal('InvalidParameterException', 'The referenced task was not found.')
        : refusal('InvalidParameterException', 'Rate exceeded'),
  );
  expect(await tasks.stop(ARN, 'x'.repeat(999))).toEqual({ kind: 'asked' });
  expect(await tasks.stop(ARN, 'why')).toEqual({ kind: 'asked' });
  expect(await tasks.stop(ARN, 'why')).toMatchObject({ kind: 'later' });
  expect(calls[0]?.input).toEqual({ cluster: 'jobs', task: ARN, reason: 'x'.repeat(255) });
});

test('describe gives our tasks, names what is missing, and passes over the tasks of others', async () => {
  const detail = (name: string): Record<string, unknown> => {
    const event = JSON.parse(readFileSync(new URL(`../fixtures/ecs-events/${name}.json`, import.meta.url), 'utf8')) as {
      detail: Record<string, unknown>;
    };
    return Object.fromEntries(
      Object.entries(event.detail).map(([k, v]) => [k, k.endsWith('At') ? Date.parse(v as string) / 1000 : v]),
    );
  };
  const { tasks } = await tasksThatMeet(() =>
    ok({ tasks: [detail('completed'), detail('of-somebody-else')], failures: [{ arn: ARN, reason: 'MISSING' }] }),
  );
  expect(await tasks.describe([ARN])).toMatchObject({
    kind: 'described',
    tasks: [
      {
        id: { index: 7, attempt: 2, nonce: 0 },
        stage: 'stopped',
        ending: { cause: 'Completed' },
        times: { stoppedAt: Date.parse('2026-11-20T11:13:34.795Z') },
      },
    ],
    missing: [ARN],
  });
});

test('live tasks are listed by Job alone, or all that are wanted running', async () => {
  const { tasks, calls } = await tasksThatMeet((_, nth) =>
    ok({ taskArns: [ARN], ...(nth === 1 ? { nextToken: 'more' } : {}) }),
  );
  expect(await tasks.listLive({ job: uid, after: null })).toEqual({ kind: 'listed', taskArns: [ARN], next: 'more' });
  expect(await tasks.listLive({ job: null, after: 'more' })).toEqual({ kind: 'listed', taskArns: [ARN], next: null });
  expect(calls.map(({ input }) => input)).toEqual([
    { cluster: 'jobs', startedBy: uid },
    { cluster: 'jobs', desiredStatus: 'RUNNING', nextToken: 'more' },
  ]);
});
