import { expect, test } from 'vitest';
import { INBOX_CASES, type InboxesUnderTest, VISIBILITY_SEC } from './describe-inboxes.ts';
import { openInProcessInboxes } from './in-process-under-test.ts';

type Plant = (q: InboxesUnderTest) => InboxesUnderTest;
const facts = (q: InboxesUnderTest, change: Partial<InboxesUnderTest['facts']>): InboxesUnderTest => ({
  ...q,
  facts: { ...q.facts, ...change },
});
const pause = async (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Inboxes with something wrong with them, by the case that must notice. */
const FAULTS: readonly (readonly [string, string, Plant])[] = [
  ['does not wait', 'a long poll ends with what is sent', (q) => facts(q, { receive: () => q.facts.receive() })],
  [
    'does not wait for what is delayed',
    'whose delay ends meanwhile',
    (q) => facts(q, { receive: () => q.facts.receive() }),
  ],
  [
    'waits on, although it is broken off',
    'broken off ends at once',
    (q) =>
      facts(q, {
        receive: async (wait) => q.facts.receive(wait && { ...wait, signal: new AbortController().signal }),
      }),
  ],
  [
    'loses a message in hand',
    'not removed in time comes again',
    (q) =>
      facts(q, {
        async receive(wait) {
          const received = await q.facts.receive(wait);
          await q.facts.remove(received.map(({ receipt }) => receipt));
          return received;
        },
      }),
  ],
  [
    'gives dead letters the time of their death',
    'with its id and the time when it was sent',
    (q) => ({
      ...q,
      deadQueues: {
        ...q.deadQueues,
        take: async (queue) =>
          (await q.deadQueues.take(queue)).map((letter) => ({ ...letter, sentAt: Date.now() as never })),
      },
    }),
  ],
  ['keeps reasons as they are', 'has its reason', (q) => facts(q, { deadLetter: async () => true })],
  ['sends again what it has', 'sent again is a new message', (q) => facts(q, { sendAgain: async () => undefined })],
  ['counts nothing', 'depths tell', (q) => ({ ...q, depths: async () => [] })],
  ['delays nothing', 'depths tell', (q) => ({ ...q, queues: { ...q.queues, facts: (all) => q.queues.facts(all, 0) } })],
  ['loses events', 'events of one moment', (q) => ({ ...q, onEvent: async () => undefined })],
];

test.concurrent.each(FAULTS)('an inbox that %s is noticed', async (_, title, plant) => {
  const found = INBOX_CASES.filter((each) => each.title.includes(title));
  expect(found).toHaveLength(1);
  const q = await openInProcessInboxes(VISIBILITY_SEC);
  // What hangs has been noticed as well: a long poll ends after 20 s.
  const outcome = await Promise.race([
    found[0]!.run(plant(q)).then(
      () => 'unnoticed',
      () => 'noticed',
    ),
    pause(5_000).then(() => 'noticed'),
  ]);
  expect(outcome).toBe('noticed');
  await q.close();
});
