import { afterEach, describe, expect, test } from 'vitest';
import { type QueueHandler, startMapping } from '../../local/event-source/mapping.ts';
import { createInProcessQueues } from '../../local/queues/in-process-queues.ts';
import { startQueueServer } from '../../local/queues/queue-server.ts';
import { createSqsDeadQueues } from '../../shared/adapters/aws/sqs/sqs-dead-letters.ts';
import { createSqsInbox } from '../../shared/adapters/aws/sqs/sqs-inbox.ts';
import { createSqsClient, createSqsQueues } from '../../shared/adapters/aws/sqs/sqs-queues.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import type { DeadQueues, TakenDeadLetter } from '../../shared/ports/dead-letters.ts';
import type { Inbox } from '../../shared/ports/inbox.ts';
import type { Queues } from '../../shared/ports/queues.ts';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import { RECEIVES_MAX } from '../../shared/names/dead-letter-queues.ts';
import { parseWakeUp } from '../../shared/schema/messages/queue-messages.ts';
import { ACCESS_KEY, REGION } from './sqs-under-test.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Queues behind a mapping. */
type Behind = {
  readonly arn: string;
  readonly queues: Queues;
  readonly inbox: Inbox;
  readonly dead: DeadQueues;
  readonly close: () => Promise<void> | void;
};

async function behindSqs(visibilitySec: number): Promise<Behind> {
  const server = await startQueueServer({ region: REGION, accessKey: ACCESS_KEY, visibilitySec });
  const client = createSqsClient({ region: REGION, endpoint: server.endpoint, accessKey: ACCESS_KEY });
  const { urls, deadUrls } = server;
  return {
    arn: server.arns.wake,
    queues: createSqsQueues({ client, urls }),
    inbox: createSqsInbox({ client, url: urls.wake, deadUrl: deadUrls.wake }),
    dead: createSqsDeadQueues({ client, deadUrls }),
    async close() {
      client.destroy();
      await server.close();
    },
  };
}

function behindInProcess(visibilitySec: number): Behind {
  const { queues, inboxes, deadQueues, close } = createInProcessQueues({
    visibilityMs: visibilitySec * 1_000,
    now: () => systemClock.now(),
  });
  return { arn: 'arn:aws:sqs:x:0:muster-wake', queues, inbox: inboxes.wake, dead: deadQueues, close };
}

type Open = (visibilitySec: number) => Behind | Promise<Behind>;

/** The wake queue of fresh queues, mapped to `handler`. */
async function mapped(
  open: Open,
  handler: QueueHandler,
  options: { readonly concurrency?: number; readonly visibilitySec?: number } = {},
) {
  const { concurrency = 2, visibilitySec = 600 } = options;
  const { arn, queues, inbox, dead, close } = await open(visibilitySec);
  const errors: string[] = [];
  const mapping = startMapping({
    inbox,
    queueArn: arn,
    handler,
    functionName: 'test',
    concurrency,
    timeoutMs: 30_000,
    onError: (message, error) => void errors.push(`${message}: ${String(error)}`),
  });
  closers.push(close, () => mapping.stop(500));
  const wake = (...uids: string[]) => queues.wake(uids.map((uid) => ({ uid: asJobUid(uid), delaySec: 0 })));
  return { arn, inbox, dead, mapping, errors, wake };
}

/** Resolves once `ready` holds; looks again whenever `changed` is called. */
function signal() {
  let notify = (): void => undefined;
  return {
    changed: () => notify(),
    until: async (ready: () => boolean): Promise<void> => {
      while (!ready()) await new Promise<void>((resolve) => (notify = resolve));
    },
  };
}
const uidsOf = (event: Parameters<QueueHandler>[0]): string[] => event.Records.map(({ body }) => parseWakeUp(body).uid);
const none = { batchItemFailures: [] };

