import type { createCloudmapClient } from '../adapters/aws/cloudmap/sdk-cloudmap-calls.ts';
import type { createDynamoClient } from '../adapters/aws/dynamodb/dynamo-client.ts';
import type { createEcsClients } from '../adapters/aws/ecs/sdk-ecs-calls.ts';
import type { createLogsClient } from '../adapters/aws/logs/sdk-logs-calls.ts';
import type { createSqsClient } from '../adapters/aws/sqs/sqs-queues.ts';

/** The clients of capabilities, each in a field of its own, which it declares here (`declare module`). */
export interface CapabilityClients {}

/** What can be looked over the shoulder of: requests and answers pass through its middleware. */
export type SdkClient =
  | ReturnType<typeof createDynamoClient>
  | ReturnType<typeof createSqsClient>
  | ReturnType<typeof createLogsClient>
  | ReturnType<typeof createCloudmapClient>
  | CapabilityClients[keyof CapabilityClients]
  | ReturnType<typeof createEcsClients>['other'];
