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
 * Cloud Map's operations that we call, in the SDK's shapes. A call rejects with an error like the SDK's: its name, `$fault`
 * and members say what happened.
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
