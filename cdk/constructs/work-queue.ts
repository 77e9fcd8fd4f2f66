import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { RECEIVES_MAX } from '../../shared/names/dead-letters.ts';
import type { Alarms } from './alarms.ts';

export type WorkQueueProps = {
  readonly consumer: LambdaFunction;
  /** Invocations of the consumer at one time for this queue; AWS takes 2 at least. */
  readonly maxConcurrency: number;
  /** A message older than this is not being worked on. */
  readonly oldestAlarm: Duration;
  readonly alarms: Alarms;
};

/** AWS's advice: a message stays hidden for six times as long as its consumer may take, or it is worked on twice at once. */
const VISIBILITY_PER_TIMEOUT = 6;
/** More than ten needs a batching window, and a window may hold a lone message back for 20 s (Lambda developer guide, batching behaviour). */
const BATCH_SIZE = 10;
/** The longest that SQS keeps a message: time to read why it died. */
const DEAD_KEPT = Duration.days(14);

/**
 * A queue whose messages cannot be lost without a sign: what its consumer cannot process goes to a dead-letter queue, which
 * the sweep empties, and counts. Any message that fails fails alone.
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
        // Not reserved concurrency: its throttled polls count as receives, and good messages would die (Lambda developer guide, maximum concurrency).
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
