import { DELETIONS } from '../../capabilities/lists/deletions.ts';
import { type EpochMs, plusMs } from '../../domain/base/time.ts';
import { FOREGROUND_DELETION } from '../../domain/manifests/job.ts';
import { awaits, isTerminating } from '../../domain/manifests/namespace.ts';
import { STORED, type StoredKind, isOwnerKind } from '../../domain/kinds/api-kinds.ts';
import type { StoredDocument, StoredObject } from '../../ports/object-store.ts';
import type { Deps } from '../process/deps.ts';
import { deleteJob } from './job-changes.ts';
import { deleteOwner } from './owner-deletion.ts';

/** How much to delete in one call, and how long it may take; the next call continues. */
export type Budget = { readonly deletions: number; readonly ms: number };

/** The rest of it. */
type RemainingBudget = { deletions: number; readonly until: EpochMs };

/** What is stored as it is shown, in the order of its deletion: what nothing depends on comes last. */
const STORED_IN_ORDER = STORED.filter(({ isNamespaced }) => isNamespaced)
  .map(({ name }) => name)
  .toReversed();

/** Concurrent deletions. */
const AT_ONCE = 8;
const PAGE = 100;
const NAMESPACES_PER_PAGE = 100;

/**
 * Deletes what is in a Terminating namespace, and the namespace itself once nothing is left. Every step is an ordinary deletion
 * of one object, so it is safe to run concurrently and to interrupt: the next call continues with whatever is left. Nothing new
 * is created in the meantime: the store refuses what is stored as it is shown, and the creator of a Job that was stored anyway
 * deletes it.
 *
 * @returns `none`: the namespace does not exist or is not being deleted; `left`: the budget is spent, or other finalizers hold
 * the rest
 */
export async function emptyNamespace(name: string, deps: Deps, budget: Budget): Promise<'removed' | 'left' | 'none'> {
  return emptyOne(name, deps, remainingOf(budget, deps));
}

async function emptyOne(name: string, deps: Deps, remaining: RemainingBudget): Promise<'removed' | 'left' | 'none'> {
  const key = { namespace: '', name };
  const found = await deps.objects.read('Namespace', key);
  if (found === null || !isTerminating(found.document)) return 'none';
  // Jobs first: each object that makes Jobs searches for its own.
  const isEmpty = [await deleteJobs(name, deps, remaining)];
  for (const kind of STORED_IN_ORDER) isEmpty.push(await deleteStored(kind, name, remaining, deps));
  if (isEmpty.includes(false) || isHeld(found.document) || awaits(found.document)) return 'left';
  const removed = await deps.objects.commit('Namespace', { key, was: found.version, document: null });
  return removed.kind === 'committed' ? 'removed' : 'left'; // it was relabeled at this moment: next time
}

/** Continues with every namespace that is being deleted. Resolves to the number of those that are gone now. */
export async function sweepNamespaces(deps: Deps, budget: Budget): Promise<number> {
  const remaining = remainingOf(budget, deps);
  let removed = 0;
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Deps['objects']['list']>> = await deps.objects.list('Namespace', {
      namespace: null,
      after,
      limit: NAMESPACES_PER_PAGE,
    });
    for (const { key, document } of page.objects)
      if (isTerminating(document) && (await emptyOne(key.name, deps, remaining)) === 'removed') removed++;
    after = page.next;
  } while (after !== null && !isSpent(remaining, deps));
  return removed;
}

/** Every Job of the namespace; true: none is left, not even one that waits for its finalizers. */
async function deleteJobs(namespace: string, deps: Deps, remaining: RemainingBudget): Promise<boolean> {
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Deps['jobs']['listJobs']>> = await deps.jobs.listJobs({
      namespace,
      after,
      limit: PAGE,
    });
    await eachWithin(
      page.jobs,
      remaining,
      deps,
      async ({ uid }) => (await deleteJob(uid, deps)).kind !== 'terminating',
    );
    after = page.next;
  } while (after !== null && !isSpent(remaining, deps));
  return (await deps.jobs.listJobs({ namespace, after: null, limit: 1 })).jobs.length === 0;
}

/** The same for its objects of a stored kind. */
async function deleteStored(
  kind: StoredKind,
  namespace: string,
  remaining: RemainingBudget,
  deps: Deps,
): Promise<boolean> {
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Deps['objects']['list']>> = await deps.objects.list(kind, {
      namespace,
      after,
      limit: PAGE,
    });
    await eachWithin(page.objects, remaining, deps, async (found) => {
      // One that is being changed at this moment is left for the next call.
      const deleted = await deleteFound(kind, found, deps);
      return deleted.kind !== 'terminating';
    });
    after = page.next;
  } while (after !== null && !isSpent(remaining, deps));
  return (await deps.objects.list(kind, { namespace, after: null, limit: 1 })).objects.length === 0;
}

async function deleteFound(kind: StoredKind, found: StoredObject, deps: Deps): Promise<{ readonly kind: string }> {
  const own = DELETIONS[kind];
  if (own !== undefined) return own(found, deps);
  if (isOwnerKind(kind)) return deleteOwner(kind, found, 'Background', deps);
  return deps.objects.commit(kind, { key: found.key, was: found.version, document: null });
}

/** Another controller's finalizer holds the namespace. */
function isHeld({ metadata: { finalizers } }: StoredDocument): boolean {
  return Array.isArray(finalizers) && finalizers.some((finalizer) => finalizer !== FOREGROUND_DELETION);
}

const remainingOf = ({ deletions, ms }: Budget, { clock }: Deps): RemainingBudget => ({
  deletions,
  until: plusMs(clock.now(), ms),
});

const isSpent = ({ deletions, until }: RemainingBudget, { clock }: Deps): boolean =>
  deletions <= 0 || clock.now() >= until;

/** Calls `work` for each item, a few at a time, while the budget lasts; a call that did nothing is free. */
async function eachWithin<T>(
  items: readonly T[],
  remaining: RemainingBudget,
  deps: Deps,
  work: (item: T) => Promise<boolean>,
): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) {
      if (isSpent(remaining, deps)) return;
      remaining.deletions--;
      if (!(await work(item))) remaining.deletions++;
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
}
