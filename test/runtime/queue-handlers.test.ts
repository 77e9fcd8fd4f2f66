import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { prefixAt } from '../../shared/control/sweep/sweep-definitions.ts';
import { contextOf } from '../../local/event-source/mapping.ts';
import type { Received } from '../../shared/ports/inbox.ts';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { asJobUid, asTaskArn } from '../../shared/domain/base/ids.ts';
import type { DeadQueues } from '../../shared/ports/dead-letters.ts';
import { RECEIVES_MAX } from '../../shared/names/dead-letter-queues.ts';
import { dispatchHandler, reconcileHandler, sweepHandler } from '../../shared/runtime/queue-handlers.ts';
import { formatDispatch, formatFactMessage, formatWakeUp } from '../../shared/schema/messages/queue-messages.ts';
import { aRuntime, anEvent, anInbox } from './a-runtime.ts';
import { freshNamespace, terminating } from '../../shared/domain/manifests/namespace.ts';
import { openNamespace } from '../support/a-namespace.ts';

const CONTEXT = contextOf('test', 30_000);

/** A running task of a Job that is not there: its pass asks to stop the task, so that a pass can be seen. */
const fact = (uid: string, n = 0): string =>
  formatFactMessage({
    uid,
    facts: [
      {
        index: n,
        attempt: 1,
        nonce: 0,
        kind: 'running',
        taskArn: asTaskArn(`arn:aws:ecs:r:1:task/jobs/${uid}-${n}`),
        at: asEpochMs(1),
      },
    ],
  });
const received = (body: string, i: number, receives = 1): Received => ({
  id: `x${i}`,
  receipt: `t${i}`,
  body,
  receives,
});

function reconcile(inbox: ReturnType<typeof anInbox>) {
  const world = aRuntime(inbox.inbox);
  const { jobs } = world.runtime.deps;
  const runtime = {
    ...world.runtime,
    deps: {
      ...world.runtime.deps,
      jobs: {
        ...jobs,
        readStatus: async (uid: ReturnType<typeof asJobUid>) => {
          if (uid.startsWith('bad')) throw new Error(`${uid} cannot be read`);
          return jobs.readStatus(uid);
        },
      },
    },
  };
  const handler = reconcileHandler(() => runtime);
  const run = async (bodies: readonly string[], receives?: number) =>
    (await handler(anEvent(bodies, receives), CONTEXT)).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  const stopped = () =>
    world.dispatched
      .map((message) => (message.kind === 'stopTask' ? (message.taskArn.split('/').at(-1) ?? '') : '?'))
      .toSorted();
  return { ...world, ...inbox, run, stopped };
}

test('one Job that cannot be read fails its messages, and no other', async () => {
  const w = reconcile(anInbox());
  expect(
    await w.run([
      fact('a'),
      fact('bad'),
      fact('b'),
      'garbage',
      formatWakeUp({ uid: 'bad' }),
      formatWakeUp({ uid: 'c' }),
    ]),
  ).toEqual(['m1', 'm4']);
  expect(w.stopped()).toEqual(['a-0', 'b-0']);
  expect(w.buried.map(({ body }) => body)).toEqual(['garbage']);
});

test('an ECS event is processed as it comes from EventBridge; one without a fact makes no pass', async () => {
  const event = (name: string) => readFileSync(new URL(`../fixtures/ecs-events/${name}.json`, import.meta.url), 'utf8');
  const w = reconcile(anInbox());
  expect(await w.run([event('running'), event('spot-notice'), event('of-somebody-else')])).toEqual([]);
  expect(w.dispatched).toMatchObject([{ kind: 'stopTask', uid: '2f1f9a5e-8f4e-4f0e-9b0a-3d9b4a1c7e55' }]);
  expect(w.buried.map(({ reason }) => reason)).toEqual(['Error: an event of a task that is not ours']);
});

const tenOf = (uid: string): string[] => Array.from({ length: 10 }, (_, n) => fact(uid, n));

