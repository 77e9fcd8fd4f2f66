import { type EpochMs, plusMs } from '../../../domain/base/time.ts';
import type { ContentId } from '../../../ports/item-store.ts';
import type { StoredObject } from '../../../ports/object-store.ts';
import type { Deps } from '../../../control/process/deps.ts';

/** The uid of a WorkList is the id of its content: a list that is made anew under its name has another. */
const contentOf = ({ document }: StoredObject): ContentId => document.metadata.uid;

/**
 * Deletes a WorkList. Its items stay as long as Jobs use them; the sweep removes what this call could not.
 *
 * @returns `lost`: it has changed since it was read
 */
export async function deleteWorkList(
  seen: StoredObject,
  { objects, items }: Pick<Deps, 'objects' | 'items'>,
): Promise<{ readonly kind: 'deleted' | 'lost' }> {
  const removed = await objects.commit('WorkList', { key: seen.key, was: seen.version, document: null });
  if (removed.kind !== 'committed') return { kind: 'lost' };
  await items.remove(contentOf(seen));
  return { kind: 'deleted' };
}

/** A list that has not got all of its items by then is removed. */
const UNSEALED_MAX_MS = 24 * 3_600_000;
/** A caller that creates a Job or a list has stored it by then. */
const CREATION_MAX_MS = 3_600_000;
const PAGE = 100;

/**
 * Removes contents that nobody needs: their WorkList is gone, and so are the Jobs that had reserved them; or they were never
 * sealed. Hourly. Returns how many were removed.
 */
export async function sweepContents(deps: Deps): Promise<number> {
  let removed = 0;
  let after: ContentId | null = null;
  do {
    const page: Awaited<ReturnType<Deps['items']['listContents']>> = await deps.items.listContents({
      after,
      limit: PAGE,
    });
    for (const content of page.contents) if (await sweepOne(content, deps)) removed++;
    after = page.next;
  } while (after !== null);
  return removed;
}

async function sweepOne(content: ContentId, deps: Deps): Promise<boolean> {
  const { items, objects, clock } = deps;
  const head = await items.readHead(content);
  if (head !== null) {
    const { namespace, name, createdAt, sealed } = head;
    const found = await objects.read('WorkList', { namespace, name });
    const isThere = found !== null && contentOf(found) === content;
    const isOlder = (ms: number): boolean => clock.now() > plusMs(createdAt, ms);
    if (isThere && sealed === null && isOlder(UNSEALED_MAX_MS))
      await objects.commit('WorkList', { key: found.key, was: found.version, document: null });
    else if (isThere || !isOlder(CREATION_MAX_MS)) return false;
    await releaseStrays(content, clock.now(), deps);
  }
  return (await items.remove(content)).kind === 'removed';
}

/** Reservations of Jobs that were never stored, or that are deleted. */
async function releaseStrays(content: ContentId, now: EpochMs, { items, jobs }: Deps): Promise<void> {
  for (const { job, at } of await items.listReservations(content)) {
    if (now <= plusMs(at, CREATION_MAX_MS)) continue;
    const status = await jobs.readStatus(job);
    if (status === null || status.phase.kind === 'deleted') await items.release(content, job);
  }
}
