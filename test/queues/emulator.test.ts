import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type QueueServer, startQueueServer } from '../../local/queues/queue-server.ts';
import { createSqsInbox } from '../../shared/adapters/aws/sqs/sqs-inbox.ts';
import { createSqsClient, createSqsQueues } from '../../shared/adapters/aws/sqs/sqs-queues.ts';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import { parseWakeUp } from '../../shared/schema/messages/queue-messages.ts';
import { ACCESS_KEY, REGION } from './sqs-under-test.ts';

let server: QueueServer;
beforeAll(async () => {
  server = await startQueueServer({ region: REGION, accessKey: ACCESS_KEY, visibilitySec: 600 });
});
afterAll(() => server.close());

test('a long poll is woken by a send', async () => {
  const client = createSqsClient({ region: REGION, endpoint: server.endpoint, accessKey: ACCESS_KEY });
  const inbox = createSqsInbox({ client, url: server.urls.wake, deadUrl: null });
  const waiting = inbox.receive({ waitSec: 20, signal: new AbortController().signal });
  await createSqsQueues({ client, urls: server.urls }).wake([{ uid: asJobUid('u-9'), delaySec: 0 }]);
  const received = await waiting;
  expect(received.map(({ body }) => parseWakeUp(body).uid)).toEqual(['u-9']);
  client.destroy();
});

const listQueues = (headers: Record<string, string>, endpoint = server.endpoint) =>
  fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.ListQueues', ...headers },
    body: '{}',
  });
const signed = (key: string) => ({ authorization: `AWS4-HMAC-SHA256 Credential=${key}/20261120/x/sqs/aws4_request` });

test('only who knows the key is answered, and no web page', async () => {
  expect((await listQueues(signed(ACCESS_KEY))).status).toBe(200);
  expect((await listQueues({})).status).toBe(403);
  expect((await listQueues(signed('guessed'))).status).toBe(403);
  expect((await listQueues({ ...signed(ACCESS_KEY), origin: 'https://elsewhere.example' })).status).toBe(403);
  expect((await fetch(`${server.endpoint}/health`)).status).toBe(403);
});

test('no address but loopback answers', async () => {
  const outside = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const addresses = outside
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
  const { port } = new URL(server.endpoint);
  const answers = await Promise.allSettled(addresses.map((address) => fetch(`http://${address}:${port}/health`)));
  expect(answers.map(({ status }) => status)).toEqual(addresses.map(() => 'rejected'));
});
