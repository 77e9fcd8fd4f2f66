import { itemHash } from '../../domain/items/item-hash.ts';
import { indexesOf } from '../../domain/items/job-items.ts';
import { readItemValues } from '../../store/read-items.ts';
import { type Parsed, bad, ok } from '../http/query.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { expired, notFound } from '../http/status-error.ts';
import { type Reads, readJobView } from '../jobs/job-view.ts';

/** What a page may cost: items compared at once, and characters read, which is what reads of the store come to. */
const SPAN_INDEXES = 256;
const INDEXES_MAX = 10_000;
const CHARS_MAX = 500_000;
/** Of one request. */
const WANTED_MAX = 100;

export type ItemQuery = {
  /** As `itemHash` has them: an item may be longer than a URL. */
  readonly hashes: readonly string[];
  /** Where the page begins; null: at the first index. */
  readonly from: { readonly uid: string; readonly index: number } | null;
};

/** Reads `hash`, which may be there several times, and `continue`. */
export function parseItemQuery(hashes: readonly string[], token = ''): Parsed<ItemQuery> {
  if (hashes.length === 0 || hashes.length > WANTED_MAX)
    return bad(`hash: Invalid value: ${hashes.length} of them: 1 to ${WANTED_MAX} are possible`);
  if (token === '') return ok({ hashes, from: null });
  const [, uid, index] = /^([0-9a-f-]{36})\.(\d{1,7})$/.exec(token) ?? [];
  if (uid === undefined || index === undefined) return bad('continue key is not valid');
  return ok({ hashes, from: { uid, index: Number(index) } });
}

/**
 * The indexes of a Job that work on some items, page by page: from the Job's list, whether they have Pods or not. Of a batch,
 * the whole or one of its items is found.
 *
 * @returns 404 if the Job does not exist, 410 if the page before was another Job's of this name
 */
export async function findItems(namespace: string, name: string, { hashes, from }: ItemQuery, reads: Reads) {
  const uid = await reads.jobs.findJob(namespace, name);
  const view = uid === null ? null : await readJobView(uid, reads, () => []);
  if (uid === null || view === null) return { kind: 'bad', error: notFound(API_KINDS.Job, name) } as const;
  if (from !== null && from.uid !== uid)
    return { kind: 'bad', error: expired(`job ${JSON.stringify(name)} was replaced by another: list again`) } as const;
  const { manifest } = view.spec;
  const count = indexesOf(manifest);
  const wanted = new Set(hashes);
  const found: { readonly index: number; readonly item: string }[] = [];
  let index = from?.index ?? 0;
  const end = Math.min(index + INDEXES_MAX, count);
  for (let chars = 0; index < end && chars < CHARS_MAX; ) {
    const span = Array.from({ length: Math.min(SPAN_INDEXES, end - index) }, (_, nth) => index + nth);
    for (const [of, { line }] of await readItemValues(manifest, span, reads)) {
      chars += line.length;
      for (const item of new Set([line, ...line.split('\n')]))
        if (wanted.has(itemHash(item))) found.push({ index: of, item });
    }
    index += span.length;
  }
  return ok({
    apiVersion: 'muster.run/v1',
    kind: 'JobItems',
    metadata: { namespace, name, uid, continue: index < count ? `${uid}.${index}` : '' },
    items: found,
  });
}
