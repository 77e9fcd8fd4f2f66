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
} from '@aws-sdk/client-servicediscovery';
import type { AwsService, Operation } from './aws-json.ts';
import type { CloudmapApi } from './cloudmap-operations.ts';

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