test('a full batch is topped up until nothing more comes; what was taken is removed', async () => {
  const w = reconcile(anInbox({ waiting: Array.from({ length: 25 }, (_, i) => received(fact('b', i), i)) }));
  expect(await w.run(tenOf('a'))).toEqual([]);
  expect(w.stopped()).toHaveLength(35);
  expect(w.removed.toSorted()).toEqual(Array.from({ length: 25 }, (_, i) => `t${i}`).toSorted());
  expect(w.receives()).toBe(4);
});

test('a batch takes no more than 200 facts', async () => {
  const w = reconcile(anInbox({ waiting: Array.from({ length: 500 }, (_, i) => received(fact('b', i), i)) }));
  await w.run(tenOf('a'));
  expect(w.removed).toHaveLength(190);
});

test('of what was taken, failures come again, the last time they are dead-lettered, and garbage is dead-lettered at once', async () => {
  const waiting = [
    received(fact('bad', 1), 1),
    received(fact('bad', 2), 2, RECEIVES_MAX),
    received('garbage', 3),
    received(fact('b'), 4),
  ];
  const w = reconcile(anInbox({ waiting }));
  expect(await w.run(tenOf('a'))).toEqual([]);
  expect(w.removed.toSorted()).toEqual(['t2', 't3', 't4']);
  expect(w.retried).toEqual([{ receipt: 't1', delaySec: 2 }]);
  expect(w.buried.map(({ body }) => body).toSorted()).toEqual([fact('bad', 2), 'garbage'].toSorted());
});

test('a lone fact after a quiet time is worked on at once, one in a trickle waits for others', async () => {
  const w = reconcile(anInbox({ waiting: [received(fact('b'), 1)] }));
  await w.run([fact('a')]);
  expect([w.slept, w.receives()]).toEqual([[], 0]);
  w.pass(100);
  await w.run([fact('c')]);
  expect(w.slept).toEqual([200]);
  expect(w.stopped()).toEqual(['a-0', 'b-0', 'c-0']);
  w.pass(1000);
  await w.run([fact('d')]);
  expect(w.slept).toEqual([200]);
});

test('wake-ups wait for nothing', async () => {
  const w = reconcile(anInbox({ waiting: [received(fact('b'), 1)] }));
  for (let n = 0; n < 3; n++) await w.run([formatWakeUp({ uid: 'a' })]);
  expect([w.slept, w.receives()]).toEqual([[], 0]);
});

test('one dispatch message that fails fails alone', async () => {
  const inbox = anInbox();
  const w = aRuntime(inbox.inbox);
  const stop = async (taskArn: string) => {
    if (taskArn.endsWith('bad')) throw new Error('socket hang up');
    return { kind: 'asked' } as const;
  };
  const runtime = { ...w.runtime, deps: { ...w.runtime.deps, tasks: { ...w.runtime.deps.tasks, stop } } };
  const handler = dispatchHandler(() => runtime);
  const body = (id: string) =>
    formatDispatch({ kind: 'stopTask', uid: asJobUid('a'), taskArn: asTaskArn(`arn:aws:ecs:r:1:task/jobs/${id}`) });
  const { batchItemFailures } = await handler(anEvent([body('1'), body('bad'), body('2')]), CONTEXT);
  expect(batchItemFailures).toEqual([{ itemIdentifier: 'm1' }]);
  expect(w.counts()).toEqual({ GhostsStopped: 2 });
});

test('live tasks, and some task definitions, are swept in the first minute of an hour', async () => {
  const w = aRuntime(anInbox().inbox);
  const handler = sweepHandler(() => w.runtime);
  for (const time of ['2026-11-20T11:59:00Z', '2026-11-20T12:00:00Z', '2026-11-20T12:01:00Z'])
    await handler({ time }, CONTEXT);
  const prefix = prefixAt(asEpochMs(Date.parse('2026-11-20T12:00:00Z')));
  expect(w.dispatched).toEqual([
    { kind: 'sweepTasks', after: null },
    { kind: 'sweepDefinitions', prefix, after: null },
  ]);
});

