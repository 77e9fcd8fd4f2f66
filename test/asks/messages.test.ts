import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, expect, test } from 'vitest';
import { startMapping } from '../../local/event-source/mapping.ts';
import { startQueueServer } from '../../local/queues/queue-server.ts';
import { createSqsDeadQueues } from '../../shared/adapters/aws/sqs/sqs-dead-letters.ts';
import { createSqsInbox } from '../../shared/adapters/aws/sqs/sqs-inbox.ts';
import { createSqsClient, createSqsQueues } from '../../shared/adapters/aws/sqs/sqs-queues.ts';
import { createMemoryStore } from '../../shared/runtime/memory-store.ts';
import { sweepDeadLetters } from '../../shared/control/sweep/sweep-dead-letters.ts';
import { createJob } from '../../shared/control/lifecycle/job-changes.ts';
import { reconcileBatch } from '../../shared/control/reconcile/reconcile.ts';
import { type JobUid, asJobUid, asTaskArn } from '../../shared/domain/base/ids.ts';
import type { TakenDeadLetter } from '../../shared/ports/dead-letters.ts';
import { reconcileHandler } from '../../shared/runtime/queue-handlers.ts';
import { ACCESS_KEY, REGION } from '../queues/sqs-under-test.ts';
import { aRuntime, anInbox } from '../runtime/a-runtime.ts';
import { aJob } from '../support/a-job.ts';
import { openNamespace } from '../support/a-namespace.ts';
import { anEvent } from './an-event.ts';

// What users of other controllers met in the queue: messages that come more than once, and one that spoils its batch.
// SQS is the embedded one behind the real client; the handler and Lambda's mapping in front of it are those of the
// embedded runtime.

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const TIMES = 3;
const GOOD = 9;

/** Reconcile behind its fact queue. Passes over `poison` throw for as long as it `isBad`. */
async function reconcileBehindItsQueue(poison: JobUid) {
  const server = await startQueueServer({ region: REGION, accessKey: ACCESS_KEY, visibilitySec: 600 });
  const client = createSqsClient({ region: REGION, endpoint: server.endpoint, accessKey: ACCESS_KEY });
  closers.push(
    () => server.close(),
    () => client.destroy(),
  );
  const queue = createSqsInbox({ client, url: server.urls.facts, deadUrl: server.deadUrls.facts });
  // Ours wait longer with each receive; the test does not.
  const inbox = { ...queue, retry: async (receipts: readonly string[]) => queue.retry(receipts, 0) };
  const { runtime } = aRuntime(anInbox().inbox, { ms: 0, burst: 1 });
  const world = { isBad: true };
  const { jobs } = runtime.deps;
  const readStatus = async (uid: JobUid) => {
    if (world.isBad && uid === poison) throw new Error('its row cannot be read');
    return jobs.readStatus(uid);
  };
  const queues = createSqsQueues({ client, urls: server.urls });
  const here = {
    ...runtime,
    deps: { ...runtime.deps, queues, jobs: { ...jobs, readStatus } },
    facts: inbox,
    inboxOf: () => inbox,
  };
  const letters = createMemoryStore({ now: () => here.deps.clock.now() }).deadLetters;
  const dead = createSqsDeadQueues({ client, deadUrls: server.deadUrls });
  return {
    ...here,
    world,
    letters,
    dead,
    send: async (MessageBody: string) =>
      client.send(new SendMessageCommand({ QueueUrl: server.urls.facts, MessageBody })),
    start() {
      const mapping = startMapping({
        inbox,
        queueArn: server.arns.facts,
        handler: reconcileHandler(() => here),
        functionName: 'reconcile',
        concurrency: 2,
        timeoutMs: 30_000,
        onError: (message, error) => {
          throw new Error(message, { cause: error });
        },
      });
      closers.push(() => mapping.stop(500));
    },
  };
}

test('an SQS message seen 3 times, and a batch with one poison record: only that goes to the dead letters, and its Job says so', async () => {
  const poison = asJobUid('uid-poison');
  const uids = [...Array.from({ length: GOOD }, (_, n) => asJobUid(`uid-${n}`)), poison];
  const place = await reconcileBehindItsQueue(poison);
  const { deps, world } = place;
  world.isBad = false;
  await openNamespace(deps.objects, 'default', deps.clock.now());
  for (const uid of uids) {
    await createJob(aJob({ uid, name: uid, completions: 2, parallelism: 2 }), deps);
    await reconcileBatch([{ uid, facts: [] }], deps); // its indexes are claimed
  }
  world.isBad = true;

  const ended = (job: JobUid, index: number): string =>
    anEvent('completed.json', {
      arn: asTaskArn(`arn:aws:ecs:us-east-1:1:task/muster/${job}-${index}`),
      job,
      id: { index, attempt: 1, nonce: 0 },
    });
  for (let n = 0; n < TIMES; n++) for (const uid of uids.slice(0, GOOD)) await place.send(ended(uid, 0));
  await place.send(ended(poison, 0));
  await place.send('{"detail-type": no event'); // can never be read
  for (const uid of uids.slice(0, GOOD)) await place.send(ended(uid, 1));
  place.start();

  const deadLettered: TakenDeadLetter[] = [];
  while (deadLettered.length < 2) {
    deadLettered.push(...(await place.dead.take('facts')));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  for (const uid of uids.slice(0, GOOD)) {
    while ((await deps.jobs.readStatus(uid))?.phase.kind !== 'finished')
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await deps.jobs.readStatus(uid)).toMatchObject({ failed: 0, chunks: [{ succeeded: 2, failed: 0 }] });
    expect(await deps.jobs.readAttempts(uid, 0, 1)).toHaveLength(2); // each once
  }
  const [first, second] = deadLettered.toSorted((a, b) => a.body.length - b.body.length);
  expect(first?.body).toBe('{"detail-type": no event');
  expect(first?.reason).toMatch(/JSON/);
  expect(second).toMatchObject({ body: ended(poison, 0), reason: 'Error: its row cannot be read' });

  // The row can be read again: the sweep finds both letters, and tells the Job.
  world.isBad = false;
  const dead = { ...place.dead, take: async (queue: string) => (queue === 'facts' ? deadLettered.splice(0) : []) };
  expect(await sweepDeadLetters({ dead, deadLetters: place.letters }, deps)).toBe(2);
  const status = await deps.jobs.readStatus(poison);
  expect(status?.events.map(({ type, message }) => `${type} ${message}`).join('\n')).toMatch(
    /Warning .*its row cannot be read/,
  );
  for (const uid of uids.slice(0, GOOD))
    expect((await deps.jobs.readStatus(uid))?.events.filter(({ type }) => type === 'Warning')).toEqual([]);
});
