import { expect, test } from 'vitest';
import { HAS_MODELS, modelOf } from '../models/service-model.ts';
import { shapeFaults } from '../models/shape-faults.ts';
import { clientToken, formatPlacement, runTaskInput } from '../../shared/adapters/aws/ecs/run-task-request.ts';
import { type Answer, refusal } from './scripted-aws.ts';
import { ARN, launch, ok, placement, tasksThatMeet, uid } from './ecs-under-test.ts';

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
  [
    'an override that names a quota',
    refusal('InvalidParameterException', 'Override for container named quota-subnet is not a container'),
    'fatal',
  ],
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

test('a launch of a definition that is INACTIVE is refused so that its Job gets another', async () => {
  const { tasks } = await tasksThatMeet(() => refusal('InvalidParameterException', 'TaskDefinition is inactive'));
  const reason = 'InvalidParameterException: TaskDefinition is inactive';
  expect(await tasks.run(launch)).toEqual({ kind: 'refused', reason, misconfigured: true, deregistered: true });
});

const roleArn = 'arn:aws:iam::123456789012:role/volumes';
const withVolume = () =>
  runTaskInput({
    ...launch,
    template: {
      ...launch.template,
      placement: formatPlacement(placement, { volume: 'scratch', type: 'gp3', sizeGib: 500, roleArn }),
    },
  });

test('a volume of EBS is made for each task, with the role of the installation, and goes with it', () => {
  const input = withVolume();
  expect(input.volumeConfigurations).toEqual([
    {
      name: 'scratch',
      managedEBSVolume: {
        roleArn,
        volumeType: 'gp3',
        sizeInGiB: 500,
        encrypted: true,
        terminationPolicy: { deleteOnTermination: true },
      },
    },
  ]);
  expect(runTaskInput(launch)).not.toHaveProperty('volumeConfigurations');
});

test.skipIf(!HAS_MODELS)('a launch with a volume of EBS is valid by the model of ECS', () => {
  expect(shapeFaults(modelOf('AmazonEC2ContainerServiceV20141113'), 'RunTaskRequest', withVolume())).toEqual([]);
});
