import { type SQSClient, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { sendableJson } from '../../../schema/messages/queue-messages.ts';

const BATCH_MAX = 10;

/**
 * A queue as the target of an EventBridge rule: every event becomes one message with the event as its body. Events that
 * arrive at the same moment share a request. Resolves when SQS has accepted the event, rejects otherwise.
 */
export function createSqsEventTarget({ client, url }: { readonly client: SQSClient; readonly url: string }) {
  let waiting: { readonly body: string; readonly taken: () => void; readonly refused: (error: unknown) => void }[] = [];

  const send = async (deadLetters: typeof waiting): Promise<void> => {
    try {
      const Entries = deadLetters.map(({ body }, i) => ({ Id: String(i), MessageBody: body }));
      const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries }));
      const failed = new Map(Failed.map(({ Id, Message }) => [Id, Message ?? 'refused']));
      for (const [i, { taken, refused }] of deadLetters.entries()) {
        const message = failed.get(String(i));
        if (message === undefined) taken();
        else refused(new Error(message));
      }
    } catch (error) {
      for (const { refused } of deadLetters) refused(error);
    }
  };

  return (event: object): Promise<void> =>
    new Promise((taken, refused) => {
      if (waiting.length === 0) {
        setImmediate(() => {
          const deadLetters = waiting;
          waiting = [];
          for (let i = 0; i < deadLetters.length; i += BATCH_MAX) void send(deadLetters.slice(i, i + BATCH_MAX));
        });
      }
      waiting.push({ body: sendableJson(event), taken, refused });
    });
}
