import type { JobUid } from '../../domain/base/ids.ts';
import { pinnedItemsOf } from '../../domain/items/job-items.ts';
import type { JobManifest } from '../../domain/manifests/manifest.ts';
import type { Deps } from '../process/deps.ts';

/** Keeps the items that a new Job has pinned. False: they are gone, or there are none yet. */
export async function reserveItems(
  manifest: JobManifest,
  uid: JobUid,
  { items, clock }: Pick<Deps, 'items' | 'clock'>,
): Promise<boolean> {
  const pinned = pinnedItemsOf(manifest);
  return pinned === null || items.reserve(pinned.content, uid, clock.now());
}

/** Whether {@link reserveItems} would keep them now. Nothing is reserved. */
export async function checkItems(manifest: JobManifest, { items }: Pick<Deps, 'items'>): Promise<boolean> {
  const pinned = pinnedItemsOf(manifest);
  return pinned === null || ((await items.readHead(pinned.content))?.sealed ?? null) !== null;
}

/** Called when none of the Job's tasks can be launched any more. Safe to repeat. */
export async function releaseItems(manifest: JobManifest, uid: JobUid, { items }: Pick<Deps, 'items'>): Promise<void> {
  const pinned = pinnedItemsOf(manifest);
  if (pinned !== null) await items.release(pinned.content, uid);
}
