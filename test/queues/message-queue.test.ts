import { expect, test } from 'vitest';
import { FairLine } from '../../local/queues/fair-line.ts';
import { HiddenMessages } from '../../local/queues/hidden-messages.ts';
import { type Delivery, MessageQueue } from '../../local/queues/message-queue.ts';
import { createInProcessQueues } from '../../local/queues/in-process-queues.ts';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { dice } from '../support/arbitrary-board.ts';

const MANY = 100_000;

/** A queue in a time of its own, and its dead letters. */
function aQueue(visibilityMs = 30_000) {
  const clock = { ms: 0 };
  const elapsedMs = () => clock.ms;
  const dead = new MessageQueue({ elapsedMs, visibilityMs: 60_000 });
  const queue = new MessageQueue({ elapsedMs, visibilityMs, redrive: { receivesMax: 2, to: dead } });
  const send = (body: string, group = '', delayMs = 0) =>
    queue.send({ body, group, sentAt: asEpochMs(1_000) }, delayMs);
  return { queue, dead, clock, send };
}

const bodies = (deliveries: readonly Delivery[]): readonly string[] => deliveries.map(({ body }) => body);

test('a burst of one group does not hold up a message of another', () => {
  const { queue, send } = aQueue();
  for (let n = 0; n < 1_000; n++) send(`large ${n}`, 'large');
  for (let n = 0; n < 3; n++) send(`small ${n}`, 'small');
  expect(bodies(queue.receive()).filter((body) => body.startsWith('small'))).toEqual(['small 0', 'small 1', 'small 2']);
  expect(bodies(queue.receive())[0]).toBe('large 7');
});

test('messages of one group come in the order in which they could be seen', () => {
  const { queue, clock, send } = aQueue();
  send('last', '', 2_000);
  send('second', '', 1_000);
  send('first');
  expect(queue.nextInMs()).toBe(1_000);
  clock.ms = 1_999;
  expect(bodies(queue.receive())).toEqual(['first', 'second']);
  expect(queue.nextInMs()).toBe(1);
  clock.ms = 2_000;
  expect(bodies(queue.receive())).toEqual(['last']);
});

test('a message that was received too often is a dead letter, and one that was buried is given back forever', () => {
  const { queue, dead, clock, send } = aQueue();
  send('poison');
  for (let nth = 1; nth <= 2; nth++) {
    expect(queue.receive().map(({ receives }) => receives)).toEqual([nth]);
    clock.ms += 30_000;
  }
  expect(queue.receive()).toEqual([]);
  expect(queue.depth()).toEqual({ waiting: 0, hidden: 0, delayed: 0 });
  for (let nth = 1; nth <= 5; nth++) {
    const [letter] = dead.receive();
    expect(letter).toMatchObject({ body: 'poison', sentAt: 1_000, reason: null, receives: nth });
    clock.ms += 60_000;
  }
});

test('a receipt is good until the next receive, also while the message is visible again', () => {
  const { queue, clock, send } = aQueue();
  send('slow');
  const [first] = queue.receive();
  clock.ms = 30_000;
  queue.retry(first!.receipt, 900_000); // too late: it is visible
  expect(queue.depth()).toMatchObject({ waiting: 1 });
  queue.remove(first!.receipt);
  expect(queue.depth()).toEqual({ waiting: 0, hidden: 0, delayed: 0 });
  expect(queue.receive()).toEqual([]);
});

test('of a hundred thousand messages nothing is left when they are removed', () => {
  const { queue, send, clock } = aQueue();
  const random = dice(7);
  for (let n = 0; n < MANY; n++) send(`${n}`, `job-${n % 50}`, random(3) * 1_000);
  const seen = new Set<string>();
  for (clock.ms = 0; clock.ms <= 2_000; clock.ms += 1_000) {
    for (let batch = queue.receive(); batch.length > 0; batch = queue.receive()) {
      for (const { body, receipt } of batch) {
        seen.add(body);
        queue.remove(receipt);
      }
    }
  }
  expect(seen.size).toBe(MANY);
  expect(queue.depth()).toEqual({ waiting: 0, hidden: 0, delayed: 0 });
  expect(queue.nextInMs()).toBeNull();
});

test('hidden messages come out soonest first, whatever is removed between, at a logarithmic number of looks', () => {
  const random = dice(11);
  let looks = 0;
  const aMessage = (atMs: number) => ({
    place: 0,
    get visibleAtMs() {
      looks++;
      return atMs;
    },
    atMs,
  });
  const hidden = new HiddenMessages<ReturnType<typeof aMessage>>();
  const all = Array.from({ length: MANY }, () => aMessage(random(1_000_000)));
  for (const message of all) hidden.add(message);
  const removed = new Set(all.filter((_, n) => n % 3 === 0));
  for (const message of removed) hidden.remove(message);
  const left = all.filter((message) => !removed.has(message));
  const out: number[] = [];
  for (let next = hidden.first(); next !== null; next = hidden.first()) {
    out.push(next.atMs);
    hidden.remove(next);
  }
  expect(out).toEqual(left.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
  expect(looks / MANY).toBeLessThan(2 * 4 * Math.log2(MANY)); // two ways, four looks a level at most
});

test('a line forgets what has left it, and the groups with it', () => {
  const line = new FairLine<number>();
  for (let n = 0; n < MANY; n++) line.push(`group-${n % 1_000}`, n);
  expect(line.groupCount).toBe(1_000);
  const out: number[] = [];
  for (let item = line.shift(); item !== undefined; item = line.shift()) out.push(item);
  expect(out).toEqual(Array.from({ length: MANY }, (_, n) => n));
  expect(line.groupCount).toBe(0);
});

test('a wall clock that is set back holds no message up', async () => {
  let wallMs = 1_800_000_000_000;
  let elapsedMs = 0;
  const { queues, inboxes, close } = createInProcessQueues({
    visibilityMs: 30_000,
    now: () => asEpochMs(wallMs),
    elapsedMs: () => elapsedMs,
  });
  await queues.wake([
    { uid: asJobUid('delayed'), delaySec: 10 },
    { uid: asJobUid('in hand'), delaySec: 0 },
  ]);
  expect(await inboxes.wake.receive()).toHaveLength(1);
  wallMs -= 3_600_000;
  elapsedMs = 30_000;
  expect((await inboxes.wake.receive()).map(({ receives }) => receives).toSorted((a, b) => a - b)).toEqual([1, 2]);
  close();
});

test('closing ends long polls, and every later call fails', async () => {
  const { queues, inboxes, close } = createInProcessQueues({ visibilityMs: 30_000, now: () => asEpochMs(0) });
  const waiting = inboxes.wake.receive({ waitSec: 20, signal: new AbortController().signal });
  const outcome = waiting.catch((error: Error) => error.message);
  await new Promise(setImmediate);
  close();
  expect(await outcome).toBe('the queues are closed');
  await expect(queues.wake([])).rejects.toThrow('the queues are closed');
  await expect(inboxes.wake.receive()).rejects.toThrow('the queues are closed');
});
