import { setTimeout as sleep } from 'node:timers/promises';
import {
  SQSClient,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import type { Queues } from '../../../ports/queues.ts';
import type { Submissions } from '../../../ports/submissions.ts';
import {
  DELAY_MAX_SEC,
  type Outgoing,
  outgoingCronWakeUps,
  outgoingDispatches,
  outgoingFacts,
  outgoingWakeUps,
} from '../../outgoing.ts';
import { type Connection, clientConfig, unlogged } from '../connection.ts';

/** SQS's limits for one request: entries, and the bytes of all bodies together. */
export const BATCH_ENTRIES_MAX = 10;
const BATCH_BYTES_MAX = 1_048_576;
/** Entries that SQS does not accept are sent again in up to this many rounds. Then the call fails. */
const ROUNDS_MAX = 4;
const ROUND_PAUSE_MS = 50;
/** The limit of concurrent requests, so that a large commit does not open hundreds of connections. */
const LANES = 4;

/** The time-out is longer than a 20-second long poll. */
const PATIENCE = { maxAttempts: 3, requestTimeoutMs: 30_000, maxSockets: 50 };

export type QueueUrls = {
  readonly wake: string;
  readonly facts: string;
  readonly dispatch: string;
  /** null: this installation takes no submissions. */
  readonly submit: string | null;
};

/** The client for all queues. `endpoint` takes precedence over the host in a queue's URL. */
export const createSqsClient = (connection: Connection): SQSClient =>
  unlogged(
    new SQSClient({
      ...clientConfig(connection, PATIENCE),
      // Loopback does not corrupt data, and hashing a body costs as much as sending it.
      ...(connection.endpoint === null ? {} : { useQueueUrlAsEndpoint: false, md5: false as const }),
    }),
  );

/**
 * {@link Queues} on SQS. A call throws if SQS has not accepted every message after a few rounds. Some may have been
 * sent.
 */
export function createSqsQueues(options: { readonly client: SQSClient; readonly urls: QueueUrls }): Queues {
  const { client, urls } = options;
  return {
    wake: (wakeUps) => sendAll(client, urls.wake, outgoingWakeUps(wakeUps)),
    wakeCrons: (wakeUps) => sendAll(client, urls.wake, outgoingCronWakeUps(wakeUps)),
    facts: (messages, delaySec) => sendAll(client, urls.facts, outgoingFacts(messages, delaySec)),
    dispatch: (messages, delaySec) => sendAll(client, urls.dispatch, outgoingDispatches(messages, delaySec)),
  };
}

/** {@link Submissions} on SQS, which keeps a message once it has accepted it. */
export const createSqsSubmissions = (client: SQSClient, url: string): Submissions => ({
  async send(body) {
    const { MessageId = '' } = await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body }));
    return MessageId;
  },
});

/** Pure: splits `messages` into batches within SQS's limits, in order. */
export function inBatches(messages: readonly Outgoing[]): readonly (readonly Outgoing[])[] {
  const batches: Outgoing[][] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = Buffer.byteLength(message.body);
    const last = batches.at(-1);
    if (last !== undefined && last.length < BATCH_ENTRIES_MAX && bytes + size <= BATCH_BYTES_MAX) {
      last.push(message);
      bytes += size;
    } else {
      batches.push([message]);
      bytes = size;
    }
  }
  return batches;
}

async function sendAll(client: SQSClient, url: string, messages: readonly Outgoing[]): Promise<void> {
  const waiting = inBatches(messages).values();
  // Lanes share one iterator: a free lane takes the next batch.
  const lane = async (): Promise<void> => {
    for (const batch of waiting) await sendBatch(client, url, batch.map(entryOf));
  };
  await Promise.all(Array.from({ length: Math.min(LANES, Math.ceil(messages.length / BATCH_ENTRIES_MAX)) }, lane));
}

/** The group makes a standard queue fair across Jobs ("Amazon SQS fair queues"). */
const entryOf = ({ body, delaySec, group }: Outgoing, i: number): SendMessageBatchRequestEntry => ({
  Id: String(i),
  MessageBody: body,
  ...(delaySec > 0 ? { DelaySeconds: Math.min(DELAY_MAX_SEC, Math.ceil(delaySec)) } : {}),
  ...(group === null ? {} : { MessageGroupId: group }),
});

async function sendBatch(client: SQSClient, url: string, entries: SendMessageBatchRequestEntry[]): Promise<void> {
  let left = entries;
  for (let round = 1; ; round++) {
    const { Failed: failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries: left }));
    if (failed.length === 0) return;
    const faults = failed.filter(({ SenderFault }) => SenderFault === true);
    if (faults.length > 0 || round === ROUNDS_MAX) {
      const first = faults[0] ?? failed[0];
      throw new Error(
        `SQS did not accept ${failed.length} of ${entries.length} messages: ${first?.Code}: ${first?.Message}`,
      );
    }
    const ids = new Set(failed.map(({ Id }) => Id));
    left = left.filter(({ Id }) => ids.has(Id));
    await sleep(ROUND_PAUSE_MS * 2 ** round);
  }
}
