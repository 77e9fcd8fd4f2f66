import { ITEM_SOURCES } from '../capabilities/lists/item-sources.ts';
import { pinnedItemsOf } from '../domain/items/job-items.ts';
import { ANNOTATIONS } from '../domain/manifests/annotations.ts';
import type { NamedList } from '../schema/items/job-items-rules.ts';
import type { ItemStore } from '../ports/item-store.ts';
import type { JobStore } from '../ports/job-store.ts';
import type { ObjectStore } from '../ports/object-store.ts';

type ListSource = { readonly objects: ObjectStore; readonly items: ItemStore; readonly jobs: JobStore };

/**
 * The list that a new Job names, as it is now; null: it names none. A Job that runs another again gets the items of that one, even
 * if the list is gone or was made anew, for the accounts that the writer of those could use.
 *
 * @param annotations of the Job as it was sent, not admitted yet
 */
export async function findNamedList(
  annotations: Readonly<Record<string, unknown>>,
  namespace: string,
  { objects, items, jobs }: ListSource,
): Promise<NamedList | null> {
  const source = ITEM_SOURCES.find(({ key }) => typeof annotations[key] === 'string');
  if (source === undefined) return null;
  const { [source.key]: name, [ANNOTATIONS.rerunOf]: before } = annotations;
  if (typeof name !== 'string') return null;
  const again =
    typeof before === 'string' ? await listOfJob(before, [source.key, name], namespace, { items, jobs }) : null;
  return again ?? source.find(name, namespace, { objects, items });
}

/** What another Job has pinned under this name; null: it has not. */
async function listOfJob(
  job: string,
  [key, name]: readonly [key: string, name: string],
  namespace: string,
  { items, jobs }: Pick<ListSource, 'items' | 'jobs'>,
): Promise<NamedList | null> {
  const uid = await jobs.findJob(namespace, job);
  const spec = uid === null ? null : await jobs.readSpec(uid);
  if (spec === null || spec.manifest.metadata.annotations?.[key] !== name) return null;
  const pinned = pinnedItemsOf(spec.manifest);
  if (pinned === null) return null;
  const head = await items.readHead(pinned.content);
  // Without its head nobody knows who wrote it.
  return { kind: 'sealed', ...pinned, accounts: head === null ? [] : head.accounts };
}
