import type {
  DeregisterTaskDefinitionCommandInput,
  DescribeTaskDefinitionCommandInput,
  DescribeTaskDefinitionResponse,
  DescribeTasksCommandInput,
  DescribeTasksResponse,
  ListTaskDefinitionFamiliesCommandInput,
  ListTaskDefinitionFamiliesResponse,
  ListTasksCommandInput,
  ListTasksResponse,
  RegisterTaskDefinitionCommandInput,
  RegisterTaskDefinitionResponse,
  RunTaskCommandInput,
  RunTaskResponse,
  StopTaskCommandInput,
} from '@aws-sdk/client-ecs';

/**
 * The ECS operations that we call, in the SDK's shapes. A failed call rejects with an error like the SDK's, with the
 * same name, `$fault`, and members.
 */
export type EcsCalls = {
  registerTaskDefinition(
    input: RegisterTaskDefinitionCommandInput,
  ): Promise<Pick<RegisterTaskDefinitionResponse, 'taskDefinition'>>;
  describeTaskDefinition(
    input: DescribeTaskDefinitionCommandInput,
  ): Promise<Pick<DescribeTaskDefinitionResponse, 'taskDefinition'>>;
  deregisterTaskDefinition(input: DeregisterTaskDefinitionCommandInput): Promise<unknown>;
  listTaskDefinitionFamilies(
    input: ListTaskDefinitionFamiliesCommandInput,
  ): Promise<ListTaskDefinitionFamiliesResponse>;
  runTask(input: RunTaskCommandInput): Promise<RunTaskResponse>;
  stopTask(input: StopTaskCommandInput): Promise<unknown>;
  describeTasks(input: DescribeTasksCommandInput): Promise<DescribeTasksResponse>;
  listTasks(input: ListTasksCommandInput): Promise<ListTasksResponse>;
};
