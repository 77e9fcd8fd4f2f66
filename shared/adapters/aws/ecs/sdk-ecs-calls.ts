import {
  DeregisterTaskDefinitionCommand,
  DescribeTaskDefinitionCommand,
  DescribeTasksCommand,
  ECSClient,
  ListTaskDefinitionFamiliesCommand,
  ListTasksCommand,
  RegisterTaskDefinitionCommand,
  RunTaskCommand,
  StopTaskCommand,
} from '@aws-sdk/client-ecs';
import { type Connection, clientConfig, unlogged } from '../connection.ts';
import type { EcsCalls } from './ecs-calls.ts';

/** No retries by the SDK: all dispatchers share one pace for RunTask, and we classify its outcome ourselves. */
const LAUNCH_PATIENCE = { maxAttempts: 1, requestTimeoutMs: 15_000, maxSockets: 50 };
const PATIENCE = { maxAttempts: 2, requestTimeoutMs: 10_000, maxSockets: 50 };

export type EcsClients = { readonly launching: ECSClient; readonly other: ECSClient };

export const createEcsClients = (connection: Connection): EcsClients => ({
  launching: unlogged(new ECSClient(clientConfig(connection, LAUNCH_PATIENCE))),
  other: unlogged(new ECSClient(clientConfig(connection, PATIENCE))),
});

/** {@link EcsCalls} over HTTP. */
export const sdkEcsCalls = ({ launching, other }: EcsClients): EcsCalls => ({
  registerTaskDefinition: (input) => other.send(new RegisterTaskDefinitionCommand(input)),
  describeTaskDefinition: (input) => other.send(new DescribeTaskDefinitionCommand(input)),
  deregisterTaskDefinition: (input) => other.send(new DeregisterTaskDefinitionCommand(input)),
  listTaskDefinitionFamilies: (input) => other.send(new ListTaskDefinitionFamiliesCommand(input)),
  runTask: (input) => launching.send(new RunTaskCommand(input)),
  stopTask: (input) => other.send(new StopTaskCommand(input)),
  describeTasks: (input) => other.send(new DescribeTasksCommand(input)),
  listTasks: (input) => other.send(new ListTasksCommand(input)),
});
