import {
  DescribeTaskDefinitionCommand,
  DescribeTasksCommand,
  ECSClient,
  ListTasksCommand,
  RegisterTaskDefinitionCommand,
  RunTaskCommand,
  StopTaskCommand,
  type TaskDefinition as Registered,
} from '@aws-sdk/client-ecs';
import { asTaskArn } from '../../domain/brand.ts';
import type { TaskView } from '../../domain/task.ts';
import { GROUP_PREFIX } from '../../names/env.ts';
import type { Fatal, Later, Tasks } from '../../ports/tasks.ts';
import { parseTask } from '../../schema/ecs-task.ts';
import { type Connection, clientConfig, unlogged } from './connection.ts';
import { type Placement, formatPlacement, runTaskInput } from './run-task-request.ts';
import { classify, outcomeOfAnswer, outcomeOfPrepareError, outcomeOfRunError } from './run-task-outcome.ts';
import { type DefinitionSettings, mainFirst, registerInput, stillFits, taskRoleOf } from './task-definition-request.ts';

/** One attempt: a throttled RunTask is paced by all dispatchers together, and its outcome is classified by us. */
const LAUNCH_PATIENCE = { maxAttempts: 1, requestTimeoutMs: 15_000, maxSockets: 50 };
const PATIENCE = { maxAttempts: 2, requestTimeoutMs: 10_000, maxSockets: 50 };

/** The most that ECS takes as a StopTask reason. */
const REASON_MAX_CHARS = 255;

export type EcsClients = { readonly launching: ECSClient; readonly other: ECSClient };

export const createEcsClients = (connection: Connection): EcsClients => ({
  launching: unlogged(new ECSClient(clientConfig(connection, LAUNCH_PATIENCE))),
  other: unlogged(new ECSClient(clientConfig(connection, PATIENCE))),
});

export type EcsTasksOptions = {
  readonly clients: EcsClients;
  readonly placement: Placement;
  readonly definitions: DefinitionSettings;
};

/** Tasks as ECS on Fargate runs them. */
export function createEcsTasks({ clients, placement, definitions }: EcsTasksOptions): Tasks {
  const { launching, other } = clients;
  const { cluster } = placement;
  return {
    async prepare(definition) {
      const role = taskRoleOf(definition, definitions);
      if (role.kind === 'unknown') return { kind: 'fatal', reason: role.reason };
      const wanted = registerInput(definition, definitions, role.arn);
      try {
        const found = await activeDefinition(other, definition.family);
        const fits = found !== null && stillFits(found, wanted);
        const { taskDefinitionArn: arn } = fits ? found : await register(other, wanted);
        if (arn === undefined) throw new Error(`ECS gave no ARN for ${definition.family}`);
        const containers = mainFirst(definition.containers);
        return { kind: 'ready', template: { taskDefinition: arn, containers, placement: formatPlacement(placement) } };
      } catch (error) {
        return outcomeOfPrepareError(error);
      }
    },

    async run(launch) {
      const input = runTaskInput(launch);
      let answer;
      try {
        answer = await launching.send(new RunTaskCommand(input));
      } catch (error) {
        return outcomeOfRunError(error);
      }
      return outcomeOfAnswer(answer);
    },

    async stop(task, reason) {
      try {
        await other.send(new StopTaskCommand({ cluster, task, reason: reason.slice(0, REASON_MAX_CHARS) }));
        return { kind: 'asked' };
      } catch (error) {
        if (saysNotFound(error)) return { kind: 'asked' };
        return laterOrThrow(classify(error), error);
      }
    },

    async describe(taskArns) {
      if (taskArns.length === 0) return { kind: 'described', tasks: [], missing: [] };
      try {
        const answer = await other.send(new DescribeTasksCommand({ cluster, tasks: [...taskArns] }));
        const missing = (answer.failures ?? []).flatMap(({ arn, reason }) =>
          reason === 'MISSING' && arn !== undefined ? [asTaskArn(arn)] : [],
        );
        return { kind: 'described', tasks: (answer.tasks ?? []).flatMap(ours), missing };
      } catch (error) {
        return laterOrThrow(classify(error), error);
      }
    },

    async listLive({ job, after }) {
      // ECS takes `startedBy` only alone; it then lists tasks whose desired status is RUNNING, as is its default.
      const filter = job === null ? { desiredStatus: 'RUNNING' as const } : { startedBy: job };
      try {
        const answer = await other.send(
          new ListTasksCommand({ cluster, ...filter, ...(after === null ? {} : { nextToken: after }) }),
        );
        return { kind: 'listed', taskArns: (answer.taskArns ?? []).map(asTaskArn), next: answer.nextToken ?? null };
      } catch (error) {
        return laterOrThrow(classify(error), error);
      }
    },
  };
}

/** The family's newest active revision. */
async function activeDefinition(client: ECSClient, family: string): Promise<Registered | null> {
  try {
    const { taskDefinition } = await client.send(new DescribeTaskDefinitionCommand({ taskDefinition: family }));
    return taskDefinition ?? null;
  } catch (error) {
    if (error instanceof Error && /unable to describe task definition/i.test(error.message)) return null;
    throw error;
  }
}

async function register(client: ECSClient, input: ReturnType<typeof registerInput>): Promise<Registered> {
  const { taskDefinition } = await client.send(new RegisterTaskDefinitionCommand(input));
  return taskDefinition ?? {};
}

/** A task of somebody else's in our cluster is passed over, and so is one that ECS shows in a form nobody knows. */
function ours(raw: unknown): TaskView[] {
  try {
    const view = parseTask(raw, GROUP_PREFIX);
    return view === null ? [] : [view];
  } catch {
    return [];
  }
}

const saysNotFound = (error: unknown): boolean =>
  error instanceof Error && /(task was|task is|task) not found/i.test(error.message);

/** Where the port knows no "fatal": an answer that no repetition mends is a surprise. */
function laterOrThrow(outcome: Later | Fatal, error: unknown): Later {
  if (outcome.kind === 'later') return outcome;
  throw error;
}
