import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Connection, clientConfig, unlogged } from '../connection.ts';

/**
 * A request takes single milliseconds, so one that takes seconds will not be answered and is repeated, like a throttled one,
 * with the SDK's growing, jittered waits. A table takes thousands of requests per second; 64 at once keep it busy.
 */
const PATIENCE = { maxAttempts: 6, requestTimeoutMs: 5_000, maxSockets: 64 };

/** A DynamoDB client that keeps its connections open. */
export const createDynamoClient = (connection: Connection): DynamoDBClient =>
  unlogged(new DynamoDBClient(clientConfig(connection, PATIENCE)));
