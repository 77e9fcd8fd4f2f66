import {
  DescribeLogStreamsRequest$,
  DescribeLogStreamsResponse$,
  FilterLogEventsRequest$,
  FilterLogEventsResponse$,
  GetLogEventsRequest$,
  GetLogEventsResponse$,
} from '@aws-sdk/client-cloudwatch-logs';
import type { AwsService } from './aws-json.ts';
import type { LogsApi } from './logs-operations.ts';

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
