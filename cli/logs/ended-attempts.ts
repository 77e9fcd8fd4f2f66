import { AttemptsSchema, type EndedAttempt } from '../client/api-objects.ts';
import { type KubeClient, attemptsPath, readAs } from '../client/kube-client.ts';

/**
 * `last`: of each index the last attempt that has ended; `all`: every one; `failed`: of each index that has failed and not
 * succeeded since, the last that has failed.
 */
export type Which = 'last' | 'all' | 'failed';

/**
 * The ended attempts of a Job, by index and attempt, page by page: no more than one page is in memory.
 *
 * @param words with the words that each was started with
 * @throws ApiFailure when the Job does not exist, or is replaced by another of its name meanwhile
 */
export async function* endedAttempts(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  which: Which,
  client: KubeClient,
  words: 'withWords' | 'withoutWords' = 'withoutWords',
): AsyncGenerator<readonly EndedAttempt[]> {
  let next: string | undefined;
  do {
    const query = { which, continue: next, ...(words === 'withWords' ? { words: true } : {}) };
    const page = readAs(AttemptsSchema, await client.get(attemptsPath(namespace, name), query), client.target);
    if (page.items.length > 0) yield page.items;
    next = page.metadata.continue;
  } while (next !== '');
}
