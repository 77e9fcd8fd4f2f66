import {
  DeregisterTaskDefinitionRequest$,
  DeregisterTaskDefinitionResponse$,
  DescribeTaskDefinitionRequest$,
  DescribeTaskDefinitionResponse$,
  DescribeTasksRequest$,
  DescribeTasksResponse$,
  ListTaskDefinitionFamiliesRequest$,
  ListTaskDefinitionFamiliesResponse$,
  ListTasksRequest$,
  ListTasksResponse$,
  RegisterTaskDefinitionRequest$,
  RegisterTaskDefinitionResponse$,
  RunTaskRequest$,
  RunTaskResponse$,
  StopTaskRequest$,
  StopTaskResponse$,
} from '@aws-sdk/client-ecs';
import type { AwsService } from './aws-json.ts';
import type { EcsApi } from './ecs-operations.ts';

/** ECS as a service for {@link serveAwsJson}. */
export function ecsService(api: EcsApi): AwsService {
  return {
    targetPrefix: 'AmazonEC2ContainerServiceV20141113',
    jsonVersion: '1.1',
    operations: {
      RegisterTaskDefinition: {
        request: RegisterTaskDefinitionRequest$,
        response: RegisterTaskDefinitionResponse$,
        handle: (input) => api.RegisterTaskDefinition(input),
      },
      DescribeTaskDefinition: {
        request: DescribeTaskDefinitionRequest$,
        response: DescribeTaskDefinitionResponse$,
        handle: (input) => api.DescribeTaskDefinition(input),
      },
      DeregisterTaskDefinition: {
        request: DeregisterTaskDefinitionRequest$,
        response: DeregisterTaskDefinitionResponse$,
        handle: (input) => api.DeregisterTaskDefinition(input),
      },
      ListTaskDefinitionFamilies: {
        request: ListTaskDefinitionFamiliesRequest$,
        response: ListTaskDefinitionFamiliesResponse$,
        handle: (input) => api.ListTaskDefinitionFamilies(input),
      },
      RunTask: { request: RunTaskRequest$, response: RunTaskResponse$, handle: (input) => api.RunTask(input) },
      StopTask: { request: StopTaskRequest$, response: StopTaskResponse$, handle: (input) => api.StopTask(input) },
      DescribeTasks: {
        request: DescribeTasksRequest$,
        response: DescribeTasksResponse$,
        handle: (input) => api.DescribeTasks(input),
      },
      ListTasks: { request: ListTasksRequest$, response: ListTasksResponse$, handle: (input) => api.ListTasks(input) },
    },
  };
}
