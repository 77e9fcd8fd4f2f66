import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { WorkQueue, type WorkQueueProps } from './work-queue.ts';
import type { Construct } from 'constructs';

export type SubmitQueueProps = WorkQueueProps & {
  /** ARNs of rules of EventBridge, buckets, and topics that may send messages. */
  readonly from: readonly string[];
};

/**
 * The queue whose messages make Jobs. Roles of this account (Scheduler's, Step Functions', a program's) need
 * `sqs:SendMessage` in their own policies, and nothing here. A service that sends by itself must be allowed by the queue, and is so
 * for one source only: CDK's own targets and destinations add that, and `from` does for what another stack has.
 */
export class SubmitQueue extends WorkQueue {
  constructor(scope: Construct, id: string, { from, ...props }: SubmitQueueProps) {
    super(scope, id, props);
    for (const arn of from) allowFrom(arn, this.queue);
  }
}

/** An ARN of a bucket has no account: after its deletion, the next owner of the name could send. */
function allowFrom(arn: string, queue: Queue): void {
  const [, , service = ''] = arn.split(':');
  queue.addToResourcePolicy(
    new PolicyStatement({
      actions: ['sqs:SendMessage'],
      principals: [new ServicePrincipal(`${service}.amazonaws.com`)],
      resources: [queue.queueArn],
      conditions: {
        ArnEquals: { 'aws:SourceArn': arn },
        ...(service === 's3' ? { StringEquals: { 'aws:SourceAccount': Stack.of(queue).account } } : {}),
      },
    }),
  );
}
