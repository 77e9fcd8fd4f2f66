import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import { RECEIVES_MAX } from '../../shared/names/dead-letter-queues.ts';
import type { DeadQueues, QueueDepth, TakenDeadLetter } from '../../shared/ports/dead-letters.ts';
import type { Inbox, Received } from '../../shared/ports/inbox.ts';
import type { Queues } from '../../shared/ports/queues.ts';

/** The ports that the embedded runtime has queues behind. The fact queue is empty when a test begins. */
export type InboxesUnderTest = {
  readonly queues: Queues;
  readonly facts: Inbox;
  readonly deadQueues: DeadQueues;
  depths(): Promise<readonly QueueDepth[]>;
  /** An event of the embedded ECS. */
  onEvent(event: object): Promise<void>;
  close(): Promise<void>;
};

export type InboxCase = { readonly title: string; readonly run: (q: InboxesUnderTest) => Promise<void> };

export const VISIBILITY_SEC = 2;
const uid = asJobUid('u-1');
const never = new AbortController().signal;
const LONG = { waitSec: 20, signal: never };
const body = (n: number) => JSON.stringify({ v: 1, uid: 'u-1', facts: [{ id: [n, 1, 0], kind: 'running' }] });
const send = async (q: InboxesUnderTest, n: number, delaySec = 0): Promise<void> =>
  q.queues.facts([{ uid, facts: [{ kind: 'deleted', index: n, attempt: 1, nonce: 0 } as never] }], delaySec);

/** What handlers rely on beyond a queue's own rules: long polls, dead letters, depths, events. */
export const INBOX_CASES: readonly InboxCase[] = [
  {
    title: 'a long poll ends with what is sent meanwhile',
    async run(q) {
      const waiting = q.facts.receive(LONG);
      await aMoment();
      const sentMs = performance.now();
      await send(q, 1);
      const received = await waiting;
      expect(received.map(({ receives }) => receives)).toEqual([1]);
      expect(performance.now() - sentMs).toBeLessThan(LONG.waitSec * 500); // not at the end of the wait
      await q.facts.remove(receiptsOf(received));
    },
  },
  {
    title: 'a long poll ends with a message whose delay ends meanwhile',
    async run(q) {
      await send(q, 1, 1);
      await q.facts.remove(receiptsOf(await one(q)));
    },
  },
  {
    title: 'a long poll that is broken off ends at once, and what is sent then is received by the next',
    async run(q) {
      const breaking = new AbortController();
      const waiting = q.facts.receive({ waitSec: 20, signal: breaking.signal }).catch(() => []);
      await aMoment();
      const brokenOffMs = performance.now();
      breaking.abort();
      expect(await waiting).toEqual([]);
      expect(performance.now() - brokenOffMs).toBeLessThan(LONG.waitSec * 500);
      await send(q, 1);
      await q.facts.remove(receiptsOf(await one(q)));
    },
  },
  {
    title: 'what is not removed in time comes again, and the earlier receipt is worth nothing',
    async run(q) {
      await send(q, 1);
      const first = await one(q);
      const second = await one(q);
      expect([second[0]?.id, second[0]?.receives]).toEqual([first[0]?.id, 2]);
      await q.facts.remove(receiptsOf(first)).catch(() => undefined);
      expect(await depthOf(q)).toMatchObject({ hidden: 1 });
      await q.facts.remove(receiptsOf(second));
      expect(await depthOf(q)).toMatchObject({ waiting: 0, hidden: 0 });
    },
  },
  {
    title: 'more facts than a message holds are cut into several, each received once',
    async run(q) {
      const facts = Array.from({ length: 250 }, (_, index) => ({ kind: 'deleted', index, attempt: 1, nonce: 0 }));
      await q.queues.facts([{ uid, facts: facts as never }], 0);
      const received = await take(q, 3);
      expect(new Set(received.map(({ id }) => id)).size).toBe(3);
      await q.facts.remove(receiptsOf(received));
    },
  },
  {
    title: 'a message that came too often is a dead letter with its id and the time when it was sent',
    async run(q) {
      const sentAfter = Date.now();
      await send(q, 1);
      const sentBefore = Date.now();
      let id = '';
      for (let n = 1; n <= RECEIVES_MAX; n++) {
        const received = await one(q);
        id = received[0]?.id ?? '';
        if (n === 1) await aMoment();
        await q.facts.retry(receiptsOf(received), 0);
      }
      expect(await q.facts.receive()).toEqual([]);
      const [letter] = await q.deadQueues.take('facts');
      expect(letter).toMatchObject({ queue: 'facts', id });
      expect(letter?.reason).toMatch('came back too often');
      expect(letter?.sentAt).toBeGreaterThanOrEqual(sentAfter);
      expect(letter?.sentAt).toBeLessThanOrEqual(sentBefore);
      await bury(q, [letter!]);
    },
  },
  {
    title:
      'a dead letter has its reason, without what SQS does not take; it is hidden once taken, and goes when removed',
    async run(q) {
      expect(await q.facts.deadLetter(body(1), 'ZodError: \u0000 no\n')).toBe(true);
      expect(await q.facts.deadLetter(body(2), '')).toBe(true);
      const letters = await q.deadQueues.take('facts');
      const reasons = letters.map(({ body: text, reason }) => [text, reason]);
      expect(Object.fromEntries(reasons)).toEqual({ [body(1)]: 'ZodError: ? no\n', [body(2)]: 'no reason' });
      expect(await q.deadQueues.take('facts')).toEqual([]);
      expect(await q.deadQueues.take('wake')).toEqual([]);
      expect(await depthOf(q)).toMatchObject({ waiting: 0, dead: 2 });
      await bury(q, letters);
      expect(await depthOf(q)).toMatchObject({ dead: 0 });
    },
  },
  {
    title: 'what is sent again is a new message: after its delay, and never received before',
    async run(q) {
      await send(q, 1);
      const first = await one(q);
      await q.facts.sendAgain(first[0]?.body ?? '', 1);
      await q.facts.remove(receiptsOf(first));
      expect(await depthOf(q)).toMatchObject({ waiting: 0, hidden: 0, delayed: 1 });
      const again = await one(q);
      expect(again.map(({ body: text, receives }) => [text, receives])).toEqual([[first[0]?.body, 1]]);
      await q.facts.remove(receiptsOf(again));
    },
  },
  {
    title: 'a refusal comes with its letter, however long the message is',
    async run(q) {
      const refusal = { namespace: 'team', status: JSON.stringify({ kind: 'Status', message: 'x'.repeat(3_900) }) };
      const long = 'é'.repeat(1_048_576 / 2); // all that SQS takes
      expect(await q.facts.deadLetter(long, 'no', refusal)).toBe(true);
      const letters = await q.deadQueues.take('facts');
      expect(letters).toMatchObject([{ reason: 'no', refusal }]);
      expect(long.startsWith((letters[0]?.body ?? '').slice(0, 500_000))).toBe(true);
      await bury(q, letters);
      expect(await q.facts.deadLetter('short', 'no')).toBe(true);
      const [plain] = await q.deadQueues.take('facts');
      expect([plain?.body, plain?.refusal]).toEqual(['short', undefined]);
      await bury(q, [plain!]);
    },
  },
  {
    title: 'depths tell waiting, hidden and delayed messages apart',
    async run(q) {
      for (const n of [1, 2, 3]) await send(q, n);
      await send(q, 4, 900);
      await send(q, 5, 100_000); // the longest delay is taken instead
      expect(await depthOf(q)).toEqual({ queue: 'facts', waiting: 3, hidden: 0, delayed: 2, dead: 0 });
      const received = await take(q, 3);
      expect(await depthOf(q)).toMatchObject({ waiting: 0, hidden: 3, delayed: 2 });
      await q.facts.remove(receiptsOf(received));
      expect(await depthOf(q)).toMatchObject({ waiting: 0, hidden: 0, delayed: 2 });
    },
  },
  {
    title: 'events of one moment are messages of the fact queue, whatever their text',
    async run(q) {
      const texts = ['a', '\uD800 torn', '\uFFFF', ...Array.from({ length: 20 }, (_, i) => `${i}`)];
      await Promise.all(texts.map(async (text) => q.onEvent({ source: 'aws.ecs', text })));
      const received = await take(q, texts.length);
      const got = received.map((each) => (JSON.parse(each.body) as { text: string }).text);
      expect(got.toSorted()).toEqual(texts.toSorted());
      await q.facts.remove(receiptsOf(received));
    },
  },
];

