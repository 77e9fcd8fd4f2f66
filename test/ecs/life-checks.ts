import { StopTaskCommand } from '@aws-sdk/client-ecs';
import { expect } from 'vitest';
import { describeOne, refused, run, stopped, type Check } from './task-check.ts';
import { container, eventOf, eventually, register, withEnv, type TaskServer } from './task-server.ts';

/** What becomes of a task, and what its events say. */
export const LIFE_CHECKS: readonly Check[] = [
  {
    name: 'every state of a task is an event, in order, each with a higher version',
    async run(server) {
      await register(server, 'job');
      const { taskArn } = await run(server, {
        startedBy: 'uid-1',
        group: 'muster:g',
        overrides: withEnv({ EXIT: '3', JOB_COMPLETION_INDEX: '7' }),
      });
      await eventOf(server, taskArn, 'STOPPED');
      const events = server.events.filter(({ detail }) => detail.taskArn === taskArn);
      expect(events.map(({ detail }) => [detail.version, detail.lastStatus, detail.desiredStatus])).toEqual([
        [1, 'PROVISIONING', 'RUNNING'],
        [2, 'PENDING', 'RUNNING'],
        [3, 'RUNNING', 'RUNNING'],
        [4, 'DEPROVISIONING', 'STOPPED'],
        [5, 'STOPPED', 'STOPPED'],
      ]);
      const [first, , running, , last] = events;
      expect(last).toMatchObject({
        version: '0',
        'detail-type': 'ECS Task State Change',
        source: 'aws.ecs',
        account: '000000000000',
        region: 'us-east-1',
        resources: [taskArn],
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
        detail: {
          clusterArn: 'arn:aws:ecs:us-east-1:000000000000:cluster/default',
          group: 'muster:g',
          startedBy: 'uid-1',
          launchType: 'FARGATE',
          cpu: '256',
          memory: '512',
          stopCode: 'EssentialContainerExited',
          stoppedReason: 'Essential container in task exited',
          containers: [{ name: 'main', lastStatus: 'STOPPED', exitCode: 3, taskArn }],
          overrides: {
            containerOverrides: [
              {
                name: 'main',
                environment: [
                  { name: 'EXIT', value: '3' },
                  { name: 'JOB_COMPLETION_INDEX', value: '7' },
                ],
              },
            ],
          },
        },
      });
      expect(running!.detail.attachments[0]).toMatchObject({
        type: 'eni',
        details: expect.arrayContaining([
          {
            name: 'privateIPv4Address',
            value: running!.detail.containers[0]!.networkInterfaces[0]!.privateIpv4Address,
          },
        ]) as object[],
      });
      expect(first!.detail).not.toHaveProperty('startedAt');
      expect(running!.detail.containers[0]).not.toHaveProperty('exitCode');
      const { createdAt, startedAt, executionStoppedAt, stoppedAt } = last!.detail;
      const times = [createdAt, startedAt!, executionStoppedAt!, stoppedAt!];
      expect(times).toEqual(times.toSorted());
      expect(times.every((time) => new Date(time).toISOString() === time)).toBe(true);
      expect(await describeOne(server, taskArn)).toMatchObject({
        version: 5,
        lastStatus: 'STOPPED',
        stoppedAt: new Date(stoppedAt!),
      });
    },
  },
  {
    name: 'a task has the size of its call, or else of its definition',
    async run(server) {
      await register(server, 'job');
      const size = { cpu: '1024', memory: '2048', ephemeralStorage: { sizeInGiB: 40 } };
      const { taskArn } = await run(server, { overrides: { ...withEnv({ EXIT: '0' }), ...size } });
      expect(await describeOne(server, taskArn)).toMatchObject(size);
      expect(await stopped(server, taskArn)).toMatchObject(size);
      const plain = await run(server, { overrides: withEnv({ EXIT: '0' }) });
      expect(await describeOne(server, plain.taskArn)).toMatchObject({
        cpu: '256',
        memory: '512',
        ephemeralStorage: { sizeInGiB: 20 },
      });
    },
  },
  {
    name: 'exit codes are those of the containers',
    async run(server) {
      await register(server, 'job');
      for (const exitCode of [0, 1, 42, 255]) {
        const { taskArn } = await run(server, { overrides: withEnv({ EXIT: String(exitCode) }) });
        expect(await stopped(server, taskArn)).toMatchObject({
          stopCode: 'EssentialContainerExited',
          containers: [{ exitCode }],
        });
      }
    },
  },
  {
    name: 'StopTask asks with SIGTERM, names its reason, and changes nothing the second time',
    async run(server) {
      await register(server, 'job');
      const { taskArn } = await run(server, { overrides: withEnv({ HOLD: '1' }) });
      await eventOf(server, taskArn, 'RUNNING');
      const { task } = await server.client.send(new StopTaskCommand({ task: taskArn, reason: 'scaled down' }));
      expect(task).toMatchObject({
        taskArn,
        desiredStatus: 'STOPPED',
        stopCode: 'UserInitiated',
        stoppedReason: 'scaled down',
      });
      expect(await stopped(server, taskArn)).toMatchObject({
        stopCode: 'UserInitiated',
        stoppedReason: 'scaled down',
        containers: [{ exitCode: 143 }],
      });
      const again = await server.client.send(new StopTaskCommand({ task: taskArn!.split('/')[2], reason: 'other' }));
      expect(again.task).toMatchObject({ lastStatus: 'STOPPED', stoppedReason: 'scaled down' });
      await eventOf(server, taskArn, 'STOPPED');
      expect(server.events.map(({ detail }) => detail.version)).toEqual([1, 2, 3, 4, 5, 6]);
      await refused(
        server.client.send(new StopTaskCommand({ task: 'f'.repeat(32) })),
        'InvalidParameterException',
        /The referenced task was not found/,
      );
    },
  },
  {
    name: 'a container that does not heed SIGTERM is killed after its stopTimeout, 30 s unless given',
    async run(server) {
      for (const [family, stopTimeout] of [
        ['given', 120],
        ['default', undefined],
      ] as const) {
        await register(server, family, [container('main', stopTimeout === undefined ? {} : { stopTimeout })]);
        const { taskArn } = await run(server, { taskDefinition: family, overrides: withEnv({ HOLD: 'stubborn' }) });
        await eventOf(server, taskArn, 'RUNNING');
        await readyForSignals(server, taskArn);
        await server.client.send(new StopTaskCommand({ task: taskArn }));
        server.advance((stopTimeout ?? 30) * 1000 - 1_000);
        expect(await describeOne(server, taskArn)).toMatchObject({ lastStatus: 'RUNNING', desiredStatus: 'STOPPED' });
        server.advance(1_000);
        expect(await stopped(server, taskArn)).toMatchObject({
          stopCode: 'UserInitiated',
          containers: [{ exitCode: 137 }],
        });
      }
    },
  },
  {
    name: 'a task that is stopped before it starts never runs',
    async run(server) {
      await register(server, 'job');
      const { taskArn } = await run(server);
      server.ecs.api.StopTask({ task: taskArn });
      const task = await stopped(server, taskArn);
      expect(task.stopCode).toBe('UserInitiated');
    },
  },
  {
    name: 'a container waits for the success of another, and the task runs once all essential ones have started',
    async run(server) {
      await register(server, 'job', [
        container('main', { dependsOn: [{ containerName: 'init', condition: 'SUCCESS' }] }),
        container('init', { essential: false }),
      ]);
      const { taskArn } = await run(server);
      const task = await stopped(server, taskArn);
      expect(task).toMatchObject({
        stopCode: 'EssentialContainerExited',
        containers: [
          { name: 'main', exitCode: 0 },
          { name: 'init', exitCode: 0 },
        ],
      });
      await eventOf(server, taskArn, 'STOPPED');
      const states = server.events.map(({ detail }) =>
        [detail.lastStatus, ...detail.containers.map(({ lastStatus }) => lastStatus)].join(' '),
      );
      expect(states).toEqual([
        'PROVISIONING PENDING PENDING',
        'PENDING PENDING PENDING',
        'ACTIVATING PENDING RUNNING',
        'ACTIVATING PENDING STOPPED',
        'RUNNING RUNNING STOPPED',
        'DEPROVISIONING STOPPED STOPPED',
        'STOPPED STOPPED STOPPED',
      ]);
    },
  },
  {
    name: 'when what a container needs has failed, it never runs and the task ends',
    async run(server) {
      await register(server, 'job', [
        container('main', { dependsOn: [{ containerName: 'init', condition: 'SUCCESS' }] }),
        container('init', { essential: false }),
      ]);
      const { taskArn } = await run(server, { overrides: withEnv({ EXIT: '9' }, 'init') });
      const task = await stopped(server, taskArn);
      expect(task).toMatchObject({
        stopCode: 'EssentialContainerExited',
        containers: [{ exitCode: 143, reason: expect.stringMatching(/init/) as string }, { exitCode: 9 }],
      });
      expect(task).not.toHaveProperty('startedAt');
    },
  },
  {
    name: 'when an essential container ends, all others get SIGTERM; what they needed goes last',
    async run(server) {
      await register(server, 'job', [
        container('main', { dependsOn: [{ containerName: 'proxy', condition: 'START' }] }),
        container('proxy', { essential: false, environment: [{ name: 'HOLD', value: '1' }] }),
        container('agent', {
          essential: false,
          dependsOn: [{ containerName: 'proxy', condition: 'START' }],
          environment: [{ name: 'HOLD', value: '1' }],
        }),
      ]);
      const { taskArn } = await run(server, { overrides: withEnv({ HOLD: '1' }) });
      await eventually(() =>
        server.events.find(({ detail }) => detail.containers.every(({ lastStatus }) => lastStatus === 'RUNNING')),
      );
      await server.client.send(new StopTaskCommand({ task: taskArn }));
      await stopped(server, taskArn);
      const end = await eventOf(server, taskArn, 'STOPPED');
      expect(end.containers.map(({ name, exitCode }) => [name, exitCode])).toEqual([
        ['main', 143],
        ['proxy', 143],
        ['agent', 143],
      ]);
      const before = server.events.filter(({ detail }) =>
        detail.containers.some(({ name, lastStatus }) => name === 'proxy' && lastStatus !== 'STOPPED'),
      );
      expect(before.at(-1)!.detail.containers.map(({ lastStatus }) => lastStatus)).toEqual([
        'STOPPED',
        'RUNNING',
        'STOPPED',
      ]);
      const second = await run(server);
      expect(await stopped(server, second.taskArn)).toMatchObject({
        stopCode: 'EssentialContainerExited',
        containers: [{ exitCode: 0 }, { exitCode: 143 }, {}],
      });
    },
  },
  {
    name: 'an interrupted task says so before it has ended',
    async run(server) {
      await register(server, 'job');
      const { taskArn } = await run(server, {
        overrides: withEnv({ HOLD: '1' }),
        capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }],
      });
      await eventOf(server, taskArn, 'RUNNING');
      server.ecs.interrupt(taskArn!);
      const end = await eventOf(server, taskArn, 'STOPPED');
      expect(end).toMatchObject({
        stopCode: 'SpotInterruption',
        stoppedReason: 'Your Spot Task was interrupted.',
        capacityProviderName: 'FARGATE_SPOT',
      });
      expect(server.events.map(({ detail }) => `${detail.lastStatus} ${detail.desiredStatus}`)).toContain(
        'RUNNING STOPPED',
      );
    },
  },
];

/** A shell needs a moment before it ignores SIGTERM; its process shows when it has become `sleep`. */
async function readyForSignals(server: TaskServer, taskArn: string | undefined): Promise<void> {
  await server.ready?.(taskArn!.slice(-32));
}
