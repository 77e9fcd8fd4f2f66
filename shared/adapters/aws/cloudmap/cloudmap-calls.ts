import type {
  CreateServiceCommandInput,
  CreateServiceResponse,
  DeleteServiceCommandInput,
  DeregisterInstanceCommandInput,
  DeregisterInstanceResponse,
  GetOperationCommandInput,
  GetOperationResponse,
  ListInstancesCommandInput,
  ListInstancesResponse,
  ListServicesCommandInput,
  ListServicesResponse,
  RegisterInstanceCommandInput,
  RegisterInstanceResponse,
} from '@aws-sdk/client-servicediscovery';

/**
 * The Cloud Map operations that we call, in the SDK's shapes. A failed call rejects with an error like the SDK's, with
 * the same name, `$fault`, and members.
 */
export type CloudmapCalls = {
  createService(input: CreateServiceCommandInput): Promise<CreateServiceResponse>;
  listServices(input: ListServicesCommandInput): Promise<ListServicesResponse>;
  deleteService(input: DeleteServiceCommandInput): Promise<unknown>;
  registerInstance(input: RegisterInstanceCommandInput): Promise<RegisterInstanceResponse>;
  deregisterInstance(input: DeregisterInstanceCommandInput): Promise<DeregisterInstanceResponse>;
  listInstances(input: ListInstancesCommandInput): Promise<ListInstancesResponse>;
  getOperation(input: GetOperationCommandInput): Promise<GetOperationResponse>;
};
