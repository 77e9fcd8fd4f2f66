import { type JobUid, plusMs } from '../domain/brand.ts';
import { type SetAside, withSetAside } from '../domain/set-aside.ts';
import { GROUP_PREFIX } from '../names/env.ts';
import {
  type DeadLetter,
  type DeadQueues,
  type FiledLetter,
  type LetterFile,
  QUEUE_NAMES,
  type QueueName,
  type TakenLetter,
} from '../ports/dead-letters.ts';
import { subjectOf } from '../schema/letter-subject.ts';
import type { Deps } from './deps.ts';

export type LetterPorts = { readonly dead: DeadQueues; readonly letters: LetterFile };

/** As long as SQS itself would keep them. */
const KEPT_MS = 14 * 86_400_000;
/** Ten letters each: what is over that is the next minute's. */
const ROUNDS_MAX = 10;
/** Of a longer one the rest is dropped: a row must not grow to what a message may be. */
const BODY_MAX_CHARS = 16_000;
const REASON_MAX_CHARS = 1_000;
const TRIES_MAX = 20;

/**
 * Empties the dead-letter queues: every letter becomes a row that people can list, the Job that it was about is told by
 * an Event, and that Job is woken and all its attempts are looked up, so that nothing waits for what the message said.
 * Only then is it removed; should we die before, it is told once more. Resolves to the number of letters.
 *
 * One look at an empty queue is one request, the cheapest there is: asking how many there are would cost as much.
 */
export async function sweepDeadLetters(ports: LetterPorts, deps: Deps): Promise<number> {
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
      // They stay where they are and come again; the other queues' must not wait for that.
      deps.telemetry.warn('dead letters not filed', { queue, error: String(error) });
    }
  }
  return swept;
}

async function sweepSome(
  queue: QueueName,
  woken: Set<JobUid>,
  { dead, letters }: LetterPorts,
  deps: Deps,
): Promise<number> {
  const taken = await dead.take(queue);
  if (taken.length === 0) return 0;
  deps.telemetry.count('DeadLetters', taken.length);
  const filedAt = deps.clock.now();
  const filed: { letter: TakenLetter; job: JobUid | null }[] = [];
  await Promise.all(
    taken.map(async (letter) => {
      const job = subjectOf(letter.body, GROUP_PREFIX);
      try {
        await letters.file([rowOf(letter, job, filedAt)], plusMs(filedAt, KEPT_MS));
        filed.push({ letter, job });
      } catch (error) {
        // It stays where it is and comes again; the others must not wait for that.
        deps.telemetry.warn('dead letter not filed', { queue, id: letter.id, error: String(error) });
      }
    }),
  );
  const untold = new Set<JobUid>();
  for (const [job, aside] of byJob(filed)) {
    try {
      await tellJob(job, aside, woken, deps);
    } catch (error) {
      untold.add(job);
      deps.telemetry.warn('dead letters not told to their Job', { job, error: String(error) });
    }
  }
  const done = filed.filter(({ job }) => job === null || !untold.has(job));
  await dead.remove(
    queue,
    done.map(({ letter }) => letter.receipt),
  );
  return done.length;
}

const rowOf = (
  { queue, id, body, reason, sentAt }: DeadLetter,
  job: JobUid | null,
  filedAt: FiledLetter['filedAt'],
) => ({
  queue,
  id,
  body: body.slice(0, BODY_MAX_CHARS),
  reason: reason.slice(0, REASON_MAX_CHARS),
  sentAt,
  job,
  filedAt,
});

/** What there is to tell to each Job. */
function byJob(
  filed: readonly { readonly letter: DeadLetter; readonly job: JobUid | null }[],
): ReadonlyMap<JobUid, readonly SetAside[]> {
  const jobs = new Map<JobUid, Map<string, SetAside>>();
  for (const { letter, job } of filed) {
    if (job === null) continue;
    const asides = jobs.get(job) ?? new Map<string, SetAside>();
    const { queue, reason } = letter;
    asides.set(reason, { queue, reason, count: (asides.get(reason)?.count ?? 0) + 1 });
    jobs.set(job, asides);
  }
  return new Map([...jobs].map(([job, asides]) => [job, [...asides.values()]]));
}

/** A commit like any other, so that no pass decides on what it has not seen; the pass that follows publishes it. */
async function tellJob(uid: JobUid, aside: readonly SetAside[], woken: Set<JobUid>, deps: Deps): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    if (attempt === TRIES_MAX) throw new Error(`Job ${uid} changed during each of ${TRIES_MAX} tries to tell it`);
    const status = await deps.jobs.readStatus(uid);
    if (status === null) return;
    const next = withSetAside(status, aside, deps.clock.now());
    // A deleted Job has nobody to tell, but its tasks may still have to be stopped.
    if (next === null || (await deps.jobs.commitPass(uid, next, [])).kind === 'committed') break;
  }
  if (woken.has(uid)) return;
  await deps.queues.wake([{ uid, delaySec: 0, inspect: true }]);
  woken.add(uid);
}
