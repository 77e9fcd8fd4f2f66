import * as z from 'zod';
import { alteredNumbers } from '../text/altered-numbers.ts';
import { parseDocument } from '../text/document.ts';
import type { FloatNumber } from '../text/json-text.ts';
import { isOwnMessage, readOwnMessage, saidToken } from './own-message.ts';
import { type CreatedObject, type ReadMessage, unreadable } from './submission.ts';

/** SNS's envelope, unless the subscription has raw message delivery (SNS developer guide, message formats). */
const SnsShape = z.object({ Type: z.literal('Notification'), MessageId: z.string().min(1), Message: z.string() });

const TestShape = z.object({ Service: z.literal('Amazon S3'), Event: z.literal('s3:TestEvent') });

/** S3's own notification (S3 user guide, event message structure). Its keys are encoded like a form's values. */
const NotificationShape = z.object({
  Records: z
    .array(
      z.object({
        eventSource: z.literal('aws:s3'),
        eventName: z.string(),
        s3: z.object({
          bucket: z.object({ name: z.string().min(1) }),
          object: z.object({
            key: z.string().min(1),
            size: z.number().optional(),
            versionId: z.string().optional(),
            sequencer: z.string().optional(),
          }),
        }),
      }),
    )
    .min(1),
});

/** A message of SQS, as Lambda and EventBridge Pipes hand it on (Lambda developer guide, using Lambda with Amazon SQS). */
const SqsRecordShape = z.object({ messageId: z.string().min(1), body: z.string(), eventSource: z.literal('aws:sqs') });
const SqsShape = z.union([SqsRecordShape, z.object({ Records: z.array(SqsRecordShape).min(1) })]);

const EventShape = z.object({
  id: z.string().min(1),
  source: z.string(),
  'detail-type': z.string(),
  detail: z.unknown(),
});

/** S3 through EventBridge (S3 user guide, EventBridge event message structure). Its keys are not encoded. */
const ObjectDetailShape = z.object({
  bucket: z.object({ name: z.string().min(1) }),
  object: z.object({
    key: z.string().min(1),
    size: z.number().optional(),
    'version-id': z.string().optional(),
    sequencer: z.string().optional(),
  }),
});

/** A service's message carries ours, or S3's, in it; and SNS carries what S3 says. */
const DEPTH_MAX = 2;

/**
 * Reads a message of the submit queue: our own, or one as EventBridge, Scheduler, S3, SNS, or Step Functions send it.
 *
 * @param messageId SQS's, which stays when the message comes again
 */
export const readMessage = (body: string, messageId: string): ReadMessage => readText(body, `sqs/${messageId}`, 0);

function readText(text: string, source: string, depth: number): ReadMessage {
  const document = parseDocument(text, 'json');
  if (document.kind !== 'parsed') return unreadable(document.reason);
  const { value } = document;
  if (isOwnMessage(value)) return readOwnMessage(value, source, alteredNumbers(text, 'json'));
  const sns = SnsShape.safeParse(value);
  if (sns.success && depth < DEPTH_MAX) return readText(sns.data.Message, `sns/${sns.data.MessageId}`, depth + 1);
  const event = EventShape.safeParse(value);
  if (event.success) return readEvent(event.data, text);
  const queued = SqsShape.safeParse(value);
  if (queued.success && depth < DEPTH_MAX) return readQueued(queued.data, depth);
  if (TestShape.safeParse(value).success) return { kind: 'test' };
  const notification = NotificationShape.safeParse(value);
  return notification.success
    ? readNotification(notification.data, source)
    : unreadable(UNKNOWN, [], { taskToken: saidToken(value) });
}

const UNKNOWN =
  'the message has neither manifest nor from, and is no notification of S3: let an EventBridge rule make it of the event with an input transformer';

/** What EventBridge Pipes and a function's event have of a message of SQS; its id stays when it comes again. */
function readQueued(read: z.output<typeof SqsShape>, depth: number): ReadMessage {
  const records = 'Records' in read ? read.Records : [read];
  const [first, ...others] = records.map(({ messageId, body }) => readText(body, `sqs/${messageId}`, depth + 1));
  if (first === undefined) return unreadable(UNKNOWN);
  if (others.length === 0) return first;
  const objects: CreatedObject[] = [];
  for (const each of [first, ...others]) {
    if (each.kind === 'unreadable') return each;
    if (each.kind === 'submission') return unreadable('several messages in one: send each by itself');
    if (each.kind === 'objects') objects.push(...each.objects);
  }
  return objects.length === 0 ? { kind: 'test' } : { kind: 'objects', objects };
}

function readEvent(
  { id, source, detail, 'detail-type': type }: z.output<typeof EventShape>,
  text: string,
): ReadMessage {
  if (isOwnMessage(detail)) return readOwnMessage(detail, `event/${id}`, inDetail(alteredNumbers(text, 'json')));
  if (source !== 'aws.s3') {
    const taskToken = saidToken(detail);
    return unreadable(`${UNKNOWN} (${JSON.stringify(type)} of ${JSON.stringify(source)})`, [], { taskToken });
  }
  const read = type === 'Object Created' ? ObjectDetailShape.safeParse(detail) : null;
  if (read === null) return unreadable(`only objects that are created make Jobs, and this is ${JSON.stringify(type)}`);
  if (!read.success) return unreadable('the event names no object', [{ path: 'detail', message: 'invalid' }]);
  const { bucket, object } = read.data;
  const { key, size, sequencer, 'version-id': versionId } = object;
  return {
    kind: 'objects',
    objects: [objectOf({ bucket: bucket.name, key, size, versionId, sequencer }, `event/${id}`)],
  };
}

const inDetail = (numbers: readonly FloatNumber[]): readonly FloatNumber[] =>
  numbers.flatMap(({ path: [field, ...path], text }) => (field === 'detail' ? [{ path, text }] : []));

/** Of several records, those that tell of something else than a creation make no Job. */
function readNotification({ Records }: z.output<typeof NotificationShape>, source: string): ReadMessage {
  const objects: CreatedObject[] = [];
  for (const [i, { eventName, s3 }] of Records.entries()) {
    if (!eventName.startsWith('ObjectCreated:')) continue;
    const { key: encoded, ...rest } = s3.object;
    const key = decodedKey(encoded);
    if (key === null)
      return unreadable('the notification names no object', [
        { path: `Records[${i}].s3.object.key`, message: 'must be encoded as in a URL' },
      ]);
    objects.push(objectOf({ ...rest, bucket: s3.bucket.name, key }, `${source}/${i}`));
  }
  const names = [...new Set(Records.map(({ eventName }) => JSON.stringify(eventName)))].join(', ');
  return objects.length === 0
    ? unreadable(`only objects that are created make Jobs, and this is ${names}`)
    : { kind: 'objects', objects };
}

/** A blank is a plus, and a plus is %2B; null: it is not encoded like that. */
function decodedKey(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

type Said = {
  readonly bucket: string;
  readonly key: string;
  readonly size?: number | undefined;
  readonly versionId?: string | undefined;
  readonly sequencer?: string | undefined;
};

/**
 * S3 may notify twice, each time with another message. The sequencer is the same then, and differs for the next object under this
 * key; without one the version does, and without either the message is all there is.
 */
function objectOf({ bucket, key, size, versionId, sequencer }: Said, source: string): CreatedObject {
  const told = sequencer !== undefined || versionId !== undefined;
  const creation = told ? JSON.stringify([bucket, key, versionId ?? null, sequencer ?? null]) : source;
  return { bucket, key, size: size ?? null, versionId: versionId ?? null, source: `s3/${creation}` };
}