describe.each<[string, Open]>([
  ['the SQS emulator', behindSqs],
  ['queues in this process', behindInProcess],
])('over %s', (_queues, open) => {
  test('every message reaches the handler, in batches of ten at most, and is removed', async () => {
    const seen: string[] = [];
    const sizes: number[] = [];
    const { changed, until } = signal();
    const uids = Array.from({ length: 57 }, (_, i) => `u-${i}`);
    const { wake, inbox, mapping, arn } = await mapped(open, async (event) => {
      sizes.push(event.Records.length);
      seen.push(...uidsOf(event));
      expect(event.Records.every((record) => record.eventSourceARN === arn)).toBe(true);
      changed();
      return none;
    });
    await wake(...uids);
    await until(() => seen.length >= 57);
    await mapping.stop(5_000);
    expect(seen.toSorted()).toEqual(uids.toSorted());
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10);
    expect(await inbox.receive()).toEqual([]);
  });

  test('no more invocations at one time than asked for, and no fewer', async () => {
    let running = 0;
    let most = 0;
    let ended = 0;
    const { changed, until } = signal();
    const releases: (() => void)[] = [];
    const { wake, inbox } = await mapped(
      open,
      async ({ Records }) => {
        most = Math.max(most, ++running);
        changed();
        await new Promise<void>((release) => releases.push(release));
        running--;
        ended += Records.length;
        changed();
        return none;
      },
      { concurrency: 3 },
    );
    for (let n = 0; n < 3; n++) {
      await wake(`u-${n}`);
      await until(() => running === n + 1);
    }
    await wake('u-3');
    const left = await inbox.receive(); // nobody else has asked for it
    expect(left.map(({ body }) => parseWakeUp(body).uid)).toEqual(['u-3']);
    await inbox.retry(
      left.map(({ receipt }) => receipt),
      0,
    );
    releases[0]?.();
    await until(() => releases.length === 4);
    for (const release of releases) release();
    await until(() => ended === 4);
    expect(most).toBe(3);
  });

  test('messages named as failed come again, the others do not', async () => {
    const seen: string[] = [];
    const { changed, until } = signal();
    const { wake } = await mapped(
      open,
      async (event) => {
        const uids = uidsOf(event);
        const first = event.Records.filter((_, i) => uids[i] === 'u-1' && !seen.includes('u-1'));
        seen.push(...uids);
        changed();
        return { batchItemFailures: first.map(({ messageId }) => ({ itemIdentifier: messageId })) };
      },
      { visibilitySec: 3 },
    );
    await wake('u-0', 'u-1', 'u-2');
    await until(() => seen.length >= 4);
    expect(seen.toSorted()).toEqual(['u-0', 'u-1', 'u-1', 'u-2']);
  });

  test.each<[string, QueueHandler]>([
    ['throws', () => Promise.reject(new Error('broken'))],
    ['names a message that was not there', async () => ({ batchItemFailures: [{ itemIdentifier: 'unknown' }] })],
  ])('a handler that %s fails its whole batch, which ends in the dead-letter queue', async (_name, handler) => {
    let invocations = 0;
    const { changed, until } = signal();
    const { wake, dead, inbox, errors } = await mapped(open, async (event, context) => {
      invocations++;
      // What the handler of ours does, too: not to wait for the visibility timeout.
      await inbox.retry(
        event.Records.map(({ receiptHandle }) => receiptHandle),
        0,
      );
      changed();
      return handler(event, context);
    });
    await wake('u-0');
    await until(() => invocations >= RECEIVES_MAX);
    let deadLettered: readonly TakenDeadLetter[] = [];
    while (deadLettered.length === 0) deadLettered = await dead.take('wake');
    expect(deadLettered.map(({ body }) => parseWakeUp(body).uid)).toEqual(['u-0']);
    expect(invocations).toBe(RECEIVES_MAX);
    expect(errors.length).toBeGreaterThanOrEqual(RECEIVES_MAX - 1);
  });

  test('stopping waits for what is under way, and takes nothing more', async () => {
    let ended = false;
    const { changed, until } = signal();
    let started = false;
    let release = (): void => undefined;
    const { wake, mapping, inbox } = await mapped(open, async () => {
      started = true;
      changed();
      await new Promise<void>((resolve) => (release = resolve));
      ended = true;
      return none;
    });
    await wake('u-0');
    await until(() => started);
    const stopped = mapping.stop(20_000);
    await wake('u-1');
    release();
    await stopped;
    expect(ended).toBe(true);
    expect((await inbox.receive()).map(({ body }) => parseWakeUp(body).uid)).toEqual(['u-1']);
  });

  test('stopping waits no longer than its grace time', async () => {
    const { changed, until } = signal();
    let started = false;
    const { wake, mapping } = await mapped(open, async () => {
      started = true;
      changed();
      return new Promise(() => undefined);
    });
    await wake('u-0');
    await until(() => started);
    await expect(mapping.stop(50)).resolves.toBeUndefined();
  });

  test('a queue that cannot be read is said so, and read again once it is back', async () => {
    const seen: string[] = [];
    const { changed, until } = signal();
    const { inbox, wake, mapping } = await mapped(open, async () => none);
    await mapping.stop(1_000);
    const errors: string[] = [];
    let broken = true;
    const again = startMapping({
      inbox: {
        ...inbox,
        receive: async (wait) => {
          if (!broken) return inbox.receive(wait);
          broken = false;
          throw new Error('connection refused');
        },
      },
      queueArn: 'x',
      handler: async (event) => {
        seen.push(...uidsOf(event));
        changed();
        return none;
      },
      functionName: 'test',
      concurrency: 1,
      timeoutMs: 1_000,
      onError: (message) => void errors.push(message),
    });
    closers.push(() => again.stop(1_000));
    await wake('u-0');
    await until(() => seen.length > 0);
    expect([errors, seen]).toEqual([['queue cannot be read'], ['u-0']]);
  });
});
