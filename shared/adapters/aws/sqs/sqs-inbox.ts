import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  type SQSClient,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { DEAD_LETTER } from '../../../names/dead-letter-queues.ts';
import type { Inbox } from '../../../ports/inbox.ts';
import { bodyBesideAttributes, deadLetterReason } from '../../dead-letter-reason.ts';
import { BATCH_ENTRIES_MAX } from './sqs-queues.ts';

export function createSqsInbox(options: {
  readonly client: SQSClient;
  readonly url: string;
  /** null: unknown. */
  readonly deadUrl: string | null;
}): Inbox {
  const { client, url, deadUrl } = options;
  return {
    async receive(wait) {
      const { Messages: messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: url,
          MaxNumberOfMessages: BATCH_ENTRIES_MAX,
          WaitTimeSeconds: wait?.waitSec ?? 0,
          MessageSystemAttributeNames: ['ApproximateReceiveCount'],
        }),
        ...(wait === undefined ? [] : [{ abortSignal: wait.signal }]),
      );
      return messages.map(({ MessageId, ReceiptHandle, Body, Attributes }) => ({
        id: MessageId ?? '',
        receipt: ReceiptHandle ?? '',
        body: Body ?? '',
        receives: Number(Attributes?.ApproximateReceiveCount ?? 1),
      }));
    },

    async remove(receipts) {
      await inTens(receipts, async (some) => {
        const Entries = some.map((ReceiptHandle, i) => ({ Id: String(i), ReceiptHandle }));
        const { Failed: failed = [] } = await client.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries }));
        if (failed.length > 0) throw new Error(`SQS did not remove ${failed.length} messages: ${failed[0]?.Message}`);
      });
    },

    async retry(receipts, delaySec) {
      await inTens(receipts, async (some) => {
        const Entries = some.map((ReceiptHandle, i) => ({ Id: String(i), ReceiptHandle, VisibilityTimeout: delaySec }));
        await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: url, Entries }));
      });
    },

    async sendAgain(body, delaySec) {
      await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body, DelaySeconds: delaySec }));
    },

    async deadLetter(body, reason, refusal) {
      if (deadUrl === null) return false;
      const text = (StringValue: string) => ({ DataType: 'String', StringValue });
      await client.send(
        new SendMessageCommand({
          QueueUrl: deadUrl,
          MessageBody: bodyBesideAttributes(body),
          MessageAttributes: {
            [DEAD_LETTER.reason]: text(deadLetterReason(reason)),
            [DEAD_LETTER.queue]: text(url),
            ...(refusal === undefined
              ? {}
              : {
                  [DEAD_LETTER.status]: text(refusal.status),
                  [DEAD_LETTER.namespace]: text(refusal.namespace),
                }),
          },
        }),
      );
      return true;
    },
  };
}

async function inTens(receipts: readonly string[], send: (some: readonly string[]) => Promise<void>): Promise<void> {
  const batches: Promise<void>[] = [];
  for (let i = 0; i < receipts.length; i += BATCH_ENTRIES_MAX)
    batches.push(send(receipts.slice(i, i + BATCH_ENTRIES_MAX)));
  await Promise.all(batches);
}
