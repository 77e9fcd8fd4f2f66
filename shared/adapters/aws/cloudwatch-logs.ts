import { CloudWatchLogsClient, GetLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import type { TaskArn } from '../../domain/brand.ts';
import type { LogReader } from '../../ports/log-reader.ts';
import { type Connection, clientConfig } from './connection.ts';
import { LOG_STREAM_PREFIX } from './task-definition-request.ts';

const PATIENCE = { maxAttempts: 3, requestTimeoutMs: 10_000, maxSockets: 50 };

export const createLogsClient = (connection: Connection): CloudWatchLogsClient =>
  new CloudWatchLogsClient(clientConfig(connection, PATIENCE));

/** Logs as the awslogs driver writes them: one stream a container of a task. */
export function createCloudwatchLogs(options: {
  readonly client: CloudWatchLogsClient;
  readonly logGroup: string;
}): LogReader {
  const { client, logGroup } = options;
  return {
    async read({ taskArn, container, after }) {
      try {
        const { events = [], nextForwardToken } = await client.send(
          new GetLogEventsCommand({
            logGroupName: logGroup,
            logStreamName: logStreamName(taskArn, container),
            startFromHead: true,
            ...(after === null ? {} : { nextToken: after }),
          }),
        );
        const lines = events.map(({ timestamp, message }) => ({ atMs: timestamp ?? 0, text: message ?? '' }));
        return { kind: 'lines', lines, next: nextForwardToken ?? after ?? '' };
      } catch (error) {
        if (error instanceof Error && error.name === 'ResourceNotFoundException') return { kind: 'none' };
        throw error;
      }
    },
  };
}

/** `<prefix>/<container>/<task id>`, as the awslogs driver names it. */
const logStreamName = (taskArn: TaskArn, container: string): string =>
  `${LOG_STREAM_PREFIX}/${container}/${taskArn.slice(taskArn.lastIndexOf('/') + 1)}`;
