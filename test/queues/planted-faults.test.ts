import { expect, test } from 'vitest';
import { QUEUE_CASES, type QueuesUnderTest } from './describe-queues.ts';
import { openMemoryQueues } from './memory-under-test.ts';

/** Queues with something wrong with them; the suite must notice each. */
const FAULTS: Record<string, (q: QueuesUnderTest) => QueuesUnderTest> = {
  'never shows a message again': (q) => ({ ...q, retry: async () => undefined }),
  'shows every message again': (q) => ({ ...q, remove: async () => undefined }),
  'hides nothing': (q) => ({
    ...q,
    async receive(waitSec) {
      const received = await q.receive(waitSec);
      await q.retry(
        received.map(({ receipt }) => receipt),
        0,
      );
      return received;
    },
  }),
  'counts no receives': (q) => ({
    ...q,
    receive: async (waitSec) => (await q.receive(waitSec)).map((received) => ({ ...received, receives: 1 })),
  }),
  'loses one message in seven': (q) => {
    let n = 0;
    return { ...q, receive: async (waitSec) => (await q.receive(waitSec)).filter(() => ++n % 7 !== 0) };
  },
  'delivers one message in seven twice': (q) => {
    let n = 0;
    const receive = async (waitSec: number) =>
      (await q.receive(waitSec)).flatMap((r) => (++n % 7 === 0 ? [r, r] : [r]));
    return { ...q, receive };
  },
  'ignores delays': (q) => ({
    ...q,
    queues: { ...q.queues, dispatch: (messages) => q.queues.dispatch(messages, 0) },
  }),
  'keeps dead letters to itself': (q) => ({ ...q, dead: async () => [] }),
  'takes any size': (q) => ({ ...q, send: (body) => q.send(body).catch(() => undefined) }),
};

/** Titles of the cases that fail, each on queues of its own. */
async function failing(plant: (q: QueuesUnderTest) => QueuesUnderTest): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const { title, run } of QUEUE_CASES) {
    try {
      await run(plant(await openMemoryQueues()));
    } catch {
      failed.push(title);
    }
  }
  return failed;
}

test('without a fault no case fails', async () => {
  expect(await failing((q) => q)).toEqual([]);
});

test.each(Object.entries(FAULTS))('a queue that %s is noticed', async (_name, plant) => {
  expect(await failing(plant)).not.toEqual([]);
});
