import {
  CreateServiceRequest$,
  CreateServiceResponse$,
  DeleteServiceRequest$,
  DeleteServiceResponse$,
  DeregisterInstanceRequest$,
  DeregisterInstanceResponse$,
  DiscoverInstancesRequest$,
  DiscoverInstancesResponse$,
  GetInstanceRequest$,
  GetInstanceResponse$,
  GetNamespaceRequest$,
  GetNamespaceResponse$,
  GetOperationRequest$,
  GetOperationResponse$,
  GetServiceRequest$,
  GetServiceResponse$,
  ListInstancesRequest$,
  ListInstancesResponse$,
  ListServicesRequest$,
  ListServicesResponse$,
  RegisterInstanceRequest$,
  RegisterInstanceResponse$,
  type CreateServiceResponse,
  type DeregisterInstanceResponse,
  type DiscoverInstancesResponse,
  type GetInstanceResponse,
  type GetNamespaceResponse,
  type GetOperationResponse,
  type GetServiceResponse,
  type ListInstancesResponse,
  type ListServicesResponse,
  type RegisterInstanceResponse,
} from '@aws-sdk/client-servicediscovery';
import type { AwsService, Operation } from './aws-json.ts';

/** The operations of Cloud Map that are served. Inputs are decoded but not checked; answers are in the SDK's own types. */
export type CloudmapApi = {
  GetNamespace(input: unknown): GetNamespaceResponse;
  CreateService(input: unknown): CreateServiceResponse;
  GetService(input: unknown): GetServiceResponse;
  ListServices(input: unknown): ListServicesResponse;
  DeleteService(input: unknown): object;
  RegisterInstance(input: unknown): RegisterInstanceResponse;
  DeregisterInstance(input: unknown): DeregisterInstanceResponse;
  GetInstance(input: unknown): GetInstanceResponse;
  ListInstances(input: unknown): ListInstancesResponse;
  DiscoverInstances(input: unknown): DiscoverInstancesResponse;
  GetOperation(input: unknown): GetOperationResponse;
};

const SHAPES = {
  GetNamespace: [GetNamespaceRequest$, GetNamespaceResponse$],
  CreateService: [CreateServiceRequest$, CreateServiceResponse$],
  GetService: [GetServiceRequest$, GetServiceResponse$],
  ListServices: [ListServicesRequest$, ListServicesResponse$],
  DeleteService: [DeleteServiceRequest$, DeleteServiceResponse$],
  RegisterInstance: [RegisterInstanceRequest$, RegisterInstanceResponse$],
  DeregisterInstance: [DeregisterInstanceRequest$, DeregisterInstanceResponse$],
  GetInstance: [GetInstanceRequest$, GetInstanceResponse$],
  ListInstances: [ListInstancesRequest$, ListInstancesResponse$],
  DiscoverInstances: [DiscoverInstancesRequest$, DiscoverInstancesResponse$],
  GetOperation: [GetOperationRequest$, GetOperationResponse$],
} as const satisfies Record<keyof CloudmapApi, readonly [Operation['request'], Operation['response']]>;

/** Cloud Map as a service for {@link serveAwsJson}. */
export function cloudmapService(api: CloudmapApi): AwsService {
  const names = Object.keys(SHAPES) as (keyof CloudmapApi)[];
  return {
    targetPrefix: 'Route53AutoNaming_v20170314',
    jsonVersion: '1.1',
    operations: Object.fromEntries(
      names.map((name): [string, Operation] => {
        const [request, response] = SHAPES[name];
        return [name, { request, response, handle: (input) => api[name](input) }];
      }),
    ),
  };
}
