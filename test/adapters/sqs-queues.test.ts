import { afterEach, expect, test } from 'vitest';
import { createSqsClient, createSqsQueues, inBatches } from '../../shared/adapters/aws/sqs/sqs-queues.ts';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { asJobUid, asTaskArn } from '../../shared/domain/base/ids.ts';
import { parseDispatch, parseFactMessage } from '../../shared/schema/messages/queue-messages.ts';
import { type Answer, type Call, refusal, scriptedAws } from './scripted-aws.ts';

type Entry = { Id: string; MessageBody: string; DelaySeconds?: number; MessageGroupId?: string };
const entries = ({ input }: Call): Entry[] => input['Entries'] as Entry[];
const uid = asJobUid('u-1');
const urls = {
  wake: 'https://sqs.example/1/wake',
  facts: 'https://sqs.example/1/facts',
  dispatch: 'https://sqs.example/1/dispatch',
  submit: null,
};

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

async function queuesThatMeet(script: (call: Call, nth: number) => Answer) {
  const aws = await scriptedAws(script);
  stops.push(aws.stop);
  return { calls: aws.calls, queues: createSqsQueues({ client: createSqsClient(aws.connection), urls }) };
}
const allTaken = (call: Call): Answer => ({
  status: 200,
  body: { Successful: entries(call).map(({ Id }) => ({ Id, MessageId: Id, MD5OfMessageBody: '' })), Failed: [] },
});
const failing = (call: Call, which: (id: string) => boolean, senderFault: boolean): Answer => ({
  status: 200,
  body: {
    Successful: entries(call)
      .filter(({ Id }) => !which(Id))
      .map(({ Id }) => ({ Id, MessageId: Id, MD5OfMessageBody: '' })),
    Failed: entries(call)
      .filter(({ Id }) => which(Id))
      .map(({ Id }) => ({ Id, Code: 'InternalError', Message: 'no', SenderFault: senderFault })),
  },
});
const wakeUps = (n: number) => Array.from({ length: n }, (_, i) => ({ uid: asJobUid(`u-${i}`), delaySec: 0 }));

test('batches of ten and of 1 MiB, in order, however the sizes fall', () => {
  const of = (...kib: number[]) => kib.map((k) => ({ body: 'x'.repeat(k * 1024), delaySec: 0, group: null }));
  const sizes = (messages: ReturnType<typeof of>) =>
    inBatches(messages).map((batch) => batch.map(({ body }) => body.length / 1024));
  expect(sizes(of(...Array.from({ length: 23 }, () => 1))).map((batch) => batch.length)).toEqual([10, 10, 3]);
  expect(sizes(of(600, 424, 1, 1000, 24, 1))).toEqual([
    [600, 424],
    [1, 1000],
    [24, 1],
  ]);
  expect(sizes([])).toEqual([]);
});

test('every message is sent once, to the endpoint and not to the host in the URL', async () => {
  const { queues, calls } = await queuesThatMeet(allTaken);
  await queues.wake(wakeUps(25));
  expect(calls.map(({ action }) => action)).toEqual(Array.from({ length: 3 }, () => 'SendMessageBatch'));
  expect(calls.every(({ input }) => input['QueueUrl'] === urls.wake)).toBe(true);
  expect(new Set(calls.flatMap(entries).map(({ MessageBody }) => MessageBody)).size).toBe(25);
  await queues.wake([]);
  expect(calls).toHaveLength(3);
});

test('delay is within what SQS takes; dispatch is fair by Job', async () => {
  const { queues, calls } = await queuesThatMeet(allTaken);
  await queues.wake([
    { uid, delaySec: 0 },
    { uid, delaySec: 2.2 },
    { uid, delaySec: 5000 },
  ]);
  await queues.dispatch([{ kind: 'pack', uid, launch: [{ index: 1, attempt: 1, nonce: 0 }], stop: [] }], 7);
  expect(calls[0] === undefined ? [] : entries(calls[0]).map(({ DelaySeconds }) => DelaySeconds)).toEqual([
    undefined,
    3,
    900,
  ]);
  const [sent] = calls[1] === undefined ? [] : entries(calls[1]);
  expect(sent).toMatchObject({ MessageGroupId: uid, DelaySeconds: 7 });
  expect(parseDispatch(sent?.MessageBody ?? '')).toEqual({
    kind: 'pack',
    uid,
    launch: [{ index: 1, attempt: 1, nonce: 0 }],
    stop: [],
  });
});

test('a large fact message goes in parts, none lost', async () => {
  const { queues, calls } = await queuesThatMeet(allTaken);
  const facts = Array.from({ length: 250 }, (_, index) => ({
    index,
    attempt: 1,
    nonce: 0,
    kind: 'running' as const,
    taskArn: asTaskArn('arn:aws:ecs:r:1:task/c/1'),
    at: asEpochMs(1),
  }));
  await queues.facts([{ uid, facts }], 0);
  expect(calls.flatMap(entries).flatMap(({ MessageBody }) => parseFactMessage(MessageBody).facts)).toEqual(facts);
  expect(calls.flatMap(entries)).toHaveLength(3);
});

test('what SQS has not taken is sent again, and only that', async () => {
  const { queues, calls } = await queuesThatMeet((call, nth) =>
    nth === 1 ? failing(call, (id) => id === '1' || id === '3', false) : allTaken(call),
  );
  await queues.wake(wakeUps(5));
  expect(calls.map((call) => entries(call).map(({ MessageBody }) => MessageBody.slice(-4, -2)))).toEqual([
    ['-0', '-1', '-2', '-3', '-4'],
    ['-1', '-3'],
  ]);
});

test('after a few rounds the call fails', async () => {
  const { queues, calls } = await queuesThatMeet((call) => failing(call, () => true, false));
  await expect(queues.wake(wakeUps(2))).rejects.toThrow('SQS did not accept 2 of 2 messages');
  expect(calls).toHaveLength(4);
});

test('a message that SQS will never take fails the call at once', async () => {
  const { queues, calls } = await queuesThatMeet((call) => failing(call, (id) => id === '0', true));
  await expect(queues.wake(wakeUps(2))).rejects.toThrow('SQS did not accept 1 of 2 messages');
  expect(calls).toHaveLength(1);
});

test('an error of the whole request is thrown', async () => {
  const { queues } = await queuesThatMeet(() =>
    refusal('AWS.SimpleQueueService.NonExistentQueue', 'The specified queue does not exist.'),
  );
  await expect(queues.wake(wakeUps(1))).rejects.toThrow('does not exist');
});
