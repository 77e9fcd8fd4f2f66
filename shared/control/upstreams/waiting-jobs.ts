import type { JobUid } from '../../domain/base/ids.ts';
import { plusMs } from '../../domain/base/time.ts';
import type { JobIdentity } from '../../domain/manifests/job.ts';
import { noteAwaited } from '../../domain/upstreams/awaited.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { Waiter } from '../../ports/waiters.ts';
import { retryOnConflict } from '../../store/retry-on-conflict.ts';
import { toJob } from '../../store/to-job.ts';
import type { Deps } from '../process/deps.ts';

/** A Job that waits for longer is not woken any more, but looks again by itself. */
const NOTED_MS = 30 * 86_400_000;
/** Passes over the other Job commit a few times per second. */
const TRIES_MAX = 20;

/** What a Job waits for, as rows; empty: it waits for no other. */
function waitersOf(spec: StoredSpec): readonly Waiter[] {
  const { namespace, uid, name } = spec.identity;
  const { after, afterIndexes, managed } = toJob(spec).spec;
  if (!managed) return [];
  const waiter = (upstream: string, byIndex: boolean): Waiter => ({ namespace, upstream, uid, name, byIndex });
  return [...after.map((each) => waiter(each.name, false)), ...afterIndexes.map((each) => waiter(each.name, true))];
}

/** Notes for whom a Job waits, before it is stored. Safe to repeat. */
export async function noteWaits(spec: StoredSpec, { waiters, clock }: Pick<Deps, 'waiters' | 'clock'>): Promise<void> {
  const noted = waitersOf(spec);
  if (noted.length > 0) await waiters.add(noted, plusMs(clock.now(), NOTED_MS));
}

/** It waits for nobody any more. Safe to repeat. */
export async function forgetWaits(spec: StoredSpec, { waiters }: Pick<Deps, 'waiters'>): Promise<void> {
  const noted = waitersOf(spec);
  if (noted.length > 0) await waiters.remove(noted);
}

/**
 * Wakes the Jobs that wait for this one. Where that is lost, they look again by themselves.
 *
 * @param which `byIndex`: those whose indexes wait for its indexes
 */
export async function wakeWaiting(
  { namespace, name }: Pick<JobIdentity, 'namespace' | 'name'>,
  which: 'all' | 'byIndex',
  { waiters, queues }: Pick<Deps, 'waiters' | 'queues'>,
): Promise<void> {
  const waiting = (await waiters.list(namespace, name)).filter(({ byIndex }) => which === 'all' || byIndex);
  const uids = [...new Set(waiting.map(({ uid }) => uid))];
  if (uids.length > 0) await queues.wake(uids.map((uid) => ({ uid, delaySec: 0 })));
}

/** Tells a Job that indexes wait for its indexes: from now on, each of its successes wakes them. */
export async function tellAwaited(uid: JobUid, { jobs }: Pick<Deps, 'jobs'>): Promise<void> {
  await retryOnConflict(`Job ${uid}`, TRIES_MAX, async () => {
    const status = await jobs.readStatus(uid);
    const noted = status === null ? null : noteAwaited(status);
    if (noted === null) return 'done';
    return (await jobs.commitPass(uid, noted, [])).kind === 'lost' ? 'conflict' : 'done';
  });
}
