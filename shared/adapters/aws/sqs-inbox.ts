import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  type SQSClient,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { DEAD_LETTER } from '../../names/dead-letters.ts';
import { BATCH_ENTRIES_MAX } from './sqs-queues.ts';

/** A message in our hands: hidden from others until it is removed, or its time is up. */
export type Received = {
  readonly id: string;
  readonly receipt: string;
  readonly body: string;
  readonly receives: number;
};

/** The receiving side of one queue. */
export type Inbox = {
  /** Up to ten messages; where there is none, the first that comes within `waitSec` (0..20, default 0). Aborting may hide some for a while. */
  receive(wait?: { readonly waitSec: number; readonly signal: AbortSignal }): Promise<readonly Received[]>;
  /** For good. Throws if SQS has not done it for all of them. */
  remove(receipts: readonly string[]): Promise<void>;
  /** Shows messages again after `delaySec`, to whoever asks first. One that is gone already is no matter. */
  retry(receipts: readonly string[], delaySec: number): Promise<void>;
  /** Puts a copy into the dead-letter queue, with the reason. False: there is none that we know of. */
  bury(body: string, reason: string): Promise<boolean>;
};

/** The longest attribute value that is worth reading; the body keeps its room within 1 MiB. */
const REASON_MAX_CHARS = 1_000;

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

    async bury(body, reason) {
      if (deadUrl === null) return false;
      const text = (StringValue: string) => ({ DataType: 'String', StringValue });
      await client.send(
        new SendMessageCommand({
          QueueUrl: deadUrl,
          MessageBody: body,
          MessageAttributes: {
            [DEAD_LETTER.reason]: text(speakable(reason).slice(0, REASON_MAX_CHARS)),
            [DEAD_LETTER.queue]: text(url),
          },
        }),
      );
      return true;
    },
  };
}

/** SQS takes no control characters but tab and line ends, and no empty value. */
const speakable = (text: string): string => text.replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD]/g, '?') || 'no reason';

async function inTens(receipts: readonly string[], send: (some: readonly string[]) => Promise<void>): Promise<void> {
  const batches: Promise<void>[] = [];
  for (let i = 0; i < receipts.length; i += BATCH_ENTRIES_MAX)
    batches.push(send(receipts.slice(i, i + BATCH_ENTRIES_MAX)));
  await Promise.all(batches);
}
