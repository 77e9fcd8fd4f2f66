import type { GetLogEventsCommandInput, GetLogEventsResponse } from '@aws-sdk/client-cloudwatch-logs';

/**
 * The CloudWatch Logs operations that we call, in the SDK's shapes. A failed call rejects with an error like the SDK's.
 */
export type LogsCalls = {
  getLogEvents(input: GetLogEventsCommandInput): Promise<GetLogEventsResponse>;
};
