import {
  DescribeLogStreamsRequest$,
  DescribeLogStreamsResponse$,
  FilterLogEventsRequest$,
  FilterLogEventsResponse$,
  GetLogEventsRequest$,
  GetLogEventsResponse$,
  type DescribeLogStreamsResponse,
  type FilterLogEventsResponse,
  type GetLogEventsResponse,
} from '@aws-sdk/client-cloudwatch-logs';
import type { AwsService } from './aws-json.ts';

export type { LogStream, OutputLogEvent } from '@aws-sdk/client-cloudwatch-logs';

/** The operations of CloudWatch Logs that are served. Inputs are decoded but not checked. */
export type LogsApi = {
  GetLogEvents(input: unknown): GetLogEventsResponse;
  DescribeLogStreams(input: unknown): DescribeLogStreamsResponse;
  FilterLogEvents(input: unknown): FilterLogEventsResponse;
};

/** CloudWatch Logs as a service for {@link serveAwsJson}. */
export function logsService(api: LogsApi): AwsService {
  return {
    targetPrefix: 'Logs_20140328',
    jsonVersion: '1.1',
    operations: {
      GetLogEvents: {
        request: GetLogEventsRequest$,
        response: GetLogEventsResponse$,
        handle: (input) => api.GetLogEvents(input),
      },
      DescribeLogStreams: {
        request: DescribeLogStreamsRequest$,
        response: DescribeLogStreamsResponse$,
        handle: (input) => api.DescribeLogStreams(input),
      },
      FilterLogEvents: {
        request: FilterLogEventsRequest$,
        response: FilterLogEventsResponse$,
        handle: (input) => api.FilterLogEvents(input),
      },
    },
  };
}
