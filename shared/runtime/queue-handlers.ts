import { CAPABILITY_CHECKS } from '../capabilities/lists/checks.ts';
import { CAPABILITY_SWEEPS, HOURLY_SWEEPS } from '../capabilities/lists/sweeps.ts';
import { dispatch } from '../control/dispatch/dispatch.ts';
import { type ReconcileRequest, reconcileBatch } from '../control/reconcile/reconcile.ts';
import { sweepDeadLetters } from '../control/sweep/sweep-dead-letters.ts';
import { sweepNamespaces } from '../control/lifecycle/namespaces.ts';
import { collectOrphans, sweepCrons } from '../control/schedulers/sweep-crons.ts';
import { sweepJobs } from '../control/sweep/sweep.ts';
import { prefixAt } from '../control/sweep/sweep-definitions.ts';
import { asEpochMs } from '../domain/base/time.ts';
import type { JobUid } from '../domain/base/ids.ts';
import { GROUP_PREFIX } from '../names/env.ts';
import type { DispatchMessage } from '../ports/queues.ts';
import { type ParsedRequest, parseDispatch, parseReconcileRequest } from '../schema/messages/queue-messages.ts';
import type { Runtime } from './runtime.ts';
import { type Failure, type Message, failureOf } from './message-end.ts';
import { reconcileScheduled } from './reconcile-scheduled.ts';
import { type ScheduledEvent, scheduledHandler, sqsHandler } from './lambda-middleware.ts';
import { nextPass } from './coalescing.ts';
import { topUp } from './top-up.ts';

/** Lambda hands out ten messages at most; a full batch means that more are waiting. */
const FULL_BATCH = 10;

/** Runs passes for the Jobs that wake-ups, fact messages, and ECS events name. */
export function reconcileHandler(runtime: () => Runtime) {
  let dueAt = 0;
  return sqsHandler<ParsedRequest>({
    runtime,
    parse: (body) => parseReconcileRequest(body, GROUP_PREFIX),
    async takeMore(batch, { coalescing, facts, deps: { clock } }) {
      if (!batch.some(({ content }) => content.uid === null || content.facts.length > 0)) return [];
      const isFull = batch.length >= FULL_BATCH;
      const next = nextPass(coalescing, dueAt, clock.now(), isFull);
      dueAt = next.dueAt;
      if (next.waitMs > 0) await clock.sleep(next.waitMs);
      // A short batch that did not wait is all there is: receiving more would be a request for nothing.
      return next.waitMs > 0 || isFull ? topUp(facts, batch.length, clock) : [];
    },
    isDerived: ({ uid, ...content }) => uid === null || !('facts' in content) || content.facts.length === 0,
    work: passOver,
  });
}

/** One pass per Job over the whole batch. */
async function passOver(
  batch: readonly Message<ParsedRequest>[],
  { deps }: Runtime,
): Promise<ReadonlyMap<Message<ParsedRequest>, Failure>> {
  const failed = new Map<Message<ParsedRequest>, Failure>();
  const requests = batch.flatMap(({ content }): ReconcileRequest[] => (content.uid === null ? [] : [content]));
  const failures = new Map<JobUid, Failure>();
  for (const result of await reconcileBatch(requests, deps)) {
    if (result.kind === 'threw') failures.set(result.uid, failureOf(result.error));
  }
  for (const message of batch) {
    const { uid } = message.content;
    const failure = uid === null ? undefined : failures.get(uid);
    if (failure !== undefined) failed.set(message, failure);
  }
  await lookAtCrons(batch, failed, deps);
  return failed;
}

/** One look for each object of the batch that makes Jobs. */
async function lookAtCrons(
  batch: readonly Message<ParsedRequest>[],
  failed: Map<Message<ParsedRequest>, Failure>,
  deps: Runtime['deps'],
): Promise<void> {
  const byCron = new Map<string, Message<ParsedRequest>[]>();
  for (const message of batch) {
    const { content } = message;
    if (content.uid !== null || content.cron === undefined) continue;
    byCron.set(content.cron, [...(byCron.get(content.cron) ?? []), message]);
  }
  await Promise.all(
    [...byCron].map(async ([uid, messages]) => {
      const jobs = messages.flatMap(({ content }) => (content.uid === null ? (content.jobs ?? []) : []));
      await reconcileScheduled({ uid, jobs: [...new Set(jobs)] }, deps).catch((error: unknown) => {
        for (const message of messages) failed.set(message, failureOf(error));
      });
    }),
  );
}

/** Launches, stops, and looks up what commits have requested. */
export function dispatchHandler(runtime: () => Runtime) {
  return sqsHandler<DispatchMessage>({
    runtime,
    parse: parseDispatch,
    isDerived: () => true, // claims, stop rounds, and look-ups are in STATUS, names in the board
    async work(batch, here) {
      const deps = { ...here.deps }; // this invocation's own: its packs share requests through it
      const failed = new Map<Message<DispatchMessage>, Failure>();
      await Promise.all(
        batch.map(async (message) => {
          await dispatch(message.content, deps).catch((error: unknown) => failed.set(message, failureOf(error)));
        }),
      );
      return failed;
    },
  });
}

/** The sweep has 55 seconds in total. */
const NAMESPACES_SWEPT = { deletions: 2_000, ms: 20_000 };

/**
 * Every minute: Jobs whose alarm is due; every few minutes also what capabilities look at; in the first minute of an hour all live
 * tasks, and some task definitions. If an operator asks for `everything`, all Jobs that have an alarm, which every Job that may
 * run has, with a look-up of their tasks.
 */
export function sweepHandler(runtime: () => Runtime) {
  const checks = CAPABILITY_CHECKS.map(({ everyMin, create }) => ({ everyMin, check: create() }));
  return scheduledHandler({
    runtime,
    async work({ time, everything = false }: ScheduledEvent, { deps, deadLetters: received, logs }) {
      const everyMinute = [
        () => sweepCrons(deps),
        () => sweepJobs({ everything }, deps),
        () => sweepDeadLetters(received, deps),
        () => sweepNamespaces(deps, NAMESPACES_SWEPT),
        ...CAPABILITY_SWEEPS.map((sweep) => async () => sweep(deps)),
      ];
      // Going through all tasks may take longer than the rest of the minute, so the dispatcher does it.
      const allTasks = { kind: 'sweepTasks', after: null } as const;
      const at = new Date(time);
      const oldDefinitions = {
        kind: 'sweepDefinitions',
        prefix: prefixAt(asEpochMs(at.getTime())),
        after: null,
      } as const;
      const everyHour = [
        () => deps.queues.dispatch([allTasks, oldDefinitions], 0),
        ...HOURLY_SWEEPS.map((sweep) => async () => sweep(deps)),
      ];
      const isNewHour = at.getUTCMinutes() === 0;
      const everyDay = [() => collectOrphans(deps)];
      await eachInTurn([
        ...everyMinute,
        ...(isNewHour ? everyHour : []),
        ...(isNewHour && at.getUTCHours() === 0 ? everyDay : []),
        ...checks
          .filter(({ everyMin }) => at.getUTCMinutes() % everyMin === 0)
          .map(
            ({ check }) =>
              () =>
                check(deps, logs),
          ),
      ]);
    },
  });
}

/** Runs all parts even if one throws; then throws the first error. */
async function eachInTurn(parts: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const part of parts) await part().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
