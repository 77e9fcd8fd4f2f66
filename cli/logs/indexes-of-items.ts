import { itemHash } from '../../shared/domain/items/item-hash.ts';
import { ANNOTATIONS, ITEM_HASH_LABEL } from '../../shared/domain/spec/annotations.ts';
import { type Job, PodSchema } from '../client/api-objects.ts';
import { type KubeClient, podsPath, readAs } from '../client/kube-client.ts';
import { Failure } from '../failure.ts';
import { attemptOf, podSelector } from './pod-attempt.ts';

/**
 * The indexes of a Job that work on these items, in ascending order. The server finds their Pods by the hash of the item.
 *
 * @param wanted items as their lines; a blank stands for the tab between two values, too
 * @throws Failure when no Pod of the Job works on one of them
 */
export async function indexesOfItems(
  job: Job,
  wanted: readonly string[],
  client: KubeClient,
): Promise<readonly number[]> {
  const lines = wanted.flatMap((item) => [...new Set([item, item.replaceAll(' ', '\t')])]);
  const hashes = [...new Set(lines.map(itemHash))];
  const labelSelector = `${podSelector(job, null)},${ITEM_HASH_LABEL} in (${hashes.join(',')})`;
  const { items } = await client.list(podsPath(job.metadata.namespace), { labelSelector });
  const found = new Map<string, Set<number>>();
  for (const listed of items) {
    const pod = readAs(PodSchema, listed, client.target);
    const { index = null } = attemptOf(pod) ?? {};
    const item = pod.metadata.annotations[ANNOTATIONS.item];
    if (index !== null && item !== undefined) found.set(item, (found.get(item) ?? new Set<number>()).add(index));
  }
  const indexes = wanted.map((item) => found.get(item) ?? found.get(item.replaceAll(' ', '\t')));
  const missing = wanted.filter((_, nth) => indexes[nth] === undefined);
  if (missing.length > 0)
    throw new Failure(
      `error: no Pod of Job ${job.metadata.name} works on the item ${missing.map((item) => JSON.stringify(item)).join(', ')}`,
    );
  return [...new Set(indexes.flatMap((each) => [...(each ?? [])]))].sort((a, b) => a - b);
}
