import type {
  DescribeLogStreamsResponse,
  FilterLogEventsResponse,
  GetLogEventsResponse,
} from '@aws-sdk/client-cloudwatch-logs';

export type { LogStream, OutputLogEvent } from '@aws-sdk/client-cloudwatch-logs';

/** The supported operations of CloudWatch Logs. Inputs are decoded but not checked. */
export type LogsApi = {
  GetLogEvents(input: unknown): GetLogEventsResponse;
  DescribeLogStreams(input: unknown): DescribeLogStreamsResponse;
  FilterLogEvents(input: unknown): FilterLogEventsResponse;
};
