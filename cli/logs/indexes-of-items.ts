import { itemHash } from '../../shared/domain/items/item-hash.ts';
import { ANNOTATIONS, ITEM_HASH_LABEL } from '../../shared/domain/manifests/annotations.ts';
import { ItemsSchema, type Job, PodSchema } from '../client/api-objects.ts';
import { type KubeClient, itemsPath, podsPath, readAs } from '../client/kube-client.ts';
import { Failure } from '../shell/failure.ts';
import { attemptOf, podSelector } from '../client/pod-attempt.ts';

/** Of one request, as the server has it; each item may be meant in two ways. */
const ITEMS_AT_ONCE = 50;

/**
 * The indexes of a Job that work on these items, in ascending order, with Pods or without: the server finds them in the Job's
 * list.
 *
 * @param wanted items as their lines; a blank stands for the tab between two values, too
 * @throws Failure when the Job's list does not have one of them
 */
export async function indexesOfItems(
  job: Job,
  wanted: readonly string[],
  client: KubeClient,
): Promise<readonly number[]> {
  const found = new Map<string, Set<number>>();
  for (let from = 0; from < wanted.length; from += ITEMS_AT_ONCE)
    await findInList(job, wanted.slice(from, from + ITEMS_AT_ONCE), client, found);
  return chosen(job, wanted, found);
}

/** The same for indexes that have Pods: one request, however long the list is. Others are looked up in the list. */
export async function indexesOfItemsWithPods(
  job: Job,
  wanted: readonly string[],
  client: KubeClient,
): Promise<readonly number[]> {
  const hashes = [...new Set(wanted.flatMap(linesOf).map(itemHash))];
  const labelSelector = `${podSelector(job, null)},${ITEM_HASH_LABEL} in (${hashes.join(',')})`;
  const { items } = await client.list(podsPath(job.metadata.namespace), { labelSelector });
  const found = new Map<string, Set<number>>();
  for (const listed of items) {
    const pod = readAs(PodSchema, listed, client.target);
    const { index = null } = attemptOf(pod) ?? {};
    const item = pod.metadata.annotations[ANNOTATIONS.item];
    if (index !== null && item !== undefined) add(found, item, index);
  }
  const others = wanted.filter((item) => indexesIn(found, item) === undefined);
  const inList = others.length === 0 ? [] : await indexesOfItems(job, others, client);
  return ascending([...inList, ...wanted.flatMap((item) => [...(indexesIn(found, item) ?? [])])]);
}

/** An item as its line may be, with blanks or with tabs between values. */
const linesOf = (item: string): readonly string[] => [...new Set([item, item.replaceAll(' ', '\t')])];

const indexesIn = (found: ReadonlyMap<string, ReadonlySet<number>>, item: string): ReadonlySet<number> | undefined =>
  found.get(item) ?? found.get(item.replaceAll(' ', '\t'));

const add = (found: Map<string, Set<number>>, item: string, index: number): void =>
  void found.set(item, (found.get(item) ?? new Set<number>()).add(index));

const ascending = (indexes: readonly number[]): readonly number[] => [...new Set(indexes)].sort((a, b) => a - b);

async function findInList(
  { metadata: { namespace, name } }: Job,
  wanted: readonly string[],
  client: KubeClient,
  found: Map<string, Set<number>>,
): Promise<void> {
  const hashes = new URLSearchParams(wanted.flatMap(linesOf).map((item): [string, string] => ['hash', itemHash(item)]));
  for (let next = ''; ; ) {
    const path = `${itemsPath(namespace, name)}?${hashes.toString()}`;
    const page = readAs(
      ItemsSchema,
      await client.get(next === '' ? path : `${path}&continue=${encodeURIComponent(next)}`),
      client.target,
    );
    for (const { index, item } of page.items) add(found, item, index);
    next = page.metadata.continue;
    if (next === '') return;
  }
}

function chosen(
  { metadata: { name } }: Job,
  wanted: readonly string[],
  found: ReadonlyMap<string, ReadonlySet<number>>,
): readonly number[] {
  const missing = wanted.filter((item) => indexesIn(found, item) === undefined);
  if (missing.length > 0)
    throw new Failure(
      `error: the list of Job ${name} has no item ${missing.map((item) => JSON.stringify(item)).join(', ')}`,
    );
  return ascending(wanted.flatMap((item) => [...(indexesIn(found, item) ?? [])]));
}
