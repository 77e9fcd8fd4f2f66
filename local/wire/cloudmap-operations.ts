import type {
  CreateServiceResponse,
  DeregisterInstanceResponse,
  DiscoverInstancesResponse,
  GetInstanceResponse,
  GetNamespaceResponse,
  GetOperationResponse,
  GetServiceResponse,
  ListInstancesResponse,
  ListServicesResponse,
  RegisterInstanceResponse,
} from '@aws-sdk/client-servicediscovery';

/** The supported operations of Cloud Map. Inputs are decoded but not checked; answers have the SDK's types. */
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
