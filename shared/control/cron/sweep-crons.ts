import { type EpochMs, plusMs } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import { deleteJob } from '../lifecycle/job-changes.ts';
import type { Deps } from '../process/deps.ts';
import { armCron } from '../lifecycle/arm-cron.ts';

const PAGE = 100;
const JOBS_PAGE = 1_000;
/** The sweep of the next minute takes what is due later. */
const AHEAD_MS = 60_000;
/** A queue keeps its messages. Were those of a queue that is behind sent again each time, it would fall behind further. */
const AGAIN_MS = 90_000;

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
    const unsent = page.crons.filter(({ uid, alarmAt }) => {
      const last = cache.cronWakes.get(uid);
      return last?.alarmAt !== alarmAt || now >= plusMs(last.at, AGAIN_MS);
    });
    const delaySecTo = (at: EpochMs): number => Math.max(0, Math.floor((at - now) / 1000));
    if (unsent.length > 0)
      await queues.wakeCrons(unsent.map(({ uid, alarmAt }) => ({ cron: uid, delaySec: delaySecTo(alarmAt) })));
    for (const { uid, alarmAt } of unsent) cache.cronWakes.set(uid, { alarmAt, at: now });
    woken += unsent.length;
    after = page.next;
  } while (after !== null);
  return woken;
}

/**
 * Gives a scheduler to each CronJob that has none, because a Muster without schedules has stored it. At a start, and daily. Returns
 * the uids of all CronJobs.
 */
export async function adoptCrons(deps: Deps): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Deps['objects']['list']>> = await deps.objects.list('CronJob', {
      namespace: null,
      after,
      limit: PAGE,
    });
    await Promise.all(
      page.objects.map(async ({ key, document: { metadata } }) => {
        known.add(metadata.uid);
        if ((await deps.crons.read(metadata.uid)) === null) await armCron(metadata.uid, key, deps);
      }),
    );
    after = page.next;
  } while (after !== null);
  return known;
}

/**
 * Deletes Jobs whose CronJob is gone, as Kubernetes' garbage collector does: one may have been created while its CronJob was being
 * deleted. Adopts CronJobs on the way. Daily.
 */
export async function collectOrphans(deps: Deps): Promise<void> {
  const owned = await ownedJobs(deps);
  const known = await adoptCrons(deps);
  const strays = owned.filter(({ ownerUid }) => !known.has(ownerUid));
  for (let i = 0; i < strays.length; i += PAGE)
    await Promise.all(strays.slice(i, i + PAGE).map(({ uid }) => deleteOrphan(uid, deps)));
}

type OwnedJob = { readonly uid: JobUid; readonly ownerUid: string };

async function ownedJobs({ jobs }: Deps): Promise<readonly OwnedJob[]> {
  const owned: OwnedJob[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Deps['jobs']['listJobs']>> = await jobs.listJobs({
      namespace: null,
      after,
      limit: JOBS_PAGE,
    });
    for (const { uid, ownerUid } of page.jobs) if (ownerUid !== null) owned.push({ uid, ownerUid });
    after = page.next;
  } while (after !== null);
  return owned;
}

/** Its owner may be of another kind, or not the only one. */
async function deleteOrphan(uid: JobUid, deps: Deps): Promise<void> {
  const spec = await deps.jobs.readSpec(uid);
  const owners = spec?.manifest.metadata.ownerReferences ?? [];
  const [only] = owners;
  if (spec === null || only === undefined || owners.length > 1) return;
  if (only.kind !== 'CronJob' || !only.apiVersion.startsWith('batch/')) return;
  const key = { namespace: spec.identity.namespace, name: only.name };
  const found = await deps.objects.read('CronJob', key);
  if (found?.document.metadata.uid !== only.uid) await deleteJob(uid, deps);
}
