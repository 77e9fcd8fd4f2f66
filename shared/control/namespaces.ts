import { type EpochMs, plusMs } from '../domain/brand.ts';
import { FOREGROUND_DELETION } from '../domain/job.ts';
import { awaits, isTerminating } from '../domain/namespace.ts';
import type { StoredDocument } from '../ports/object-store.ts';
import { deleteCronJob } from './cron-changes.ts';
import type { Deps } from './deps.ts';
import { deleteJob } from './job-changes.ts';

/** How much is deleted in one go, and how long it may take; whoever comes next goes on. */
export type Budget = { readonly deletions: number; readonly ms: number };

/** What is left of it. */
type Purse = { deletions: number; readonly until: EpochMs };

/** Deletions that are under way at once. */
const AT_ONCE = 8;
const PAGE = 100;
const NAMESPACES_PER_PAGE = 100;

/**
 * Deletes what is in a Terminating namespace, and the namespace itself once nothing is left: every step is an ordinary
 * deletion of one object, so whoever dies, and however many do this at once, the next call finds what is still there.
 * Nothing new comes in meanwhile: CronJobs are refused by the store, a Job that was stored all the same is taken back by
 * whoever stored it.
 *
 * @returns `none`: there is no such namespace, or it is not being deleted; `left`: the budget is spent, or finalizers of
 * others hold what is left
 */
export async function emptyNamespace(name: string, deps: Deps, budget: Budget): Promise<'removed' | 'left' | 'none'> {
  return emptyOne(name, deps, purseOf(budget, deps));
}

async function emptyOne(name: string, deps: Deps, purse: Purse): Promise<'removed' | 'left' | 'none'> {
  const key = { namespace: '', name };
  const found = await deps.objects.read('Namespace', key);
  if (found === null || !isTerminating(found.document)) return 'none';
  // Jobs first: each CronJob looks for its own.
  const isEmpty = [await deleteJobs(name, deps, purse), await deleteCronJobs(name, deps, purse)];
  if (isEmpty.includes(false) || isHeld(found.document) || awaits(found.document)) return 'left';
  const removed = await deps.objects.commit('Namespace', { key, was: found.version, document: null });
  return removed.kind === 'committed' ? 'removed' : 'left'; // somebody relabelled it: next time
}

/** Goes on with every namespace that is being deleted. Resolves to the number of those that are gone now. */
export async function sweepNamespaces(deps: Deps, budget: Budget): Promise<number> {
  const purse = purseOf(budget, deps);
  let removed = 0;
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Deps['objects']['list']>> = await deps.objects.list('Namespace', {
      namespace: null,
      after,
      limit: NAMESPACES_PER_PAGE,
    });
    for (const { key, document } of page.objects)
      if (isTerminating(document) && (await emptyOne(key.name, deps, purse)) === 'removed') removed++;
    after = page.next;
  } while (after !== null && !isSpent(purse, deps));
  return removed;
}

/** Every Job of the namespace; true: none is left, not even one that is waiting for its finalizers. */
async function deleteJobs(namespace: string, deps: Deps, purse: Purse): Promise<boolean> {
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Deps['jobs']['listJobs']>> = await deps.jobs.listJobs({
      namespace,
      after,
      limit: PAGE,
    });
    await eachWithin(page.jobs, purse, deps, async ({ uid }) => (await deleteJob(uid, deps)).kind !== 'terminating');
    after = page.next;
  } while (after !== null && !isSpent(purse, deps));
  return (await deps.jobs.listJobs({ namespace, after: null, limit: 1 })).jobs.length === 0;
}

/** The same for its CronJobs. */
async function deleteCronJobs(namespace: string, deps: Deps, purse: Purse): Promise<boolean> {
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Deps['objects']['list']>> = await deps.objects.list('CronJob', {
      namespace,
      after,
      limit: PAGE,
    });
    await eachWithin(page.objects, purse, deps, async (found) => {
      // One that somebody else changes at this moment is left for the next time.
      return (await deleteCronJob(found, 'Background', deps)).kind !== 'terminating';
    });
    after = page.next;
  } while (after !== null && !isSpent(purse, deps));
  return (await deps.objects.list('CronJob', { namespace, after: null, limit: 1 })).objects.length === 0;
}

/** Somebody else has something to do before the namespace may go. */
function isHeld({ metadata: { finalizers } }: StoredDocument): boolean {
  return Array.isArray(finalizers) && finalizers.some((finalizer) => finalizer !== FOREGROUND_DELETION);
}

const purseOf = ({ deletions, ms }: Budget, { clock }: Deps): Purse => ({ deletions, until: plusMs(clock.now(), ms) });

const isSpent = ({ deletions, until }: Purse, { clock }: Deps): boolean => deletions <= 0 || clock.now() >= until;

/** Does `work` for one after the other, a few at a time, while something is left; where it was for nothing, it is free. */
async function eachWithin<T>(
  items: readonly T[],
  purse: Purse,
  deps: Deps,
  work: (item: T) => Promise<boolean>,
): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) {
      if (isSpent(purse, deps)) return;
      purse.deletions--;
      if (!(await work(item))) purse.deletions++;
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
}
