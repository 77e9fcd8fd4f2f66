import type { CloudmapCalls } from '../../shared/adapters/aws/cloudmap/cloudmap-calls.ts';
import type { EcsCalls } from '../../shared/adapters/aws/ecs/ecs-calls.ts';
import { AwsError } from '../wire/aws-error.ts';
import type { CloudmapApi } from '../wire/cloudmap-operations.ts';
import type { EcsApi } from '../wire/ecs-operations.ts';
import { nextTurn } from './next-turn.ts';

/** Called for errors that no caller should be able to cause. */
export type OnSurprise = (message: string, fields: Readonly<Record<string, unknown>>) => void;

/** The embedded ECS, called without HTTP. */
export function ecsCallsTo(api: EcsApi, onSurprise: OnSurprise): EcsCalls {
  const call = caller(onSurprise);
  return {
    registerTaskDefinition: call((input) => api.RegisterTaskDefinition(input)),
    describeTaskDefinition: call((input) => api.DescribeTaskDefinition(input)),
    deregisterTaskDefinition: call((input) => api.DeregisterTaskDefinition(input)),
    listTaskDefinitionFamilies: call((input) => api.ListTaskDefinitionFamilies(input)),
    runTask: call((input) => api.RunTask(input)),
    stopTask: call((input) => api.StopTask(input)),
    describeTasks: call((input) => api.DescribeTasks(input)),
    listTasks: call((input) => api.ListTasks(input)),
  };
}

/** The embedded Cloud Map, called without HTTP. */
export function cloudmapCallsTo(api: CloudmapApi, onSurprise: OnSurprise): CloudmapCalls {
  const call = caller(onSurprise);
  return {
    createService: call((input) => api.CreateService(input)),
    listServices: call((input) => api.ListServices(input)),
    deleteService: call((input) => api.DeleteService(input)),
    registerInstance: call((input) => api.RegisterInstance(input)),
    deregisterInstance: call((input) => api.DeregisterInstance(input)),
    listInstances: call((input) => api.ListInstances(input)),
    getOperation: call((input) => api.GetOperation(input)),
  };
}

/**
 * An engine's operation in the form of an SDK client's call: asynchronous, and with the SDK's errors. Nothing is
 * copied: engines keep only parsed values, and adapters do not change answers.
 */
const caller =
  (onSurprise: OnSurprise) =>
  <Input, Output>(operation: (input: Input) => Output) =>
  async (input: Input): Promise<Output> => {
    await nextTurn();
    try {
      return operation(input);
    } catch (error) {
      if (error instanceof AwsError) throw asOfSdk(error);
      onSurprise('a call to the embedded AWS failed', { error });
      throw asOfSdk(new AwsError('ServerException', 'internal error', { status: 500 }));
    }
  };

/** The error that the SDK would throw for the same answer. */
const asOfSdk = ({ type, message, status, members }: AwsError): Error =>
  Object.assign(new Error(message), {
    ...members,
    name: type,
    $fault: status >= 500 ? ('server' as const) : ('client' as const),
    $metadata: { httpStatusCode: status, attempts: 1 },
  });
