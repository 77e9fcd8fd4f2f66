import { describe, expect, test } from 'vitest';
import { readMessage } from '../../../shared/schema/submission/read-submission.ts';

const record = (eventName: string, key: string, sequencer?: string) => ({
  eventSource: 'aws:s3',
  eventName,
  s3: { bucket: { name: 'uploads' }, object: { key, ...(sequencer === undefined ? {} : { sequencer }) } },
});
const SEVERAL = JSON.stringify({
  Records: [
    record('ObjectCreated:Put', 'in/one.txt', '0061'),
    record('ObjectRemoved:Delete', 'in/old.txt', '0062'),
    record('ObjectCreated:Put', 'in/two.txt', '0063'),
    record('ObjectCreated:Copy', 'in/three.txt'),
  ],
});
const sns = (Message: string) => JSON.stringify({ Type: 'Notification', MessageId: 'n1', Message });
const sqs = (body: string, messageId = 'q1') => ({ messageId, body, eventSource: 'aws:sqs' });
const TEST = JSON.stringify({ Service: 'Amazon S3', Event: 's3:TestEvent' });
const FROM = { kind: 'Job', name: 'report' };

const objectsOf = (body: string, id = 'm1') => {
  const read = readMessage(body, id);
  if (read.kind !== 'objects') throw new Error(JSON.stringify(read));
  return read.objects;
};

describe('a message of several records', () => {
  test.each([
    ['directly', SEVERAL],
    ['through SNS', sns(SEVERAL)],
    ['through SQS', JSON.stringify(sqs(SEVERAL))],
    ['as a function gets it of SQS', JSON.stringify({ Records: [sqs(SEVERAL), sqs(TEST, 'q2')] })],
    ['through SNS and SQS', JSON.stringify(sqs(sns(SEVERAL)))],
  ])('%s: each object that was created, and no other', (_, body) => {
    expect(objectsOf(body).map(({ key }) => key)).toEqual(['in/one.txt', 'in/two.txt', 'in/three.txt']);
  });

  test('each is known by its own record, whenever the message comes again', () => {
    const [one, two, three] = objectsOf(SEVERAL).map(({ source }) => source);
    expect(objectsOf(SEVERAL).map(({ source }) => source)).toEqual([one, two, three]);
    expect(new Set([one, two, three]).size).toBe(3);
    // Without a sequencer the message and the place in it are all there is.
    expect(three).toBe('s3/sqs/m1/3');
    expect(objectsOf(SEVERAL, 'm2').map(({ source }) => source)).toEqual([one, two, 's3/sqs/m2/3']);
    expect(objectsOf(JSON.stringify(sqs(SEVERAL)), 'm2')[2]?.source).toBe('s3/sqs/q1/3');
  });

  test('of which none tells of a creation is refused, with what they tell', () => {
    const removed = { Records: [record('ObjectRemoved:Delete', 'a'), record('ObjectTagging:Put', 'a')] };
    expect(readMessage(JSON.stringify(removed), 'm1')).toMatchObject({
      kind: 'unreadable',
      message: 'only objects that are created make Jobs, and this is "ObjectRemoved:Delete", "ObjectTagging:Put"',
    });
  });

  test('several of our own messages in one, or one that is unreadable, make none', () => {
    const own = sqs(JSON.stringify({ from: FROM }));
    expect(readMessage(JSON.stringify({ Records: [own] }), 'm1')).toMatchObject({ kind: 'submission' });
    expect(readMessage(JSON.stringify({ Records: [sqs(SEVERAL), own] }), 'm1')).toMatchObject({
      kind: 'unreadable',
      message: 'several messages in one: send each by itself',
    });
    expect(readMessage(JSON.stringify({ Records: [sqs(SEVERAL), sqs('no JSON')] }), 'm1').kind).toBe('unreadable');
    expect(readMessage(JSON.stringify({ Records: [sqs(TEST), sqs(TEST)] }), 'm1')).toEqual({ kind: 'test' });
  });
});

describe('numbers that would be another text', () => {
  const message = (rest: string): string => `{"from": {"kind": "Job", "name": "ids"}, ${rest}}`;
  test.each([
    ['"items": [9007199254740993, 1.10, 1e21]', 'items[0]', '9007199254740993 would become 9007199254740992'],
    ['"items": [1, {"A": 1.10}]', 'items[1].A', '1.10 would become 1.1: write it as a string, "1.10"'],
    ['"items": [[1e21]]', 'items[0][0]', '1e21 would become 1e+21'],
    ['"env": {"N": 1.0}', 'env.N', '1.0 would become 1'],
  ])('%s are refused with their place', (rest, path, text) => {
    for (const body of [
      message(rest),
      sns(message(rest)),
      `{"id":"e","source":"x","detail-type":"y","detail":${message(rest)}}`,
    ]) {
      const read = readMessage(body, 'm1');
      expect(read).toMatchObject({ kind: 'unreadable' });
      expect(read.kind === 'unreadable' && read.faults[0]).toEqual({
        path,
        message: expect.stringContaining(text) as string,
      });
    }
  });

  test('others are items', () => {
    const rest = '"items": [9007199254740992, 0.1, -3, "1.10"], "env": {"N": 7}';
    expect(readMessage(message(rest), 'm1')).toMatchObject({
      kind: 'submission',
      submission: { of: { additions: { items: { text: 'ITEM\n9007199254740992\n0.1\n-3\n1.10\n' } } } },
    });
  });
});
