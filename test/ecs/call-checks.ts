import {
  ConflictException,
  DeregisterTaskDefinitionCommand,
  DescribeTaskDefinitionCommand,
  DescribeTasksCommand,
  ListTaskDefinitionFamiliesCommand,
  ListTasksCommand,
  RegisterTaskDefinitionCommand,
  RunTaskCommand,
  StopTaskCommand,
  type ContainerDefinition,
} from '@aws-sdk/client-ecs';
import { expect } from 'vitest';
import { list, refused, run, stopped, type Check } from './task-check.ts';
import { container, eventOf, register, withEnv } from './task-server.ts';

const HOUR_MS = 3_600_000;
const ARN = /^arn:aws:ecs:us-east-1:000000000000:task\/default\/[0-9a-f]{32}$/;

/** What the calls of ECS take, refuse and answer. */
export const CALL_CHECKS: readonly Check[] = [
  {
    name: 'a definition gets the next revision of its family and is found by family, revision and ARN',
    async run(server) {
      expect(await register(server, 'job')).toBe('job:1');
      expect(await register(server, 'other')).toBe('other:1');
      expect(await register(server, 'job', [container('main', { command: ['true'] })])).toBe('job:2');
      const find = async (taskDefinition: string) =>
        (await server.client.send(new DescribeTaskDefinitionCommand({ taskDefinition }))).taskDefinition!;
      expect((await find('job')).revision).toBe(2);
      expect((await find('job:1')).containerDefinitions![0]!.command).not.toEqual(['true']);
      expect(await find('arn:aws:ecs:us-east-1:000000000000:task-definition/job:2')).toMatchObject({
        family: 'job',
        revision: 2,
        status: 'ACTIVE',
        cpu: '256',
        memory: '512',
        taskDefinitionArn: 'arn:aws:ecs:us-east-1:000000000000:task-definition/job:2',
        registeredAt: expect.any(Date) as Date,
      });
      for (const missing of ['job:3', 'nobody', 'job:'])
        await refused(find(missing), 'ClientException', /Unable to describe task definition/);
    },
  },
  {
    name: 'a definition that is deregistered starts nothing more, is found by its revision, and its family by those that are left',
    async run(server) {
      const { client } = server;
      for (let n = 0; n < 2; n++) await register(server, 'job');
      for (const family of ['jobs', 'other']) await register(server, family);
      const families = async (more: object = {}) =>
        client.send(new ListTaskDefinitionFamiliesCommand({ status: 'ACTIVE', ...more }));
      const find = async (taskDefinition: string) =>
        (await client.send(new DescribeTaskDefinitionCommand({ taskDefinition }))).taskDefinition!;
      const { taskArn } = await run(server, { clientToken: 't', overrides: withEnv({ HOLD: '1' }) }); // of job:2
      const { taskDefinition } = await client.send(new DeregisterTaskDefinitionCommand({ taskDefinition: 'job:2' }));
      expect(taskDefinition).toMatchObject({
        revision: 2,
        status: 'INACTIVE',
        deregisteredAt: expect.any(Date) as Date,
      });
      expect(await find('job')).toMatchObject({ revision: 1, status: 'ACTIVE' });
      expect(await find('job:2')).toMatchObject({ revision: 2, status: 'INACTIVE' });
      await eventOf(server, taskArn, 'RUNNING');
      expect((await run(server, { clientToken: 'new' })).taskDefinitionArn).toMatch(/job:1$/);
      const start = client.send(new RunTaskCommand({ taskDefinition: 'job:2' }));
      await refused(start, 'InvalidParameterException', /TaskDefinition is inactive/);
      expect((await families({ familyPrefix: 'job' })).families).toEqual(['job', 'jobs']);
      await client.send(new DeregisterTaskDefinitionCommand({ taskDefinition: 'job:1' }));
      await refused(find('job'), 'ClientException', /Unable to describe task definition/);
      const page = await families({ maxResults: 1 });
      expect(page.families).toEqual(['jobs']);
      const last = await families({ nextToken: page.nextToken });
      expect([last.families, last.nextToken]).toEqual([['other'], undefined]);
      expect(await register(server, 'job')).toBe('job:3');
      for (const missing of ['job', 'job:9'])
        await expect(client.send(new DeregisterTaskDefinitionCommand({ taskDefinition: missing }))).rejects.toThrow(
          'specified task definition',
        );
      await client.send(new StopTaskCommand({ task: taskArn }));
    },
  },
  {
    name: 'a definition that makes no sense is refused with the reason',
    async run({ client }) {
      const register = (containers: ContainerDefinition[], more: object = {}) =>
        client.send(
          new RegisterTaskDefinitionCommand({
            family: 'job',
            cpu: '256',
            memory: '512',
            containerDefinitions: containers,
            ...more,
          }),
        );
      const FARGATE = { requiresCompatibilities: ['FARGATE'], networkMode: 'awsvpc' };
      for (const [call, message] of [
        [register([]), /Container list cannot be empty/],
        [register([container('ma in')]), /invalid characters/],
        [register([container('../../etc')]), /invalid characters/],
        [register([container('main')], { family: 'a/b' }), /invalid characters/],
        [register([container('main'), container('main')]), /Duplicate container name/],
        [register([container('main', { essential: false })]), /must be essential/],
        [register([container('main', { image: '' })]), /image/],
        [register([container('main', { stopTimeout: 121 })]), /stopTimeout/],
        [register([container('main', { command: ['x'.repeat(70_000)] })]), /64 KiB/],
        [
          register([container('main', { dependsOn: [{ containerName: 'gone', condition: 'START' }] })]),
          /not in the definition/,
        ],
        [
          register([
            container('main', { dependsOn: [{ containerName: 'init', condition: 'SUCCESS' }] }),
            container('init'),
          ]),
          /cannot be an essential container/,
        ],
        [
          register([
            container('main', { dependsOn: [{ containerName: 'side', condition: 'START' }] }),
            container('side', { dependsOn: [{ containerName: 'main', condition: 'START' }] }),
          ]),
          /circle/,
        ],
        [register([container('main')], { ...FARGATE, cpu: '256', memory: '4096' }), /No Fargate configuration/],
        [register([container('main')], { ...FARGATE, networkMode: 'bridge' }), /awsvpc/],
      ] as const) {
        await refused(call, 'ClientException', message);
      }
      await register([container('main')], { ...FARGATE, cpu: '.5 vCPU', memory: '1 GB' });
    },
  },
  {
    name: 'RunTask answers at once with tasks that are being provisioned',
    async run(server) {
      await register(server, 'job');
      const { tasks, failures } = await server.client.send(
        new RunTaskCommand({ taskDefinition: 'job', count: 3, startedBy: 'uid', group: 'muster:x' }),
      );
      expect(failures).toEqual([]);
      expect(new Set(tasks!.map(({ taskArn }) => taskArn)).size).toBe(3);
      for (const task of tasks!) {
        expect(task.taskArn).toMatch(ARN);
        expect(task).toMatchObject({
          lastStatus: 'PROVISIONING',
          desiredStatus: 'RUNNING',
          version: 1,
          startedBy: 'uid',
          group: 'muster:x',
          taskDefinitionArn: 'arn:aws:ecs:us-east-1:000000000000:task-definition/job:1',
          clusterArn: 'arn:aws:ecs:us-east-1:000000000000:cluster/default',
          attachments: [
            {
              type: 'ElasticNetworkInterface',
              status: 'PRECREATED',
              details: [{ name: 'subnetId', value: expect.any(String) as string }],
            },
          ],
          containers: [{ name: 'main', lastStatus: 'PENDING' }],
        });
        expect(task).not.toHaveProperty('startedAt');
        expect(task).not.toHaveProperty('stopCode');
      }
    },
  },
  {
    name: 'the same token with the same parameters answers with the same task',
    async run(server) {
      await register(server, 'job');
      const call = { clientToken: 'token-1', startedBy: 'uid', count: 2, overrides: withEnv({ HOLD: '1' }) };
      const first = await server.client.send(new RunTaskCommand({ taskDefinition: 'job', ...call }));
      const arns = first.tasks!.map(({ taskArn }) => taskArn!);
      for (const taskArn of arns) await eventOf(server, taskArn, 'RUNNING');
      const second = await server.client.send(new RunTaskCommand({ ...call, taskDefinition: 'job' }));
      expect(second.tasks!.map(({ taskArn }) => taskArn)).toEqual(arns);
      expect(second.tasks![0]).toMatchObject({
        lastStatus: 'RUNNING',
        startedBy: 'uid',
        containers: [{ name: 'main' }],
      });
      expect(await list(server)).toHaveLength(2);

      for (const task of arns) await server.client.send(new StopTaskCommand({ task }));
      for (const task of arns) await stopped(server, task);
      const third = await server.client.send(new RunTaskCommand({ taskDefinition: 'job', ...call }));
      expect(third.tasks).toEqual(
        arns.map((taskArn) => ({ taskArn, lastStatus: 'STOPPED', desiredStatus: 'STOPPED' })),
      );
      expect(await list(server)).toEqual([]);
    },
  },
  {
    name: 'the same token with other parameters is a conflict that names the tasks',
    options: { clusters: ['default', 'second'] },
    async run(server) {
      await register(server, 'job');
      const { taskArn } = await run(server, { clientToken: 't', startedBy: 'a' });
      const conflict = await server.client
        .send(new RunTaskCommand({ taskDefinition: 'job', clientToken: 't', startedBy: 'b' }))
        .catch((error: unknown) => error);
      expect(conflict).toBeInstanceOf(ConflictException);
      expect(conflict).toMatchObject({ resourceIds: [taskArn] });
      expect((await run(server, { clientToken: 't', startedBy: 'a', cluster: 'second' })).taskArn).toContain(
        ':task/second/',
      );
    },
  },
  {
    name: 'a token lives for an hour after its task has ended',
    async run(server) {
      await register(server, 'job');
      const { taskArn } = await run(server, { clientToken: 't' });
      await stopped(server, taskArn);
      server.advance(HOUR_MS - 60_000);
      expect((await run(server, { clientToken: 't' })).taskArn).toBe(taskArn);
      server.advance(60_000);
      expect((await run(server, { clientToken: 't' })).taskArn).not.toBe(taskArn);
    },
  },
  {
    name: 'a token lives for a day at most, however long its task runs',
    async run(server) {
      await register(server, 'job');
      const call = { clientToken: 't', overrides: withEnv({ HOLD: '1' }) };
      const { taskArn } = await run(server, call);
      await eventOf(server, taskArn, 'RUNNING');
      server.advance(24 * HOUR_MS - 60_000);
      expect((await run(server, call)).taskArn).toBe(taskArn);
      server.advance(60_000);
      expect((await run(server, call)).taskArn).not.toBe(taskArn);
    },
  },
  {
    name: 'a call that ECS would refuse is refused with its error',
    async run(server) {
      await register(server, 'job');
      await server.client.send(
        new RegisterTaskDefinitionCommand({
          family: 'net',
          cpu: '256',
          memory: '512',
          networkMode: 'awsvpc',
          requiresCompatibilities: ['FARGATE'],
          containerDefinitions: [container('main')],
        }),
      );
      const call = (input: object) => server.client.send(new RunTaskCommand({ taskDefinition: 'job', ...input }));
      for (const [input, error, message] of [
        [{ cluster: 'nowhere' }, 'ClusterNotFoundException', /Cluster not found/],
        [{ taskDefinition: 'nobody' }, 'ClientException', /TaskDefinition not found/],
        [{ count: 0 }, 'InvalidParameterException', /count/],
        [{ count: 11 }, 'InvalidParameterException', /count/],
        [{ clientToken: 'x'.repeat(65) }, 'InvalidParameterException', /clientToken/],
        [{ clientToken: 'a b' }, 'InvalidParameterException', /clientToken/],
        [{ startedBy: 'x'.repeat(129) }, 'InvalidParameterException', /startedBy/],
        [{ startedBy: 'a.b' }, 'InvalidParameterException', /startedBy/],
        [{ group: 'x'.repeat(256) }, 'InvalidParameterException', /group/],
        [
          { overrides: withEnv({ A: 'x'.repeat(8_192) }) },
          'InvalidParameterException',
          /Container Overrides length must be at most 8192/,
        ],
        [
          { overrides: withEnv({}, 'other') },
          'InvalidParameterException',
          /other is not a container in the TaskDefinition/,
        ],
        [{ overrides: { cpu: '256', memory: '8192' } }, 'InvalidParameterException', /No Fargate configuration/],
        [{ overrides: { ephemeralStorage: { sizeInGiB: 20 } } }, 'InvalidParameterException', /sizeInGiB/],
        [
          { launchType: 'FARGATE', capacityProviderStrategy: [{ capacityProvider: 'FARGATE', weight: 1 }] },
          'InvalidParameterException',
          /both a launch type and capacity provider/,
        ],
        [{ capacityProviderStrategy: [{ capacityProvider: 'FARGATE' }] }, 'InvalidParameterException', /weight/],
        [{ taskDefinition: 'net' }, 'InvalidParameterException', /Network Configuration must be provided/],
        [{ tags: [{ key: 'aws:x', value: 'y' }] }, 'InvalidParameterException', /aws:/],
        [{ propagateTags: 'SERVICE' }, 'InvalidParameterException', /propagateTags/],
      ] as const) {
        await refused(call(input), error, message);
      }
      expect(server.events).toEqual([]);
      const fits = withEnv({ A: 'x'.repeat(8_000) });
      await run(server, {
        clientToken: 'x'.repeat(64),
        startedBy: `${'x'.repeat(120)}-_/Az09`,
        group: 'g'.repeat(255),
        overrides: fits,
      });
      await run(server, {
        taskDefinition: 'net',
        networkConfiguration: { awsvpcConfiguration: { subnets: ['subnet-1'] } },
      });
    },
  },
  {
    name: 'what there is no room for is a failure in an answer of HTTP 200, and the token repeats it',
    options: { quota: { tasks: 2 } },
    async run(server) {
      await register(server, 'job');
      const call = { taskDefinition: 'job', count: 3, clientToken: 't', overrides: withEnv({ HOLD: '1' }) };
      const { tasks, failures } = await server.client.send(new RunTaskCommand(call));
      expect(tasks).toHaveLength(2);
      expect(failures).toEqual([
        {
          reason: expect.stringMatching(
            /^You’ve reached the limit on the number of tasks you can run concurrently/,
          ) as string,
        },
      ]);
      const none = await server.client.send(new RunTaskCommand({ taskDefinition: 'job' }));
      expect([none.tasks, none.failures?.length]).toEqual([[], 1]);
      const again = await server.client.send(new RunTaskCommand(call));
      expect([again.tasks!.map(({ taskArn }) => taskArn), again.failures]).toEqual([
        tasks!.map(({ taskArn }) => taskArn),
        failures,
      ]);
    },
  },
  {
    name: 'ListTasks shows what shall run, unless asked for what shall not',
    async run(server) {
      await register(server, 'job');
      await register(server, 'other');
      const hold = { overrides: withEnv({ HOLD: '1' }) };
      const ended = await run(server, { startedBy: 'a' });
      await stopped(server, ended.taskArn);
      const a = await run(server, { startedBy: 'a', ...hold });
      const b = await run(server, { startedBy: 'b', taskDefinition: 'other', ...hold });
      expect(new Set(await list(server))).toEqual(new Set([a.taskArn, b.taskArn]));
      expect(await list(server, { startedBy: 'a' })).toEqual([a.taskArn]);
      expect(await list(server, { family: 'other' })).toEqual([b.taskArn]);
      expect(await list(server, { desiredStatus: 'STOPPED' })).toEqual([ended.taskArn]);
      expect(await list(server, { desiredStatus: 'STOPPED', family: 'other' })).toEqual([]);
      expect(await list(server, { desiredStatus: 'PENDING' })).toEqual([]);
      expect(await list(server, { serviceName: 'x' })).toEqual([]);
      expect(await list(server, { launchType: 'EC2' })).toEqual([]);
      for (const filter of [
        { family: 'job' },
        { desiredStatus: 'STOPPED' },
        { launchType: 'FARGATE' },
        { serviceName: 'x' },
      ]) {
        await refused(list(server, { startedBy: 'a', ...filter }), 'InvalidParameterException', /startedBy/);
      }
      await refused(list(server, { cluster: 'nowhere' }), 'ClusterNotFoundException', /Cluster not found/);
      await server.client.send(new StopTaskCommand({ task: a.taskArn }));
      expect(await list(server, { startedBy: 'a' })).toEqual([]);
      const notToRun = await list(server, { desiredStatus: 'STOPPED', family: 'job' });
      expect(new Set(notToRun)).toEqual(new Set([ended.taskArn, a.taskArn]));
    },
  },
  {
    name: 'ListTasks pages through everything once',
    async run(server) {
      await register(server, 'job');
      const arns = new Set<string | undefined>();
      for (let n = 0; n < 3; n++) {
        const { tasks } = await server.client.send(
          new RunTaskCommand({ taskDefinition: 'job', count: 4, overrides: withEnv({ HOLD: '1' }) }),
        );
        for (const { taskArn } of tasks!) arns.add(taskArn);
      }
      const seen: string[] = [];
      let nextToken: string | undefined;
      do {
        const page: { taskArns?: string[] | undefined; nextToken?: string | undefined } = await server.client.send(
          new ListTasksCommand({ maxResults: 5, nextToken }),
        );
        expect(page.taskArns!.length).toBeLessThanOrEqual(5);
        seen.push(...page.taskArns!);
        nextToken = page.nextToken;
      } while (nextToken !== undefined);
      expect([seen.length, new Set(seen)]).toEqual([12, arns]);
      for (const maxResults of [0, 101])
        await refused(list(server, { maxResults }), 'InvalidParameterException', /maxResults/);
      await refused(list(server, { nextToken: 'nonsense' }), 'InvalidParameterException', /token/);
    },
  },
  {
    name: 'an ended task is shown for an hour, then it is missing; so are strangers',
    async run(server) {
      await register(server, 'job');
      const { taskArn } = await run(server);
      await stopped(server, taskArn);
      server.advance(HOUR_MS - 60_000);
      const stranger = 'e'.repeat(32);
      const describeBoth = async () => server.client.send(new DescribeTasksCommand({ tasks: [taskArn!, stranger] }));
      expect(await describeBoth()).toMatchObject({
        tasks: [{ taskArn, lastStatus: 'STOPPED' }],
        failures: [{ arn: `arn:aws:ecs:us-east-1:000000000000:task/default/${stranger}`, reason: 'MISSING' }],
      });
      server.advance(60_000);
      expect(await describeBoth()).toMatchObject({
        tasks: [],
        failures: [{ arn: taskArn, reason: 'MISSING' }, { reason: 'MISSING' }],
      });
      expect(await list(server, { desiredStatus: 'STOPPED' })).toEqual([]);
      const tooMany = Array.from({ length: 101 }, () => stranger);
      await refused(
        server.client.send(new DescribeTasksCommand({ tasks: tooMany })),
        'InvalidParameterException',
        /100/,
      );
      await refused(
        server.client.send(new DescribeTasksCommand({ cluster: 'nowhere', tasks: [stranger] })),
        'ClusterNotFoundException',
        /Cluster/,
      );
    },
  },
  {
    name: 'calls beyond the rate are throttled, each kind by its own bucket',
    options: { limits: { fargateRunTask: { burst: 2, perSec: 0.001 }, clusterRead: { burst: 1, perSec: 0.001 } } },
    async run(server) {
      await register(server, 'job');
      await run(server);
      await run(server);
      await refused(run(server), 'ThrottlingException', /Rate exceeded/);
      await list(server);
      await refused(list(server), 'ThrottlingException', /Rate exceeded/);
      await refused(
        server.client.send(new DescribeTasksCommand({ tasks: ['f'.repeat(32)] })),
        'ThrottlingException',
        /Rate exceeded/,
      );
      server.advance(1_000_000);
      await run(server);
      await refused(run(server), 'ThrottlingException', /Rate exceeded/);
    },
  },
];