/** Runs every case against one implementation, each on queues of its own. */
export function describeInboxes(name: string, open: () => Promise<InboxesUnderTest>): void {
  describe(`${name} keep what is asked of inboxes`, () => {
    const opened: InboxesUnderTest[] = [];
    beforeAll(async () => {
      for (const _ of INBOX_CASES) opened.push(await open());
    });
    afterAll(async () => {
      await Promise.all(opened.map((q) => q.close()));
    });
    test.concurrent.for(INBOX_CASES.map((each, nth) => ({ ...each, nth })))(
      '$title',
      async ({ run, nth }, { expect }) => {
        await expect(run(opened[nth]!)).resolves.toBeUndefined();
      },
    );
  });
}

const aMoment = async (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
const receiptsOf = (received: readonly Received[]): readonly string[] => received.map(({ receipt }) => receipt);

async function take(q: InboxesUnderTest, count: number): Promise<readonly Received[]> {
  const taken: Received[] = [];
  while (taken.length < count) {
    const more = await q.facts.receive(LONG);
    if (more.length === 0) break;
    taken.push(...more);
  }
  expect(taken).toHaveLength(count);
  return taken;
}
const one = async (q: InboxesUnderTest): Promise<readonly Received[]> => take(q, 1);

const depthOf = async (q: InboxesUnderTest): Promise<QueueDepth | undefined> =>
  (await q.depths()).find(({ queue }) => queue === 'facts');

const bury = async (q: InboxesUnderTest, letters: readonly TakenDeadLetter[]): Promise<void> =>
  q.deadQueues.remove(
    'facts',
    letters.map(({ receipt }) => receipt),
  );
