import { isBarePod } from '../../domain/manifests/bare-pod.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { JobStore } from '../../ports/job-store.ts';
import { type ListPlace, decodePlace } from '../../schema/object/list-place.ts';
import { type Parsed, bad, countOf, ok } from '../http/query.ts';

const JOBS_PER_READ = 100;

/** At most `limit` objects, from a position on. */
export type PageRequest = { readonly limit: number; readonly from: ListPlace | null };
/** What the client requests; without a limit, everything. */
export type PageOptions = { readonly limit: number | null; readonly from: ListPlace | null };

/** Reads `limit` and `continue`. */
export function parsePage(query: { readonly limit?: string; readonly continue?: string }): Parsed<PageOptions> {
  const limit = countOf('limit', query.limit);
  if (limit.kind === 'bad') return limit;
  const wanted = limit.value === 0 ? null : limit.value;
  if (query.continue === undefined || query.continue === '') return ok({ limit: wanted, from: null });
  const from = decodePlace(query.continue);
  return from === null ? bad('continue key is not valid') : ok({ limit: wanted, from });
}

/** One page of objects. */
export type Page<T> = {
  readonly version: number;
  readonly items: readonly T[];
  /** Where it continues; null at the end. */
  readonly next: ListPlace | null;
  /** How many objects follow, ignoring selectors; omitted if what was read does not tell. */
  readonly remaining?: number;
  /** Of objects that it leaves out; omitted: it leaves out none. */
  readonly warnings?: readonly string[];
};

export type JobRef = {
  readonly uid: JobUid;
  readonly namespace: string;
  readonly name: string;
  /** The store's cursor of the page that it was on. */
  readonly after: string | null;
  /** How many names follow; omitted if they were not read. */
  readonly behind?: number;
};

/** Which Jobs a request selects; a selector may name a single one. */
export type JobScope = { readonly namespace: string | null; readonly name: string | undefined };

/**
 * The Jobs of a scope in order of (namespace, name), from a position on.
 *
 * @param which `stored`: bare Pods, too, which are stored as Jobs
 */
export async function* jobRefs(
  jobs: JobStore,
  scope: JobScope,
  from: ListPlace | null,
  which: 'stored' | 'jobs' = 'stored',
): AsyncGenerator<JobRef> {
  const { namespace, name } = scope;
  if (which === 'jobs' && name !== undefined && isBarePod({ name })) return;
  if (namespace !== null && name !== undefined) {
    const uid = await jobs.findJob(namespace, name);
    if (uid !== null) yield { uid, namespace, name, after: null };
    return;
  }
  let after = from?.after ?? null;
  do {
    const page = await jobs.listJobs({ namespace, after, limit: JOBS_PER_READ });
    const found = which === 'stored' ? page.jobs : page.jobs.filter((ref) => !isBarePod(ref));
    for (const [i, ref] of found.entries()) {
      const isBefore = from !== null && compare(ref, from.job) < 0;
      if (!isBefore && (name === undefined || ref.name === name))
        yield { ...ref, after, ...behind(found, i, page.next) };
    }
    after = page.next;
  } while (after !== null);
}

/** How many follow item `i` of a page, if it is the store's last page. */
export const behind = (page: readonly unknown[], i: number, next: string | null): { readonly behind?: number } =>
  next === null ? { behind: page.length - i - 1 } : {};

/** How many objects a page leaves out, starting with the next. */
export const remainingFrom = (next: { readonly behind?: number }): { readonly remaining?: number } =>
  next.behind === undefined ? {} : { remaining: next.behind + 1 };

const compare = (a: ListPlace['job'], b: ListPlace['job']): number =>
  a.namespace === b.namespace ? order(a.name, b.name) : order(a.namespace, b.namespace);
const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
