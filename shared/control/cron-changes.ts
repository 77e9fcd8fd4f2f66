import { type EpochMs, type JobUid, asTime } from '../domain/brand.ts';
import { FOREGROUND_DELETION } from '../domain/job.ts';
import type { StoredDocument, StoredObject } from '../ports/object-store.ts';
import type { Deps } from './deps.ts';
import { changeJob, deleteJob } from './job-changes.ts';

export type CronJobDeletion =
  | { readonly kind: 'deleted' }
  /** A finalizer of somebody else's holds it: it is shown until that is removed. */
  | { readonly kind: 'terminating'; readonly object: StoredObject }
  /** Somebody has changed it since it was seen; nothing was done. */
  | { readonly kind: 'lost' };

/** Kubernetes' finalizers for what becomes of dependents; whoever deletes says which of them is wanted. */
const ORPHAN = 'orphan';
const OURS: readonly string[] = [FOREGROUND_DELETION, ORPHAN];

/**
 * Deletes a CronJob with the Jobs that it owns (Background and Foreground are the same here: they go first), or without
 * them (Orphan: they lose their owner). What is to be done is committed before the first Job is touched, so whoever dies
 * in between leaves a CronJob that is terminating, and the next one who deletes it goes on.
 */
export async function deleteCronJob(
  seen: StoredObject,
  propagation: 'Background' | 'Foreground' | 'Orphan',
  deps: Deps,
): Promise<CronJobDeletion> {
  const { key, document, version } = seen;
  const given = finalizersOf(document);
  const others = given.filter((finalizer) => !OURS.includes(finalizer));
  const isBare = others.length === 0;
  if (isBare && (await nextOwned(seen, deps)).length === 0) {
    const removed = await deps.objects.commit('CronJob', { key, was: version, document: null });
    return removed.kind === 'committed' ? afterwards(seen, propagation, deps) : { kind: 'lost' };
  }
  const own = propagation === 'Orphan' ? [ORPHAN] : propagation === 'Foreground' || isBare ? [FOREGROUND_DELETION] : [];
  const marked = terminating(document, [...others, ...own], deps.clock.now());
  if (marked === document) return finishCronJob(seen, deps);
  const committed = await deps.objects.commit('CronJob', { key, was: version, document: marked });
  if (committed.kind !== 'committed') return { kind: 'lost' };
  return finishCronJob({ ...seen, version: committed.version, document: marked }, deps);
}

/** A user who changes a CronJob while it is being deleted wins within a few tries. */
const TRIES_MAX = 10;

/**
 * Does what is left to do for a CronJob that is being deleted, and lets it go once nobody else holds it. To be called
 * after each change of such a CronJob; idempotent.
 */
export async function finishCronJob(
  terminatingOne: StoredObject,
  deps: Deps,
): Promise<Exclude<CronJobDeletion, { readonly kind: 'lost' }>> {
  const { uid } = terminatingOne.document.metadata;
  let seen = terminatingOne;
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const given = finalizersOf(seen.document);
    const others = given.filter((finalizer) => !OURS.includes(finalizer));
    if (others.length > 0 && others.length === given.length) return { kind: 'terminating', object: seen };
    const propagation = given.includes(ORPHAN) ? 'Orphan' : 'Background';
    await releaseJobs(seen, propagation, deps);
    const document = others.length === 0 ? null : withFinalizers(seen.document, others);
    const committed = await deps.objects.commit('CronJob', { key: seen.key, was: seen.version, document });
    if (committed.kind === 'committed') {
      if (document === null) return afterwards(seen, propagation, deps);
      return { kind: 'terminating', object: { ...seen, version: committed.version, document } };
    }
    const now = await deps.objects.read('CronJob', seen.key);
    if (now === null || now.document.metadata.uid !== uid) return { kind: 'deleted' };
    seen = now;
  }
  throw new Error(`CronJob ${uid} changed during each of ${TRIES_MAX} tries to delete it`);
}

