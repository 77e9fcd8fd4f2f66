import type {
  DeregisterTaskDefinitionResponse,
  DescribeTasksResponse,
  ListTaskDefinitionFamiliesResponse,
  ListTasksResponse,
  RunTaskResponse,
  StopTaskResponse,
  TaskDefinition,
} from '@aws-sdk/client-ecs';

export type { Failure, Task } from '@aws-sdk/client-ecs';

/** The supported operations of ECS. Inputs are decoded but not checked; answers have the SDK's types. */
export type EcsApi = {
  RegisterTaskDefinition(input: unknown): Registered;
  DescribeTaskDefinition(input: unknown): Registered;
  DeregisterTaskDefinition(input: unknown): DeregisterTaskDefinitionResponse;
  ListTaskDefinitionFamilies(input: unknown): ListTaskDefinitionFamiliesResponse;
  RunTask(input: unknown): RunTaskResponse;
  StopTask(input: unknown): StopTaskResponse;
  DescribeTasks(input: unknown): DescribeTasksResponse;
  ListTasks(input: unknown): ListTasksResponse;
};

type Registered = { readonly taskDefinition: TaskDefinition; readonly tags: readonly object[] };
