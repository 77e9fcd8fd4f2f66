import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, expect, test } from 'vitest';
import { type QueueServer, startQueueServer } from '../../local/queues/queue-server.ts';
import { createSqsDeadQueues, queueDepths } from '../../shared/adapters/aws/sqs/sqs-dead-letters.ts';
import { createSqsInbox } from '../../shared/adapters/aws/sqs/sqs-inbox.ts';
import { createSqsClient } from '../../shared/adapters/aws/sqs/sqs-queues.ts';
import { RECEIVES_MAX } from '../../shared/names/dead-letter-queues.ts';
import { ACCESS_KEY, REGION } from './sqs-under-test.ts';

let server: QueueServer | null = null;
afterEach(async () => server?.close());

async function someQueues() {
  server = await startQueueServer({ region: REGION, accessKey: ACCESS_KEY, visibilitySec: 30 });
  const client = createSqsClient({ region: REGION, endpoint: server.endpoint, accessKey: ACCESS_KEY });
  const { urls, deadUrls } = server;
  return { client, urls, deadUrls, dead: createSqsDeadQueues({ client, deadUrls }) };
}

test('what we have moved there says why; what SQS has moved, and what EventBridge could not deliver, says how it came', async () => {
  const { client, urls, deadUrls, dead } = await someQueues();
  const inbox = createSqsInbox({ client, url: urls.facts, deadUrl: deadUrls.facts });
  await inbox.deadLetter('refused', 'ZodError: no');
  await client.send(
    new SendMessageCommand({
      QueueUrl: deadUrls.facts,
      MessageBody: 'undelivered',
      MessageAttributes: {
        ERROR_CODE: { DataType: 'String', StringValue: 'NO_PERMISSIONS' },
        ERROR_MESSAGE: { DataType: 'String', StringValue: 'not allowed' },
      },
    }),
  );
  await client.send(new SendMessageCommand({ QueueUrl: urls.facts, MessageBody: 'tired' }));
  for (let n = 0; n <= RECEIVES_MAX; n++)
    await inbox.retry(
      (await inbox.receive()).map(({ receipt }) => receipt),
      0,
    );
  const letters = await dead.take('facts');
  expect(Object.fromEntries(letters.map(({ body, reason }) => [body, reason]))).toEqual({
    refused: 'ZodError: no',
    undelivered: 'EventBridge could not deliver it: NO_PERMISSIONS: not allowed',
    tired: expect.stringContaining('came back too often') as string,
  });
  for (const { queue, id, sentAt } of letters) {
    expect([queue, id === '']).toEqual(['facts', false]);
    expect(sentAt).toBeGreaterThan(1_600_000_000_000);
  }
  // Hidden while they are in our hands, and gone once they are removed.
  expect(await dead.take('facts')).toEqual([]);
  expect((await queueDepths(client, urls, deadUrls)).find(({ queue }) => queue === 'facts')).toMatchObject({ dead: 3 });
  await dead.remove(
    'facts',
    letters.map(({ receipt }) => receipt),
  );
  expect(await queueDepths(client, urls, deadUrls)).toEqual(
    ['wake', 'facts', 'dispatch', 'submit'].map((queue) => ({ queue, waiting: 0, hidden: 0, delayed: 0, dead: 0 })),
  );
});

test('a queue whose dead letters go nobody knows where has none', async () => {
  const { client } = await someQueues();
  const dead = createSqsDeadQueues({ client, deadUrls: { wake: null, facts: null, dispatch: null, submit: null } });
  expect(await dead.take('wake')).toEqual([]);
  await dead.remove('wake', ['anything']);
});
