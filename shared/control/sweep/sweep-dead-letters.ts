import { plusMs } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import { type DeadLetterGroup, withDeadLetterEvents } from '../../domain/events/dead-letter-events.ts';
import { GROUP_PREFIX } from '../../names/env.ts';
import {
  type DeadLetter,
  type DeadQueues,
  type StoredDeadLetter,
  type DeadLetterStore,
  QUEUE_NAMES,
  type QueueName,
  type TakenDeadLetter,
} from '../../ports/dead-letters.ts';
import { subjectOf } from '../../schema/messages/dead-letter-subject.ts';
import type { Deps } from '../process/deps.ts';
import { retryOnConflict } from '../../store/retry-on-conflict.ts';

export type DeadLetterPorts = { readonly dead: DeadQueues; readonly deadLetters: DeadLetterStore };

/** As long as SQS itself would keep them. */
const KEPT_MS = 14 * 86_400_000;
/** Ten messages each; the next minute's sweep takes the rest. */
const ROUNDS_MAX = 10;
/** A longer body is cut: a row must not grow to the size of a message. */
const BODY_MAX_CHARS = 16_000;
const REASON_MAX_CHARS = 1_000;
const TRIES_MAX = 20;

/**
 * Empties the dead-letter queues: every dead letter becomes a row that users can list, its Job gets an Event, and the Job is
 * woken with a look-up of all its attempts, so that nothing waits for what the message said. Only then is the message removed;
 * if the process dies before, it is reported once more. Resolves to the number of dead letters.
 *
 * Receiving from an empty queue is one request, the cheapest there is: asking for the queue's length would cost as much.
 */
export async function sweepDeadLetters(ports: DeadLetterPorts, deps: Deps): Promise<number> {
  const woken = new Set<JobUid>();
  let swept = 0;
  for (const queue of QUEUE_NAMES) {
    try {
      for (let round = 0; round < ROUNDS_MAX; round++) {
        const count = await sweepSome(queue, woken, ports, deps);
        if (count === 0) break;
        swept += count;
      }
    } catch (error) {
      // Its messages stay and come again; the other queues must not wait for it.
      deps.telemetry.warn('dead letters not filed', { queue, error: String(error) });
    }
  }
  return swept;
}

async function sweepSome(
  queue: QueueName,
  woken: Set<JobUid>,
  { dead, deadLetters }: DeadLetterPorts,
  deps: Deps,
): Promise<number> {
  const taken = await dead.take(queue);
  if (taken.length === 0) return 0;
  deps.telemetry.count('DeadLetters', taken.length);
  const filedAt = deps.clock.now();
  const filed: { deadLetter: TakenDeadLetter; job: JobUid | null }[] = [];
  await Promise.all(
    taken.map(async (deadLetter) => {
      // A submission is a stranger's text, and is about no Job that exists.
      const job = queue === 'submit' ? null : subjectOf(deadLetter.body, GROUP_PREFIX);
      try {
        await deadLetters.file([rowOf(deadLetter, job, filedAt)], plusMs(filedAt, KEPT_MS));
        filed.push({ deadLetter, job });
      } catch (error) {
        // It stays and comes again; the others must not wait for it.
        deps.telemetry.warn('dead letter not filed', { queue, id: deadLetter.id, error: String(error) });
      }
    }),
  );
  const withoutEvent = new Set<JobUid>();
  for (const [job, groups] of byJob(filed)) {
    try {
      await addEvents(job, groups, woken, deps);
    } catch (error) {
      withoutEvent.add(job);
      deps.telemetry.warn('dead letters not reported to their Job', { job, error: String(error) });
    }
  }
  const done = filed.filter(({ job }) => job === null || !withoutEvent.has(job));
  await dead.remove(
    queue,
    done.map(({ deadLetter }) => deadLetter.receipt),
  );
  return done.length;
}

const rowOf = (
  { queue, id, body, reason, sentAt, refusal }: DeadLetter,
  job: JobUid | null,
  filedAt: StoredDeadLetter['filedAt'],
) => ({
  queue,
  id,
  body: body.slice(0, BODY_MAX_CHARS),
  reason: reason.slice(0, REASON_MAX_CHARS),
  sentAt,
  job,
  filedAt,
  ...(refusal === undefined ? {} : { refusal }),
});

/** What to report to each Job. */
function byJob(
  filed: readonly { readonly deadLetter: DeadLetter; readonly job: JobUid | null }[],
): ReadonlyMap<JobUid, readonly DeadLetterGroup[]> {
  const jobs = new Map<JobUid, Map<string, DeadLetterGroup>>();
  for (const { deadLetter, job } of filed) {
    if (job === null) continue;
    const asides = jobs.get(job) ?? new Map<string, DeadLetterGroup>();
    const { queue, reason } = deadLetter;
    asides.set(reason, { queue, reason, count: (asides.get(reason)?.count ?? 0) + 1 });
    jobs.set(job, asides);
  }
  return new Map([...jobs].map(([job, asides]) => [job, [...asides.values()]]));
}

/** A commit like any other, so that no pass decides without it; the next pass publishes it. */
async function addEvents(
  uid: JobUid,
  groups: readonly DeadLetterGroup[],
  woken: Set<JobUid>,
  deps: Deps,
): Promise<void> {
  const added = await retryOnConflict(`Job ${uid}`, TRIES_MAX, async () => {
    const status = await deps.jobs.readStatus(uid);
    if (status === null) return 'gone';
    const next = withDeadLetterEvents(status, groups, deps.clock.now());
    // A deleted Job has no users to report to, but its tasks may still have to be stopped.
    if (next === null) return 'done';
    return (await deps.jobs.commitPass(uid, next, [])).kind === 'committed' ? 'done' : 'conflict';
  });
  if (added === 'gone' || woken.has(uid)) return;
  await deps.queues.wake([{ uid, delaySec: 0, inspect: true }]);
  woken.add(uid);
}
