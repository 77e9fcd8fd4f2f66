import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../shared/runtime/memory-store.ts';
import { sweepDeadLetters } from '../../../shared/control/sweep/sweep-dead-letters.ts';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import type { JobUid } from '../../../shared/domain/base/ids.ts';
import { EVENTS_MAX, isHidden } from '../../../shared/domain/scoreboard/status.ts';
import { deleteJob } from '../../../shared/control/lifecycle/job-changes.ts';
import { withDeadLetterEvents } from '../../../shared/domain/events/dead-letter-events.ts';
import type { DeadQueues, DeadLetterStore, QueueName, TakenDeadLetter } from '../../../shared/ports/dead-letters.ts';
import { formatDispatch, formatWakeUp } from '../../../shared/schema/messages/queue-messages.ts';
import type { Handler } from '../../support/a-handler.ts';
import { Stage } from '../../support/a-stage.ts';

/** Simulated dead-letter queues: messages that are received and not removed return with the next sweep. */
function aGraveyard(stage: Stage) {
  const lying: TakenDeadLetter[] = [];
  const hidden = new Set<string>();
  let broken: QueueName | null = null;
  let requests = 0;
  const dead: DeadQueues = {
    async take(queue) {
      requests++;
      if (queue === broken) throw new Error('no such queue');
      const some = lying
        .filter((deadLetter) => deadLetter.queue === queue && !hidden.has(deadLetter.receipt))
        .slice(0, 10);
      for (const { receipt } of some) hidden.add(receipt);
      return some;
    },
    async remove(_queue, receipts) {
      for (const receipt of receipts)
        lying.splice(
          lying.findIndex((deadLetter) => deadLetter.receipt === receipt),
          1,
        );
    },
  };
  const deadLetters = createMemoryStore({ now: () => stage.time }).deadLetters;
  return {
    ports: { dead, deadLetters },
    lying,
    /** The visibility timeout is over. */
    showAgain: () => hidden.clear(),
    breakQueue: (queue: QueueName) => void (broken = queue),
    requests: () => requests,
    deadLetter(queue: QueueName, body: string, reason = 'Error: boom'): void {
      const id = `letter-${lying.length}-${queue}`;
      lying.push({ queue, id, receipt: `r-${id}`, body, reason, sentAt: stage.time });
    },
    filed: async () => (await deadLetters.newest(1_000)).deadLetters,
  };
}

const eventsOf = async ({ store }: Stage, uid: JobUid) =>
  (await store.jobs.readStatus(uid))!.events
    .filter(({ reason }) => reason === 'MessageDeadLettered')
    .map(({ type, message, count }) => ({ type, message, count }));

const wakeUps = (stage: Stage) => stage.take('wake').map((body) => JSON.parse(body) as unknown);

/** A Job with running tasks and no message in flight. */
async function aBusyJob() {
  const stage = new Stage();
  const uid = await stage.job({ completions: 2, parallelism: 2 });
  await stage.settle();
  stage.advance(2_000);
  await stage.settle();
  return { stage, uid, handler: stage.handler(), grave: aGraveyard(stage) };
}

