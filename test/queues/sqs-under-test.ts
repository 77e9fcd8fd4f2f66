import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { startQueueServer } from '../../local/queues/queue-server.ts';
import { createSqsInbox } from '../../shared/adapters/aws/sqs/sqs-inbox.ts';
import { createSqsClient, createSqsQueues } from '../../shared/adapters/aws/sqs/sqs-queues.ts';
import { createSqsDeadQueues, queueDepths } from '../../shared/adapters/aws/sqs/sqs-dead-letters.ts';
import { createSqsEventTarget } from '../../shared/adapters/aws/sqs/sqs-event-target.ts';
import type { InboxesUnderTest } from './describe-inboxes.ts';
import type { QueuesUnderTest } from './describe-queues.ts';

export const REGION = 'eu-central-1';
export const ACCESS_KEY = 'only-for-this-test';

/** The SQS emulator as the embedded runtime starts it, through the real SDK client and our adapters. */
export async function openSqsQueues(visibilitySec = 600): Promise<QueuesUnderTest> {
  const server = await startQueueServer({ region: REGION, accessKey: ACCESS_KEY, visibilitySec });
  const client = createSqsClient({ region: REGION, endpoint: server.endpoint, accessKey: ACCESS_KEY });
  const inbox = createSqsInbox({ client, url: server.urls.dispatch, deadUrl: null });
  const deadInbox = createSqsInbox({ client, url: server.deadUrls.dispatch, deadUrl: null });
  const never = new AbortController().signal;
  return {
    queues: createSqsQueues({ client, urls: server.urls }),
    async send(MessageBody) {
      await client.send(new SendMessageCommand({ QueueUrl: server.urls.dispatch, MessageBody }));
    },
    receive: (waitSec) => inbox.receive({ waitSec, signal: never }),
    remove: (receipts) => inbox.remove(receipts),
    retry: (receipts, delaySec) => inbox.retry(receipts, delaySec),
    dead: async () => (await deadInbox.receive()).map(({ body }) => body),
    now: () => performance.now(),
    async close() {
      client.destroy();
      await server.close();
    },
  };
}

/** The same emulator, as the ports that handlers use. */
export async function openSqsInboxes(visibilitySec: number): Promise<InboxesUnderTest> {
  const server = await startQueueServer({ region: REGION, accessKey: ACCESS_KEY, visibilitySec });
  const client = createSqsClient({ region: REGION, endpoint: server.endpoint, accessKey: ACCESS_KEY });
  const { urls, deadUrls } = server;
  return {
    queues: createSqsQueues({ client, urls }),
    facts: createSqsInbox({ client, url: urls.facts, deadUrl: deadUrls.facts }),
    deadQueues: createSqsDeadQueues({ client, deadUrls }),
    depths: async () => queueDepths(client, urls, deadUrls),
    onEvent: createSqsEventTarget({ client, url: urls.facts }),
    async close() {
      client.destroy();
      await server.close();
    },
  };
}
