import {
  CreateServiceCommand,
  DeleteServiceCommand,
  DeregisterInstanceCommand,
  GetOperationCommand,
  ListInstancesCommand,
  ListServicesCommand,
  RegisterInstanceCommand,
  ServiceDiscoveryClient,
} from '@aws-sdk/client-servicediscovery';
import { type Connection, clientConfig } from '../connection.ts';
import type { CloudmapCalls } from './cloudmap-calls.ts';

/** All dispatchers share one pace. A call that is throttled anyway is sent again as a message. */
const PATIENCE = { maxAttempts: 2, requestTimeoutMs: 10_000, maxSockets: 50 };

/** An emulator answers only under its own host name. */
export const createCloudmapClient = (connection: Connection): ServiceDiscoveryClient =>
  new ServiceDiscoveryClient({
    ...clientConfig(connection, PATIENCE),
    ...(connection.endpoint === null ? {} : { disableHostPrefix: true }),
  });

/** {@link CloudmapCalls} over HTTP. */
export const sdkCloudmapCalls = (client: ServiceDiscoveryClient): CloudmapCalls => ({
  createService: (input) => client.send(new CreateServiceCommand(input)),
  listServices: (input) => client.send(new ListServicesCommand(input)),
  deleteService: (input) => client.send(new DeleteServiceCommand(input)),
  registerInstance: (input) => client.send(new RegisterInstanceCommand(input)),
  deregisterInstance: (input) => client.send(new DeregisterInstanceCommand(input)),
  listInstances: (input) => client.send(new ListInstancesCommand(input)),
  getOperation: (input) => client.send(new GetOperationCommand(input)),
});
