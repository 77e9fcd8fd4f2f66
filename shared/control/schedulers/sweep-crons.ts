import { type EpochMs, plusMs } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import { API_KINDS, OWNERS, type OwnerKind } from '../../domain/kinds/api-kinds.ts';
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
 * Wakes every object that makes Jobs and is due, or will be in the next minute: a message that waits until then is there in the
 * second in which a schedule fires. Returns how many.
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

const ALL_OWNERS: readonly OwnerKind[] = OWNERS.map(({ name }) => name);

/**
 * Gives a scheduler to each object that makes Jobs and has none, because a Muster without schedules has stored it. At a start, and
 * daily. Returns all of them by {@link inNamespace}: their uids count in their own namespaces only.
 */
export async function adoptCrons(deps: Deps, kinds = ALL_OWNERS): Promise<ReadonlyMap<string, OwnerKind>> {
  const known = new Map<string, OwnerKind>();
  for (const kind of kinds) await adopt(kind, known, deps);
  return known;
}

async function adopt(kind: OwnerKind, known: Map<string, OwnerKind>, deps: Deps): Promise<void> {
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Deps['objects']['list']>> = await deps.objects.list(kind, {
      namespace: null,
      after,
      limit: PAGE,
    });
    await Promise.all(
      page.objects.map(async ({ key, document: { metadata } }) => {
        known.set(inNamespace(key.namespace, metadata.uid), kind);
        if ((await deps.crons.read(metadata.uid)) === null) await armCron(kind, metadata.uid, key, deps);
      }),
    );
    after = page.next;
  } while (after !== null);
}

const inNamespace = (namespace: string, uid: string): string => `${namespace}/${uid}`;

/**
 * Deletes Jobs whose owner is gone, as Kubernetes' garbage collector does: one may have been created while its owner
 * was being deleted. Adopts owners on the way. Daily.
 */
export async function collectOrphans(deps: Deps, kinds = ALL_OWNERS): Promise<void> {
  const owned = await ownedJobs(deps);
  const known = await adoptCrons(deps, kinds);
  await remindOfJobs(owned, known, deps);
  const strays = owned.filter(({ owner }) => !known.has(owner));
  for (let i = 0; i < strays.length; i += PAGE)
    await Promise.all(strays.slice(i, i + PAGE).map(({ uid }) => deleteOrphan(uid, deps)));
}

/** A Job may wait without a place, if its request was too late for its place and then died. */
async function remindOfJobs(
  owned: readonly OwnedJob[],
  known: ReadonlyMap<string, OwnerKind>,
  { queues }: Deps,
): Promise<void> {
  const byOwner = new Map<string, JobUid[]>();
  for (const { uid, owner, ownerUid } of owned)
    if (hasPlaces(known.get(owner))) byOwner.set(ownerUid, [...(byOwner.get(ownerUid) ?? []), uid]);
  for (const [cron, jobs] of byOwner)
    for (let i = 0; i < jobs.length; i += PAGE)
      await queues.wakeCrons([{ cron, delaySec: 0, jobs: jobs.slice(i, i + PAGE) }]);
}

const hasPlaces = (kind: OwnerKind | undefined): boolean =>
  OWNERS.find(({ name }) => name === kind)?.ownsJobs === 'places';

/** `owner`: where {@link adoptCrons} would have it. */
type OwnedJob = { readonly uid: JobUid; readonly ownerUid: string; readonly owner: string };

async function ownedJobs({ jobs }: Deps): Promise<readonly OwnedJob[]> {
  const owned: OwnedJob[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Deps['jobs']['listJobs']>> = await jobs.listJobs({
      namespace: null,
      after,
      limit: JOBS_PAGE,
    });
    for (const { namespace, uid, ownerUid } of page.jobs)
      if (ownerUid !== null) owned.push({ uid, ownerUid, owner: inNamespace(namespace, ownerUid) });
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
  const kind = ALL_OWNERS.find((each) => only.kind === each && only.apiVersion.startsWith(`${API_KINDS[each].group}/`));
  if (kind === undefined) return;
  const key = { namespace: spec.identity.namespace, name: only.name };
  const found = await deps.objects.read(kind, key);
  if (found?.document.metadata.uid !== only.uid) await deleteJob(uid, deps);
}