describe('a dead letter', () => {
  test('becomes a row, an Event of its Job, and a wake-up with a look-up of all attempts; then it is removed', async () => {
    const { stage, uid, handler, grave } = await aBusyJob();
    const body = formatDispatch({ kind: 'inspect', uid, from: 0 });
    grave.deadLetter('dispatch', body);
    expect(await sweepDeadLetters(grave.ports, handler.deps)).toBe(1);
    expect(await eventsOf(stage, uid)).toEqual([
      {
        type: 'Warning',
        message: 'A message of the dispatch queue was moved to the dead-letter queue: Error: boom',
        count: 1,
      },
    ]);
    expect(wakeUps(stage)).toEqual([{ v: 1, uid, inspect: true }]);
    expect(grave.lying).toEqual([]);
    expect(await grave.filed()).toMatchObject([{ queue: 'dispatch', body, job: uid, reason: 'Error: boom' }]);
  });

  test('is published by the next pass, and the Job continues to its end', async () => {
    const { stage, uid, handler, grave } = await aBusyJob();
    grave.deadLetter('wake', formatWakeUp({ uid }));
    const before = await stage.store.feed.readMark(uid);
    await sweepDeadLetters(grave.ports, handler.deps);
    stage.advance(5_000);
    await stage.settle();
    const status = (await stage.store.jobs.readStatus(uid))!;
    const mark = (await stage.store.feed.readMark(uid))!;
    expect(mark.number).toBeGreaterThan(before!.number);
    expect(Math.max(mark.version, status.published.version)).toBeGreaterThanOrEqual(status.version);
    stage.advance(3_700_000);
    await stage.settle();
    expect((await stage.store.jobs.readStatus(uid))!.phase.kind).toBe('finished');
    expect(await eventsOf(stage, uid)).toHaveLength(1);
  });

  test('whose wake-up is lost too is repaired by the next sweep', async () => {
    const { stage, uid, handler, grave } = await aBusyJob();
    grave.deadLetter('wake', formatWakeUp({ uid }));
    await sweepDeadLetters(grave.ports, handler.deps);
    stage.take('wake');
    stage.advance(60_000);
    await stage.sweep();
    expect(wakeUps(stage)).toEqual([{ v: 1, uid }]);
  });

  test('with the same reason is counted, not repeated, and each Job is woken once per sweep', async () => {
    const { stage, uid, handler, grave } = await aBusyJob();
    for (let n = 0; n < 25; n++) grave.deadLetter('facts', `{"v":9,"uid":"${uid}","n":${n}}`);
    grave.deadLetter('facts', `{"v":9,"uid":"${uid}"}`, 'ZodError: v');
    await sweepDeadLetters(grave.ports, handler.deps);
    expect(await eventsOf(stage, uid)).toEqual([
      {
        type: 'Warning',
        message: 'A message of the facts queue was moved to the dead-letter queue: Error: boom',
        count: 25,
      },
      {
        type: 'Warning',
        message: 'A message of the facts queue was moved to the dead-letter queue: ZodError: v',
        count: 1,
      },
    ]);
    expect(wakeUps(stage)).toHaveLength(1);
  });

  test('about no Job, about a Job that does not exist, or about a deleted one is filed, without an Event', async () => {
    const { stage, uid, handler, grave } = await aBusyJob();
    await deleteJob(uid, handler.deps);
    stage.take('wake');
    const before = (await stage.store.jobs.readStatus(uid))!;
    expect(isHidden(before.phase)).toBe(true);
    for (const body of ['garbage', formatWakeUp({ uid: 'nobody' }), formatWakeUp({ uid })])
      grave.deadLetter('wake', body);
    expect(await sweepDeadLetters(grave.ports, handler.deps)).toBe(3);
    expect(new Set((await grave.filed()).map(({ job }) => job))).toEqual(new Set(['nobody', uid, null]));
    expect((await stage.store.jobs.readStatus(uid))!.version).toBe(before.version);
    expect(grave.lying).toEqual([]);
    // The remaining tasks of a deleted Job must still stop.
    expect(wakeUps(stage)).toEqual([{ v: 1, uid, inspect: true }]);
  });

  test('stays if its Job cannot be updated, does not delay others, and is filed once', async () => {
    const { stage, uid, handler, grave } = await aBusyJob();
    const other = await stage.job({ uid: 'uid-2', name: 'other', completions: 1, parallelism: 1 });
    stage.take('wake');
    grave.deadLetter('facts', formatWakeUp({ uid }));
    grave.deadLetter('facts', formatWakeUp({ uid: other }));
    const deps: Handler['deps'] = {
      ...handler.deps,
      jobs: {
        ...handler.deps.jobs,
        readStatus: async (asked) => {
          if (asked === uid) throw new Error('throttled');
          return handler.deps.jobs.readStatus(asked);
        },
      },
    };
    expect(await sweepDeadLetters(grave.ports, deps)).toBe(1);
    expect(grave.lying.map(({ body }) => body)).toEqual([formatWakeUp({ uid })]);
    expect(await eventsOf(stage, other)).toHaveLength(1);
    grave.showAgain();
    await sweepDeadLetters(grave.ports, handler.deps);
    expect(await eventsOf(stage, uid)).toHaveLength(1);
    expect(await grave.filed()).toHaveLength(2);
    expect(grave.lying).toEqual([]);
  });

  test('stays if it cannot be filed, does not delay others, and a long reason is cut', async () => {
    const { handler, grave } = await aBusyJob();
    grave.deadLetter('facts', 'poison');
    grave.deadLetter('facts', 'garbage', 'x'.repeat(500_000));
    const deadLetters: DeadLetterStore = {
      ...grave.ports.deadLetters,
      file: async (filed, until) => {
        if (filed.some(({ body }) => body === 'poison')) throw new Error('ValidationException');
        await grave.ports.deadLetters.file(filed, until);
      },
    };
    expect(await sweepDeadLetters({ ...grave.ports, deadLetters }, handler.deps)).toBe(1);
    expect(grave.lying.map(({ body }) => body)).toEqual(['poison']);
    const [filed] = await grave.filed();
    expect(filed?.body).toBe('garbage');
    expect(filed?.reason.length).toBeLessThanOrEqual(1_000);
  });

  test('is not removed before it is filed', async () => {
    const { uid, stage, handler, grave } = await aBusyJob();
    grave.deadLetter('facts', formatWakeUp({ uid }));
    const deadLetters: DeadLetterStore = {
      ...grave.ports.deadLetters,
      file: async () => {
        throw new Error('throttled');
      },
    };
    await sweepDeadLetters({ ...grave.ports, deadLetters }, handler.deps);
    expect(grave.lying).toHaveLength(1);
    expect(await eventsOf(stage, uid)).toEqual([]);
  });
});

