import type { createCloudmapClient } from '../adapters/aws/cloudmap/sdk-cloudmap-calls.ts';
import type { createDynamoClient } from '../adapters/aws/dynamodb/dynamo-client.ts';
import type { createEcsClients } from '../adapters/aws/ecs/sdk-ecs-calls.ts';
import type { createEventBridgeClient } from '../capabilities/announcements/adapters/eventbridge-announcer.ts';
import type { createLogsClient } from '../adapters/aws/logs/sdk-logs-calls.ts';
import type { createSfnClient } from '../capabilities/announcements/adapters/sfn-client.ts';
import type { createSqsClient } from '../adapters/aws/sqs/sqs-queues.ts';

type AnnouncingClient = ReturnType<typeof createEventBridgeClient> | ReturnType<typeof createSfnClient>;

/** What can be looked over the shoulder of: requests and answers pass through its middleware. */
export type SdkClient =
  | ReturnType<typeof createDynamoClient>
  | ReturnType<typeof createSqsClient>
  | ReturnType<typeof createLogsClient>
  | ReturnType<typeof createCloudmapClient>
  | AnnouncingClient
  | ReturnType<typeof createEcsClients>['other'];
