import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { type QueueServer, startQueueServer } from '../../local/queues/queue-server.ts';
import { createSqsInbox } from '../../shared/adapters/aws/sqs/sqs-inbox.ts';
import { createSqsClient, createSqsQueues } from '../../shared/adapters/aws/sqs/sqs-queues.ts';
import { createSqsDeadQueues, queueDepths } from '../../shared/adapters/aws/sqs/sqs-dead-letters.ts';
import { createSqsEventTarget } from '../../shared/adapters/aws/sqs/sqs-event-target.ts';
import type { InboxesUnderTest } from './describe-inboxes.ts';
import type { QueuesUnderTest } from './describe-queues.ts';

export const REGION = 'eu-central-1';
export const ACCESS_KEY = 'only-for-this-test';

/** Queues that exist at some SQS, each with a dead-letter queue, and a client for them. */
export type SqsUnderTest = Pick<QueueServer, 'urls' | 'deadUrls' | 'close'> & { readonly client: SQSClient };

/** The SQS emulator as the embedded runtime starts it, through the real SDK client and our adapters. */
export const openSqsQueues = async (visibilitySec = 600): Promise<QueuesUnderTest> =>
  queuesOf(await openEmulator(visibilitySec));

/** The same emulator, as the ports that handlers use. */
export const openSqsInboxes = async (visibilitySec: number): Promise<InboxesUnderTest> =>
  inboxesOf(await openEmulator(visibilitySec));

async function openEmulator(visibilitySec: number): Promise<SqsUnderTest> {
  const server = await startQueueServer({ region: REGION, accessKey: ACCESS_KEY, visibilitySec });
  const client = createSqsClient({ region: REGION, endpoint: server.endpoint, accessKey: ACCESS_KEY });
  return { ...server, client };
}

/** Any SQS, for the suite of queues. */
export function queuesOf({ client, urls, deadUrls, close }: SqsUnderTest): QueuesUnderTest {
  const inbox = createSqsInbox({ client, url: urls.dispatch, deadUrl: null });
  const deadInbox = createSqsInbox({ client, url: deadUrls.dispatch, deadUrl: null });
  const never = new AbortController().signal;
  return {
    queues: createSqsQueues({ client, urls }),
    async send(MessageBody) {
      await client.send(new SendMessageCommand({ QueueUrl: urls.dispatch, MessageBody }));
    },
    receive: (waitSec) => inbox.receive({ waitSec, signal: never }),
    remove: (receipts) => inbox.remove(receipts),
    retry: (receipts, delaySec) => inbox.retry(receipts, delaySec),
    dead: async () => (await deadInbox.receive()).map(({ body }) => body),
    now: () => performance.now(),
    async close() {
      client.destroy();
      await close();
    },
  };
}

/** Any SQS, for the suite of inboxes. */
export const inboxesOf = ({ client, urls, deadUrls, close }: SqsUnderTest): InboxesUnderTest => ({
  queues: createSqsQueues({ client, urls }),
  facts: createSqsInbox({ client, url: urls.facts, deadUrl: deadUrls.facts }),
  deadQueues: createSqsDeadQueues({ client, deadUrls }),
  depths: async () => queueDepths(client, urls, deadUrls),
  onEvent: createSqsEventTarget({ client, url: urls.facts }),
  async close() {
    client.destroy();
    await close();
  },
});
