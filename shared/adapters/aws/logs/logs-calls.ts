import type { GetLogEventsCommandInput, GetLogEventsResponse } from '@aws-sdk/client-cloudwatch-logs';

/** CloudWatch Logs' operations that we call, in the SDK's shapes. A call rejects with an error like the SDK's. */
export type LogsCalls = {
  getLogEvents(input: GetLogEventsCommandInput): Promise<GetLogEventsResponse>;
};
