import { type EpochMs, asTime } from '../../domain/base/time.ts';
import type { OwnerKind } from '../../domain/kinds/api-kinds.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import { FOREGROUND_DELETION } from '../../domain/manifests/job.ts';
import type { DeletedOwner, FinishedOwner } from '../../ports/owner-commands.ts';
import { isPlain } from '../../ports/job-store.ts';
import type { StoredDocument, StoredObject } from '../../ports/object-store.ts';
import { retryOnConflict } from '../../store/retry-on-conflict.ts';
import type { Deps } from '../process/deps.ts';
import { armCron } from './arm-cron.ts';
import { changeJob, deleteJob } from './job-changes.ts';

/** Kubernetes' finalizers for dependents; the deleting user chooses one. */
const ORPHAN = 'orphan';
const OURS: readonly string[] = [FOREGROUND_DELETION, ORPHAN];

/** How a user deletes an owner of Jobs. */
export type Propagation = 'Background' | 'Foreground' | 'Orphan';

/**
 * Deletes an object with the Jobs that it owns (Background and Foreground are the same here: Jobs first), or without them
 * (Orphan: they lose their owner). The choice is committed before the first Job changes, so a process that dies in between
 * leaves a terminating owner, and the next delete continues.
 */
export async function deleteOwner(
  kind: OwnerKind,
  seen: StoredObject,
  propagation: Propagation,
  deps: Deps,
): Promise<DeletedOwner> {
  const { key, document, version } = seen;
  await armCron(kind, document.metadata.uid, key, deps);
  const given = finalizersOf(document);
  const others = given.filter((finalizer) => !OURS.includes(finalizer));
  const isBare = others.length === 0;
  if (isBare && (await nextOwned(seen, deps)).length === 0) {
    const removed = await deps.objects.commit(kind, { key, was: version, document: null });
    return removed.kind === 'committed' ? afterwards(seen, propagation, deps) : { kind: 'lost' };
  }
  const own = propagation === 'Orphan' ? [ORPHAN] : propagation === 'Foreground' || isBare ? [FOREGROUND_DELETION] : [];
  const marked = terminating(document, [...others, ...own], deps.clock.now());
  if (marked === document) return finishOwner(kind, seen, deps);
  const committed = await deps.objects.commit(kind, { key, was: version, document: marked });
  if (committed.kind !== 'committed') return { kind: 'lost' };
  return finishOwner(kind, { ...seen, version: committed.version, document: marked }, deps);
}

/** A user who changes an owner while it is being deleted succeeds within a few tries. */
const TRIES_MAX = 10;

/**
 * Does what remains for an owner that is being deleted, and removes it once no other finalizer holds it. To be called after
 * each change of such an object; idempotent.
 */
export async function finishOwner(kind: OwnerKind, terminatingOne: StoredObject, deps: Deps): Promise<FinishedOwner> {
  const { uid } = terminatingOne.document.metadata;
  let seen = terminatingOne;
  return retryOnConflict(`${kind} ${uid}`, TRIES_MAX, async () => {
    const given = finalizersOf(seen.document);
    const others = given.filter((finalizer) => !OURS.includes(finalizer));
    if (others.length > 0 && others.length === given.length) return { kind: 'terminating', object: seen };
    const propagation = given.includes(ORPHAN) ? 'Orphan' : 'Background';
    await releaseJobs(seen, propagation, deps);
    const document = others.length === 0 ? null : withFinalizers(seen.document, others);
    const committed = await deps.objects.commit(kind, { key: seen.key, was: seen.version, document });
    if (committed.kind === 'committed') {
      if (document === null) return afterwards(seen, propagation, deps);
      return { kind: 'terminating', object: { ...seen, version: committed.version, document } };
    }
    const now = await deps.objects.read(kind, seen.key);
    if (now === null || now.document.metadata.uid !== uid) return { kind: 'deleted' };
    seen = now;
    return 'conflict';
  });
}

/** A Job may have been created for it until the moment it was gone. */
async function afterwards(
  gone: StoredObject,
  propagation: Propagation,
  deps: Deps,
): Promise<{ readonly kind: 'deleted' }> {
  await releaseJobs(gone, propagation, deps);
  await deps.crons.remove(gone.document.metadata.uid);
  return { kind: 'deleted' };
}

/** Deletes every Job that it owns; with Orphan, or if a Job has other owners, the Job only loses this one. */
async function releaseJobs(owner: StoredObject, propagation: Propagation, deps: Deps): Promise<void> {
  let after: string | null = null;
  do {
    const page: OwnedPage = await ownedPage(owner, after, deps);
    await Promise.all(page.uids.map(async (uid) => releaseJob(uid, owner.document.metadata.uid, propagation, deps)));
    after = page.next;
  } while (after !== null);
}

async function releaseJob(uid: JobUid, ownerUid: string, propagation: Propagation, deps: Deps): Promise<void> {
  await retryOnConflict(`Job ${uid}`, TRIES_MAX, async () => {
    const spec = await deps.jobs.readSpec(uid);
    const status = await deps.jobs.readStatus(uid);
    const owners = spec?.manifest.metadata.ownerReferences ?? [];
    const others = owners.filter((owner) => owner.uid !== ownerUid);
    // The row of its name keeps the original owner.
    if (spec === null || status === null || others.length === owners.length) return 'done';
    if (propagation !== 'Orphan' && others.length === 0) {
      await deleteJob(uid, deps);
      return 'done';
    }
    const { ownerReferences: _, ...metadata } = spec.manifest.metadata;
    const kept = others.length === 0 ? metadata : { ...metadata, ownerReferences: others };
    const manifest = { ...spec.manifest, metadata: kept };
    // Nobody is left who would say when its turn has come.
    const freed = isPlain(spec) ? manifest : { ...manifest, spec: { ...manifest.spec, suspend: false } };
    const extent = freed.spec.suspend === manifest.spec.suspend ? 'metadata' : 'spec';
    const changed = await changeJob({ spec, status }, { ...spec, manifest: freed }, extent, deps);
    return changed.kind === 'lost' ? 'conflict' : 'done';
  });
}

/** This many Jobs are read and deleted at a time. */
const JOBS_AT_ONCE = 20;

type OwnedPage = { readonly uids: readonly JobUid[]; readonly next: string | null };

async function ownedPage(owner: StoredObject, after: string | null, { jobs }: Deps): Promise<OwnedPage> {
  const page = await jobs.listJobs({ namespace: owner.key.namespace, after, limit: JOBS_AT_ONCE });
  const owned = page.jobs.filter(({ ownerUid }) => ownerUid === owner.document.metadata.uid);
  return { uids: owned.map(({ uid }) => uid), next: page.next };
}

/** Some of the Jobs that it owns; empty: there are none. */
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

/** The same object after its deletion was requested; repeating the request changes how, not when. */
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
