import { failureOf } from '../../../../cli/client/job-end.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EpochMs } from '../../../domain/base/time.ts';
import { backfillJob, slotName } from '../domain/job-of-slot.ts';
import { type Job, JobSchema } from '../../../../cli/client/api-objects.ts';
import type { CronJob } from './api-objects-of-schedules.ts';
import { type KubeClient, jobsPath, readAs } from '../../../../cli/client/kube-client.ts';
import { ApiFailure, Failure } from '../../../../cli/shell/failure.ts';
import { followJob, isPassing } from '../../../../cli/follow/follow-job.ts';
import { onOneLine } from '../../../../cli/text/table.ts';
import { type SlotStanding, openSlots, standingOfSlot } from './backfill-slots.ts';

export type BackfillContext = {
  readonly cron: CronJob;
  readonly client: KubeClient;
  /** A restarted server may have a new address. */
  readonly reconnect: () => Promise<KubeClient>;
  /** Aborted: creates nothing more, and leaves what runs. */
  readonly stop: AbortController;
  readonly now: () => number;
  readonly onWarning: (text: string) => void;
};

const LOOKS_AT_ONCE = 8;
const TRY_AGAIN_MS = 1_000;
const GIVE_UP_MS = 60_000;

/** What has become of each slot so far. */
export async function lookAtSlots(
  slots: readonly EpochMs[],
  context: BackfillContext,
  onLook: (done: number) => void,
): Promise<readonly SlotStanding[]> {
  const found = new Map<EpochMs, SlotStanding>();
  await forEachOf(slots, LOOKS_AT_ONCE, context.stop, async (slot) => {
    found.set(slot, await lookAt(slot, context));
    onLook(found.size);
  });
  return slots.flatMap((slot) => found.get(slot) ?? []);
}

async function lookAt(slot: EpochMs, { cron, client }: BackfillContext): Promise<SlotStanding> {
  const { name, namespace } = cron.metadata;
  return standingOfSlot(name, slot, await readJob(jobsPath(namespace, slotName(name, slot)), client));
}

async function readJob(path: string, client: KubeClient): Promise<Job | null> {
  try {
    return readAs(JobSchema, await client.get(path), client.target);
  } catch (error) {
    if (error instanceof ApiFailure && error.status.code === 404) return null;
    throw error;
  }
}

/**
 * Creates the Jobs that are missing, at most `parallel` at a time, and waits for each to end. A Job that fails does not stop the
 * others; one that the server refuses does, because it would refuse all of them.
 *
 * @param onChange hears of each slot that has another state
 */
export async function runSlots(
  standings: readonly SlotStanding[],
  parallel: number,
  context: BackfillContext,
  onChange: (standing: SlotStanding) => void,
): Promise<void> {
  await forEachOf(openSlots(standings), parallel, context.stop, async (before) => {
    const { job, standing } = await startSlot(before.slot, context);
    onChange(standing);
    if (job !== null && standing.state === 'running') onChange(await endOfSlot(standing, job.metadata.uid, context));
  });
}

async function startSlot(
  slot: EpochMs,
  context: BackfillContext,
): Promise<{ readonly job: Job | null; readonly standing: SlotStanding }> {
  const { cron, stop, now } = context;
  const { name, namespace, uid } = cron.metadata;
  const manifest = manifestOf(cron, uid, slot);
  const path = jobsPath(namespace, manifest.metadata.name);
  let { client } = context;
  // An answer that got lost changes nothing: the name is the slot's, so the Job is there once.
  for (const sinceMs = now(); ; ) {
    try {
      const job = (await readJob(path, client)) ?? (await create(manifest, client, context));
      if (job !== null) return { job, standing: { ...standingOfSlot(name, slot, job), isOld: false } };
    } catch (error) {
      if (!isPassing(error) || now() - sinceMs >= GIVE_UP_MS) throw error;
      await sleep(TRY_AGAIN_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      client = await context.reconnect().catch(() => client);
    }
    if (stop.signal.aborted) return { job: null, standing: standingOfSlot(name, slot, null) };
  }
}

/** null: somebody else has created it just now. */
async function create(manifest: object, client: KubeClient, { cron, onWarning }: BackfillContext): Promise<Job | null> {
  try {
    const { object, warnings } = await client.create(jobsPath(cron.metadata.namespace), manifest);
    for (const warning of warnings) onWarning(warning);
    return readAs(JobSchema, object, client.target);
  } catch (error) {
    if (error instanceof ApiFailure && error.status.reason === 'AlreadyExists') return null;
    throw error;
  }
}

/** Without a time to live: a Job that is gone would be created again when the command is repeated. */
function manifestOf(cron: CronJob, uid: string, slot: EpochMs) {
  const manifest = backfillJob(cron, uid, slot);
  const { ttlSecondsAfterFinished: _ttl, ...spec } = manifest.spec;
  return { ...manifest, spec };
}

async function endOfSlot(running: SlotStanding, uid: string, context: BackfillContext): Promise<SlotStanding> {
  const { client, reconnect, now, stop, cron } = context;
  const followed = { namespace: cron.metadata.namespace, name: running.job, uid };
  const options = { client, reconnect, now, signal: stop.signal, onProgress: () => undefined, verdictOnly: true };
  const ending = await followJob(followed, options);
  switch (ending.kind) {
    case 'complete':
      return { ...running, state: 'complete' };
    case 'failed':
      return { ...running, state: 'failed', message: onOneLine(failureOf(ending.job)) };
    case 'deleted':
      return { ...running, state: 'deleted' };
    case 'aborted':
      return running;
    case 'unreachable':
      throw new Failure(ending.reason);
  }
}

/** Does something with each, some at a time, until all are done, one throws, or `stop` is aborted. */
async function forEachOf<T>(
  items: readonly T[],
  atOnce: number,
  stop: AbortController,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const item of { [Symbol.iterator]: () => rest }) {
      if (stop.signal.aborted) return;
      try {
        await act(item);
      } catch (error) {
        stop.abort();
        throw error;
      }
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: Math.min(atOnce, items.length) }, work));
  for (const each of settled) if (each.status === 'rejected') throw each.reason;
}
