import { plusMs } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { CronWakeUp } from '../../ports/queues.ts';
import { deleteJob } from '../lifecycle/job-changes.ts';
import type { Deps } from '../process/deps.ts';
import { armCron } from '../lifecycle/arm-cron.ts';

const PAGE = 100;
/** The sweep of the next minute takes what is due later. */
const AHEAD_MS = 60_000;

/**
 * Wakes every CronJob that is due, or will be in the next minute: a message that waits until then is there in the second in which a
 * schedule fires. Returns how many.
 */
export async function sweepCrons({ crons, queues, clock, cache }: Deps): Promise<number> {
  const now = clock.now();
  let woken = 0;
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Deps['crons']['due']>> = await crons.due({
      until: plusMs(now, AHEAD_MS),
      after,
      limit: PAGE,
    });
    const wakeUps = page.crons.flatMap(({ uid, alarmAt }): readonly CronWakeUp[] => {
      // A sweep that comes more often than once a minute has told it already.
      if (alarmAt > now && cache.cronWakes.get(uid) === alarmAt) return [];
      cache.cronWakes.set(uid, alarmAt);
      return [{ cron: uid, delaySec: Math.max(0, Math.floor((alarmAt - now) / 1000)) }];
    });
    if (wakeUps.length > 0) await queues.wakeCrons(wakeUps);
    woken += wakeUps.length;
    after = page.next;
  } while (after !== null);
  return woken;
}

/** Gives a scheduler to each CronJob that has none: it was stored by a Muster that had no schedules. Daily, and at a start. */
export async function adoptCrons(deps: Deps): Promise<void> {
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Deps['objects']['list']>> = await deps.objects.list('CronJob', {
      namespace: null,
      after,
      limit: PAGE,
    });
    for (const { key, document } of page.objects)
      if ((await deps.crons.read(document.metadata.uid)) === null) await armCron(document.metadata.uid, key, deps);
    after = page.next;
  } while (after !== null);
}

/**
 * Deletes Jobs whose CronJob is gone, as Kubernetes' garbage collector does: one may have been created while its CronJob was being
 * deleted. Daily.
 */
export async function collectOrphans(deps: Deps): Promise<void> {
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Deps['jobs']['listJobs']>> = await deps.jobs.listJobs({
      namespace: null,
      after,
      limit: PAGE,
    });
    for (const { uid, ownerUid } of page.jobs) if (ownerUid !== null) await deleteOrphan(uid, deps);
    after = page.next;
  } while (after !== null);
}

async function deleteOrphan(uid: JobUid, deps: Deps): Promise<void> {
  const spec = await deps.jobs.readSpec(uid);
  const owners = spec?.manifest.metadata.ownerReferences ?? [];
  const [only] = owners;
  if (spec === null || only === undefined || owners.length > 1 || only.kind !== 'CronJob') return;
  const key = { namespace: spec.identity.namespace, name: only.name };
  const found = await deps.objects.read('CronJob', key);
  if (found?.document.metadata.uid !== only.uid) await deleteJob(uid, deps);
}
