import type { TaskArn } from '../../../domain/base/ids.ts';
import type { LogLine, LogReader } from '../../../ports/log-reader.ts';
import { LOG_STREAM_PREFIX } from '../ecs/task-definition-request.ts';
import type { LogsCalls } from './logs-calls.ts';

/** {@link LogReader} for what the awslogs driver writes: one stream for each container of a task. */
export function createCloudwatchLogs(options: { readonly calls: LogsCalls; readonly logGroup: string }): LogReader {
  const { calls, logGroup } = options;
  /** null: the stream does not exist. CloudWatch returns the same token if there is nothing more in that direction. */
  const page = async (
    taskArn: TaskArn,
    container: string,
    startFromHead: boolean,
    token: string | null,
    limit?: number,
  ) => {
    try {
      const { events = [], ...tokens } = await calls.getLogEvents({
        logGroupName: logGroup,
        logStreamName: logStreamName(taskArn, container),
        startFromHead,
        ...(token === null ? {} : { nextToken: token }),
        ...(limit === undefined ? {} : { limit }),
      });
      const lines = events.map(({ timestamp, message }) => lineOf(timestamp ?? 0, message ?? ''));
      return { lines, ...tokens };
    } catch (error) {
      if (error instanceof Error && error.name === 'ResourceNotFoundException') return null;
      throw error;
    }
  };
  return {
    async read({ taskArn, container, after }) {
      try {
        const found = await page(taskArn, container, true, after);
        if (found === null) return { kind: 'none' };
        return { kind: 'lines', lines: found.lines, next: found.nextForwardToken ?? after ?? '' };
      } catch (error) {
        // Some Regions allow ten GetLogEvents per second for the whole account (CloudWatch Logs quotas).
        if (error instanceof Error && error.name === 'ThrottlingException') return { kind: 'later' };
        throw error;
      }
    },
    async readBack({ taskArn, container, before, linesMax }) {
      const found = await page(taskArn, container, false, before, linesMax);
      if (found === null) return { kind: 'none' };
      const { lines, nextForwardToken: next = '', nextBackwardToken: previous = before ?? '' } = found;
      return { kind: 'lines', lines, next, previous };
    },
  };
}

/**
 * Fargate's awslogs driver cuts lines into events of 256 KiB less the 26 bytes that CloudWatch adds, which have one time, and says
 * nothing of it (aws/shim-loggers-for-containerd, logger/awslogs). A character that the cut breaks may count a little less.
 */
const WHOLE_EVENT_BYTES = 256 * 1024 - 26 - 3;

const lineOf = (atMs: number, text: string): LogLine =>
  // No text has more bytes than three for each of its units.
  text.length * 3 >= WHOLE_EVENT_BYTES && Buffer.byteLength(text) >= WHOLE_EVENT_BYTES
    ? { atMs, text, continues: 'ifSameTime' }
    : { atMs, text };

/** `<prefix>/<container>/<task id>`, as the awslogs driver names it. */
const logStreamName = (taskArn: TaskArn, container: string): string =>
  `${LOG_STREAM_PREFIX}/${container}/${taskArn.slice(taskArn.lastIndexOf('/') + 1)}`;
