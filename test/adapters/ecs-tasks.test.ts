import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { createEcsTasks } from '../../shared/adapters/aws/ecs/ecs-tasks.ts';
import { createEcsClients, sdkEcsCalls } from '../../shared/adapters/aws/ecs/sdk-ecs-calls.ts';
import { clientToken, formatPlacement, runTaskInput } from '../../shared/adapters/aws/ecs/run-task-request.ts';
import { registerInput } from '../../shared/adapters/aws/ecs/task-definition-request.ts';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { asJobUid, asTaskArn } from '../../shared/domain/base/ids.ts';
import { RENDERING } from '../../shared/domain/task/pod-template.ts';
import type { TaskContainer, TaskDefinition } from '../../shared/domain/task/task.ts';
import { parseReference } from '../../shared/names/secrets.ts';
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
  taskRoles: new Map([['default/reports', 'arn:aws:iam::123456789012:role/reports']]),
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
  return {
    ...aws,
    tasks: createEcsTasks({ calls: sdkEcsCalls(createEcsClients(aws.connection)), placement, definitions }),
  };
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
              {
                "name": "MUSTER_MAIN",
                "value": "main",
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
      "tags": [
        {
          "key": "muster:namespace",
          "value": "default",
        },
        {
          "key": "muster:job",
          "value": "tiles",
        },
      ],
      "taskDefinition": "arn:aws:ecs:eu-central-1:123456789012:task-definition/muster-9c1f:1",
    }
  `);
  expect(JSON.stringify(runTaskInput(structuredClone(launch)))).toBe(JSON.stringify(runTaskInput(launch)));
  const spot = { ...launch.template, placement: formatPlacement({ ...placement, capacity: 'FARGATE_SPOT' }) };
  expect(runTaskInput({ ...launch, template: spot })).toMatchObject({
    capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }],
  });
});

test('a template of an earlier version keeps its request, and one container needs no mark', () => {
  const earlier = { ...launch.template, placement: JSON.stringify(placement) };
  const before = runTaskInput({ ...launch, template: earlier });
  expect(before).not.toHaveProperty('tags');
  expect(JSON.stringify(before)).not.toContain('MUSTER_MAIN');
  const alone = runTaskInput({ ...launch, template: { ...launch.template, containers: ['main'] } });
  expect(JSON.stringify(alone)).not.toContain('MUSTER_MAIN');
  expect(alone.tags).toHaveLength(2);
});

test.each([
  [
    { cpu: 1024, memoryMib: 2048, ephemeralStorageGib: null },
    { cpu: '1024', memory: '2048' },
  ],
  [
    { cpu: 256, memoryMib: 512, ephemeralStorageGib: 40 },
    { cpu: '256', memory: '512', ephemeralStorage: { sizeInGiB: 40 } },
  ],
])('a launch with a size of its own: %j', (size, expected) => {
  const { containerOverrides: _containers, ...overrides } = runTaskInput({ ...launch, size }).overrides ?? {};
  expect(overrides).toEqual(expected);
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
    'throttled, in words that name a quota',
    refusal(
      'ThrottlingException',
      "Rate exceeded. You've reached the limit on the number of vCPUs you can start a minute",
    ),
    'later',
  ],
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
    'refused',
  ],
  [
    'too many tasks that are being provided for',
    refusal('ClientException', 'You have reached the limit of PROVISIONING tasks in the cluster.'),
    'refused',
  ],
  ['a hard limit', refusal('LimitExceededException', 'The limit for the resource was exceeded.'), 'later'],
  ['keys expired', refusal('ExpiredTokenException', 'The security token included in the request is expired'), 'later'],
  ['the clock is off', refusal('InvalidSignatureException', 'Signature expired'), 'later'],
  ['no permission', refusal('AccessDeniedException', 'User is not authorized to perform: ecs:RunTask'), 'mended'],
  ['a role that was made a moment ago', refusal('ClientException', 'Role is not valid'), 'mended'],
  [
    'no service-linked role yet',
    refusal('InvalidParameterException', 'Unable to assume the service linked role. Please verify it exists.'),
    'mended',
  ],
  ['a role that is gone', refusal('ClientException', 'ECS was unable to assume the role that was provided'), 'mended'],
  [
    'a security group that is gone',
    refusal('InvalidParameterException', "The security group 'sg-1' does not exist"),
    'mended',
  ],
  ['a quota', refusal('ServiceQuotaExceededException', 'x'), 'mended'],
  ['who knows', refusal('InvalidParameterException', 'something that nobody has seen yet'), 'mended'],
  ['overrides', refusal('InvalidParameterException', 'Container Overrides length must be at most 8192'), 'fatal'],
  ['another launch type', refusal('ClientException', 'Task definition does not support launch_type FARGATE.'), 'fatal'],
  ['no cluster', refusal('ClusterNotFoundException', 'Cluster not found.'), 'mended'],
  ['a wrong parameter', refusal('InvalidParameterException', 'The subnet ID "subnet-9" does not exist'), 'mended'],
  ['no such platform', refusal('PlatformUnknownException', 'unknown platform'), 'fatal'],
  ['a wrong platform', refusal('PlatformTaskDefinitionIncompatibilityException', 'x'), 'fatal'],
  ['blocked', refusal('BlockedException', 'Your account has been blocked'), 'mended'],
  ['unsupported', refusal('UnsupportedFeatureException', 'x'), 'fatal'],
  ['no such definition', refusal('ClientException', 'TaskDefinition is inactive'), 'mended'],
  ['known already', refusal('ConflictException', 'used with other parameters', { resourceIds: [ARN] }), 'launched'],
  ['known already, but not by name', refusal('ConflictException', 'x', { resourceIds: [] }), 'throws'],
  ['a server error', refusal('ServerException', 'Rate exceeded somewhere inside'), 'throws'],
  ['a request that came too slowly', refusal('RequestTimeoutException', 'x'), 'throws'],
  ['no answer', null, 'throws'],
])('RunTask: %s', async (_name, answer, outcome) => {
  const { tasks, calls } = await tasksThatMeet(() => answer);
  const got = await tasks.run(launch).catch(() => ({ kind: 'throws' }) as const);
  // Refused until an operator has mended it: no fault of the Job's.
  const kind = 'misconfigured' in got && got.misconfigured === true ? 'mended' : got.kind;
  expect(kind).toBe(outcome);
  expect('taskArn' in got ? got.taskArn : null).toBe(outcome === 'launched' ? ARN : null);
  expect('reason' in got ? got.reason : 'none').toMatch(/./);
  expect(calls).toHaveLength(1); // the SDK must not repeat it by itself
});

test.each([
  ['when its task was made', { createdAt: 1_750_000_000.123 }, 1_750_000_000_123],
  ['not, where ECS does not', {}, null],
])('RunTask reports %s', async (_name, said, createdAt) => {
  const { tasks } = await tasksThatMeet(() => ok({ tasks: [{ taskArn: ARN, ...said }], failures: [] }));
  expect(await tasks.run(launch)).toEqual({ kind: 'launched', taskArn: ARN, createdAt });
});

const PLAIN = {
  secrets: [],
  dependsOnStart: [],
  ports: [],
  mounts: [],
  user: null,
  readOnlyRoot: false,
  capabilities: { add: [], drop: [] },
  pullSecret: null,
} as const satisfies Partial<TaskContainer>;

const definition: TaskDefinition = {
  family: 'muster-9c1f',
  cpu: 256,
  memoryMib: 512,
  ephemeralStorageGib: null,
  architecture: 'X86_64',
  serviceAccount: null,
  volumes: [],
  containers: [
    {
      ...PLAIN,
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
      ...PLAIN,
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
    calls: sdkEcsCalls(createEcsClients(connection)),
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
  ['ClientException', 'Invalid image name', 'fatal'],
  ['ClientException', 'Role is not valid', 'refused'],
  ['AccessDeniedException', 'User is not authorized to perform: ecs:RegisterTaskDefinition on resource: *', 'refused'],
  ['ServiceQuotaExceededException', 'x', 'refused'],
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
        times: { stoppedAt: Date.parse('2026-11-20T11:13:02.1Z') }, // its containers
      },
    ],
    missing: [ARN],
  });
});

test('a task is missing where ECS says MISSING, and for no other failure: it may well run', async () => {
  const other = asTaskArn('arn:aws:ecs:eu-central-1:123456789012:task/jobs/1f1f');
  const { tasks } = await tasksThatMeet(() =>
    ok({
      tasks: [],
      failures: [
        { arn: ARN, reason: 'ACCESS_DENIED' },
        { arn: ARN },
        { arn: other, reason: 'MISSING' },
        { reason: 'MISSING' },
        { arn: ARN, reason: 'INTERNAL', detail: 'was MISSING' },
      ],
    }),
  );
  expect(await tasks.describe([ARN, other])).toEqual({ kind: 'described', tasks: [], missing: [other] });
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

test('stopped tasks are listed by family, for ECS takes a Job only alone', async () => {
  const { tasks, calls } = await tasksThatMeet((_, nth) =>
    ok({ taskArns: [ARN], ...(nth === 1 ? { nextToken: 'more' } : {}) }),
  );
  const family = 'muster-0a1b';
  expect(await tasks.listStopped({ family, after: null })).toEqual({ kind: 'listed', taskArns: [ARN], next: 'more' });
  expect(await tasks.listStopped({ family, after: 'more' })).toEqual({ kind: 'listed', taskArns: [ARN], next: null });
  expect(calls.map(({ input }) => input)).toEqual([
    { cluster: 'jobs', family, desiredStatus: 'STOPPED' },
    { cluster: 'jobs', family, desiredStatus: 'STOPPED', nextToken: 'more' },
  ]);
});

const [fetch, main] = definition.containers;
const full: TaskDefinition = {
  ...definition,
  ephemeralStorageGib: 40,
  architecture: 'ARM64',
  volumes: ['big-scratch'],
  containers: [
    {
      ...fetch!,
      secrets: [
        { name: 'PASSWORD', from: { kind: 'secret', namespace: 'default', name: 'db-secret', key: 'password' } },
        { name: 'HOST', from: { kind: 'configMap', namespace: 'default', name: 'db', key: 'host.name' } },
      ],
      ports: [{ port: 80, protocol: 'tcp' }],
      mounts: [{ volume: 'big-scratch', path: '/data', readOnly: false }],
      user: '1000:2000',
      readOnlyRoot: true,
      capabilities: { add: ['SYS_PTRACE'], drop: ['ALL'] },
      pullSecret: { namespace: 'default', name: 'registry' },
    },
    {
      ...main!,
      dependsOnStart: ['log'],
      ports: [
        { port: 80, protocol: 'tcp' },
        { port: 80, protocol: 'udp' },
      ],
      mounts: [{ volume: 'big-scratch', path: '/in', readOnly: true }],
    },
  ],
};

test('secrets, volumes, users and all that a template may ask for', () => {
  expect(registerInput(full, definitions, null)).toMatchObject({
    ephemeralStorage: { sizeInGiB: 40 },
    runtimePlatform: { cpuArchitecture: 'ARM64', operatingSystemFamily: 'LINUX' },
    volumes: [{ name: 'big-scratch' }],
    containerDefinitions: [
      {
        environment: [
          { name: 'A', value: 'b' },
          { name: 'MUSTER_VOLUME_BIG_SCRATCH', value: '/data' },
        ],
        secrets: [
          {
            name: 'PASSWORD',
            valueFrom:
              'arn:aws:secretsmanager:eu-central-1:123456789012:secret:muster/default/db-secret/secret:password::',
          },
          { name: 'HOST', valueFrom: '/muster/default/configmaps/db/host.name' },
        ],
        portMappings: [{ containerPort: 80, protocol: 'tcp' }],
        mountPoints: [{ sourceVolume: 'big-scratch', containerPath: '/data', readOnly: false }],
        user: '1000:2000',
        readonlyRootFilesystem: true,
        linuxParameters: { capabilities: { add: ['SYS_PTRACE'], drop: ['ALL'] } },
        repositoryCredentials: { credentialsParameter: 'muster/default/registry/secret' },
      },
      {
        dependsOn: [
          { containerName: 'fetch', condition: 'SUCCESS' },
          { containerName: 'log', condition: 'START' },
        ],
        // the first container has the port already, and all of a task have one address
        portMappings: [{ containerPort: 80, protocol: 'udp' }],
        mountPoints: [{ sourceVolume: 'big-scratch', containerPath: '/in', readOnly: true }],
      },
    ],
  });
});

test('what a reference says is what it was made of', () => {
  const { containerDefinitions = [] } = registerInput(full, definitions, null);
  const references = containerDefinitions[0]?.secrets?.map(({ valueFrom = '' }) => parseReference(valueFrom));
  expect(references).toEqual(full.containers[0]?.secrets.map(({ from }) => from));
  for (const odd of ['arn:aws:ssm:x', '/muster/a/b', '/muster/../configmaps/a/b', '/other/a/configmaps/b/c'])
    expect(parseReference(odd)).toBeNull();
});

test('a service account is the role that it is mapped to, and one that is not mapped starts nothing', async () => {
  const reports = { ...definition, serviceAccount: { namespace: 'default', name: 'reports' } };
  const script = ({ action, input }: Call): Answer =>
    action === 'RegisterTaskDefinition'
      ? ok({ taskDefinition: { ...input, taskDefinitionArn: REVISION } })
      : refusal('ClientException', 'Unable to describe task definition.');
  const { tasks, calls } = await tasksThatMeet(script);
  expect(await tasks.prepare(reports)).toMatchObject({ kind: 'ready' });
  expect(calls.at(-1)?.input).toMatchObject({ taskRoleArn: 'arn:aws:iam::123456789012:role/reports' });
  const before = calls.length;
  const elsewhere = { ...definition, serviceAccount: { namespace: 'other', name: 'reports' } };
  expect(await tasks.prepare(elsewhere)).toEqual({
    kind: 'fatal',
    reason:
      'serviceaccount "reports" not found: no task role is mapped to other/reports; map one when you deploy Muster (taskRoles), or annotate the ServiceAccount with eks.amazonaws.com/role-arn',
  });
  expect(calls).toHaveLength(before);
  expect(registerInput(elsewhere, { ...definitions, taskRoles: null }, null)).not.toHaveProperty('taskRoleArn');
});

test('a stored service account names its role, which must be listed', async () => {
  const [listed, other] = ['arn:aws:iam::123456789012:role/listed', 'arn:aws:iam::123456789012:role/other'];
  const script = ({ action, input }: Call): Answer =>
    action === 'RegisterTaskDefinition'
      ? ok({ taskDefinition: { ...input, taskDefinitionArn: REVISION } })
      : refusal('ClientException', 'Unable to describe task definition.');
  const aws = await scriptedAws(script);
  stops.push(aws.stop);
  const tasks = createEcsTasks({
    calls: sdkEcsCalls(createEcsClients(aws.connection)),
    placement,
    definitions: { ...definitions, taskRoles: new Map([['default/*', listed]]) },
    namedRoleOf: async ({ name }) => (name === 'loader' ? listed : other),
  });
  const under = (name: string) => ({ ...definition, serviceAccount: { namespace: 'default', name } });
  expect(await tasks.prepare(under('loader'))).toMatchObject({ kind: 'ready' });
  expect(aws.calls.at(-1)?.input).toMatchObject({ taskRoleArn: listed });
  expect(await tasks.prepare(under('thief'))).toMatchObject({
    kind: 'fatal',
    reason: expect.stringContaining(`names the role ${other}, which this installation does not list`) as unknown,
  });
});

test('a launch says what it runs on, and what its containers get beyond the rest', () => {
  const own = { name: 'fetch', env: [{ name: 'POD', value: 'tiles-7-abcde' }], command: ['-c', 'echo 7'] };
  const spot = runTaskInput({ ...launch, capacity: 'spot', overrides: [own] });
  expect(spot).toMatchObject({
    capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }],
    overrides: {
      containerOverrides: [
        { name: 'main', environment: [...launch.env, { name: 'MUSTER_MAIN', value: 'main' }] },
        { name: 'fetch', environment: [...launch.env, ...own.env], command: own.command },
      ],
    },
  });
  expect(spot).not.toHaveProperty('launchType');
  expect(spot.overrides?.containerOverrides?.[0]).not.toHaveProperty('command');
  const spotTemplate = { ...launch.template, placement: formatPlacement({ ...placement, capacity: 'FARGATE_SPOT' }) };
  const onDemand = runTaskInput({ ...launch, template: spotTemplate, capacity: 'onDemand' });
  expect(onDemand).toMatchObject({ launchType: 'FARGATE' });
  expect(onDemand).not.toHaveProperty('capacityProviderStrategy');
});

test('the registration of a definition changes only with the number of its rendering', () => {
  const told = JSON.stringify(registerInput(full, definitions, null));
  // Whatever changes it raises RENDERING, so that definitions of an earlier release are not taken for ones of this.
  expect([RENDERING, createHash('sha256').update(told).digest('hex').slice(0, 16)]).toEqual([1, 'b6031cefa6b183a0']);
});

describe('definitions that are old', () => {
  const before = asEpochMs(Date.parse('2026-11-20T00:00:00Z'));
  const OLD = before / 1_000 - 60;
  const registered = (family: string, more: object = {}) => ({
    taskDefinitionArn: `arn:aws:ecs:eu-central-1:123456789012:task-definition/${family}:3`,
    status: 'ACTIVE',
    executionRoleArn: definitions.executionRoleArn,
    registeredAt: OLD,
    ...more,
  });
  const YOUNG = { registeredAt: before / 1_000 };
  const ANOTHERS = { executionRoleArn: 'arn:aws:iam::123456789012:role/of-another-muster' };

  test('are found page by page: ours, by the newest revision', async () => {
    const found: Readonly<Record<string, object>> = {
      'muster-0a1': {},
      'muster-0a2': YOUNG,
      'muster-0a3': ANOTHERS,
      'muster-0a4': { registeredAt: undefined },
      'muster-0a5': {},
    };
    const { tasks, calls } = await tasksThatMeet(({ action, input }) => {
      if (action === 'ListTaskDefinitionFamilies')
        return ok({
          families: [...Object.keys(found), 'muster-0a6'],
          nextToken: input['nextToken'] ? undefined : 'more',
        });
      const family = String(input['taskDefinition']);
      // Deregistered since it was listed.
      if (family === 'muster-0a6') return refusal('ClientException', 'Unable to describe task definition.');
      return ok({ taskDefinition: registered(family, found[family]) });
    });
    const page = { prefix: 'muster-0a', before };
    const families = ['muster-0a1', 'muster-0a5'];
    expect(await tasks.listOldFamilies({ ...page, after: null })).toEqual({ kind: 'listed', families, next: 'more' });
    expect(await tasks.listOldFamilies({ ...page, after: 'more' })).toEqual({ kind: 'listed', families, next: null });
    const listing = { familyPrefix: 'muster-0a', status: 'ACTIVE', maxResults: 40 };
    expect(calls.filter(({ action }) => action === 'ListTaskDefinitionFamilies').map(({ input }) => input)).toEqual([
      listing,
      { ...listing, nextToken: 'more' },
    ]);
  });

  test.each<[string, object | null, readonly string[], 'kept' | 'deregistered']>([
    ['old and unused', {}, [], 'deregistered'],
    ['of a task that runs', {}, [ARN], 'kept'],
    ['registered since', YOUNG, [], 'kept'],
    ['of another installation', ANOTHERS, [], 'kept'],
    ['gone already', null, [], 'kept'],
  ])('%s', async (_, more, taskArns, kind) => {
    const { tasks, calls } = await tasksThatMeet(({ action }) => {
      if (action === 'ListTasks') return ok({ taskArns });
      if (action !== 'DescribeTaskDefinition') return ok({});
      return more === null
        ? refusal('ClientException', 'Unable to describe task definition.')
        : ok({ taskDefinition: registered('muster-0a1', more) });
    });
    expect(await tasks.deregister({ family: 'muster-0a1', before })).toEqual({ kind });
    const asked = calls.filter(({ action }) => action === 'DeregisterTaskDefinition').map(({ input }) => input);
    const { taskDefinitionArn: taskDefinition } = registered('muster-0a1');
    expect(asked).toEqual(kind === 'kept' ? [] : [{ taskDefinition }]);
    const listed = calls.filter(({ action }) => action === 'ListTasks').map(({ input }) => input);
    for (const input of listed)
      expect(input).toEqual({ cluster: 'jobs', family: 'muster-0a1', desiredStatus: 'RUNNING' });
  });

  const asking = {
    listOldFamilies: async (type: string) =>
      (await tasksThatMeet(() => refusal(type, 'no'))).tasks.listOldFamilies({
        prefix: 'muster-0a',
        before,
        after: null,
      }),
    deregister: async (type: string) =>
      (await tasksThatMeet(() => refusal(type, 'no'))).tasks.deregister({ family: 'muster-0a1', before }),
  };

  test.each(['listOldFamilies', 'deregister'] as const)(
    '%s is put off by a throttle, and throws a refusal',
    async (call) => {
      expect(await asking[call]('ThrottlingException')).toMatchObject({ kind: 'later' });
      await expect(asking[call]('AccessDeniedException')).rejects.toThrow('no');
    },
  );
});

test('a launch of a definition that is INACTIVE is refused so that its Job gets another', async () => {
  const { tasks } = await tasksThatMeet(() => refusal('InvalidParameterException', 'TaskDefinition is inactive'));
  const reason = 'InvalidParameterException: TaskDefinition is inactive';
  expect(await tasks.run(launch)).toEqual({ kind: 'refused', reason, misconfigured: true, deregistered: true });
});
