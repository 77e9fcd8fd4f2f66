import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { RECEIVES_MAX } from '../../shared/names/dead-letter-queues.ts';
import type { Alarms } from './alarms.ts';

export type WorkQueueProps = {
  readonly consumer: LambdaFunction;
  /** Concurrent invocations of the consumer for this queue; AWS requires at least 2. */
  readonly maxConcurrency: number;
  /** An older message is not being processed. */
  readonly oldestAlarm: Duration;
  readonly alarms: Alarms;
};

/** AWS's advice: hide a message for six times its consumer's timeout, or two invocations process it at once. */
const VISIBILITY_PER_TIMEOUT = 6;
/**
 * More than ten needs a batching window, and a window may delay a single message by 20 s (Lambda developer guide, batching
 * behavior).
 */
const BATCH_SIZE = 10;
/** The longest that SQS keeps a message: time to find out why it failed. */
const DEAD_KEPT = Duration.days(14);

/**
 * A queue whose messages cannot be lost silently: a message that its consumer cannot process goes to a dead-letter queue,
 * which the sweep empties and counts. A failing message fails alone.
 */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly dead: Queue;

  constructor(scope: Construct, id: string, { consumer, maxConcurrency, oldestAlarm, alarms }: WorkQueueProps) {
    super(scope, id);
    this.dead = new Queue(this, 'Dead', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: DEAD_KEPT,
    });
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(VISIBILITY_PER_TIMEOUT * timeoutSec(consumer)),
      deadLetterQueue: { queue: this.dead, maxReceiveCount: RECEIVES_MAX },
    });
    consumer.addEventSource(
      new SqsEventSource(this.queue, {
        batchSize: BATCH_SIZE,
        maxBatchingWindow: Duration.seconds(0),
        reportBatchItemFailures: true,
        // Not reserved concurrency: its throttled polls count as receives, and valid messages would go to the dead-letter
        // queue (Lambda developer guide, maximum concurrency).
        maxConcurrency,
      }),
    );
    this.#alarms(id, oldestAlarm, alarms);
  }

  #alarms(id: string, oldestAlarm: Duration, alarms: Alarms): void {
    alarms.on(`${id}Oldest`, {
      metric: this.queue.metricApproximateAgeOfOldestMessage({
        period: Duration.minutes(5),
        statistic: Stats.MAXIMUM,
      }),
      above: oldestAlarm.toSeconds(),
      silence: 'fine',
      meaning: `The ${id} queue is not being drained. Look for throttles, or errors that repeat, in its function's log.`,
    });
  }
}

function timeoutSec(consumer: LambdaFunction): number {
  if (consumer.timeout === undefined)
    throw new Error(`${consumer.node.path} has no timeout to derive a visibility from`);
  return consumer.timeout.toSeconds();
}
