import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RECEIVES_MAX } from '../../shared/names/dead-letter-queues.ts';
import type { Queues } from '../../shared/ports/queues.ts';
import type { Received } from '../../shared/ports/inbox.ts';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import { parseDispatch } from '../../shared/schema/messages/queue-messages.ts';

/** Queues as this suite handles them. Every call is about the dispatch queue, which is empty when a test begins. */
export type QueuesUnderTest = {
  readonly queues: Queues;
  /** Any text, as others send it. */
  send(body: string): Promise<void>;
  /** What is there, or the first that comes within `waitSec`. */
  receive(waitSec: number): Promise<readonly Received[]>;
  remove(receipts: readonly string[]): Promise<void>;
  retry(receipts: readonly string[], delaySec: number): Promise<void>;
  /** Bodies in the dead-letter queue. */
  dead(): Promise<readonly string[]>;
  /** Milliseconds on the clock that the queues go by. */
  now(): number;
  close(): Promise<void>;
};

const uid = asJobUid('u-1');
const message = (from: number) => ({ kind: 'inspect', uid, from }) as const;
const A_WHILE_SEC = 20;
/** Two clocks may round differently. */
const A_SECOND_MS = 990;

export type QueueCase = { readonly title: string; readonly run: (q: QueuesUnderTest) => Promise<void> };

/** What we rely on in SQS. Nothing is asked of order, and nothing of time but that it is not too early. */
export const QUEUE_CASES: readonly QueueCase[] = [
  {
    title: 'every message of a large send is received once and stays away once removed',
    async run(q) {
      const numbers = Array.from({ length: 37 }, (_, i) => i);
      await q.queues.dispatch(numbers.map(message), 0);
      const taken = await take(q, 37);
      expect(taken.map(fromOf).toSorted((a, b) => a - b)).toEqual(numbers);
      expect(new Set(taken.map(({ id }) => id)).size).toBe(37);
      expect(taken.every(({ receives }) => receives === 1)).toBe(true);
      const receipts = taken.map(({ receipt }) => receipt);
      await q.remove(receipts);
      await q.retry(receipts, 0).catch(() => undefined);
      expect(await q.receive(0)).toEqual([]);
    },
  },
  {
    title: 'a request hands out ten at most',
    async run(q) {
      await q.queues.dispatch(
        Array.from({ length: 15 }, (_, i) => message(i)),
        0,
      );
      const first = await q.receive(A_WHILE_SEC);
      expect(first.length).toBeLessThanOrEqual(10);
      const rest = await take(q, 15 - first.length);
      await q.remove([...first, ...rest].map(({ receipt }) => receipt));
      expect(first.length + rest.length).toBe(15);
    },
  },
  {
    title: 'what is in hand is hidden; put back, it comes again with its count',
    async run(q) {
      await q.queues.dispatch([message(1)], 0);
      const first = await one(q);
      expect(await q.receive(0)).toEqual([]);
      await q.retry([first.receipt], 0);
      const second = await one(q);
      expect([second.id, second.body, second.receives]).toEqual([first.id, first.body, 2]);
      await q.remove([second.receipt]);
    },
  },
  {
    title: 'put back with a delay, it does not come earlier',
    async run(q) {
      await q.queues.dispatch([message(1)], 0);
      const first = await one(q);
      const before = q.now();
      await q.retry([first.receipt], 1);
      const second = await one(q);
      expect(q.now() - before).toBeGreaterThanOrEqual(A_SECOND_MS);
      await q.remove([second.receipt]);
    },
  },
  {
    title: 'an old receipt neither removes nor shows a message that is in other hands',
    async run(q) {
      await q.queues.dispatch([message(1)], 0);
      const first = await one(q);
      await q.retry([first.receipt], 0);
      const second = await one(q);
      await q.retry([first.receipt], 0).catch(() => undefined);
      expect(await q.receive(0)).toEqual([]);
      await q.remove([first.receipt]).catch(() => undefined);
      await q.retry([second.receipt], 0);
      const third = await one(q);
      expect(third.receives).toBe(3);
      await q.remove([third.receipt]);
      expect(await q.receive(0)).toEqual([]);
    },
  },
  {
    title: 'a delayed message does not come earlier, and does not hold up others',
    async run(q) {
      const before = q.now();
      await q.queues.dispatch([message(1)], 1);
      await q.queues.dispatch([message(2)], 0);
      const cameAfterMs = new Map<number, number>();
      for (let n = 0; n < 2; n++) {
        const received = await one(q);
        cameAfterMs.set(fromOf(received), q.now() - before);
        await q.remove([received.receipt]);
      }
      expect([...cameAfterMs.keys()].toSorted((a, b) => a - b)).toEqual([1, 2]);
      expect(cameAfterMs.get(1)).toBeGreaterThanOrEqual(A_SECOND_MS);
    },
  },
  {
    title: `after ${RECEIVES_MAX} receives a message goes to the dead letters, and no other with it`,
    async run(q) {
      await q.send('no message of ours');
      for (let n = 1; n <= RECEIVES_MAX; n++) {
        const received = await one(q);
        expect(received.receives).toBe(n);
        await q.retry([received.receipt], 0);
      }
      await q.queues.dispatch([message(7)], 0);
      const other = await one(q);
      expect(fromOf(other)).toBe(7);
      expect(await q.receive(0)).toEqual([]);
      expect(await q.dead()).toEqual(['no message of ours']);
      await q.remove([other.receipt]);
    },
  },
  {
    title: '1 MiB is taken, one byte more is not',
    async run(q) {
      await q.send('x'.repeat(1_048_576));
      const received = await one(q);
      expect(received.body.length).toBe(1_048_576);
      await q.remove([received.receipt]);
      await expect(q.send('x'.repeat(1_048_577))).rejects.toThrow(/./);
      expect(await q.receive(0)).toEqual([]);
    },
  },
];

/** Runs every case against one implementation. */
export function describeQueues(name: string, open: () => Promise<QueuesUnderTest>): void {
  describe(`${name} keep what is asked of queues`, () => {
    let q: QueuesUnderTest;
    beforeAll(async () => {
      q = await open();
    });
    afterAll(() => q.close());
    test.each(QUEUE_CASES)('$title', async ({ run }) => {
      await expect(run(q)).resolves.toBeUndefined();
    });
  });
}

const fromOf = ({ body }: Received): number => {
  const parsed = parseDispatch(body);
  return parsed.kind === 'inspect' ? parsed.from : -1;
};

/** Receives until `count` messages have come or nothing comes any more. */
async function take(q: QueuesUnderTest, count: number): Promise<Received[]> {
  const taken: Received[] = [];
  while (taken.length < count) {
    const more = await q.receive(A_WHILE_SEC);
    if (more.length === 0) break;
    taken.push(...more);
  }
  return taken;
}

async function one(q: QueuesUnderTest): Promise<Received> {
  const [received] = await take(q, 1);
  if (received === undefined) throw new Error('no message came');
  return received;
}
