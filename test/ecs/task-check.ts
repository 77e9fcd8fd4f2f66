import {
  DescribeTasksCommand,
  ListTasksCommand,
  RunTaskCommand,
  type RunTaskCommandInput,
  type Task,
} from '@aws-sdk/client-ecs';
import { expect } from 'vitest';
import { eventually, type ServerOptions, type TaskServer } from './task-server.ts';

/** One promise of ECS that the control plane relies on. */
export type Check = {
  readonly name: string;
  readonly options?: ServerOptions;
  readonly run: (server: TaskServer) => Promise<void>;
};

export const run = async (server: TaskServer, input: Partial<RunTaskCommandInput> = {}): Promise<Task> => {
  const { tasks, failures } = await server.client.send(new RunTaskCommand({ taskDefinition: 'job', ...input }));
  expect(failures).toEqual([]);
  expect(tasks).toHaveLength(1);
  return tasks![0]!;
};

export const describeOne = async ({ client }: TaskServer, taskArn: string | undefined): Promise<Task | undefined> =>
  (await client.send(new DescribeTasksCommand({ tasks: [taskArn!] }))).tasks![0];

export const stopped = async (server: TaskServer, taskArn: string | undefined): Promise<Task> =>
  eventually(async () => {
    const task = await describeOne(server, taskArn);
    return task?.lastStatus === 'STOPPED' ? task : null;
  });

export const list = async ({ client }: TaskServer, filter: object = {}): Promise<string[]> =>
  (await client.send(new ListTasksCommand(filter))).taskArns!;

export const refused = async (call: Promise<unknown>, errorName: string, message: RegExp): Promise<void> => {
  await expect(call).rejects.toMatchObject({ name: errorName, message: expect.stringMatching(message) as string });
};
