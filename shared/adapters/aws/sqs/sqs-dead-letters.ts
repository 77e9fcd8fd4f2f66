import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { asEpochMs } from '../../../domain/base/time.ts';
import { DEAD_LETTER } from '../../../names/dead-letter-queues.ts';
import {
  type DeadQueues,
  QUEUE_NAMES,
  type QueueDepth,
  type QueueName,
  type TakenDeadLetter,
} from '../../../ports/dead-letters.ts';
import { RECEIVED_TOO_OFTEN } from '../../dead-letter-reason.ts';
import { BATCH_ENTRIES_MAX, type QueueUrls } from './sqs-queues.ts';

/** Longer than it takes to file ten letters, and shorter than two sweeps. */
const HIDDEN_SEC = 60;
/**
 * EventBridge's message attributes for an event that it could not deliver (EventBridge user guide, "dead-letter
 * queues").
 */
const EVENT_ERROR = { code: 'ERROR_CODE', message: 'ERROR_MESSAGE' } as const;

type DeadUrls = { readonly [K in QueueName]: string | null };

/** The dead-letter queues on SQS. A queue without a known address has no letters. */
export function createSqsDeadQueues({
  client,
  deadUrls,
}: {
  readonly client: SQSClient;
  readonly deadUrls: DeadUrls;
}): DeadQueues {
  return {
    async take(queue) {
      const url = deadUrls[queue];
      if (url === null) return [];
      const { Messages: messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: url,
          MaxNumberOfMessages: BATCH_ENTRIES_MAX,
          VisibilityTimeout: HIDDEN_SEC,
          MessageSystemAttributeNames: ['SentTimestamp'],
          MessageAttributeNames: ['All'],
        }),
      );
      return messages.map((message) => deadLetterOf(queue, message));
    },

    async remove(queue, receipts) {
      const url = deadUrls[queue];
      if (url === null || receipts.length === 0) return;
      const Entries = receipts.map((ReceiptHandle, i) => ({ Id: String(i), ReceiptHandle }));
      const { Failed: failed = [] } = await client.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries }));
      if (failed.length > 0) throw new Error(`SQS did not remove ${failed.length} messages: ${failed[0]?.Message}`);
    },
  };
}

function deadLetterOf(queue: QueueName, message: Message): TakenDeadLetter {
  const { MessageId = '', ReceiptHandle = '', Body = '', Attributes = {}, MessageAttributes = {} } = message;
  const said = (name: string): string | undefined => MessageAttributes[name]?.StringValue;
  const [namespace, status] = [said(DEAD_LETTER.namespace), said(DEAD_LETTER.status)];
  const undelivered = [said(EVENT_ERROR.code), said(EVENT_ERROR.message)].filter((part) => part !== undefined);
  return {
    queue,
    id: MessageId,
    receipt: ReceiptHandle,
    body: Body,
    sentAt: asEpochMs(Number(Attributes['SentTimestamp'] ?? 0)),
    reason:
      said(DEAD_LETTER.reason) ??
      (undelivered.length > 0 ? `EventBridge could not deliver it: ${undelivered.join(': ')}` : RECEIVED_TOO_OFTEN),
    ...(namespace === undefined || status === undefined ? {} : { refusal: { namespace, status } }),
  };
}

/** The sizes of our queues and their dead-letter queues: two requests for each queue that there is. */
export async function queueDepths(
  client: SQSClient,
  urls: QueueUrls,
  deadUrls: DeadUrls,
): Promise<readonly QueueDepth[]> {
  const existing = QUEUE_NAMES.flatMap((queue) => {
    const url = urls[queue];
    return url === null ? [] : [{ queue, url }];
  });
  return Promise.all(
    existing.map(async ({ queue, url }) => {
      const deadUrl = deadUrls[queue];
      const [alive, dead] = await Promise.all([
        attributesOf(client, url),
        deadUrl === null ? null : attributesOf(client, deadUrl),
      ]);
      return { queue, ...alive, dead: dead === null ? 0 : dead.waiting + dead.hidden };
    }),
  );
}

async function attributesOf(client: SQSClient, url: string) {
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl: url,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesNotVisible',
        'ApproximateNumberOfMessagesDelayed',
      ],
    }),
  );
  return {
    waiting: Number(Attributes['ApproximateNumberOfMessages'] ?? 0),
    hidden: Number(Attributes['ApproximateNumberOfMessagesNotVisible'] ?? 0),
    delayed: Number(Attributes['ApproximateNumberOfMessagesDelayed'] ?? 0),
  };
}
