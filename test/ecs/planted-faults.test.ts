import { afterEach, describe, expect, test } from 'vitest';
import { AwsError } from '../../local/wire/aws-error.ts';
import { ecsService } from '../../local/wire/ecs-wire.ts';
import { TASK_CHECKS } from './describe-tasks.ts';
import { SIMULATED, startServer, type ServerOptions, type TaskServer } from './task-server.ts';

/** Lies that an ECS could tell, and the check of the contract that must find each. */
const FAULTS: readonly { readonly name: string; readonly foundBy: string; readonly fault: ServerOptions }[] = [
  {
    name: 'client tokens are ignored',
    foundBy: 'the same token with the same parameters answers with the same task',
    fault: {
      wrap: ({ api }) =>
        ecsService({ ...api, RunTask: (input) => api.RunTask({ ...(input as object), clientToken: undefined }) }),
    },
  },
  {
    name: 'a token that met other parameters answers as if they were the same',
    foundBy: 'the same token with other parameters is a conflict that names the tasks',
    fault: {
      wrap: ({ api }) =>
        ecsService({
          ...api,
          RunTask(input) {
            try {
              return api.RunTask(input);
            } catch (error) {
              if (!(error instanceof AwsError) || error.type !== 'ConflictException') throw error;
              return {
                tasks: (error.members['resourceIds'] as string[]).map((taskArn) => ({ taskArn })),
                failures: [],
              };
            }
          },
        }),
    },
  },
  {
    name: 'failures are left out of the answer',
    foundBy: 'what there is no room for is a failure in an answer of HTTP 200, and the token repeats it',
    fault: { wrap: ({ api }) => ecsService({ ...api, RunTask: (input) => ({ ...api.RunTask(input), failures: [] }) }) },
  },
  {
    name: 'startedBy goes together with other filters',
    foundBy: 'ListTasks shows what shall run, unless asked for what shall not',
    fault: {
      wrap: ({ api }) =>
        ecsService({
          ...api,
          ListTasks: (input) =>
            api.ListTasks(
              'startedBy' in (input as object) ? { startedBy: (input as { startedBy: string }).startedBy } : input,
            ),
        }),
    },
  },
  {
    name: 'versions do not rise',
    foundBy: 'every state of a task is an event, in order, each with a higher version',
    fault: { wrapEvent: (event) => ({ ...event, detail: { ...event.detail, version: 1 } }) },
  },
  {
    name: 'a container that was stopped looks as if it had ended well',
    foundBy: 'every state of a task is an event, in order, each with a higher version',
    fault: {
      wrapEvent: (event) => ({
        ...event,
        detail: {
          ...event.detail,
          containers: event.detail.containers.map((container) => ({ ...container, exitCode: 0 })),
        },
      }),
    },
  },
];

describe('the contract of tasks turns red when', () => {
  let server: TaskServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  test.each(FAULTS)('$name', async ({ fault, foundBy }) => {
    const check = TASK_CHECKS.find(({ name }) => name === foundBy)!;
    server = await startServer(SIMULATED, { ...check.options, ...fault });
    await expect(check.run(server)).rejects.toMatchObject({ name: 'AssertionError' });
  });
});
