import { CloudWatchLogsClient, GetLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { type Connection, clientConfig } from '../connection.ts';
import type { LogsCalls } from './logs-calls.ts';

const PATIENCE = { maxAttempts: 3, requestTimeoutMs: 10_000, maxSockets: 50 };

export const createLogsClient = (connection: Connection): CloudWatchLogsClient =>
  new CloudWatchLogsClient(clientConfig(connection, PATIENCE));

/** {@link LogsCalls} over HTTP. */
export const sdkLogsCalls = (client: CloudWatchLogsClient): LogsCalls => ({
  getLogEvents: (input) => client.send(new GetLogEventsCommand(input)),
});
