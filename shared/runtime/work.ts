import { dispatch } from '../control/dispatch.ts';
import { type Look, reconcileBatch } from '../control/reconcile.ts';
import { sweepDeadLetters } from '../control/dead-letters.ts';
import { sweepHosts, sweepStrangeNames } from '../control/hosts-sweep.ts';
import { sweepNamespaces } from '../control/namespaces.ts';
import { sweepJobs } from '../control/sweep.ts';
import type { JobUid } from '../domain/brand.ts';
import { GROUP_PREFIX } from '../names/env.ts';
import type { DispatchMessage } from '../ports/queues.ts';
import { type ParsedLook, parseDispatch, parseLook } from '../schema/queue-messages.ts';
import type { Received } from '../adapters/aws/sqs-inbox.ts';
import type { Runtime } from './runtime.ts';
import {
  type Failure,
  type Letter,
  type ScheduledEvent,
  buryOrRetry,
  reasonOf,
  scheduledHandler,
  sqsHandler,
} from './stack.ts';
import { topUp } from './top-up.ts';

/** Lambda hands out ten messages at most; so many say that more are waiting. */
const FULL_BATCH = 10;

/** Passes over the Jobs that wake-ups, fact messages and ECS events name. */
export function reconcileHandler(runtime: () => Runtime) {
  let lastPassAt = 0;
  return sqsHandler<ParsedLook>({
    runtime,
    parse: (body) => parseLook(body, GROUP_PREFIX),
    async work(batch, here) {
      const { clock } = here.deps;
      let extra: readonly Received[] = [];
      if (batch.some(({ message }) => message.uid === null || message.facts.length > 0)) {
        const waitMs =
          batch.length < FULL_BATCH ? Math.min(here.coalesceMs, lastPassAt + here.coalesceMs - clock.now()) : 0;
        lastPassAt = clock.now() + Math.max(0, waitMs); // so that of two that wait one comes after the other
        if (waitMs > 0) await clock.sleep(waitMs);
        // A short batch after a quiet time is all that there is: asking for more would be a request for nothing.
        if (waitMs > 0 || batch.length >= FULL_BATCH) extra = await topUp(here.facts, batch.length, clock);
      }
      return passOver(batch, extra, here);
    },
  });
}

/** One pass a Job over all that was handed out and taken; of what was taken, what succeeded is removed here. */
async function passOver(
  batch: readonly Letter<ParsedLook>[],
  extra: readonly Received[],
  runtime: Runtime,
): Promise<readonly Failure[]> {
  const taken = await parseTaken(extra, runtime);
  const looks = [...batch, ...taken].flatMap(({ message }): Look[] => (message.uid === null ? [] : [message]));
  const reasons = new Map<JobUid, string>();
  for (const result of await reconcileBatch(looks, runtime.deps)) {
    if (result.kind === 'threw') reasons.set(result.uid, reasonOf(result.error));
  }
  const reasonFor = ({ uid }: ParsedLook): string | null => (uid === null ? null : (reasons.get(uid) ?? null));
  await settleTaken(taken, reasonFor, runtime);
  return batch.flatMap(({ id, message }) => {
    const reason = reasonFor(message);
    return reason === null ? [] : [{ id, reason }];
  });
}

type Taken = { readonly letter: Received; readonly message: ParsedLook };

async function parseTaken(extra: readonly Received[], runtime: Runtime): Promise<readonly Taken[]> {
  const taken: Taken[] = [];
  for (const letter of extra) {
    try {
      taken.push({ letter, message: parseLook(letter.body, GROUP_PREFIX) });
    } catch (error) {
      const fate = await buryOrRetry({
        letter,
        reason: reasonOf(error),
        why: 'refused',
        inbox: runtime.facts,
        runtime,
      });
      if (fate === 'buried') await removeSafely([letter], runtime);
    }
  }
  return taken;
}

async function settleTaken(
  taken: readonly Taken[],
  reasonFor: (message: ParsedLook) => string | null,
  runtime: Runtime,
): Promise<void> {
  const done: Received[] = [];
  await Promise.all(
    taken.map(async ({ letter, message }) => {
      const reason = reasonFor(message);
      const fate =
        reason === null ? 'done' : await buryOrRetry({ letter, reason, why: 'failed', inbox: runtime.facts, runtime });
      if (fate !== 'again') done.push(letter);
    }),
  );
  await removeSafely(done, runtime);
}

/** A message that stays comes again, and tells what the board knows already. */
async function removeSafely(letters: readonly Received[], { facts, deps }: Runtime): Promise<void> {
  try {
    await facts.remove(letters.map(({ receipt }) => receipt));
  } catch (error) {
    deps.telemetry.warn('messages not removed', { count: letters.length, error: reasonOf(error) });
  }
}

/** Launches, stops and looks up what commits have asked for. */
export function dispatchHandler(runtime: () => Runtime) {
  return sqsHandler<DispatchMessage>({
    runtime,
    parse: parseDispatch,
    async work(batch, here) {
      const deps = { ...here.deps }; // this invocation's own: what its packs share, they ask for once
      const results = await Promise.allSettled(batch.map(({ message }) => dispatch(message, deps)));
      return results.flatMap((result, i): Failure[] => {
        const id = batch[i]?.id;
        return result.status === 'fulfilled' || id === undefined ? [] : [{ id, reason: reasonOf(result.reason) }];
      });
    },
  });
}

/** The sweep has 55 seconds in all. */
const NAMESPACES_SWEPT = { deletions: 2_000, ms: 20_000 };

/** Every minute: Jobs whose alarm is due; in the first minute of an hour also all live tasks. */
export function sweepHandler(runtime: () => Runtime) {
  return scheduledHandler({
    runtime,
    async work({ time }: ScheduledEvent, { deps, letters }) {
      const everyMinute = [
        () => sweepJobs({ everything: false }, deps),
        () => sweepDeadLetters(letters, deps),
        () => sweepNamespaces(deps, NAMESPACES_SWEPT),
        () => sweepHosts(deps),
      ];
      // Going through all tasks may take longer than is left of the minute: it is the dispatcher's.
      const allTasks = { kind: 'sweepTasks', after: null } as const;
      const everyHour = [() => deps.queues.dispatch([allTasks], 0), () => sweepStrangeNames(deps)];
      await eachInTurn(new Date(time).getUTCMinutes() === 0 ? [...everyMinute, ...everyHour] : everyMinute);
    },
  });
}

/** Does all, whatever one of them throws; then throws the first of that. */
async function eachInTurn(parts: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const part of parts) await part().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
