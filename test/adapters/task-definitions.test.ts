import { createHash } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createEcsTasks } from '../../shared/adapters/aws/ecs/ecs-tasks.ts';
import { createEcsClients, sdkEcsCalls } from '../../shared/adapters/aws/ecs/sdk-ecs-calls.ts';
import { formatPlacement } from '../../shared/adapters/aws/ecs/run-task-request.ts';
import { registerInput } from '../../shared/adapters/aws/ecs/task-definition-request.ts';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { RENDERING } from '../../shared/domain/task/pod-template.ts';
import type { TaskDefinition } from '../../shared/domain/task/task.ts';
import { parseReference } from '../../shared/names/secrets.ts';
import { type Answer, type Call, refusal, scriptedAws } from './scripted-aws.ts';
import { ARN, REVISION, definition, definitions, ok, placement, tasksThatMeet } from './ecs-under-test.ts';

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
  ['ClientException', 'Container name quota-subnet is invalid: security group', 'fatal'],
  ['ClientException', "Invalid setting for container 'throttled-LimitExceeded'. PROVISIONING", 'fatal'],
  ['InvalidParameterException', 'The user service-quota is invalid', 'fatal'],
  ['ServiceQuotaExceededException', 'x', 'refused'],
])('prepare: %s %s', async (type, message, kind) => {
  const { tasks } = await tasksThatMeet(({ action }) =>
    action === 'DescribeTaskDefinition'
      ? refusal('ClientException', 'Unable to describe task definition.')
      : refusal(type, message),
  );
  expect(await tasks.prepare(definition)).toMatchObject({ kind });
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

test('an image is pulled with a copy that never changes, or with what somebody has made by hand', () => {
  const copy = { version: '0b0b0b0b-0000-4000-8000-000000000000-17', registry: '0123456789abcdef' };
  const containers = [
    { ...fetch!, pullSecret: { namespace: 'default', name: 'regcred', copy } },
    { ...main!, pullSecret: { namespace: 'default', name: 'regcred' } },
  ];
  const { containerDefinitions = [] } = registerInput({ ...definition, containers }, definitions, null);
  expect(containerDefinitions.map(({ repositoryCredentials }) => repositoryCredentials)).toEqual([
    {
      credentialsParameter: 'muster/default/regcred/0b0b0b0b-0000-4000-8000-000000000000-17/0123456789abcdef/pull',
    },
    { credentialsParameter: 'muster/default/regcred/secret' },
  ]);
});

test('volumes in memory are tmpfs of their container, from which programs can be run', () => {
  const [main] = full.containers;
  const tmpfs = [
    { volume: 'fast', path: '/fast', readOnly: false, sizeMib: 64 },
    { volume: 'empty-too', path: '/none', readOnly: true, sizeMib: 1 },
  ];
  const input = registerInput({ ...full, containers: [{ ...main!, tmpfs }] }, definitions, null);
  expect(input).toMatchObject({
    volumes: [{ name: 'big-scratch' }],
    containerDefinitions: [
      {
        environment: [
          { name: 'A', value: 'b' },
          { name: 'MUSTER_VOLUME_EMPTY_TOO', value: '/none' },
          { name: 'MUSTER_VOLUME_FAST', value: '/fast' },
          { name: 'MUSTER_VOLUME_BIG_SCRATCH', value: '/data' },
        ],
        mountPoints: [{ sourceVolume: 'big-scratch' }],
        linuxParameters: {
          capabilities: { add: ['SYS_PTRACE'], drop: ['ALL'] },
          tmpfs: [
            { containerPath: '/fast', size: 64, mountOptions: ['exec'] },
            { containerPath: '/none', size: 1, mountOptions: ['exec', 'ro'] },
          ],
        },
        dockerLabels: { 'muster.run/tmpfs-volume-0': 'fast', 'muster.run/tmpfs-volume-1': 'empty-too' },
      },
    ],
  });
});

test('what is on the machine of a task has its path in the definition', () => {
  const hostPaths = [{ volume: 'in', path: '/srv/in' }];
  expect(registerInput({ ...full, volumes: ['big-scratch', 'in'], hostPaths }, definitions, null).volumes).toEqual([
    { name: 'big-scratch' },
    { name: 'in', host: { sourcePath: '/srv/in' } },
  ]);
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
  onTestFinished(aws.stop);
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