test('a namespace that is being deleted is gone after a sweep', async () => {
  const { runtime } = aRuntime(anInbox().inbox);
  const { objects, clock } = runtime.deps;
  await openNamespace(objects, 'stays');
  const document = terminating(freshNamespace('goes', 'u', clock.now()), clock.now());
  await objects.commit('Namespace', { key: { namespace: '', name: 'goes' }, was: 0, document });
  await sweepHandler(() => runtime)({ time: '2026-11-20T11:59:00Z' }, CONTEXT);
  const left = await objects.list('Namespace', { namespace: null, after: null, limit: 9 });
  expect(left.objects.map(({ key }) => key.name)).toEqual(['stays']);
});

test('every sweep files dead letters; a dead-letter queue that cannot be read delays nothing else', async () => {
  const { runtime } = aRuntime(anInbox().inbox);
  const { objects, clock } = runtime.deps;
  const document = terminating(freshNamespace('goes', 'u', clock.now()), clock.now());
  await objects.commit('Namespace', { key: { namespace: '', name: 'goes' }, was: 0, document });
  const removed: string[] = [];
  let lies = true;
  const dead: DeadQueues = {
    async take(queue) {
      if (queue === 'wake') throw new Error('no such queue');
      if (queue !== 'dispatch' || !lies) return [];
      lies = false;
      return [{ queue, id: 'm', receipt: 'r', body: 'garbage', reason: 'Error: boom', sentAt: clock.now() }];
    },
    remove: async (_queue, receipts) => void removed.push(...receipts),
  };
  const { deadLetters } = runtime.deadLetters;
  await sweepHandler(() => ({ ...runtime, deadLetters: { dead, deadLetters } }))(
    { time: '2026-11-20T11:59:00Z' },
    CONTEXT,
  );
  expect((await deadLetters.newest(9)).deadLetters).toMatchObject([{ queue: 'dispatch', body: 'garbage', job: null }]);
  expect(removed).toEqual(['r']);
  expect(await objects.read('Namespace', { namespace: '', name: 'goes' })).toBeNull();
});

test('a failing part of the sweep delays no other part, and is reported', async () => {
  const { runtime, dispatched } = aRuntime(anInbox().inbox);
  const { objects, jobs, clock } = runtime.deps;
  const document = terminating(freshNamespace('goes', 'u', clock.now()), clock.now());
  await objects.commit('Namespace', { key: { namespace: '', name: 'goes' }, was: 0, document });
  const deps = {
    ...runtime.deps,
    jobs: {
      ...jobs,
      dueJobs: async () => {
        throw new Error('the index is throttled');
      },
    },
  };
  const handler = sweepHandler(() => ({ ...runtime, deps }));
  await expect(handler({ time: '2026-11-20T12:00:00Z' }, CONTEXT)).rejects.toThrow('the index is throttled');
  expect(await objects.read('Namespace', { namespace: '', name: 'goes' })).toBeNull();
  expect(dispatched).toHaveLength(2);
});

test.each([
  [{}, [1_000_000]],
  [{ everything: true }, [null]],
])('a sweep that is asked for %j takes Jobs that are due by %j', async (asked, expected) => {
  const { runtime } = aRuntime(anInbox().inbox);
  const until: (number | null)[] = [];
  const jobs: typeof runtime.deps.jobs = {
    ...runtime.deps.jobs,
    async dueJobs({ now }) {
      until.push(now);
      return { uids: [], next: null };
    },
  };
  const handler = sweepHandler(() => ({ ...runtime, deps: { ...runtime.deps, jobs } }));
  await handler({ time: '2026-11-20T12:01:00Z', ...asked }, CONTEXT);
  expect(until).toEqual(expected);
});
