import { AttemptsSchema, type EndedAttempt } from '../client/api-objects.ts';
import { type KubeClient, attemptsPath, readAs } from '../client/kube-client.ts';
import { type IndexSet, formatIndexSet, has } from '../../shared/domain/base/index-set.ts';

/**
 * `last`: of each index the last attempt that has ended; `all`: every one; `failed`: of each index that has failed and not
 * succeeded since, the last that has failed.
 */
export type Which = 'last' | 'all' | 'failed';

/** A longer text does not fit a request's line: then all are read. */
const INDEXES_CHARS_MAX = 4_000;

/**
 * The ended attempts of a Job, by index and attempt, page by page: no more than one page is in memory.
 *
 * @param wish with `words`, the words that each was started with; with `indexes`, only those of these indexes
 * @throws ApiFailure when the Job does not exist, or is replaced by another of its name meanwhile
 */
export async function* endedAttempts(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  which: Which,
  client: KubeClient,
  { words = false, indexes = null }: { readonly words?: boolean; readonly indexes?: IndexSet | null } = {},
): AsyncGenerator<readonly EndedAttempt[]> {
  let next: string | undefined;
  const text = indexes === null ? '' : formatIndexSet(indexes);
  const asked = text === '' || text.length > INDEXES_CHARS_MAX ? {} : { indexes: text };
  do {
    const query = { which, continue: next, ...asked, ...(words ? { words: true } : {}) };
    const page = readAs(AttemptsSchema, await client.get(attemptsPath(namespace, name), query), client.target);
    const items = page.items.filter(({ index }) => indexes === null || (index !== undefined && has(indexes, index)));
    if (items.length > 0) yield items;
    next = page.metadata.continue;
  } while (next !== '');
}