/** A Job may have been created for it until the moment at which it was gone. */
async function afterwards(
  gone: StoredObject,
  propagation: 'Background' | 'Foreground' | 'Orphan',
  deps: Deps,
): Promise<{ readonly kind: 'deleted' }> {
  await releaseJobs(gone, propagation, deps);
  return { kind: 'deleted' };
}

/** Deletes every Job that the CronJob owns; with Orphan, and where a Job has other owners, it only loses this one. */
async function releaseJobs(
  owner: StoredObject,
  propagation: 'Background' | 'Foreground' | 'Orphan',
  deps: Deps,
): Promise<void> {
  let after: string | null = null;
  do {
    const page: OwnedPage = await ownedPage(owner, after, deps);
    await Promise.all(page.uids.map(async (uid) => releaseJob(uid, owner.document.metadata.uid, propagation, deps)));
    after = page.next;
  } while (after !== null);
}

async function releaseJob(
  uid: JobUid,
  ownerUid: string,
  propagation: 'Background' | 'Foreground' | 'Orphan',
  deps: Deps,
): Promise<void> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const spec = await deps.jobs.readSpec(uid);
    const status = await deps.jobs.readStatus(uid);
    const owners = spec?.manifest.metadata.ownerReferences ?? [];
    const others = owners.filter((owner) => owner.uid !== ownerUid);
    // The row of its name keeps the owner that it was created with.
    if (spec === null || status === null || others.length === owners.length) return;
    if (propagation !== 'Orphan' && others.length === 0) {
      await deleteJob(uid, deps);
      return;
    }
    const { ownerReferences: _, ...metadata } = spec.manifest.metadata;
    const kept = others.length === 0 ? metadata : { ...metadata, ownerReferences: others };
    const changed = await changeJob(
      { spec, status },
      { ...spec, manifest: { ...spec.manifest, metadata: kept } },
      'metadata',
      deps,
    );
    if (changed.kind !== 'lost') return;
  }
  throw new Error(`Job ${uid} changed during each of ${TRIES_MAX} tries to take its owner away`);
}

/** Jobs are read and deleted so many at a time. */
const JOBS_AT_ONCE = 20;

type OwnedPage = { readonly uids: readonly JobUid[]; readonly next: string | null };

async function ownedPage(owner: StoredObject, after: string | null, { jobs }: Deps): Promise<OwnedPage> {
  const page = await jobs.listJobs({ namespace: owner.key.namespace, after, limit: JOBS_AT_ONCE });
  const owned = page.jobs.filter(({ ownerUid }) => ownerUid === owner.document.metadata.uid);
  return { uids: owned.map(({ uid }) => uid), next: page.next };
}

/** Some of the Jobs that it owns; none: there are none. */
async function nextOwned(owner: StoredObject, deps: Deps): Promise<readonly JobUid[]> {
  let page = await ownedPage(owner, null, deps);
  while (page.uids.length === 0 && page.next !== null) page = await ownedPage(owner, page.next, deps);
  return page.uids;
}

const finalizersOf = ({ metadata }: StoredDocument): readonly string[] => {
  const given = metadata['finalizers'];
  return Array.isArray(given) ? given.filter((finalizer): finalizer is string => typeof finalizer === 'string') : [];
};

function withFinalizers(document: StoredDocument, finalizers: readonly string[]): StoredDocument {
  const { finalizers: _, ...metadata } = document.metadata;
  return { ...document, metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers } };
}

/** The same CronJob from the moment on at which its deletion was asked for; asking again changes how, not when. */
function terminating(document: StoredDocument, finalizers: readonly string[], at: EpochMs): StoredDocument {
  const held = withFinalizers(document, finalizers);
  const { metadata } = held;
  if (metadata['deletionTimestamp'] !== undefined)
    return isEqualSet(finalizersOf(document), finalizers) ? document : held;
  const generation = typeof metadata['generation'] === 'number' ? metadata['generation'] + 1 : 1;
  const deletion = { deletionTimestamp: asTime(at), deletionGracePeriodSeconds: 0, generation };
  return { ...held, metadata: { ...metadata, ...deletion } };
}

const isEqualSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each) => b.includes(each));