test('an empty queue costs one request, and an unreadable queue delays no other', async () => {
  const { uid, handler, grave } = await aBusyJob();
  expect(await sweepDeadLetters(grave.ports, handler.deps)).toBe(0);
  expect(grave.requests()).toBe(4);
  grave.breakQueue('wake');
  grave.deadLetter('dispatch', formatDispatch({ kind: 'inspect', uid, from: 0 }));
  expect(await sweepDeadLetters(grave.ports, handler.deps)).toBe(1);
});

test('what a stranger submits is about no Job, whatever it says, and its refusal is filed with it', async () => {
  const { stage, uid, handler, grave } = await aBusyJob();
  const refusal = { namespace: 'default', status: '{"kind":"Status"}' };
  grave.lying.push({
    queue: 'submit',
    id: 'l',
    receipt: 'r',
    body: JSON.stringify({ uid }),
    reason: 'no',
    sentAt: stage.time,
    refusal,
  });
  expect(await sweepDeadLetters(grave.ports, handler.deps)).toBe(1);
  expect(await grave.filed()).toMatchObject([{ queue: 'submit', job: null, refusal }]);
  expect(await eventsOf(stage, uid)).toEqual([]);
});

test('a flood is filed at a hundred dead letters per queue and sweep', async () => {
  const { handler, grave } = await aBusyJob();
  for (let n = 0; n < 130; n++) grave.deadLetter('facts', `garbage ${n}`);
  expect(await sweepDeadLetters(grave.ports, handler.deps)).toBe(100);
  expect(await sweepDeadLetters(grave.ports, handler.deps)).toBe(30);
});

test('the Job keeps its other Events, however many reasons there are and however long they are', async () => {
  const { stage, uid } = await aBusyJob();
  let status = (await stage.store.jobs.readStatus(uid))!;
  const others = Array.from({ length: EVENTS_MAX - 3 }, (_, n) => ({
    type: 'Normal' as const,
    reason: 'Resumed',
    message: `${n}`,
    version: 1,
    firstAt: status.now,
    at: status.now,
    count: 1,
  }));
  status = { ...status, events: others };
  for (let n = 0; n < 10; n++)
    status = withDeadLetterEvents(
      status,
      [{ queue: 'facts', reason: `${n}${'x'.repeat(10_000)}`, count: 1 }],
      asEpochMs(0),
    )!;
  expect(status.events.slice(0, others.length)).toEqual(others);
  expect(status.events).toHaveLength(EVENTS_MAX);
  expect(status.events.at(-1)!.message.length).toBeLessThan(250);
});
