import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Inbox, Received } from '../../shared/ports/inbox.ts';
import { waitAtMost } from '../stopping/wait-at-most.ts';

export type QueueHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

export type MappingOptions = {
  readonly inbox: Inbox;
  readonly queueArn: string;
  readonly handler: QueueHandler;
  readonly functionName: string;
  /** Concurrent invocations. */
  readonly concurrency: number;
  /** An invocation's time limit, as the function's timeout on AWS. */
  readonly timeoutMs: number;
  /** Called when an invocation failed as a whole, or the queue cannot be read. */
  readonly onError: (message: string, error: unknown) => void;
};

export type Mapping = {
  /** Accepts no more messages. Resolves when current invocations have ended, or after `graceMs`. */
  stop(graceMs: number): Promise<void>;
};

/** SQS's longest wait: an idle queue takes three requests per minute. */
const LONG_POLL_SEC = 20;
const RETRY_MS = 1_000;

/**
 * Lambda's event source mapping: passes batches of a queue to a function and deletes the messages that it processed. A
 * message that the function reports as failed, and every message of an invocation that throws, stays in the queue and SQS
 * delivers it again. One long poll at a time: a second one would not deliver the next message sooner.
 */
export function startMapping(options: MappingOptions): Mapping {
  const { inbox, concurrency, onError } = options;
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();

  const poll = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      if (running.size >= concurrency) {
        await Promise.race(running);
        continue;
      }
      const messages = await receive();
      if (messages.length === 0) continue;
      const invocation = invoke(messages, options).finally(() => running.delete(invocation));
      running.add(invocation);
    }
  };
  const receive = async (): Promise<readonly Received[]> => {
    try {
      return await inbox.receive({ waitSec: LONG_POLL_SEC, signal: stopping.signal });
    } catch (error) {
      if (!stopping.signal.aborted) {
        onError('queue cannot be read', error);
        await sleep(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
      return [];
    }
  };

  const polling = poll();
  return {
    async stop(graceMs) {
      stopping.abort();
      await waitAtMost(
        polling.then(() => Promise.all(running)),
        graceMs,
      );
    },
  };
}

/** One invocation; never rejects. */
async function invoke(messages: readonly Received[], options: MappingOptions): Promise<void> {
  const { inbox, queueArn, handler, functionName, timeoutMs, onError } = options;
  try {
    const event = { Records: messages.map((message) => recordOf(message, queueArn)) };
    const response = await handler(event, contextOf(functionName, timeoutMs));
    const failed = failedIds(response, messages);
    const done = messages.filter(({ id }) => !failed.has(id));
    if (done.length > 0) await inbox.remove(done.map(({ receipt }) => receipt));
  } catch (error) {
    onError(`${functionName} failed with a batch of ${messages.length}`, error);
  }
}

/** As Lambda reads it: a response that names no message of the batch fails the whole batch. */
function failedIds(response: SQSBatchResponse, messages: readonly Received[]): ReadonlySet<string> {
  const ids = new Set(messages.map(({ id }) => id));
  const failed = new Set(response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  for (const id of failed) {
    if (!ids.has(id)) throw new Error(`the response names message ${id}, which was not in the batch`);
  }
  return failed;
}

const recordOf = ({ id, receipt, body, receives }: Received, eventSourceARN: string): SQSEvent['Records'][number] => ({
  messageId: id,
  receiptHandle: receipt,
  body,
  attributes: {
    ApproximateReceiveCount: String(receives),
    SentTimestamp: '0',
    SenderId: 'muster',
    ApproximateFirstReceiveTimestamp: '0',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN,
  awsRegion: 'local',
});

/** What a function finds in its context; the remaining time is real. */
export function contextOf(functionName: string, timeoutMs: number): Context {
  const endsAt = performance.now() + timeoutMs;
  return {
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${functionName}`,
    memoryLimitInMB: '1024',
    awsRequestId: crypto.randomUUID(),
    logGroupName: functionName,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, endsAt - performance.now()),
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}
